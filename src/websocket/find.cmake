# SPDX-License-Identifier: MIT

# What a program that links knack::websocket statically needs besides.

find_dependency(PkgConfig)
pkg_check_modules(KNACK_LIBWEBSOCKETS REQUIRED IMPORTED_TARGET libwebsockets)
