// What a run draws, as a digest: a run that is resumed has to find the same again.
#include <span>
#include <string>
#include <variant>

#include "plan/plan.h"

namespace sotto::planning {
namespace {

void add(Digest& digest, double value) {
  digest.add(std::span<const double>(&value, 1));
}

void add_kind(Digest& digest, const LocalNoise& noise) {
  add(digest, noise.sigma);
}

void add_kind(Digest& digest, const ShuffleNoise& noise) {
  digest.add(noise.sigma_gamma.get_str()).add(noise.sigma_eta.get_str());
  digest.add(noise.inverse_zeta.get_str()).add(noise.multiplier_max);
  digest.add(static_cast<std::uint64_t>(noise.masks));
}

void add_kind(Digest& digest, const PairwiseNoise& noise) {
  add(digest, noise.sigma_gamma);
  add(digest, noise.sigma_edge);
}

void add_kind(Digest& digest, const GradientNoise& noise) {
  digest.add(noise.on_grid.scale.get_str()).add(noise.on_grid.bound.get_str());
  add(digest, noise.sigma_eta);
}

void add_kind(Digest& digest, const LaplaceNoise& noise) {
  add(digest, noise.scale);
  add(digest, noise.bound.value_or(-1));
}

}  // namespace

void add_noise(Digest& digest, const Noise& noise) {
  digest.add(std::uint64_t{noise.index()});
  std::visit([&](const auto& kind) { add_kind(digest, kind); }, noise);
}

std::string digest_of_draws(const Plan& plan) {
  Digest digest("sotto draws");
  add_noise(digest, plan.noise);
  digest.add(plan.draws);
  digest.add(std::uint64_t{plan.entries}).add(std::uint64_t{plan.consensus.rounds});
  if (plan.tracking) {
    digest.add(std::uint64_t{plan.tracking->setup.rounds});
    add(digest, plan.tracking->setup.step);
  }
  for (const Adversary& row : plan.adversaries) add(digest, row.shift);
  return digest.value();
}

}  // namespace sotto::planning
