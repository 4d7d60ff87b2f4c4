// Ratios against GMP used as the well-known libraries use it, both in one run on one core. Each
// benchmark times our operation per item, in batches, and GMP's right after; "ratio" is what
// counts.

#include <benchmark/benchmark.h>

#include <chrono>
#include <map>
#include <memory>
#include <numeric>

#include "base/check.h"
#include "base/parallel.h"
#include "paillier/decryption_key.h"
#include "support/gmp_paillier.h"

namespace sotto::paillier {
namespace {

constexpr std::size_t kBatch = 16;

struct Setup {
  SeededRandom random{1};
  PrimePair primes;
  bench::GmpPaillier gmp;
  PaillierDecryptionKey key;
  const PaillierEncryptionKey& open;
  IntegerVector plain;
  Ciphertexts ciphertexts;

  explicit Setup(std::size_t key_bits)
      : primes(random_prime_pair(key_bits, random)),
        gmp(primes),
        key(primes, Randomness::kHalf, random),
        open(static_cast<const PaillierEncryptionKey&>(key.encryption_key())) {
    for (std::size_t k = 0; k < kBatch; ++k) {
      plain.push_back(random_bits(key_bits - 2, random));
    }
    ciphertexts = open.encrypt(plain, random);
    check(key.decrypt(ciphertexts).value() == plain, "ours decrypts");
    check(gmp.decrypt(ciphertexts[0]) == plain[0], "GMP decrypts ours");
    check(gmp.decrypt(gmp.encrypt(plain[1], random)) == plain[1], "GMP decrypts GMP's");
  }
};

Setup& setup_for(std::size_t key_bits) {
  static std::map<std::size_t, std::unique_ptr<Setup>> setups;
  auto& setup = setups[key_bits];
  if (!setup) setup = std::make_unique<Setup>(key_bits);
  return *setup;
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Times ours on `items` items and GMP's on `gmp_items`, in turn, so that both see the same machine.
template <class Ours, class Gmp>
void compare(benchmark::State& state, std::size_t items, std::size_t gmp_items, const Ours& ours,
             const Gmp& gmp) {
  double our_seconds = 0;
  double gmp_seconds = 0;
  double rounds = 0;
  for (auto _ : state) {
    const double start = cpu_seconds();
    parallel_for(1, 1, [&](std::size_t) { ours(); });
    const double middle = cpu_seconds();
    for (std::size_t k = 0; k < gmp_items; ++k) gmp(k % kBatch);
    gmp_seconds += cpu_seconds() - middle;
    our_seconds += middle - start;
    ++rounds;
  }
  const double our_item = our_seconds / rounds / static_cast<double>(items);
  const double gmp_item = gmp_seconds / rounds / static_cast<double>(gmp_items);
  state.counters["ours_us"] = our_item * 1e6;
  state.counters["gmp_us"] = gmp_item * 1e6;
  state.counters["ratio"] = gmp_item / our_item;
  state.SetLabel(std::string(selected_kernel().value()));
}

void encrypt_to_a_neighbour(benchmark::State& state) {
  Setup& s = setup_for(static_cast<std::size_t>(state.range(0)));
  compare(
      state, kBatch, 1, [&] { benchmark::DoNotOptimize(s.open.encrypt(s.plain, s.random)); },
      [&](std::size_t k) { benchmark::DoNotOptimize(s.gmp.encrypt(s.plain[k], s.random)); });
}

void encrypt_to_oneself(benchmark::State& state) {
  Setup& s = setup_for(static_cast<std::size_t>(state.range(0)));
  compare(
      state, kBatch, 1, [&] { benchmark::DoNotOptimize(s.key.encrypt(s.plain, s.random)); },
      [&](std::size_t k) { benchmark::DoNotOptimize(s.gmp.encrypt(s.plain[k], s.random)); });
}

void decrypt(benchmark::State& state) {
  Setup& s = setup_for(static_cast<std::size_t>(state.range(0)));
  compare(
      state, kBatch, 4, [&] { benchmark::DoNotOptimize(s.key.decrypt(s.ciphertexts)); },
      [&](std::size_t k) { benchmark::DoNotOptimize(s.gmp.decrypt(s.ciphertexts[k])); });
}

void decrypt_one(benchmark::State& state) {
  Setup& s = setup_for(static_cast<std::size_t>(state.range(0)));
  const Ciphertexts one{s.ciphertexts[0]};
  compare(
      state, 1, 1, [&] { benchmark::DoNotOptimize(s.key.decrypt(one)); },
      [&](std::size_t k) { benchmark::DoNotOptimize(s.gmp.decrypt(s.ciphertexts[k])); });
}

// Ciphertexts stay in the kernel's form, as they do inside of a shuffle's answer.
void multiply_by_40_bits(benchmark::State& state) {
  Setup& s = setup_for(static_cast<std::size_t>(state.range(0)));
  const Integer factor = (Integer(1) << 39) + random_bits(39, s.random);
  const Residues loaded = s.open.kernel().load(s.ciphertexts);
  compare(
      state, kBatch, kBatch,
      [&] { benchmark::DoNotOptimize(s.open.kernel().power(loaded, factor, 40)); },
      [&](std::size_t k) { benchmark::DoNotOptimize(s.gmp.multiply(s.ciphertexts[k], factor)); });
}

void add(benchmark::State& state) {
  Setup& s = setup_for(static_cast<std::size_t>(state.range(0)));
  const Residues loaded = s.open.kernel().load(s.ciphertexts);
  compare(
      state, kBatch, kBatch,
      [&] { benchmark::DoNotOptimize(s.open.kernel().multiply(loaded, loaded)); },
      [&](std::size_t k) {
        benchmark::DoNotOptimize(s.gmp.add(s.ciphertexts[k], s.ciphertexts[(k + 1) % kBatch]));
      });
}

void key_generation(benchmark::State& state) {
  SeededRandom random(2);
  const auto cipher = paillier_cipher(static_cast<std::size_t>(state.range(0)), Randomness::kHalf);
  for (auto _ : state) benchmark::DoNotOptimize((*cipher)->generate(random));
}

// A party's, one for each of its neighbours, on all cores.
void key_pairs(benchmark::State& state) {
  const auto cipher = paillier_cipher(3072, Randomness::kHalf);
  std::vector<std::uint32_t> neighbours(static_cast<std::size_t>(state.range(0)));
  std::iota(neighbours.begin(), neighbours.end(), 0U);
  KeyedRandom::Key from{};
  for (auto _ : state) {
    from[0] = static_cast<std::byte>(state.iterations());
    benchmark::DoNotOptimize(generate_key_pairs(**cipher, from, neighbours, 1));
  }
}

void key_validation(benchmark::State& state) {
  const auto bits = static_cast<std::size_t>(state.range(0));
  const auto cipher = paillier_cipher(bits, Randomness::kHalf);
  const std::string bytes = setup_for(bits).open.serialised();
  for (auto _ : state) benchmark::DoNotOptimize((*cipher)->read_key(bytes));
}

BENCHMARK(encrypt_to_a_neighbour)->Arg(2048)->Arg(3072)->Unit(benchmark::kMillisecond);
BENCHMARK(encrypt_to_oneself)->Arg(2048)->Arg(3072)->Unit(benchmark::kMillisecond);
BENCHMARK(decrypt)->Arg(2048)->Arg(3072)->Unit(benchmark::kMillisecond);
BENCHMARK(decrypt_one)->Arg(2048)->Arg(3072)->Unit(benchmark::kMillisecond);
BENCHMARK(multiply_by_40_bits)->Arg(2048)->Arg(3072)->Unit(benchmark::kMillisecond);
BENCHMARK(add)->Arg(2048)->Arg(3072)->Unit(benchmark::kMicrosecond);
BENCHMARK(key_generation)->Arg(2048)->Arg(3072)->Unit(benchmark::kMillisecond)->Iterations(10);
BENCHMARK(key_pairs)
    ->Arg(2)
    ->Arg(4)
    ->Arg(39)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(3);
BENCHMARK(key_validation)->Arg(2048)->Arg(3072)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sotto::paillier
