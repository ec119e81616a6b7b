#!/usr/bin/env bash
# SPDX-License-Identifier: MIT

# Installs the library, moves the installation, and builds a small program against it by CMake and
# by pkg-config, static and shared; then the same program with knack as a subdirectory.
# usage: run.sh BUILD_DIRECTORY

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
mkdir -p "$1"
build=$(cd "$1" && pwd)

# The shared installation has a deeper library directory where the system uses one, as Debian does.
triplet=$(cc -print-multiarch 2>/dev/null || true)
shared_lib=lib${triplet:+/$triplet}
version=$(sed -n 's/^#define KN_VERSION_M[A-Z]* \([0-9]*\)$/\1/p' "$root/include/knack/base.h" |
    paste -sd.)

passed=0
failed=0

# Runs one check and counts it.
check()
{
    echo "== $*"
    if "$@"; then
        passed=$((passed + 1))
    else
        echo "FAILED: $*"
        failed=$((failed + 1))
    fi
}

# make_install KIND SHARED LIBDIR: installs into one place and moves that to another.
make_install()
{
    local kind=$1 shared=$2 libdir=$3
    rm -rf "$build/$kind-prefix" "$build/$kind-moved"
    cmake -S "$root" -B "$build/$kind" -G Ninja -DCMAKE_BUILD_TYPE=Release \
        -DBUILD_SHARED_LIBS="$shared" -DCMAKE_INSTALL_PREFIX="$build/$kind-prefix" \
        -DCMAKE_INSTALL_LIBDIR="$libdir" \
        -DKNACK_TESTS=OFF -DKNACK_SAMPLES=OFF -DKNACK_BENCH=OFF &&
        cmake --build "$build/$kind" &&
        cmake --install "$build/$kind" &&
        mv "$build/$kind-prefix" "$build/$kind-moved"
}

by_cmake()
{
    local kind=$1
    rm -rf "$build/$kind-by-cmake"
    cmake -S "$here" -B "$build/$kind-by-cmake" -G Ninja \
        -DCMAKE_PREFIX_PATH="$build/$kind-moved" -DCONSUMER_KNACK_VERSION="$version" &&
        cmake --build "$build/$kind-by-cmake" &&
        "$build/$kind-by-cmake/consumer"
}

by_pkg_config()
{
    local kind=$1 libdir=$2 static=${3:-}
    local library_path="$build/$kind-moved/$libdir"
    local flags
    # shellcheck disable=SC2086 # an empty $static must vanish
    flags=$(PKG_CONFIG_PATH="$library_path/pkgconfig" pkg-config $static --cflags --libs knack) ||
        return 1
    # shellcheck disable=SC2086 # the flags are words
    cc -std=c17 "$here/consumer.c" $flags -o "$build/$kind-by-pkg-config" &&
        LD_LIBRARY_PATH=$library_path "$build/$kind-by-pkg-config"
}

# Only public names may leave the shared library.
exports_are_public()
{
    local names stray
    names=$(nm -D --defined-only "$build/shared-moved/$shared_lib/libknack.so") || return 1
    stray=$(awk '$3 !~ /^kn_/ { print $3 }' <<<"$names")
    if [[ -n $stray ]]; then
        echo "exported, but not public: $stray"
        return 1
    fi
}

nothing_names_the_old_place()
{
    [[ -d $build/static-moved && -d $build/shared-moved ]] &&
        ! grep -rl -- "$build/[a-z]*-prefix" "$build/static-moved" "$build/shared-moved"
}

as_subdirectory()
{
    rm -rf "$build/subdirectory"
    cmake -S "$here" -B "$build/subdirectory" -G Ninja -DCONSUMER_KNACK_SOURCE="$root" &&
        cmake --build "$build/subdirectory" &&
        "$build/subdirectory/consumer"
}

check make_install static OFF lib
check make_install shared ON "$shared_lib"
check by_cmake static
check by_cmake shared
check by_pkg_config static lib --static
check by_pkg_config shared "$shared_lib"
check exports_are_public
check nothing_names_the_old_place
check as_subdirectory

echo "count: $passed passed, $failed failed"
((failed == 0))
