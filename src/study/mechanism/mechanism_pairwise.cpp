// `pairwise`: neighbours agree on masks that cancel in the sum, then all average.
#include <fmt/format.h>

#include "base/json.h"
#include "privacy/calibrate/pairwise.h"
#include "study/mechanism/mechanism.h"

namespace sotto {
namespace {

// clang-format off
const std::vector<StudyKey>& pairwise_keys() {
  static const std::vector<StudyKey> keys{
    {"[pairwise]", "g", "number", "0.001", {}, "1e-6 to 1000",
     "By how much the noise on the sum exceeds a trusted centre's, a factor of 1 + g: the "
     "smaller, the larger the masks."},
  };
  return keys;
}
// clang-format on

class PairwiseMechanism final : public Mechanism {
 public:
  PairwiseMechanism() : Mechanism(Solver::kPairwise) {}

  [[nodiscard]] SealKind seals() const override { return SealKind::kPairwise; }

  [[nodiscard]] MechanismWords words() const override {
    return {.how = "neighbours agree on masks that cancel, then average",
            .title = "shared masks",
            .stands_on =
                "The promise stands on secrets that neighbours agree on by X25519: "
                "whoever could break it would see more."};
  }

  [[nodiscard]] std::span<const StudyKey> keys() const override { return pairwise_keys(); }

  [[nodiscard]] Result<void> read(TomlReader section, Study& study) const override {
    study.pairwise_g = section.positive("g", study.pairwise_g, kExcessRange);
    return section.finish();
  }

  [[nodiscard]] Result<Calibrated> calibrate(const Study& study,
                                             ModelSize /*size*/) const override {
    const PrivacyTerms& terms = study.privacy;
    SOTTO_ASSIGN(auto noise, calibrate_pairwise(study.graph(), terms.sensitivity, terms.budget,
                                                study.pairwise_g, terms.colluders)
                                 .at("[pairwise]"));
    return Calibrated{.noise = noise,
                      .sum_noise_sd = mechanism::over_parties(study, noise.sigma_gamma)};
  }

  [[nodiscard]] Json noise_json(const Noise& noise) const override {
    const auto& pairwise = std::get<PairwiseNoise>(noise);
    return {{"sigma_gamma", pairwise.sigma_gamma}, {"sigma_edge", pairwise.sigma_edge}};
  }

  [[nodiscard]] std::string noise_text(const Noise& noise) const override {
    const auto& pairwise = std::get<PairwiseNoise>(noise);
    return fmt::format("γ of sd {:.6g}, and a mask of sd {:.6g} on every edge",
                       pairwise.sigma_gamma, pairwise.sigma_edge);
  }
};

}  // namespace

std::unique_ptr<const Mechanism> mechanism::pairwise() {
  return std::make_unique<PairwiseMechanism>();
}

}  // namespace sotto
