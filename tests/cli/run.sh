#!/usr/bin/env bash
# SPDX-License-Identifier: MIT

# Plays a session with the program and compares all it prints. Lines of a session that begin with
# "$ " are commands for a shell; what follows is their output, stdout and stderr together, and
# "[N]" if they end with a code that is not 0. Other lines before the first command are comments.
# The session runs in a fresh copy of files/ and content/, with `knack` and `json_valid` in reach.
# usage: run.sh FOLDER_OF_KNACK FOLDER_OF_JSON_VALID SESSION [--update]

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
knack=$(cd "$1" && pwd)
tools=$(cd "$2" && pwd)
session=$(cd "$(dirname "$3")" && pwd)/$(basename "$3")

folder=$(mktemp -d)
trap 'chmod -R u+rwx "$folder"; rm -rf "$folder"' EXIT
cp -R "$here/files" "$folder/files"
cp -R "$here/../../content" "$folder/files/content"
cd "$folder/files"

export PATH="$knack:$tools:$PATH" LC_ALL=C TERM=xterm
unset NO_COLOR

actual=$folder/actual
started=no
while IFS= read -r line || [[ -n $line ]]; do
    if [[ $line == '$ '* ]]; then
        started=yes
        echo "$line" >>"$actual"
        code=0
        # A session ends with its shell, so that what it leaves open is closed.
        bash -c "${line:2}" >"$folder/output" 2>&1 </dev/null || code=$?
        cat "$folder/output" >>"$actual"
        ((code == 0)) || echo "[$code]" >>"$actual"
    elif [[ $started == no ]]; then
        echo "$line" >>"$actual"
    fi
done <"$session"

if [[ ${4:-} == --update ]]; then
    cp "$actual" "$session"
else
    diff -u "$session" "$actual"
fi
