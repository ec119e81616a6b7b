# SPDX-License-Identifier: MIT

# How test programs are built and registered.

find_program(KNACK_VALGRIND valgrind)
mark_as_advanced(KNACK_VALGRIND)

# Linked anew after each change, and lld needs half the time of ld.
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

# knack_test_target(target SOURCE file... [LINK library...]): a program of tests, without CTest entries.
function(knack_test_target target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCE;LINK")
    add_executable(${target} ${arg_SOURCE})
    knack_target(${target})
    target_link_libraries(${target} PRIVATE ${arg_LINK})
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
endfunction()

# knack_test_entry(name LABEL label COMMAND target [argument...])
#
# A CTest entry. Where valgrind is at hand, unsanitized builds get a second entry memcheck.<name>,
# which only runs when asked for: ctest -C memcheck -R ^memcheck
# What KNACK_LONG_TESTS names starts first, and has no such entry: it would take minutes.
function(knack_test_entry name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABEL" "COMMAND")
    add_test(NAME ${name} COMMAND ${arg_COMMAND})
    set_tests_properties(${name} PROPERTIES LABELS "${arg_LABEL}" TIMEOUT ${KNACK_TEST_SECONDS})
    if(KNACK_WINE)
        set_tests_properties(${name} PROPERTIES FIXTURES_REQUIRED wine_home)
    endif()
    if(name IN_LIST KNACK_LONG_TESTS)
        set_tests_properties(${name} PROPERTIES COST 100)
    elseif(KNACK_VALGRIND AND NOT KNACK_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
        list(POP_FRONT arg_COMMAND target)
        add_test(NAME memcheck.${name} CONFIGURATIONS memcheck
            COMMAND ${KNACK_VALGRIND} --quiet --error-exitcode=99 --leak-check=full
                --errors-for-leak-kinds=definite,indirect,possible $<TARGET_FILE:${target}>
                ${arg_COMMAND})
        set_tests_properties(memcheck.${name} PROPERTIES
            LABELS "${arg_LABEL};memcheck" TIMEOUT 1200)
    endif()
endfunction()

# knack_test_program(folder LABEL label [INTERNALS] [LINK library...] [DEFINE definition...])
#
# The program <folder>, of the target tests_<folder>: runner.c and the groups that knack_tests() adds.
# With INTERNALS its files may include internal headers.
function(knack_test_program folder)
    cmake_parse_arguments(PARSE_ARGV 1 arg "INTERNALS" "LABEL" "LINK;DEFINE")
    set(target tests_${folder})
    set(groups ${CMAKE_CURRENT_BINARY_DIR}/${folder}_groups.c)
    knack_test_target(${target} SOURCE runner.c ${groups} LINK ${arg_LINK} knack_cmocka)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${folder} KNACK_LABEL "${arg_LABEL}")
    target_compile_definitions(${target} PRIVATE ${arg_DEFINE})
    add_dependencies(check ${target})
    # Optimising a test takes longer than it saves when the test runs.
    if(KNACK_SANITIZE)
        target_compile_options(${target} PRIVATE -O0)
    elseif(NOT MSVC AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
        target_compile_options(${target} PRIVATE -O1)
    endif()
    if(arg_INTERNALS)
        knack_use_internals(${target})
    endif()
    set(names "$<TARGET_PROPERTY:${target},KNACK_GROUPS>")
    file(GENERATE OUTPUT ${groups} CONTENT "// Written by CMake.
#include \"group.h\"
extern const test_group group_$<JOIN:${names},$<COMMA> group_>;
extern const test_group *const test_groups[];
const test_group *const test_groups[] = {&group_$<JOIN:${names},$<COMMA> &group_>, NULL};
")
endfunction()

# knack_use(folder target library [DEFINE definition...]): links a library to the program of a folder if
# the target is built.
function(knack_use folder target library)
    cmake_parse_arguments(PARSE_ARGV 3 arg "" "" "DEFINE")
    if(TARGET ${target})
        target_link_libraries(tests_${folder} PRIVATE ${library})
        target_compile_definitions(tests_${folder} PRIVATE ${arg_DEFINE})
    endif()
endfunction()

# knack_tests(folder [NEEDS target...] GROUPS name...)
#
# Adds <folder>/<name>.c, a group each, to the program of the folder, with a CTest entry
# <folder>.<name>. They are left out unless the program and all targets exist.
function(knack_tests folder)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "NEEDS;GROUPS")
    foreach(target IN ITEMS tests_${folder} LISTS arg_NEEDS)
        if(NOT TARGET ${target})
            return()
        endif()
    endforeach()
    get_target_property(label tests_${folder} KNACK_LABEL)
    foreach(name IN LISTS arg_GROUPS)
        target_sources(tests_${folder} PRIVATE ${folder}/${name}.c)
        set_property(TARGET tests_${folder} APPEND PROPERTY KNACK_GROUPS ${name})
        knack_test_entry(${folder}.${name} LABEL "${label}" COMMAND tests_${folder} --filter ${name})
    endforeach()
endfunction()

# knack_internal is the core with its kni_ functions within reach of tests. A static library
# offers them already; a shared one hides them, so the tests get a static build of their own.
if(BUILD_SHARED_LIBS)
    set(KNACK_INTERNAL_SOURCES ${KNACK_CORE_SOURCES})
    list(TRANSFORM KNACK_INTERNAL_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/)
    add_library(knack_internal STATIC ${KNACK_INTERNAL_SOURCES})
    knack_target(knack_internal)
    knack_use_internals(knack_internal)
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
