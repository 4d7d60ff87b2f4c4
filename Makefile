# Two commands on a fresh Debian 12: `make demo` and `make test`.
# Each installs what is missing, builds, and does its job.

PRESET ?= release
BUILD   = build/$(PRESET)
JOBS   ?= $(shell nproc)
FILES   = $(shell git ls-files '*.cpp' '*.h')

.PHONY: build demo install package test-package test test-long bench alone format-check lint check format clean build-tests docs

# The program alone; no test, and nothing that only tests need.
build:
	@scripts/bootstrap build
	@cmake --preset $(PRESET) > /dev/null
	@cmake --build --preset $(PRESET) -j $(JOBS) --target sotto

demo: build
	@$(BUILD)/sotto demo

# The program, the library with its headers and CMake package, the documents. DESTDIR is respected.
PREFIX ?= /usr/local
install: build
	@cmake --build --preset $(PRESET) -j $(JOBS) --target sotto_library
	@cmake --install $(BUILD) --prefix $(PREFIX) > /dev/null

# Debian packages, the program and the library, in build/package. The program's own --help makes the
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

# PRESET=asan or PRESET=tsan runs the same tests under a sanitizer.
test: build-tests
	@ctest --test-dir $(BUILD) -LE long -E long_test_NOT_BUILT -j $(JOBS) --output-on-failure

# Statistical, fuzz and fault runs.
test-long: build-tests
	@cmake --build --preset $(PRESET) -j $(JOBS) --target long_tests
	@ctest --test-dir $(BUILD) -L long -j $(JOBS) --output-on-failure

bench: build-tests
	@cmake --build --preset $(PRESET) -j $(JOBS) --target benches
	@for bench in $$(find $(BUILD) -name '*_bench' -type f -perm -u+x | sort); do \
	  echo "== $$(basename $$bench)"; $$bench --benchmark_counters_tabular=true || exit 1; done

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

# Everything, before a hand-over. Takes hours.
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
