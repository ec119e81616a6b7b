# SPDX-License-Identifier: MIT

# Builds for 32-bit x86 with Debian's cross compiler: gcc -m32 needs a package that excludes the
# other cross compilers. The programs are linked statically and run without help on x86-64, under
# qemu elsewhere.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR i686)
set(CMAKE_C_COMPILER i686-linux-gnu-gcc)
# The older floating point unit computes with more digits than a float has.
set(CMAKE_C_FLAGS_INIT "-msse2 -mfpmath=sse")
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
if(NOT CMAKE_HOST_SYSTEM_PROCESSOR STREQUAL "x86_64")
    set(CMAKE_CROSSCOMPILING_EMULATOR qemu-i386-static)
endif()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
