# Two commands on a fresh Debian 12: `make demo` and `make test`.
# Each installs what is missing, builds, and does its job.

PRESET ?= release
BUILD   = build/$(PRESET)
JOBS   ?= $(shell nproc)
FILES   = $(shell git ls-files '*.cpp' '*.h')

.PHONY: build demo test test-long bench lint format clean

build:
	@scripts/bootstrap
	@cmake --preset $(PRESET) > /dev/null
	@cmake --build --preset $(PRESET) -j $(JOBS)

demo: build
	@$(BUILD)/sotto demo

# PRESET=asan or PRESET=tsan runs the same tests under a sanitizer.
test: build
	@ctest --test-dir $(BUILD) -LE long -E long_test_NOT_BUILT -j $(JOBS) --output-on-failure

# Statistical, fuzz and fault runs.
test-long: build
	@cmake --build --preset $(PRESET) -j $(JOBS) --target long_tests
	@ctest --test-dir $(BUILD) -L long -j $(JOBS) --output-on-failure

bench: build
	@cmake --build --preset $(PRESET) -j $(JOBS) --target benches
	@for bench in $$(find $(BUILD) -name '*_bench' -type f -perm -u+x | sort); do \
	  echo "== $$(basename $$bench)"; $$bench --benchmark_counters_tabular=true || exit 1; done

# clang-tidy reads how each file is compiled on its own, so lint has its own preset.
lint: PRESET = lint
lint: build
	@clang-format --dry-run --Werror $(FILES)
	@git ls-files 'src/*.cpp' | grep -v _test.cpp | \
	  xargs -P $(JOBS) -n 4 clang-tidy --quiet -p $(BUILD)

format:
	@clang-format -i $(FILES)

clean:
	@rm -rf build
