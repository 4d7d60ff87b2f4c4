// What libFuzzer calls. One program has all fuzzers, and is the one that it is called by: csv_fuzz.

#include <cstdlib>

#include "fuzz/fuzz.h"

namespace {

const sotto::fuzz::Fuzzer* chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** argv) {
  const std::string called = std::filesystem::path((*argv)[0]).filename().string();
  for (const sotto::fuzz::Fuzzer& fuzzer : sotto::fuzz::fuzzers()) {
    if (fuzzer.name + "_fuzz" == called) chosen = &fuzzer;
  }
  if (chosen != nullptr) return 0;
  fmt::print(stderr, "there is no {}; call it by the name of a fuzzer, as in csv_fuzz\n", called);
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen->play({reinterpret_cast<const char*>(data), size});
  return 0;
}
