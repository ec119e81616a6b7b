# SPDX-License-Identifier: MIT
# shellcheck shell=bash

# Shared by the scripts beside it: where things are, quiet builds, and counted checks.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root" || exit
mkdir -p build

jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
passed=0
failed=0

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
    cmake --preset "$1" && cmake --build --preset "$1" -j "$jobs"
}

# build_and_test PRESET [CTEST ARGUMENT...]: a counted build, then its tests if it succeeded.
build_and_test()
{
    local preset=$1
    shift
    check "build-$preset" configure_and_build "$preset" || return 0
    check_many "test-$preset" "${no_aslr[@]}" ctest --preset "$preset" -j "$jobs" "$@"
}

# run_valgrind NAME [CTEST ARGUMENT...]: tests of the preset "debug" under valgrind.
run_valgrind()
{
    local name=$1
    shift
    if ! quiet build-debug configure_and_build debug; then
        report "$name" 0 1 "$SECONDS"
        return
    fi
    check_many "$name" ctest --test-dir build/debug -C memcheck -R '^memcheck\.' \
        -j "$jobs" --output-on-failure "$@"
}

# run_fuzz NAME SECONDS: all fuzz targets, which share the time unless FUZZ_SECONDS sets that of each.
run_fuzz()
{
    local targets
    check build-fuzz configure_and_build fuzz || return 0
    targets=$(grep -c . build/fuzz/tests/fuzz/targets.txt)
    check_many "$1" scripts/fuzz "${FUZZ_SECONDS:-$(($2 * jobs / targets))}"
}

# run_steps STEP...: calls the function step_STEP of the script for each, once all names are known.
run_steps()
{
    local step
    for step in "$@"; do
        if ! declare -F "step_$step" >/dev/null; then
            echo "$0: no step is called '$step'" >&2
            exit 2
        fi
    done
    for step in "$@"; do
        "step_$step"
    done
    finish
}

# The last line of a test script: the totals, alone on their line.
finish()
{
    echo "$passed passed, $failed failed"
    ((failed == 0))
}
