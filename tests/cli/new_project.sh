#!/usr/bin/env bash
# SPDX-License-Identifier: MIT

# Installs the build, makes a new project with the installed program, builds it, runs it and its
# tests.
# usage: new_project.sh CMAKE BUILD_FOLDER WORK_FOLDER GENERATOR SANITIZERS

set -euo pipefail

cmake=$1 build=$2 work=$3 generator=$4 sanitizers=${5//;/,}
rm -rf "$work"
mkdir -p "$work"
# What is built already is enough: the libraries and the program. The data module links net, if
# there is one.
for component in knack net data script tools; do
    "$cmake" --install "$build" --prefix "$work/prefix" --component $component >/dev/null
done
export PATH="$work/prefix/bin:$PATH"

cd "$work"
knack new my-game >files.txt
while IFS= read -r file; do
    [[ -s $file ]] || { echo "$file is empty"; exit 1; }
    ! grep -q '@PROJECT@\|SPDX' "$file" || { echo "$file has what it should not"; exit 1; }
done <files.txt

"$cmake" -S my-game -B my-game/build -G "$generator" -DCMAKE_PREFIX_PATH="$work/prefix" \
    ${sanitizers:+-DCMAKE_C_FLAGS=-fsanitize=$sanitizers} >/dev/null
"$cmake" --build my-game/build >/dev/null
my-game/build/my-game >output.txt
grep -q 'Vitals.Health 60 (base 60)' output.txt || { cat output.txt; exit 1; }
(cd my-game/build && ctest --output-on-failure)

# Again in a folder that is there already, and has a blank in its name.
mkdir "a game"
(
    cd "a game"
    knack new . >/dev/null
    "$cmake" -B build -G "$generator" -DCMAKE_PREFIX_PATH="$work/prefix" \
        ${sanitizers:+-DCMAKE_C_FLAGS=-fsanitize=$sanitizers} >/dev/null
    "$cmake" --build build >/dev/null
    build/a_game | diff - ../output.txt
    cd build
    ctest --output-on-failure
)

# The manual page and the completions are where systems look for them, and what editors read is
# installed as well.
for file in man/man1/knack.1 bash-completion/completions/knack zsh/site-functions/_knack \
    fish/vendor_completions.d/knack.fish knack/knack.lua knack/knack.schema.json \
    knack/scenario.schema.json; do
    [[ -s $work/prefix/share/$file ]] || { echo "share/$file is missing"; exit 1; }
done
for file in knack.schema.json scenario.schema.json; do
    cmp "$work/prefix/share/knack/$file" "my-game/.knack/$file"
done
