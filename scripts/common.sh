# SPDX-License-Identifier: MIT
# shellcheck shell=bash

# Shared by the scripts beside it: where things are, quiet builds, and counted checks.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root" || exit
mkdir -p build

jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
passed=0
failed=0
times=() # of the steps, for a table

# Sanitizers of older compilers stumble over much address randomisation; run without, if allowed.
no_aslr=()
if setarch "$(uname -m)" -R true 2>/dev/null; then
    no_aslr=(setarch "$(uname -m)" -R)
fi

# What was compiled before is not compiled again, if ccache is there.
if command -v ccache >/dev/null; then
    export CMAKE_C_COMPILER_LAUNCHER=${CMAKE_C_COMPILER_LAUNCHER-ccache}
    export CMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER-ccache}
fi

# quiet NAME COMMAND...: runs with all output in build/NAME.log, which is shown if it fails.
quiet()
{
    local name=$1
    shift
    if "$@" >"build/$name.log" 2>&1; then
        return 0
    fi
    echo "---- $name: $* (build/$name.log)"
    tail -n 200 "build/$name.log"
    echo "----"
    return 1
}

# report NAME PASSED FAILED START: adds to the totals and prints one line.
report()
{
    passed=$((passed + $2))
    failed=$((failed + $3))
    printf '%-28s %4d passed %4d failed %5d s\n' "$1" "$2" "$3" "$((SECONDS - $4))"
}

# check NAME COMMAND...: one counted check.
check()
{
    local name=$1 start=$SECONDS
    shift
    if quiet "$name" "$@"; then
        report "$name" 1 0 "$start"
    else
        report "$name" 0 1 "$start"
        return 1
    fi
}

# check_many NAME COMMAND...: as many checks as the command counted. Understands what ctest
# prints, and "count: N passed, N failed". A command that fails without a count is one failed check.
check_many()
{
    local name=$1 start=$SECONDS good=0 bad=0 status=0 line
    shift
    quiet "$name" "$@" || status=1
    line=$(grep -E 'tests passed, [0-9]+ tests? failed out of|^count: ' \
        "build/$name.log" | tail -n 1) || true
    if [[ $line =~ ([0-9]+)\ tests?\ failed\ out\ of\ ([0-9]+) ]]; then
        bad=${BASH_REMATCH[1]}
        good=$((BASH_REMATCH[2] - bad))
    elif [[ $line =~ ^count:\ ([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
        good=${BASH_REMATCH[1]}
        bad=${BASH_REMATCH[2]}
    fi
    if ((status != 0 && bad == 0)); then
        bad=1
    fi
    report "$name" "$good" "$bad" "$start"
}

configure_and_build()
{
    cmake --preset "$1" && cmake --build --preset "$1" -j "$jobs" "${@:2}"
}

# build_and_test PRESET [CTEST ARGUMENT...]: a counted build, then its tests if it succeeded.
build_and_test()
{
    local preset=$1
    shift
    check "build-$preset" configure_and_build "$preset" || return 0
    # One more than there are cores, since some tests wait for time to pass.
    check_many "test-$preset" "${no_aslr[@]}" ctest --preset "$preset" -j "$((jobs + 1))" "$@"
}

# run_valgrind NAME [CTEST ARGUMENT...]: tests of the preset "check" under valgrind.
run_valgrind()
{
    local name=$1
    shift
    check build-check configure_and_build check || return 0
    check_many "$name" ctest --test-dir build/check -C memcheck -R '^memcheck\.' \
        -j "$jobs" --output-on-failure "$@"
}

# run_fuzz PRESET NAME SECONDS: all fuzz targets of a build, which share the processor time, but have
# at least three seconds each; FUZZ_SECONDS sets the time of each.
run_fuzz()
{
    local targets each
    check "build-$1" configure_and_build "$1" || return 0
    targets=$(grep -c . "build/$1/tests/fuzz/targets.txt")
    each=$(($3 / targets))
    check_many "$2" env FUZZ_BUILD="$1" scripts/fuzz "${FUZZ_SECONDS:-$((each < 3 ? 3 : each))}"
}

# fingerprint PATH...: a hash of what the files contain, of the scripts and of the compilers. Prints
# nothing outside of git.
fingerprint()
{
    local files
    git rev-parse --is-inside-work-tree >/dev/null 2>&1 || return 0
    files=$(git ls-files -co --exclude-standard -- \
        scripts Makefile CMakeLists.txt CMakePresets.json cmake "$@" | sort -u |
        while IFS= read -r file; do [[ ! -f $file ]] || echo "$file"; done)
    {
        echo "$files"
        git hash-object --stdin-paths <<<"$files"
        gcc --version
        clang --version
    } 2>&1 | sha256sum
}

# step NAME FUNCTION PATH...: one step of a test script, which is skipped if it has passed with the
# same contents of these files before. Never skipped with CI set.
step()
{
    local name=$1 function=$2 start=$SECONDS before=$failed now mark
    shift 2
    now=$(fingerprint "$@")
    mark=build/passed/$(basename "$0")-$name
    if [[ -z ${CI:-} && -n $now && -f $mark && $(<"$mark") == "$now" ]]; then
        printf '%-28s skipped: nothing it reads has changed since it passed\n' "$name"
        return
    fi
    rm -f "$mark"
    "$function"
    times+=("$(printf '%-28s %5d s' "$name" "$((SECONDS - start))")")
    if ((failed == before)) && [[ -n $now ]]; then
        mkdir -p build/passed
        echo "$now" >"$mark"
    fi
}

# run_steps NAME...: steps of the table `steps`, a line each: name, function, and the files it reads.
run_steps()
{
    local line name words
    for name in "$@"; do
        if ! grep -q "^$name " <<<"$steps"; then
            echo "$0: no step is called '$name'; there are: $(cut -d ' ' -f 1 <<<"$steps" | xargs)" >&2
            exit 2
        fi
    done
    for name in "$@"; do
        line=$(grep "^$name " <<<"$steps")
        read -ra words <<<"$line"
        step "${words[@]}"
    done
}

# The last line of a test script: the totals, alone on their line.
finish()
{
    echo "$passed passed, $failed failed"
    ((failed == 0))
}
