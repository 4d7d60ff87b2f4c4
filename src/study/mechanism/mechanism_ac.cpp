// `ac`: every party adds the noise that protects it alone, then they average.
#include <fmt/format.h>

#include "base/json.h"
#include "privacy/calibrate/ac.h"
#include "study/mechanism/mechanism.h"

namespace sotto {
namespace {

class AcMechanism final : public Mechanism {
 public:
  AcMechanism() : Mechanism(Solver::kAc) {}

  [[nodiscard]] SealKind seals() const override { return SealKind::kLocal; }

  [[nodiscard]] MechanismWords words() const override {
    return {.how = "everybody adds noise for itself, then average",
            .title = "noise at every party",
            .stands_on = {}};
  }

  [[nodiscard]] Result<Calibrated> calibrate(const Study& study,
                                             ModelSize /*size*/) const override {
    const LocalNoise noise = calibrate_ac(study.privacy.sensitivity, study.privacy.budget);
    return Calibrated{.noise = noise, .sum_noise_sd = mechanism::over_parties(study, noise.sigma)};
  }

  [[nodiscard]] Json noise_json(const Noise& noise) const override {
    return {{"sigma_gamma", std::get<LocalNoise>(noise).sigma}};
  }

  [[nodiscard]] std::string noise_text(const Noise& noise) const override {
    return fmt::format("Gaussian of sd {:.6g} at every party", std::get<LocalNoise>(noise).sigma);
  }
};

}  // namespace

std::unique_ptr<const Mechanism> mechanism::ac() {
  return std::make_unique<AcMechanism>();
}

}  // namespace sotto
