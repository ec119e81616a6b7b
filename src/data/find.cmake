# SPDX-License-Identifier: MIT

# What a program that links knack::data statically needs besides.

find_dependency(PkgConfig)
pkg_check_modules(KNACK_YAML REQUIRED IMPORTED_TARGET yaml-0.1)
