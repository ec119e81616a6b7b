# SPDX-License-Identifier: MIT

# The front door. The build itself is CMake's; see CONTRIBUTING.md.

.DEFAULT_GOAL := help
.PHONY: help demo check test test-slow mutate bench format lint clean
MAKEFLAGS += --no-print-directory

help:
	@echo "make demo       build and run the demo"
	@echo "make check      every unit and scenario test, optimised: after each change; ONLY=combat for one folder"
	@echo "make test       what a change has to pass; ends with 'N passed, N failed'"
	@echo "make test-slow  the long checks: other systems, threads, valgrind, long fuzzing, a bare Debian;"
	@echo "                STEPS=\"arm64 thread\" for some of them"
	@echo "make mutate     change the sources at random and look whether tests notice: the score"
	@echo "make bench      build and run the benchmarks"
	@echo "make format     format the sources in place"
	@echo "make lint       the checks that only read the sources"
	@echo "make clean      remove the build folder"

demo:
	@scripts/install-deps build
	@scripts/demo

check:
	@scripts/install-deps check
	@scripts/check $(ONLY)

test:
	@scripts/install-deps test
	@scripts/test $(STEPS)

test-slow:
	@scripts/install-deps slow
	@scripts/test-slow $(STEPS)

# make mutate COUNT=50 SEED=2 FILES=src/core/ability/charge.c
mutate:
	@scripts/install-deps mutate
	@scripts/mutate --count $(or $(COUNT),200) --seed $(or $(SEED),1) $(FILES)

bench:
	@scripts/install-deps build
	@scripts/bench

format:
	@scripts/install-deps lint
	@scripts/format

lint:
	@scripts/install-deps lint
	@scripts/lint

clean:
	@rm -rf build
