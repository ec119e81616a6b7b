# SPDX-License-Identifier: MIT

# How a target of this project is built and installed.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(KNACK_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/knack)
set(KNACK_TEMPLATE_DIR ${CMAKE_CURRENT_LIST_DIR})

# Headers that belong to a module and are installed with it, not with the core.
set(KNACK_MODULE_HEADERS data.h scenario.h script.h
    net.h link.h net_sim.h rollback.h session.h
    inspector.h store.h udp.h websocket.h
    capability.h capability_input.h capability_presenter.h capability_trace.h
    mover.h order.h order_command.h order_preview.h order_produce.h order_ready.h tree.h
    rts.h rts_attack.h rts_card.h rts_item.h rts_team.h rts_tech.h rts_text.h
    aura.h buff.h cast.h combat.h combat_log.h hit.h input_queue.h proc.h resource.h threat.h)

set(KNACK_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
    -Wdouble-promotion -Wundef -Wvla -Wcast-qual -Wwrite-strings)
set(KNACK_C_WARNINGS -Wstrict-prototypes -Wmissing-prototypes)

# knack_target(target)
#
# Gives a library or program the project's language, warnings and numeric rules. Every target
# uses it, so that a scene or a test computes with the same bits as the library.
function(knack_target target)
    set_target_properties(${target} PROPERTIES
        C_STANDARD 17
        C_STANDARD_REQUIRED ON
        C_EXTENSIONS OFF
        C_VISIBILITY_PRESET hidden
        POSITION_INDEPENDENT_CODE ON)
    if(MSVC)
        target_compile_options(${target} PRIVATE /W4 /fp:precise $<$<BOOL:${KNACK_WERROR}>:/WX>)
    else()
        target_compile_options(${target} PRIVATE
            ${KNACK_WARNINGS} $<$<COMPILE_LANGUAGE:C>:${KNACK_C_WARNINGS}>
            $<$<BOOL:${KNACK_WERROR}>:-Werror> -ffp-contract=off)
    endif()

    # CMake defines NDEBUG for this configuration, but asserts stay on in it.
    target_compile_definitions(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:KN_ASSERTS=1>)
    if(KNACK_VALIDATE OR KNACK_SANITIZE)
        target_compile_definitions(${target} PRIVATE KN_VALIDATE=1)
    endif()
    if(KNACK_SANITIZE)
        list(JOIN KNACK_SANITIZE "," sanitizers)
        target_compile_options(${target} PRIVATE
            -fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
        target_link_options(${target} PRIVATE -fsanitize=${sanitizers})
    endif()
    # Beside tests, fuzzing is guided by counters alone: tracing what is compared, too, makes everything
    # three times as slow.
    if(KNACK_FUZZ AND KNACK_TESTS)
        target_compile_options(${target} PRIVATE -fsanitize-coverage=inline-8bit-counters,pc-table)
    elseif(KNACK_FUZZ)
        target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
    endif()
endfunction()

# Lets a target include the core's internal headers: #include "base/heap.h" or "core/base/heap.h".
# Quoted includes only: <memory.h> must stay the C library's.
function(knack_use_internals target)
    if(MSVC)
        target_include_directories(${target} PRIVATE
            ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/src/core)
    else()
        target_compile_options(${target} PRIVATE
            "SHELL:-iquote ${PROJECT_SOURCE_DIR}/src"
            "SHELL:-iquote ${PROJECT_SOURCE_DIR}/src/core")
    endif()
endfunction()

# knack_library(name SOURCES file...
#     [HEADERS name...]            public headers of a module besides <name>.h
#     [NEEDS module...]            other modules it links
#     [FIND file]                  a CMake file that finds again what a static build links
#     [PC_REQUIRES name...] [PC_REQUIRES_PRIVATE name...] [PC_LIBS_PRIVATE flag...])
#
# Makes the library knack_<name>, used as knack::<name>; the core is plain "knack". What it links
# is left to target_link_libraries(). With KNACK_INSTALL it becomes a component of the package.
function(knack_library name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "FIND"
        "SOURCES;HEADERS;NEEDS;PC_REQUIRES;PC_REQUIRES_PRIVATE;PC_LIBS_PRIVATE")
    if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
        message(FATAL_ERROR "knack_library(${name}): expected SOURCES, got '${ARGN}'")
    endif()

    set(target knack_${name})
    if(name STREQUAL "knack")
        set(target knack)
    endif()
    # Before 1.0 a minor version may break binaries.
    set(soversion ${PROJECT_VERSION_MAJOR})
    if(soversion EQUAL 0)
        set(soversion 0.${PROJECT_VERSION_MINOR})
    endif()

    add_library(${target} ${arg_SOURCES})
    add_library(knack::${name} ALIAS ${target})
    knack_target(${target})
    # An installed module finds the core beside itself, wherever that is.
    set(beside "$ORIGIN")
    if(APPLE)
        set(beside "@loader_path")
    endif()
    set_target_properties(${target} PROPERTIES
        VERSION ${PROJECT_VERSION}
        SOVERSION ${soversion}
        INSTALL_RPATH "${beside}"
        EXPORT_NAME ${name})
    target_include_directories(${target} PUBLIC
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_compile_definitions(${target} PRIVATE KNACK_BUILDING)
    if(BUILD_SHARED_LIBS)
        target_compile_definitions(${target} PUBLIC KNACK_SHARED)
    endif()

    if(KNACK_INSTALL)
        knack_install_library()
    endif()
endfunction()

# The install part of knack_library(), in its scope.
macro(knack_install_library)
    add_dependencies(knack_installed ${target})
    install(TARGETS ${target} EXPORT knack-${name}-targets
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ${name}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${name}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${name})
    install(EXPORT knack-${name}-targets NAMESPACE knack::
        DESTINATION ${KNACK_PACKAGE_DIR} COMPONENT ${name})
    # A shared library brings along by itself what it links; a static one has its users link it.
    if(arg_FIND AND NOT BUILD_SHARED_LIBS)
        install(FILES ${arg_FIND} RENAME knack-${name}-find.cmake
            DESTINATION ${KNACK_PACKAGE_DIR} COMPONENT ${name})
    endif()

    if(name STREQUAL "knack")
        set(pc_name knack)
        set(pc_description "${PROJECT_DESCRIPTION}")
        list(APPEND arg_PC_LIBS_PRIVATE -lm)
        set(excluded "")
        foreach(header IN LISTS KNACK_MODULE_HEADERS)
            list(APPEND excluded PATTERN ${header} EXCLUDE)
        endforeach()
        install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/knack
            DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT ${name}
            FILES_MATCHING PATTERN "*.h" ${excluded})
    else()
        set(pc_name knack-${name})
        set(pc_description "${PROJECT_DESCRIPTION}: ${name}")
        list(TRANSFORM arg_NEEDS PREPEND knack- OUTPUT_VARIABLE pc_needs)
        list(PREPEND arg_PC_REQUIRES knack ${pc_needs})
        list(TRANSFORM arg_HEADERS PREPEND ${PROJECT_SOURCE_DIR}/include/knack/)
        install(FILES ${PROJECT_SOURCE_DIR}/include/knack/${name}.h ${arg_HEADERS}
            DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/knack COMPONENT ${name})
        set_property(GLOBAL APPEND PROPERTY KNACK_COMPONENTS ${name})
        set_property(GLOBAL APPEND_STRING PROPERTY KNACK_COMPONENT_NEEDS
            "set(knack_${name}_needs ${arg_NEEDS})\n")
    endif()

    # The prefix follows the file, so that a moved installation keeps working.
    cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_LIBDIR BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}"
        NORMALIZE OUTPUT_VARIABLE pc_dir)
    file(RELATIVE_PATH pc_prefix "${pc_dir}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
    string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
    cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_INCLUDEDIR BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}"
        NORMALIZE OUTPUT_VARIABLE pc_includedir)
    cmake_path(RELATIVE_PATH pc_dir BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}"
        OUTPUT_VARIABLE pc_libdir)
    cmake_path(RELATIVE_PATH pc_includedir BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}")
    set(pc_cflags "")
    if(BUILD_SHARED_LIBS)
        set(pc_cflags " -DKNACK_SHARED")
    endif()
    if(NOT BUILD_SHARED_LIBS)
        list(APPEND arg_PC_REQUIRES ${arg_PC_REQUIRES_PRIVATE})
        set(arg_PC_REQUIRES_PRIVATE "")
        list(PREPEND arg_PC_LIBS_PRIVATE -l${target})
        list(JOIN arg_PC_LIBS_PRIVATE " " pc_libs)
        set(arg_PC_LIBS_PRIVATE "")
    else()
        set(pc_libs -l${target})
    endif()
    list(JOIN arg_PC_REQUIRES " " pc_requires)
    list(JOIN arg_PC_REQUIRES_PRIVATE " " pc_requires_private)
    list(JOIN arg_PC_LIBS_PRIVATE " " pc_libs_private)
    configure_file(${KNACK_TEMPLATE_DIR}/knack.pc.in ${PROJECT_BINARY_DIR}/${pc_name}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${pc_name}.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT ${name})
