// `gt`: gradient tracking on costs with noise, the paper's first algorithm.
#include <fmt/format.h>

#include <cmath>

#include "base/json.h"
#include "privacy/calibrate/gt.h"
#include "study/mechanism/mechanism.h"

namespace sotto {
namespace {

// clang-format off
const std::vector<StudyKey>& gt_keys() {
  static const std::vector<StudyKey> keys{
    {"[gt]", "truncation", "number", "the smallest that keeps δ", {}, "at least mu",
     "Where the Laplace noise is cut off."},
    {"[gt]", "keep_delta", "true or false", "`true`", {}, "",
     "Whether a truncation that has a larger δ than was asked for is refused; `false`, as in the "
     "paper's figures, is for costs of `[problem] family` alone."},
    {"[gt]", "guarantee", "text", "`\"certain\"`", {"certain", "paper"}, "",
     "Whether the noisy problem is convex for every draw, or by the paper's condition, which "
     "does not keep it so."},
    {"[gt]", "lambda_min", "number or text", "required for `gt`", {}, "1e-100 to 1e100",
     "A lower bound on the eigenvalues of ΣA_i that is known without the data; `\"family\"`: the "
     "smallest that `[problem] family` has, which is public, for any number of parties."},
    {"[gt]", "step", "number or text", "`\"auto\"`", {}, "1e-100 to 1e100",
     "The step of gradient tracking; on a network it must be a number."},
    {"[gt]", "rounds", "whole number", "from the rate and the tolerance", {}, "1 to 100000000",
     "How many rounds; required on a network."},
  };
  return keys;
}
// clang-format on

Error gt_has_no_rows(const char* fix) {
  return refused("E-gt-record", "gt protects one entry of θ, and has no guarantee for a row", fix);
}

class GtMechanism final : public Mechanism {
 public:
  GtMechanism() : Mechanism(Solver::kGt) {}

  [[nodiscard]] SealKind seals() const override { return SealKind::kTracking; }
  [[nodiscard]] bool gaussian() const override { return false; }  // on B, not on A

  [[nodiscard]] MechanismWords words() const override {
    return {.how = "gradient tracking on costs with noise",
            .title = "gradient tracking",
            .stands_on = {}};
  }

  [[nodiscard]] std::span<const StudyKey> keys() const override { return gt_keys(); }

  [[nodiscard]] Result<void> read(TomlReader section, Study& study) const override {
    GtTerms& terms = study.gt;
    if (section.has("truncation")) terms.truncation = section.positive("truncation", 1.0);
    if (section.word("guarantee", "certain") == "paper") terms.guarantee = Convexity::kPaper;
    if (const auto* least = section.node("lambda_min"); least != nullptr && least->is_string()) {
      static_cast<void>(section.choice("lambda_min", {"family"}));
      if (study.problem && !study.problem->family.empty()) {
        terms.lambda_min = smallest_of_family(study.graph().size(), study.problem->sum);
      } else {
        section.fail_value("lambda_min",
                           "the costs are not of a family, whose eigenvalues are known",
                           "a number that is known without the data");
      }
    } else if (least != nullptr) {
      terms.lambda_min = section.positive("lambda_min", 1.0);
    }
    if (const auto* step = section.node("step"); step != nullptr && step->is_string()) {
      static_cast<void>(section.choice("step", {"auto"}));
    } else if (step != nullptr) {
      terms.step = section.positive("step", 0.005);
    }
    if (const auto rounds = section.optional_integer("rounds", 1, kMaxRounds)) {
      terms.rounds = static_cast<Round>(*rounds);
    }
    terms.keep_delta = section.optional_flag("keep_delta").value_or(true);
    if (!terms.keep_delta && !terms.truncation) {
      section.fail_value("keep_delta", "without a truncation there is nothing to keep δ from",
                         "add truncation, or remove keep_delta");
    }
    return section.finish();
  }

  [[nodiscard]] Result<void> goes_with(const Study& study, const std::string& file) const override {
    if (study.solver == solver() && study.privacy.unit == Unit::kRecord) {
      return gt_has_no_rows(
                 "use solver = \"dishuf\", \"pairwise\" or \"ac\" with unit = \"record\"")
          .at(fmt::format("[study] solver of {}", file));
    }
    if (!study.gt.keep_delta && (!study.problem || study.problem->family.empty())) {
      return refused("E-gt-delta", "keep_delta = false would break the δ that is asked for",
                     "it is for [problem] family = …, where nobody's data is at stake")
          .at(fmt::format("[gt] keep_delta of {}", file));
    }
    return {};
  }

  [[nodiscard]] Result<Calibrated> calibrate(const Study& study, ModelSize size) const override {
    const PrivacyTerms& terms = study.privacy;
    const std::size_t parties = study.graph().size();
    if (terms.unit == Unit::kRecord) {
      return gt_has_no_rows("use dishuf, pairwise or ac with unit = \"record\"");
    }
    if (!study.gt.lambda_min) {
      return bad_input("E-gt-lambda", "gt must know a public lower bound on ΣA_i's eigenvalues",
                       "add lambda_min to [gt]: a number known without the data");
    }
    const double lambda_min = *study.gt.lambda_min;
    // First whether any truncation does: what δ and what the problem asks for must not be answered
    // one after the other with numbers that contradict each other.
    if (study.gt.keep_delta) {
      SOTTO_TRY(require_some_truncation(terms.sensitivity, terms.budget, parties, size.dimension,
                                        lambda_min, study.gt.guarantee)
                    .at("[gt] guarantee"));
    }
    // As printed, a setting is run and its rows say what it is worth.
    const auto calibrate = study.gt.keep_delta ? calibrate_gradient : gradient_noise;
    SOTTO_ASSIGN(
        auto noise,
        calibrate(terms.sensitivity, terms.budget, study.gt.truncation).at("[gt] truncation"));
    SOTTO_TRY(require_convexity(noise, parties, size.dimension, lambda_min, study.gt.guarantee)
                  .at("[gt] guarantee"));
    Calibrated result{
        .noise = noise,
        .sum_noise_sd = mechanism::over_parties(study, noise.sigma_eta),
        .sum_noise_of_a = std::sqrt(static_cast<double>(parties) * noise.laplace.variance())};
    if (study.gt.guarantee == Convexity::kPaper) {
      const double probability = nonconvex_probability(noise, parties, size.dimension, lambda_min);
      if (probability > 0) {
        result.warnings.push_back(
            fmt::format("the paper's condition does not keep the problem convex: a draw is not "
                        "convex with probability up to {:.3g}",
                        probability));
      }
    }
    return result;
  }

  [[nodiscard]] Json noise_json(const Noise& noise) const override {
    const auto& gradient = std::get<GradientNoise>(noise);
    return {{"truncation", gradient.laplace.truncation()},
            {"sigma_gamma", std::sqrt(gradient.laplace.variance())},
            {"sigma_eta", gradient.sigma_eta}};
  }

  [[nodiscard]] std::string noise_text(const Noise& noise) const override {
    const auto& gradient = std::get<GradientNoise>(noise);
    return fmt::format("Laplace cut off at ±{:.6g} (sd {:.6g}) on A, Gaussian of sd {:.6g} on B",
                       gradient.laplace.truncation(), std::sqrt(gradient.laplace.variance()),
                       gradient.sigma_eta);
  }
};

}  // namespace

std::unique_ptr<const Mechanism> mechanism::gt() {
  return std::make_unique<GtMechanism>();
}

}  // namespace sotto
