# SPDX-License-Identifier: MIT

# How test programs are built and registered.

find_program(KNACK_VALGRIND valgrind)
mark_as_advanced(KNACK_VALGRIND)

# There are hundreds of programs to link, and lld needs half the time of ld.
if(NOT CMAKE_CROSSCOMPILING)
    include(CheckLinkerFlag)
    check_linker_flag(C -fuse-ld=lld KNACK_LLD)
    if(KNACK_LLD)
        add_link_options(-fuse-ld=lld)
    endif()
endif()

# Seconds that a test may take: emulators and the thread sanitizer are slow.
set(KNACK_TEST_SECONDS 300)
if(CMAKE_CROSSCOMPILING OR "thread" IN_LIST KNACK_SANITIZE)
    set(KNACK_TEST_SECONDS 1500)
endif()

# The first program that wine runs makes its home; two at once would be in each other's way.
if(KNACK_WINE)
    add_test(NAME wine_home COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} cmd /c exit)
    set_tests_properties(wine_home PROPERTIES FIXTURES_SETUP wine_home)
endif()

# knack_test(name SOURCE file [LABELS label...] [LINK library...])
#
# One program, one CTest entry. Where valgrind is at hand, unsanitized builds get a second entry
# memcheck.<name>, which only runs when asked for: ctest -C memcheck -R ^memcheck
# Tests with the label "long" start first, and have no such entry: they would take minutes.
function(knack_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE" "LABELS;LINK")
    add_executable(${name} ${arg_SOURCE})
    knack_target(${name})
    target_link_libraries(${name} PRIVATE ${arg_LINK})
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    # With sanitizers, optimising a test takes longer than it saves when the test runs.
    if(KNACK_SANITIZE)
        target_compile_options(${name} PRIVATE -O0)
    endif()

    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}"
        TIMEOUT ${KNACK_TEST_SECONDS})
    if(KNACK_WINE)
        set_tests_properties(${name} PROPERTIES FIXTURES_REQUIRED wine_home)
    endif()
    if("long" IN_LIST arg_LABELS)
        set_tests_properties(${name} PROPERTIES COST 100)
    elseif(KNACK_VALGRIND AND NOT KNACK_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
        add_test(NAME memcheck.${name} CONFIGURATIONS memcheck
            COMMAND ${KNACK_VALGRIND} --quiet --error-exitcode=99 --leak-check=full
                --errors-for-leak-kinds=definite,indirect,possible $<TARGET_FILE:${name}>)
        set_tests_properties(memcheck.${name} PROPERTIES
            LABELS "${arg_LABELS};memcheck" TIMEOUT 1200)
    endif()
endfunction()

# knack_internal is the core with its kni_ functions within reach of tests. A static library
# offers them already; a shared one hides them, so the tests get a static build of their own.
if(BUILD_SHARED_LIBS)
    set(KNACK_INTERNAL_SOURCES ${KNACK_CORE_SOURCES})
    list(TRANSFORM KNACK_INTERNAL_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/)
    add_library(knack_internal STATIC ${KNACK_INTERNAL_SOURCES})
    knack_target(knack_internal)
    set_target_properties(knack_internal PROPERTIES C_VISIBILITY_PRESET default)
    target_include_directories(knack_internal PUBLIC ${PROJECT_SOURCE_DIR}/include)
    target_compile_definitions(knack_internal PRIVATE KNACK_BUILDING)
    if(UNIX AND NOT APPLE)
        target_link_libraries(knack_internal PUBLIC m)
    endif()
else()
    add_library(knack_internal ALIAS knack)
endif()

# knack_data_internal: the same for knack::data.
if(KNACK_DATA AND BUILD_SHARED_LIBS)
    get_target_property(KNACK_INTERNAL_SOURCES knack_data SOURCES)
    list(TRANSFORM KNACK_INTERNAL_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/src/data/)
    add_library(knack_data_internal STATIC ${KNACK_INTERNAL_SOURCES})
    knack_target(knack_data_internal)
    set_target_properties(knack_data_internal PROPERTIES C_VISIBILITY_PRESET default)
    target_link_libraries(knack_data_internal PUBLIC knack_internal PRIVATE PkgConfig::KNACK_YAML)
    if(KNACK_NET)
        target_link_libraries(knack_data_internal PRIVATE knack_net_internal)
    endif()
elseif(KNACK_DATA)
    add_library(knack_data_internal ALIAS knack_data)
endif()

# knack_net_internal: the same for knack::net.
if(KNACK_NET AND BUILD_SHARED_LIBS)
    get_target_property(KNACK_INTERNAL_SOURCES knack_net SOURCES)
    list(TRANSFORM KNACK_INTERNAL_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/src/net/)
    add_library(knack_net_internal STATIC ${KNACK_INTERNAL_SOURCES})
    knack_target(knack_net_internal)
    set_target_properties(knack_net_internal PROPERTIES C_VISIBILITY_PRESET default)
    target_compile_definitions(knack_net_internal PRIVATE KNACK_BUILDING)
    target_link_libraries(knack_net_internal PUBLIC knack_internal)
elseif(KNACK_NET)
    add_library(knack_net_internal ALIAS knack_net)
endif()

# knack_udp_internal: the same for knack::udp.
if(KNACK_UDP AND BUILD_SHARED_LIBS)
    get_target_property(KNACK_INTERNAL_SOURCES knack_udp SOURCES)
    list(TRANSFORM KNACK_INTERNAL_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/src/udp/)
    add_library(knack_udp_internal STATIC ${KNACK_INTERNAL_SOURCES})
    knack_target(knack_udp_internal)
    set_target_properties(knack_udp_internal PROPERTIES C_VISIBILITY_PRESET default)
    target_link_libraries(knack_udp_internal
        PUBLIC knack_internal PRIVATE PkgConfig::KNACK_SODIUM $<$<BOOL:${WIN32}>:ws2_32>)
elseif(KNACK_UDP)
    add_library(knack_udp_internal ALIAS knack_udp)
endif()

# knack_websocket_internal: the same for knack::websocket.
if(KNACK_WEBSOCKET AND BUILD_SHARED_LIBS)
    get_target_property(KNACK_INTERNAL_SOURCES knack_websocket SOURCES)
    list(TRANSFORM KNACK_INTERNAL_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/src/websocket/)
    add_library(knack_websocket_internal STATIC ${KNACK_INTERNAL_SOURCES})
    knack_target(knack_websocket_internal)
    set_target_properties(knack_websocket_internal PROPERTIES C_VISIBILITY_PRESET default)
    target_link_libraries(knack_websocket_internal
        PUBLIC knack_internal PRIVATE PkgConfig::KNACK_LIBWEBSOCKETS)
elseif(KNACK_WEBSOCKET)
    add_library(knack_websocket_internal ALIAS knack_websocket)
endif()
