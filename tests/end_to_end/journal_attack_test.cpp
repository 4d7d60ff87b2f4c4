#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "privacy/budget.h"
#include "privacy/calibrate/dishuf.h"
#include "protocol/sealing.h"

// A neighbour that keeps every rule, and afterwards reads what its own journal has of a run that
// came to nothing: the answer to its offer, which it can decrypt. The greatest common divisor of
// the entries is the multiplier (finding 7), so it has T̄ of the other, and T̄ is T but for the mask.
namespace sotto {
namespace {

constexpr std::size_t kEntries = 400;
const Sensitivity kRow = *Sensitivity::make(1.5);
const Budget kAsked = *Budget::make(1, 1e-6);

// How far what it finds is from what the other holds: root mean square, in the data's units.
double distance_from_the_truth(const Graph& graph, const ShuffleNoise& noise) {
  SeededRandom random(5);
  std::vector<double> held;
  for (std::size_t k = 0; k < kEntries; ++k) {
    held.push_back(std::ldexp(static_cast<double>(random.below(std::uint64_t{1} << 46)), -40));
  }
  const Secret theirs = Secret::of_entries(held, kRow);
  const Secret own = Secret::of_entries(std::vector<double>(kEntries, 7), kRow);
  const auto their_noise = fast_noise(11, 0);
  const auto own_noise = fast_noise(11, 1);
  const auto victim =
      make_sealing(noise, {1, graph, theirs, *their_noise, random, &ideal_cipher()});
  const ShuffleSeal seal(own, noise, graph.degree(0), *own_noise);
  const IntegerVector& masked = seal.masked(0);  // party 1 is the first neighbour of party 0
  const auto key = ideal_cipher().generate(random);
  IntegerVector negated = masked;
  for (Integer& entry : negated) entry = -entry;
  const ShuffleOffer offer{key->encryption_key().serialised(),
                           key->encryption_key().encrypt(negated, random)};
  const auto answer = *victim->receive({0, 1, offer});
  const auto plain = *key->decrypt(std::get<ShuffleReply>(answer[0].payload).scaled);
  Integer multiplier = 0;
  for (const Integer& entry : plain) multiplier = gcd(multiplier, entry);
  double square = 0;
  for (std::size_t k = 0; k < kEntries; ++k) {
    const Integer found = plain[k] / multiplier + masked[k];
    square += std::pow(theirs.grid().value(found) - held[k], 2);
  }
  return std::sqrt(square / kEntries);
}

TEST(AttackOnAJournal, ReadsTheSumsWhereALargeGSwitchesTheSharedMaskOff) {
  const Graph graph = *Graph::complete(4);
  const auto off = privacy::shared_noise(graph, kRow, kAsked, {.g = 1}, 0);
  EXPECT_EQ(distance_from_the_truth(graph, off), 0);
  // Which is why nobody is let into such a study.
  EXPECT_EQ(calibrate_shuffle(graph, kRow, kAsked, {.g = 1, .masks = ShuffleMasks::kShared}, 0)
                .error()
                .name,
            "E-shuffle-mask");
}

TEST(AttackOnAJournal, FindsNoiseWhereEveryNeighbourHasAMaskOfItsOwn) {
  for (const Graph& graph : {*Graph::complete(4), *Graph::cycle(5)}) {
    const auto noise = *calibrate_shuffle(graph, kRow, kAsked, {.g = 1}, 0);
    const double sigma = noise.sigma_eta.get_d();
    EXPECT_NEAR(distance_from_the_truth(graph, noise) / sigma, 1, 0.15);
    // And that is what a look costs: less than a hundredth of what was asked for, in squares.
    const double shift = kRow.value() / sigma;
    EXPECT_LE(shift * shift, std::pow(gaussian_shift(kAsked), 2) / 100);
    EXPECT_LT(gaussian_delta(1, shift), 1e-30);
  }
}

}  // namespace
}  // namespace sotto
