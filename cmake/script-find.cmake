# SPDX-License-Identifier: MIT

# What a program that links knack::script statically needs besides.

find_dependency(PkgConfig)
pkg_check_modules(KNACK_LUA REQUIRED IMPORTED_TARGET lua5.4)
