// What libFuzzer calls: a program has one fuzzer.

#include "fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sotto::fuzz::fuzzers().front().play({reinterpret_cast<const char*>(data), size});
  return 0;
}
