// Counts the instructions of decryption and of a shuffle's answer under valgrind, for other keys,
// other plaintexts and other randomness: the numbers must be equal. The test starts itself again
// under callgrind, which counts inside of the probes only.

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "paillier/paillier_for_tests.h"

namespace sotto {

// What callgrind collects: by name, so they keep it.
extern "C" __attribute__((noinline)) void sotto_probe_decrypt(const DecryptionKey& key,
                                                              const Ciphertexts& ciphertexts) {
  const auto plain = key.decrypt(ciphertexts);
  if (!plain) std::abort();
}
extern "C" __attribute__((noinline)) void sotto_probe_answer(const EncryptionKey& key,
                                                             const Ciphertexts& ciphertexts,
                                                             const IntegerVector& own,
                                                             const Integer& factor,
                                                             RandomSource& random) {
  if (key.add_and_scale(ciphertexts, own, factor, 10, random).empty()) std::abort();
}
extern "C" __attribute__((noinline)) void sotto_probe_rerandomise(const EncryptionKey& key,
                                                                  const Ciphertexts& ciphertexts,
                                                                  RandomSource& random) {
  if (key.rerandomise(ciphertexts, random).empty()) std::abort();
}

namespace {

using namespace paillier_test;

constexpr std::size_t kBits = 2048;
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

TEST(DISABLED_Probe, Decrypt) {
  Probe probe;
  const Ciphertexts ciphertexts = probe.key.encrypt(probe.plain, probe.random);
  sotto_probe_decrypt(probe.key, ciphertexts);
}

TEST(DISABLED_Probe, Answer) {
  Probe probe;
  const EncryptionKey& open = probe.key.encryption_key();
  const Ciphertexts ciphertexts = open.encrypt(probe.plain, probe.random);  // makes the table
  const Integer factor = 708 + probe.random.below(std::uint64_t{293});
  sotto_probe_answer(open, ciphertexts, probe.plain, factor, probe.random);
}

TEST(DISABLED_Probe, Rerandomise) {
  Probe probe;
  const EncryptionKey& open = probe.key.encryption_key();
  const Ciphertexts ciphertexts = open.encrypt(probe.plain, probe.random);
  sotto_probe_rerandomise(open, ciphertexts, probe.random);
}

// Instructions between entering and leaving the probe; 0 if valgrind does not say.
std::uint64_t instructions(const std::string& probe, const std::string& test, int secret,
                           const PrimePair& primes) {
  std::array<char, 4096> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size() - 1);
  if (length <= 0) return 0;
  setenv(kSecret, std::to_string(secret).c_str(), 1);
  setenv(kPrimes, (primes.p.get_str(16) + "," + primes.q.get_str(16)).c_str(), 1);
  setenv("SOTTO_KERNEL", "portable", 1);  // valgrind knows no AVX512
  const std::string command =
      "valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=" + probe + " " +
      path.data() + " --gtest_also_run_disabled_tests --gtest_filter=DISABLED_Probe." + test +
      " 2>&1";
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

class ConstantTime : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

INSTANTIATE_TEST_SUITE_P(Of, ConstantTime,
                         ::testing::Values(std::pair{"sotto_probe_decrypt", "Decrypt"},
                                           std::pair{"sotto_probe_answer", "Answer"},
                                           std::pair{"sotto_probe_rerandomise", "Rerandomise"}),
                         [](const auto& probe) { return probe.param.second; });

TEST_P(ConstantTime, TakesAsManyInstructionsWhateverTheSecrets) {
  if (std::system("valgrind --version > /dev/null 2>&1") != 0) {
    GTEST_SKIP() << "VALGRIND IS NOT INSTALLED: nobody has counted instructions";
  }
  const auto [probe, test] = GetParam();
  SeededRandom random(17);
  std::vector<std::uint64_t> counts;
  for (int key = 0; key < 2; ++key) {
    const PrimePair primes = random_prime_pair(kBits, random);
    for (int secret = 1; secret <= 3; ++secret) {
      counts.push_back(instructions(probe, test, 10 * key + secret, primes));
    }
  }
  for (const std::uint64_t count : counts) {
    EXPECT_GT(count, 1'000'000U);
    EXPECT_EQ(count, counts[0]);
  }
  RecordProperty("instructions", std::to_string(counts[0]));
}

}  // namespace
}  // namespace sotto
