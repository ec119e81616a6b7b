#!/usr/bin/env bash
# SPDX-License-Identifier: MIT

# Plays a session with the program and compares all it prints. Lines of a session that begin with
# "$ " are commands for a shell; what follows is their output, stdout and stderr together, and
# "[N]" if they end with a code that is not 0. Other lines before the first command are comments.
# The session runs in a fresh copy of files/ and content/, with `knack` and `json_valid` in reach.
#
# A page (.md) is a session, too: its blocks "```console" hold the commands. A block "```yaml path"
# is written to that file, and a line "<!-- $ command -->" is done without being shown. "$ cd folder"
# holds for the rest of the page.
# A session called terminal is skipped, with code 77, where there is no pseudo-terminal.
# usage: run.sh FOLDER_OF_KNACK FOLDER_OF_JSON_VALID SESSION [--update]

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
knack=$(cd "$1" && pwd)
tools=$(cd "$2" && pwd)
session=$(cd "$(dirname "$3")" && pwd)/$(basename "$3")

if [[ $session == */terminal.txt && $(script -qec tty /dev/null 2>/dev/null) != /dev/* ]]; then
    echo "skipped: there is no pseudo-terminal, or no program 'script'"
    exit 77
fi

folder=$(mktemp -d)
trap 'chmod -R u+rwx "$folder"; rm -rf "$folder"' EXIT
cp -R "$here/files" "$folder/files"
cp -R "$here/../../content" "$folder/files/content"
cd "$folder/files"

export PATH="$knack:$tools:$PATH" LC_ALL=C TERM=xterm
unset NO_COLOR

actual=$folder/actual

command_run() {
    local code=0
    echo "\$ $1" >>"$actual"
    # A session ends with its shell, so that what it leaves open is closed.
    bash -c "$1" >"$folder/output" 2>&1 </dev/null || code=$?
    cat "$folder/output" >>"$actual"
    ((code == 0)) || echo "[$code]" >>"$actual"
}

session_play() {
    local started=no line
    while IFS= read -r line || [[ -n $line ]]; do
        if [[ $line == '$ '* ]]; then
            started=yes
            command_run "${line:2}"
        elif [[ $started == no ]]; then
            echo "$line" >>"$actual"
        fi
    done <"$session"
}

page_play() {
    local block='' file='' line
    while IFS= read -r line || [[ -n $line ]]; do
        if [[ $block == console && $line == '$ cd '* ]]; then
            cd "${line:5}"
        elif [[ $block == console && $line == '$ '* ]]; then
            command_run "${line:2}"
            continue
        elif [[ $block == console && $line != '```' ]]; then
            continue
        elif [[ $line == '```' ]]; then
            block='' file=''
        elif [[ $line == '```'* ]]; then
            read -r block file <<<"${line:3}"
            [[ -z $file ]] || : >"$file"
        elif [[ -n $file ]]; then
            echo "$line" >>"$file"
        elif [[ $line == '<!-- $ '*' -->' ]]; then
            bash -c "${line:7:-4}" </dev/null
        fi
        echo "$line" >>"$actual"
    done <"$session"
}

if [[ $session == *.md ]]; then
    page_play
else
    session_play
fi

if [[ ${4:-} == --update ]]; then
    cp "$actual" "$session"
else
    diff -u "$session" "$actual"
fi
