// sotto::v1::Mechanism: somebody else's solver, as one of ours.

#include "study/mechanism/mechanism.h"

#include <fmt/format.h>
#include <sotto/mechanism.h>

#include <cmath>
#include <deque>

#include "api/added_keys.h"
#include "api/inside.h"
#include "base/check.h"
#include "base/json.h"
#include "study/named_section.h"

namespace sotto::v1 {
namespace {

sotto::Noise inside_noise(const AddedNoise& noise, std::size_t entries_moved) {
  if (noise.law == AddedNoise::Law::kGaussian) return LocalNoise{.sigma = noise.scale};
  return LaplaceNoise{.scale = noise.scale, .bound = noise.bound, .entries_moved = entries_moved};
}

AddedNoise outside_noise(const sotto::Noise& noise) {
  if (const auto* laplace = std::get_if<LaplaceNoise>(&noise)) {
    return {.law = AddedNoise::Law::kLaplace, .scale = laplace->scale, .bound = laplace->bound};
  }
  return gaussian_noise(std::get<LocalNoise>(noise).sigma);
}

double noise_sd(const sotto::Noise& noise) {
  const auto* laplace = std::get_if<LaplaceNoise>(&noise);
  return laplace != nullptr ? laplace->sd() : std::get<LocalNoise>(noise).sigma;
}

bool is_length(double value) {
  return std::isfinite(value) && value > 0;
}

class AddedMechanism final : public sotto::Mechanism {
 public:
  AddedMechanism(sotto::Solver solver, std::unique_ptr<const v1::Mechanism> plugin)
      : sotto::Mechanism(solver),
        plugin_(std::move(plugin)),
        how_(plugin_->about()),
        described_(v1::inside(plugin_->keys())),
        keys_(described_keys(plugin_->name(), described_, texts_)) {}

  [[nodiscard]] SealKind seals() const override { return SealKind::kLocal; }
  [[nodiscard]] bool gaussian() const override { return false; }
  [[nodiscard]] MechanismWords words() const override {
    return {.how = how_,
            .title = "added to sotto",
            .stands_on =
                "The solver was added to sotto: rows that are marked as claims are its "
                "own word."};
  }
  [[nodiscard]] std::span<const StudyKey> keys() const override { return keys_; }

  [[nodiscard]] Result<void> read(TomlReader section, sotto::Study& study) const override {
    SOTTO_ASSIGN(study.added[solver()], read_named_section(std::move(section), described_));
    return {};
  }

  [[nodiscard]] Result<Calibrated> calibrate(const sotto::Study& study,
                                             ModelSize size) const override {
    const MechanismTerms terms = terms_of(study, size.entries);
    SOTTO_ASSIGN(const auto noise, plugin_->calibrate(terms).at(
                                       keys_.empty() ? "[study] solver" : std::string(section())));
    const bool bounded = noise.bound.has_value();
    if (!is_length(noise.scale) || (bounded && !is_length(*noise.bound)) ||
        (bounded && noise.law == AddedNoise::Law::kGaussian)) {
      return bad_input(
          "E-mechanism-noise",
          fmt::format("{} asks for noise that cannot be drawn: scale {:g}{}", name(), noise.scale,
                      bounded ? fmt::format(", cut off at {:g}", *noise.bound) : ""),
          "a scale is finite and above 0; only Laplace noise is cut off");
    }
    sotto::Noise made = inside_noise(noise, terms.entries_moved);
    const double sd = noise_sd(made);
    return Calibrated{.noise = std::move(made),
                      .sum_noise_sd = sotto::mechanism::over_parties(study, sd)};
  }

  // What the mechanism claims, or what can be proven of its noise.
  [[nodiscard]] Result<std::vector<Adversary>> observe(const sotto::Study& study, ModelSize size,
                                                       const sotto::Noise& noise,
                                                       std::size_t attempts) const override {
    const PrivacyTerms& terms = study.privacy;
    const privacy::Watched watched{study.graph(), terms.sensitivity, terms.budget, terms.colluders,
                                   attempts};
    const MechanismTerms shown = terms_of(study, size.entries);
    std::vector<Adversary> rows = privacy::alike_for_all({}, terms.colluders);
    std::optional<std::vector<Adversary>> proven;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const auto claimed = plugin_->claim(observer_name(rows[k]), shown, outside_noise(noise));
      if (claimed) {
        SOTTO_TRY(take_claim(*claimed, noise, watched, rows[k]));
        continue;
      }
      if (!proven) {
        SOTTO_ASSIGN(proven, sotto::Mechanism::observe(study, size, noise, attempts));
      }
      rows[k] = (*proven)[k];
    }
    return rows;
  }

