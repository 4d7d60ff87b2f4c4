# Two commands on a fresh Debian 12: `make demo` and `make test`.
# Each installs what is missing, builds, and does its job.

PRESET ?= release
BUILD   = build/$(PRESET)
JOBS   ?= $(shell nproc)
FILES   = $(shell git ls-files '*.cpp' '*.h')

.PHONY: build python install-python demo install package test-package test test-long coverage fuzz fuzz-afl mutants bench bench-docs alone format-check lint check format clean build-tests docs pictures

# The program alone; no test, and nothing that only tests need.
build:
	@scripts/bootstrap build
	@cmake --preset $(PRESET) > /dev/null
	@cmake --build --preset $(PRESET) -j $(JOBS) --target sotto

# The Python package, in $(BUILD)/python: PYTHONPATH=$(BUILD)/python /usr/bin/python3
python:
	@scripts/bootstrap python
	@cmake --preset $(PRESET) > /dev/null
	@cmake --build --preset $(PRESET) -j $(JOBS) --target python
	@echo "PYTHONPATH=$(CURDIR)/$(BUILD)/python /usr/bin/python3"

# Beside the program, for Debian's Python. DESTDIR is respected.
install-python: python
	@cmake --install $(BUILD) --prefix $(PREFIX) --component python > /dev/null

demo: build
	@$(BUILD)/sotto demo

# The pictures of docs/pictures, drawn again (some minutes): look at them before they are committed.
pictures: build
	@$(BUILD)/sotto reproduce fig3 --out build/pictures > /dev/null
	@cp build/pictures/fig3.svg docs/pictures/
	@$(BUILD)/sotto simulate examples/many.toml --solver ac,pairwise,dishuf,gt --trials 9 --out build/pictures/many \
	  --set graph.parties=10,100,1000,10000,100000,1000000 > /dev/null
	@cp build/pictures/many/error.svg docs/pictures/many-error.svg
	@cp build/pictures/many/noise.svg docs/pictures/many-noise.svg

# The program, the library with its headers and CMake package, the documents. DESTDIR is respected.
PREFIX ?= /usr/local
install: build
	@cmake --build --preset $(PRESET) -j $(JOBS) --target sotto_library
	@cmake --install $(BUILD) --prefix $(PREFIX) > /dev/null

