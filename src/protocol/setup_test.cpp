// A party of a run draws from its key alone, noise and keys from streams of their own.
#include "protocol/setup.h"

#include <gtest/gtest.h>

#include "protocol/sealing.h"
#include "support/parties.h"

namespace sotto {
namespace {

using namespace protocol_test;

TEST(Setup, NoiseAndKeysComeFromStreamsOfTheirOwn) {
  const Weights weights = cycle(3);
  const Secret secret = Secret::of_entries(std::vector<double>{1, 2}, *Sensitivity::make(3));
  const PairwiseNoise noise{.sigma_gamma = 0.5, .sigma_edge = 2};
  const ConsensusPlan plan = *plan_consensus(ConsensusMethod::kExact, 1e-9, weights);
  const KeyedRandom::Key draws{std::byte{7}};
  const auto party = make_party(AveragingSetup{weights, plan, noise},
                                {.self = 0, .secret = secret, .draws = draws, .context = "study"});

  KeyedRandom noise_bits(derived_key(draws, 0));
  const auto own_noise = exact_noise(noise_bits);
  KeyedRandom keys(derived_key(draws, 1));
  const auto expected = make_sealing(noise, {.self = 0,
                                             .graph = weights.graph(),
                                             .secret = secret,
                                             .noise = *own_noise,
                                             .keys = keys,
                                             .context = "study"});
  const auto key_of = [](const Message& message) {
    return std::get<PairwiseOffer>(message.payload).public_key;
  };
  const auto said = party->start().value();
  const auto wanted = expected->start().value();
  ASSERT_EQ(said.size(), 2U);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(key_of(said[k]), key_of(wanted[k]));
  EXPECT_NE(key_of(said[0]), key_of(said[1]));
}

}  // namespace
}  // namespace sotto
