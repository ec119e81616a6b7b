# SPDX-License-Identifier: MIT

# Builds for 64-bit Windows with mingw-w64 and runs the programs under wine, with a home of its own
# in the build folder.

set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
find_program(KNACK_WINE NAMES wine64 wine PATHS /usr/lib/wine)
mark_as_advanced(KNACK_WINE)
if(KNACK_WINE)
    set(CMAKE_CROSSCOMPILING_EMULATOR env WINEPREFIX=${CMAKE_BINARY_DIR}/wine WINEDEBUG=-all
        WINEDLLOVERRIDES=mscoree,mshtml= ${KNACK_WINE})
endif()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
