// A whole shuffle on a cycle of 10 with keys of 3072 bits, keys made before, against the paper's
// way with GMP: every entry encrypted, answered and decrypted on its own. GMP's time is that of a
// few entries of one party, times all of them: every entry costs the same.

#include <benchmark/benchmark.h>

#include <chrono>
#include <vector>

#include "base/check.h"
#include "base/parallel.h"
#include "paillier/decryption_key.h"
#include "privacy/calibrate/dishuf.h"
#include "protocol/sealing.h"
#include "support/gmp_paillier.h"

namespace sotto {
namespace {

constexpr std::size_t kParties = 10;
constexpr std::size_t kKeyBits = 3072;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Every party's part of it, the parties' own work side by side.
double shuffle_seconds(std::size_t entries, const Cipher& cipher,
                       const paillier::PrimePair& primes) {
  const Graph graph = *Graph::cycle(kParties);
  const Sensitivity mu = *Sensitivity::make(3);
  const ShuffleNoise noise = *calibrate_shuffle(graph, mu, *Budget::make(10, 0.2), {.g = 0.01}, 0);
  std::vector<std::unique_ptr<NoiseSource>> sources;
  std::vector<std::unique_ptr<RandomSource>> random;
  std::vector<std::unique_ptr<Sealing>> parties(kParties);
  const Secret secret = Secret::of_entries(std::vector<double>(entries, 0.5), mu);
  for (PartyId i = 0; i < kParties; ++i) {
    sources.push_back(fast_noise(1, i));
    random.push_back(std::make_unique<SeededRandom>(2, i));
    // Primes that were made before: to find some is not what is compared.
    const auto keys = std::make_shared<KeyPairs>();
    for (std::size_t k = 0; k < graph.degree(i); ++k) {
      keys->push_back(
          std::make_unique<paillier::PaillierDecryptionKey>(primes, Randomness::kHalf, *random[i]));
    }
    parties[i] = make_sealing(noise, {i, graph, secret, *sources[i], *random[i], &cipher,
                                      [keys] { return std::move(*keys); }});
  }
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::vector<Message>> sent(kParties);
  parallel_for(kParties, 0, [&](std::size_t i) { sent[i] = parties[i]->start().value(); });
  while (true) {
    std::vector<std::vector<Message>> inbox(kParties);
    bool any = false;
    for (auto& messages : sent) {
      for (Message& message : messages) {
        inbox[message.to].push_back(std::move(message));
        any = true;
      }
      messages.clear();
    }
    if (!any) break;
    parallel_for(kParties, 0, [&](std::size_t i) {
      for (const Message& message : inbox[i]) {
        auto answers = parties[i]->receive(message);
        for (Message& answer : answers.value()) {
          sent[i].push_back(std::move(answer));
        }
      }
    });
  }
  for (const auto& party : parties) check(party->done(), "the shuffle ends");
  return seconds_since(start);
}

// Algorithm 2 entry by entry, one core, as it is written down.
double paper_seconds_per_entry(const paillier::PrimePair& primes) {
  const bench::GmpPaillier gmp(primes);
  SeededRandom random(3);
  constexpr int kSample = 10;
  const auto start = std::chrono::steady_clock::now();
  for (int entry = 0; entry < kSample; ++entry) {
    const Integer offer = gmp.encrypt(-12345, random);
    for (int neighbour = 0; neighbour < 2; ++neighbour) {
      const Integer sum = gmp.add(offer, gmp.encrypt(54321, random));
      const Integer reply = gmp.rerandomise(gmp.multiply(sum, 977), random);
      benchmark::DoNotOptimize(gmp.decrypt(reply));
    }
  }
  return seconds_since(start) / kSample;
}

void whole_shuffle(benchmark::State& state) {
  static const auto cipher = paillier_cipher(kKeyBits, Randomness::kHalf).value();
  static const paillier::PrimePair primes = [] {
    SeededRandom random(1);
    return paillier::random_prime_pair(kKeyBits, random);
  }();
  const auto m = static_cast<std::size_t>(state.range(0));
  const std::size_t entries = m * (m + 3) / 2;
  double ours = 0;
  double paper = 0;
  for (auto _ : state) {
    const double seconds = shuffle_seconds(entries, *cipher, primes);
    ours += seconds;
    paper += paper_seconds_per_entry(primes) * static_cast<double>(entries * kParties);
    state.SetIterationTime(seconds);
  }
  const auto rounds = static_cast<double>(state.iterations());
  state.counters["ours_s"] = ours / rounds;
  state.counters["paper_s"] = paper / rounds;
  state.counters["ratio"] = paper / ours;
}

BENCHMARK(whole_shuffle)
    ->Arg(10)
    ->Arg(50)
    ->UseManualTime()
    ->Iterations(3)
    ->Unit(benchmark::kSecond);

}  // namespace
}  // namespace sotto
