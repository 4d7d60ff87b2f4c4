// Counts the instructions of decryption, of re-randomisation and of a shuffle's answer under
// valgrind, for other keys, other plaintexts and other randomness: the numbers must be equal. The
// test starts itself again under callgrind, which counts inside of the probes only.
//
// valgrind does not round towards zero, so that the products of the "fma" kernel are wrong under
// it. It takes the same way all the same, except that a decryption ends when it sees that its
// powers are none; what comes after is not the kernel's, and is counted with the portable one.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/parallel.h"
#include "support/kernels.h"
#include "support/paillier_keys.h"

// Memory that is never given back, while a probe runs: how long malloc looks for some depends on
// all that was allocated before, the making of the key included, and would be counted.
namespace probe_memory {
namespace {

constexpr std::size_t kBytes = std::size_t{1} << 30;
constexpr std::size_t kAligned = 64;
alignas(kAligned) std::byte arena[kBytes];  // untouched pages cost nothing
std::size_t used = 0;
bool on = false;

void* take(std::size_t bytes) {
  if (!on) return std::aligned_alloc(kAligned, (bytes / kAligned + 1) * kAligned);
  void* memory = arena + used;
  used += (bytes / kAligned + 1) * kAligned;
  if (used > kBytes) std::abort();
  return memory;
}

void give_back(void* memory) {
  const auto* place = static_cast<const std::byte*>(memory);
  if (place < arena || place >= arena + kBytes) std::free(memory);
}

void* take_again(void* memory, std::size_t before, std::size_t after) {
  void* moved = take(after);
  std::memcpy(moved, memory, std::min(before, after));
  give_back(memory);
  return moved;
}

}  // namespace
}  // namespace probe_memory

void* operator new(std::size_t bytes) {
  return probe_memory::take(bytes);
}
void* operator new(std::size_t bytes, std::align_val_t) {
  return probe_memory::take(bytes);
}
void operator delete(void* memory) noexcept {
  probe_memory::give_back(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  probe_memory::give_back(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  probe_memory::give_back(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  probe_memory::give_back(memory);
}

namespace sotto::paillier {

namespace {

// What is probed, by its name.
struct Probed {
  const DecryptionKey& key;
  const Ciphertexts& ciphertexts;
  const IntegerVector& own;
  const Integer& factor;
  RandomSource& random;

  void run(std::string_view name) const {
    const EncryptionKey& open = key.encryption_key();
    if (name == "decrypt") {
      const auto plain = key.decrypt(ciphertexts);
      if (!plain && selected_kernel().value() != "fma") std::abort();
    } else if (name == "answer") {
      if (open.add_and_scale(ciphertexts, own, factor, 10, random).empty()) std::abort();
    } else if (open.encrypt(own, random).empty()) {
      std::abort();
    }
  }
};

}  // namespace

// What callgrind collects: by name, so it keeps it.
extern "C" __attribute__((noinline)) void sotto_probe(const void* probed, const char* name) {
  static_cast<const Probed*>(probed)->run(name);
}

namespace {

using namespace paillier_test;

constexpr std::size_t kProbeBits = 2048;
constexpr const char* kSecret = "SOTTO_PROBE_SECRET";  // which of the secrets the probe takes
constexpr const char* kPrimes = "SOTTO_PROBE_PRIMES";

// Plaintexts of one size, 2000 bits, and all else from the secret's number.
struct Probe {
  std::uint64_t secret = std::strtoull(std::getenv(kSecret), nullptr, 10);
  SeededRandom random{secret};
  PaillierDecryptionKey key;
  IntegerVector plain;

  Probe() : key(primes(), Randomness::kHalf, random) {
    for (int k = 0; k < 2; ++k) {
      Integer m = random_bits(2000, random);
      mpz_setbit(m.get_mpz_t(), 1999);
      plain.push_back(random.below(2) == 0 ? m : Integer(-m));
    }
  }
  static PrimePair primes() {
    const std::string both = std::getenv(kPrimes);
    const std::size_t comma = both.find(',');
    return {Integer(both.substr(0, comma), 16), Integer(both.substr(comma + 1), 16)};
  }
};

constexpr const char* kProbe = "SOTTO_PROBE";

TEST(DISABLED_Probe, Runs) {
  Probe probe;
  const EncryptionKey& open = probe.key.encryption_key();
  const Ciphertexts ciphertexts = open.encrypt(probe.plain, probe.random);  // makes the table
  const Integer factor = 708 + probe.random.below(std::uint64_t{293});
  const std::string name = std::getenv(kProbe);
  const Probed probed{probe.key, ciphertexts, probe.plain, factor, probe.random};
  mp_set_memory_functions(probe_memory::take, probe_memory::take_again,
                          [](void* memory, std::size_t) { probe_memory::give_back(memory); });
  probe_memory::on = true;
  // callgrind does not collect in threads that the probe starts.
  parallel_for(1, 1, [&](std::size_t) { sotto_probe(&probed, name.c_str()); });
}

// Instructions between entering and leaving the probe; 0 if valgrind does not say.
std::uint64_t instructions(const std::string& name, int secret, const PrimePair& primes) {
  std::array<char, 4096> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size() - 1);
  if (length <= 0) return 0;
  setenv(kSecret, std::to_string(secret).c_str(), 1);
  setenv(kPrimes, (primes.p.get_str(16) + "," + primes.q.get_str(16)).c_str(), 1);
  setenv(kProbe, name.c_str(), 1);
  const std::string command =
      "valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=sotto_probe " +
      std::string(path.data()) +
      " --gtest_also_run_disabled_tests --gtest_filter=DISABLED_Probe.Runs 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return 0;
  std::uint64_t collected = 0;
  std::array<char, 512> line{};
  while (std::fgets(line.data(), line.size(), pipe) != nullptr) {
    const std::string text = line.data();
    if (const auto at = text.find("Collected : "); at != std::string::npos) {
      collected = std::strtoull(text.c_str() + at + 12, nullptr, 10);
    }
  }
  return pclose(pipe) == 0 ? collected : 0;
}

class ConstantTime : public ::testing::TestWithParam<std::tuple<std::string_view, std::string>> {};

// valgrind knows no AVX512.
std::vector<std::string_view> kernels_under_valgrind() {
  auto kernels = available_kernels();
  std::erase(kernels, "ifma");
  return kernels;
}

INSTANTIATE_TEST_SUITE_P(Of, ConstantTime,
                         ::testing::Combine(::testing::ValuesIn(kernels_under_valgrind()),
                                            ::testing::Values("decrypt", "answer", "encrypt")),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param)) + "_" +
                                  std::get<1>(test.param);
                         });

TEST_P(ConstantTime, TakesAsManyInstructionsWhateverTheSecrets) {
  if (std::system("valgrind --version > /dev/null 2>&1") != 0) {
    GTEST_SKIP() << "VALGRIND IS NOT INSTALLED: nobody has counted instructions";
  }
  const auto& [kernel, probe] = GetParam();
  const kernel_test::ForcedKernel forced(std::string(kernel).c_str());
  SeededRandom random(17);
  std::vector<std::uint64_t> counts;
  for (int key = 0; key < 2; ++key) {
    const PrimePair primes = random_prime_pair(kProbeBits, random);
    for (int secret = 1; secret <= 3; ++secret) {
      counts.push_back(instructions(probe, 10 * key + secret, primes));
    }
  }
  for (const std::uint64_t count : counts) {
    EXPECT_GT(count, 1'000'000U);
    EXPECT_EQ(count, counts[0]);
  }
  RecordProperty("instructions", std::to_string(counts[0]));
}

}  // namespace
}  // namespace sotto::paillier