  [[nodiscard]] Json noise_json(const sotto::Noise& noise) const override {
    Json json{{"sigma_gamma", noise_sd(noise)}};
    if (const auto* laplace = std::get_if<LaplaceNoise>(&noise)) {
      json["laplace_scale"] = laplace->scale;
      if (laplace->bound) json["truncation"] = *laplace->bound;
    }
    return json;
  }

  [[nodiscard]] std::string noise_text(const sotto::Noise& noise) const override {
    const auto* laplace = std::get_if<LaplaceNoise>(&noise);
    if (laplace == nullptr) {
      return fmt::format("Gaussian of sd {:.6g} at every party", noise_sd(noise));
    }
    return fmt::format("Laplace of scale {:.6g}{} (sd {:.6g}) at every party", laplace->scale,
                       laplace->bound ? fmt::format(", cut off at ±{:.6g}", *laplace->bound) : "",
                       laplace->sd());
  }

 private:
  [[nodiscard]] std::string name() const { return to_string(solver()); }
  [[nodiscard]] std::string_view section() const { return keys_.front().section; }

  [[nodiscard]] MechanismTerms terms_of(const sotto::Study& study, std::size_t entries) const {
    const PrivacyTerms& privacy = study.privacy;
    MechanismTerms terms{.epsilon = privacy.budget.epsilon.value(),
                         .delta = privacy.budget.delta.value(),
                         .sensitivity = privacy.sensitivity.value(),
                         .entries = entries,
                         .entries_moved = privacy.unit == Unit::kRecord ? entries : 1,
                         .parties = study.graph().size()};
    if (const auto found = study.added.find(solver()); found != study.added.end()) {
      terms.numbers = found->second.numbers;
      terms.words = found->second.words;
    }
    return terms;
  }

  [[nodiscard]] Result<void> take_claim(const ObserverClaim& claim, const sotto::Noise& noise,
                                        const privacy::Watched& watched, Adversary& row) const {
    const double delta = claim.delta_at_epsilon;
    const double epsilon = claim.epsilon_at_delta;
    constexpr double kRoom =
        1e-6;  // of a formula for continuous noise, where it is drawn on a grid
    const auto false_claim = [&](const std::string& what) {
      return refused("E-mechanism-claim",
                     fmt::format("{} claims {} against {}", name(), what, observer_name(row)),
                     "more noise, or a claim that holds");
    };
    if (!(delta >= 0 && delta <= 1 && epsilon >= 0)) return false_claim("what is no ε and δ");
    const double asked = watched.budget.epsilon.value();
    const std::pair<double, double> points[] = {{asked, delta},
                                                {epsilon, watched.budget.delta.value()}};
    for (const auto& [at, claimed] : points) {
      const double least = privacy::least_delta(noise, watched.sensitivity, at);
      if (claimed < least * (1 - kRoom)) {
        return false_claim(
            fmt::format("δ = {:.3g} at ε = {:.3g} (its noise has {:.3g})", claimed, at, least));
      }
    }
    row.delta_at_epsilon = delta;
    row.epsilon_at_delta = epsilon;
    row.shift = privacy::equivalent_shift(asked, delta);
    row.method = RowMethod::kClaim;
    return {};
  }

  std::unique_ptr<const v1::Mechanism> plugin_;
  std::string how_;
  std::deque<std::string> texts_;
  std::vector<NamedKey> described_;
  std::vector<StudyKey> keys_;
};

}  // namespace

AddedNoise gaussian_noise(double sigma) {
  return {.law = AddedNoise::Law::kGaussian, .scale = sigma};
}

AddedNoise laplace_noise(double scale) {
  return {.law = AddedNoise::Law::kLaplace, .scale = scale};
}

AddedNoise truncated_laplace_noise(double scale, double bound) {
  return {.law = AddedNoise::Law::kLaplace, .scale = scale, .bound = bound};
}

std::optional<ObserverClaim> Mechanism::claim(std::string_view /*observer*/,
                                              const MechanismTerms& /*terms*/,
                                              const AddedNoise& /*noise*/) const {
  return std::nullopt;
}

Result<Solver> register_mechanism(std::unique_ptr<const Mechanism> mechanism) {
  check(mechanism != nullptr, "there is a mechanism to register");
  const std::string name = mechanism->name();
  SOTTO_TRY(check_keys("E-mechanism-key", name, v1::inside(mechanism->keys())));
  SOTTO_TRY(check_section_is_free("E-mechanism-name", name));
  SOTTO_ASSIGN(const auto solver, add_mechanism(name, [&](sotto::Solver number) {
                 return std::make_unique<AddedMechanism>(number, std::move(mechanism));
               }));
  return outside(solver);
}

}  // namespace sotto::v1
