# SPDX-License-Identifier: MIT

# What a program that links knack::udp statically needs besides.

find_dependency(PkgConfig)
pkg_check_modules(KNACK_SODIUM REQUIRED IMPORTED_TARGET libsodium)
