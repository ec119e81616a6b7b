#!/usr/bin/env bash
# SPDX-License-Identifier: MIT

# Installs the library, static and shared, moves the installation, and builds small games in every
# way the section "Linking" of the README shows. The lines for CMake and the shell are those of the
# README itself.
# usage: run.sh BUILD_DIRECTORY

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
mkdir -p "$1"
build=$(cd "$1" && pwd)

# The shared installation has a deeper library directory where the system uses one, as Debian does.
triplet=$(cc -print-multiarch 2>/dev/null || true)
shared_lib=lib${triplet:+/$triplet}

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

# readme_block WORDS: the first block of code in the section "Linking" that contains the words.
readme_block()
{
    local block
    block=$(awk -v words="$1" '
        /^## / { in_section = /^## Linking$/ }
        !in_section { next }
        /^```./ { block = ""; in_block = 1; next }
        /^```$/ && in_block { in_block = 0; if (index(block, words)) { printf "%s", block; exit } }
        in_block { block = block $0 "\n" }' "$root/README.md")
    if [[ -z $block ]]; then
        echo "README.md: no block in 'Linking' contains '$1'" >&2
        return 1
    fi
    echo "$block"
}

# move_install KIND BUILD: installs a build into one place and moves that to another.
move_install()
{
    rm -rf "$build/$1-prefix" "$build/$1-moved"
    cmake --install "$2" --prefix "$build/$1-prefix" && mv "$build/$1-prefix" "$build/$1-moved"
}

# The build of a preset whose objects other tests need, too.
install_static()
{
    cmake --preset det-gcc-O2 &&
        cmake --build --preset det-gcc-O2 --target knack_installed &&
        move_install static "$root/build/det-gcc-O2"
}

# Optimising would only take time.
install_shared()
{
    cmake -S "$root" -B "$build/shared" -G Ninja \
        -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE=-DNDEBUG -DBUILD_SHARED_LIBS=ON \
        -DCMAKE_INSTALL_LIBDIR="$shared_lib" \
        -DKNACK_TESTS=OFF -DKNACK_SAMPLES=OFF -DKNACK_BENCH=OFF &&
        cmake --build "$build/shared" &&
        move_install shared "$build/shared"
}

# new_game NAME SOURCE: a folder with game.c, its content, and knack beside it. What was built in it
# stays.
new_game()
{
    game=$build/$1
    mkdir -p "$game"
    rm -rf "$game/game" "$game/content"
    cp "$here/$2" "$game/game.c"
    cp -R "$here/content" "$game/content"
    ln -sfn "$root" "$game/knack"
}

# cmake_game NAME SOURCE BLOCK [CMAKE ARGUMENT...]: a project with the lines of the block.
cmake_game()
{
    new_game "$1" "$2"
    printf '%s\n' 'cmake_minimum_required(VERSION 3.21)' 'project(game LANGUAGES C)' \
        'add_executable(game game.c)' 'target_compile_features(game PRIVATE c_std_17)' \
        "$3" >"$game/CMakeLists.txt"
    cmake -S "$game" -B "$game/build" -G Ninja "${@:4}" &&
        cmake --build "$game/build" &&
        (cd "$game" && build/game)
}

# by_cmake KIND SOURCE WORDS [SED COMMAND]: against an installation.
by_cmake()
{
    local block
    block=$(readme_block "$3" | sed "${4:-}") || return 1
    rm -rf "$build/$1-by-cmake"
    cmake_game "$1-by-cmake" "$2" "$block" -DCMAKE_PREFIX_PATH="$build/$1-moved"
}

# as_folder SOURCE WORDS: one after the other in the same folder, so that the core is built once.
as_folder()
{
    local block
    block=$(readme_block "$2") || return 1
    cmake_game as-folder "$1" "$block"
}

# by_pkg_config KIND LIBDIR SOURCE WORDS
by_pkg_config()
{
    local library_path="$build/$1-moved/$2" block
    block=$(readme_block "$4") || return 1
    new_game "$1-by-pkg-config" "$3"
    (cd "$game" && PKG_CONFIG_PATH=$library_path/pkgconfig bash -ec "$block" &&
        LD_LIBRARY_PATH=$library_path ./game)
}

# one_file SOURCE WORDS
one_file()
{
    local block
    block=$(readme_block "$2") || return 1
    new_game one-file "$1"
    (cd "$game" && bash -ec "$block" && ./game)
}

# Only public names may leave a shared library.
exports_are_public()
{
    local names stray
    names=$(nm -D --defined-only "$build/shared-moved/$shared_lib/lib$1.so") || return 1
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

# What editors and readers want.
texts_are_installed()
{
    local file
    for file in knack/knack.lua knack/knack.schema.json knack/scenario.schema.json \
        doc/knack/README.md doc/knack/docs/scripting.md doc/knack/docs/recipes/stun.md; do
        if [[ ! -s $build/static-moved/share/$file ]]; then
            echo "share/$file is missing"
            return 1
        fi
    done
}

# Every option is in the README, and no other is.
options_are_listed()
{
    diff <(sed -nE 's/^(cmake_dependent_)?(option|set)\(((KNACK|BUILD)_[A-Z_]*) .*("|CACHE STRING).*/\3/p' \
        "$root/CMakeLists.txt" | sort) \
        <(sed -nE 's/^\| `((KNACK|BUILD)_[A-Z_]*)` \|.*/\1/p' "$root/README.md" | sort)
}

core='CONFIG REQUIRED)'
modules='COMPONENTS data script'

# What is checked of an installation: static or shared, with the given library directory.
installation()
{
    local kind=$1 libdir=$2 words
    check "install_$kind"
    check by_cmake "$kind" core.c "$core"
    check by_cmake "$kind" modules.c "$modules"
    check by_cmake "$kind" core.c "$modules" 's/ [a-z:]*script//'
    check by_cmake "$kind" core.c "$modules" 's/ [a-z:]*data//'
    check by_pkg_config "$kind" "$libdir" core.c "libs knack)"
    check by_pkg_config "$kind" "$libdir" modules.c "libs knack-data knack-script)"
    for words in net combat capability order rts udp websocket; do
        check by_cmake "$kind" "$words.c" "COMPONENTS $words)"
        check by_pkg_config "$kind" "$libdir" "$words.c" "libs knack-$words)"
    done
}

installation static lib
installation shared "$shared_lib"
check as_folder core.c 'add_subdirectory(knack)'
check as_folder modules.c 'set(KNACK_SCRIPT ON)'
for kit in net combat capability order rts udp websocket; do
    check as_folder "$kit.c" "set(KNACK_${kit^^} ON)"
done
check one_file core.c scripts/amalgamate
for library in knack knack_net knack_combat knack_capability knack_order knack_rts knack_udp \
    knack_websocket; do
    check exports_are_public "$library"
done
check nothing_names_the_old_place
check texts_are_installed
check options_are_listed

echo "count: $passed passed, $failed failed"
((failed == 0))
