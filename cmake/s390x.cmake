# SPDX-License-Identifier: MIT

# Builds for a big-endian processor with Debian's cross compiler and runs the programs under qemu.
# They are linked statically, so that qemu needs no such system around them.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR s390x)
set(CMAKE_C_COMPILER s390x-linux-gnu-gcc)
# Standard C on this processor would evaluate floats as doubles.
set(CMAKE_C_FLAGS_INIT -fexcess-precision=fast)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-s390x-static)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