# Debian packages, the program, its ranks and the library, in build/package. The program's own --help makes the
# manual pages and the completion.
package: build
	@scripts/bootstrap package
	@cmake --build --preset $(PRESET) -j $(JOBS) --target sotto_library
	@rm -rf build/package
	@debian/rules clean > /dev/null
	@fakeroot debian/rules binary OUT=build/package
	@lintian --fail-on error,warning build/package/*.deb
	@ls build/package/*.deb

# Installs them, uses them and removes them, in a chroot over this system.
test-package: package
	@tests/package build/package

build-tests:
	@scripts/bootstrap test
	@cmake --preset $(PRESET) -D SOTTO_TESTS=ON > /dev/null
	@cmake --build --preset $(PRESET) -j $(JOBS)

# PRESET=asan or PRESET=tsan runs the same tests under a sanitizer. Those that drive the page in a browser
# have the machine to themselves, and three tries: a browser that is slow misses a click.
test: build-tests
	@ctest --test-dir $(BUILD) -LE long -E 'long_test_NOT_BUILT|^view_browser_test$$' -j $(JOBS) --output-on-failure
	@ctest --test-dir $(BUILD) -R '^view_browser_test$$' --no-tests=error --repeat until-pass:3 --output-on-failure

# Statistical, fuzz and fault runs.
test-long: build-tests
	@cmake --build --preset $(PRESET) -j $(JOBS) --target long_tests
	@ctest --test-dir $(BUILD) -L long -j $(JOBS) --output-on-failure

# Every fuzzer of tests/fuzz for so long (processor time), one on each core, and a table at the end; finds are
# under build/fuzz/found. `make fuzz FUZZ_SECONDS=60 FUZZ_TARGETS="study csv"` for some of them.
FUZZ_SECONDS ?= 600
FUZZ_TARGETS ?= $(patsubst tests/fuzz/%_fuzz.cpp,%,$(wildcard tests/fuzz/*_fuzz.cpp))
fuzz:
	@scripts/bootstrap fuzz
	@cmake --preset fuzz > /dev/null
	@cmake --build --preset fuzz -j $(JOBS)
	@scripts/fuzz libfuzzer build/fuzz $(FUZZ_SECONDS) $(JOBS) $(FUZZ_TARGETS)

# The same functions under AFL++, another engine: of those whose input is a file of bytes, and no list of
# decisions.
AFL_TARGETS ?= gzip stat sqlite study policy problem card
fuzz-afl:
	@scripts/bootstrap afl
	@cmake --preset afl > /dev/null
	@cmake --build --preset afl -j $(JOBS)
	@scripts/fuzz afl build/afl $(FUZZ_SECONDS) $(JOBS) $(AFL_TARGETS)

# Which lines of the rooms that privacy stands on their tests reach: per room, and those they do not.
COVERED = privacy;protocol;session;paillier;store
coverage:
	@scripts/bootstrap test
	@cmake --preset release -B build/coverage -D SOTTO_TESTS=ON -D SOTTO_PYTHON=OFF -D "SOTTO_COVERAGE=$(COVERED)" > /dev/null
	@ninja -C build/coverage -j $(JOBS) $(addsuffix _test,$(subst ;, ,$(COVERED))) simulate_test
	@scripts/coverage build/coverage

# Breaks the code on purpose, one place at a time, and writes docs/MUTANTS.md: who notices what.
# An hour and more; goes on where it was ended. MUTANTS='--only barrier*' takes some.
MUTANTS ?=
mutants:
	@scripts/bootstrap test
	@scripts/mutants --jobs $(JOBS) $(MUTANTS)

# One table at the end, after ten minutes at most: times, and ratios to peers and to the machine's
# limits, all of one run.
# BENCH_FLAGS: --seconds 60, or what Google Benchmark takes, --benchmark_filter=lambda_2
BENCH_FLAGS ?=
bench: build-tests
	@cmake --build --preset $(PRESET) -j $(JOBS) --target benches
	@scripts/bench $(BUILD) $(BENCH_FLAGS)

# The same, and docs/BENCHMARKS.md of it.
bench-docs: build-tests
	@cmake --build --preset $(PRESET) -j $(JOBS) --target benches
	@scripts/bench $(BUILD) --markdown docs/BENCHMARKS.md $(BENCH_FLAGS)

# clang-tidy and `alone` read how each file is compiled by itself, so they have their own preset.
build/lint/compile_commands.json: FORCE
	@cmake --preset lint > /dev/null
	@cmake --build --preset lint -j $(JOBS)
FORCE:

# Every file includes what it uses: it compiles without the others of its room before it.
alone: build/lint/compile_commands.json
	@scripts/compile_alone build/lint/compile_commands.json $(JOBS)

format-check:
	@scripts/bootstrap lint
	@clang-format --dry-run --Werror $(FILES)

lint: format-check build/lint/compile_commands.json
	@sed -n 's/^ *"file": "\(.*\)",*$$/\1/p' build/lint/compile_commands.json | grep -v /build/ | \
	  xargs -P $(JOBS) -n 4 clang-tidy --quiet -p build/lint
	@clang-tidy --quiet examples/*.cpp -- -std=c++20 -I include

# Before a hand-over: lint, the quick tests plain and under both sanitizers, the long tests. Takes hours.
check: lint
	@$(MAKE) test PRESET=asan
	@$(MAKE) test PRESET=tsan
	@$(MAKE) test test-long

# Pages for programs that link sotto, from the public headers: build/docs/html/index.html.
docs:
	@scripts/bootstrap docs
	@mkdir -p build/docs
	@doxygen docs/Doxyfile
	@echo build/docs/html/index.html

format:
	@clang-format -i $(FILES)

clean:
	@rm -rf build