endmacro()

# knack_install_package()
#
# Installs knackConfig.cmake and its version file. Called once, after the last knack_library().
function(knack_install_package)
    get_property(components GLOBAL PROPERTY KNACK_COMPONENTS)
    get_property(component_needs GLOBAL PROPERTY KNACK_COMPONENT_NEEDS)
    configure_package_config_file(
        ${KNACK_TEMPLATE_DIR}/knackConfig.cmake.in ${PROJECT_BINARY_DIR}/knackConfig.cmake
        INSTALL_DESTINATION ${KNACK_PACKAGE_DIR} NO_SET_AND_CHECK_MACRO)
    # Until 1.0 a minor version may break its users.
    set(compatibility SameMajorVersion)
    if(PROJECT_VERSION_MAJOR EQUAL 0)
        set(compatibility SameMinorVersion)
    endif()
    write_basic_package_version_file(
        ${PROJECT_BINARY_DIR}/knackConfigVersion.cmake COMPATIBILITY ${compatibility})
    install(FILES
        ${PROJECT_BINARY_DIR}/knackConfig.cmake ${PROJECT_BINARY_DIR}/knackConfigVersion.cmake
        DESTINATION ${KNACK_PACKAGE_DIR} COMPONENT knack)
endfunction()

# knack_install_docs()
#
# Installs the guides, and what the Lua language server reads.
function(knack_install_docs)
    install(FILES README.md CHANGELOG.md LICENSE
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc)
    install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc)
    if(KNACK_SCRIPT)
        install(FILES share/knack/knack.lua
            DESTINATION ${CMAKE_INSTALL_DATADIR}/knack COMPONENT script)
    endif()
endfunction()
