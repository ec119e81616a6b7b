# SPDX-License-Identifier: MIT

# Finds what knack::script links.
find_package(PkgConfig REQUIRED)
pkg_check_modules(KNACK_LUA REQUIRED IMPORTED_TARGET lua5.4)
