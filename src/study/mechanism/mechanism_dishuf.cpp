// `dishuf`: neighbours shuffle their sums under encryption, then all average.
#include <fmt/format.h>

#include <cmath>

#include "base/json.h"
#include "paillier/cipher.h"
#include "privacy/calibrate/dishuf.h"
#include "study/mechanism/mechanism.h"

namespace sotto {
namespace {

// clang-format off
const std::vector<StudyKey>& dishuf_keys() {
  static const std::vector<StudyKey> keys{
    {"[dishuf]", "g", "number", "0.001", {}, "1e-6 to 1000",
     "By how much the noise on the sum exceeds a trusted centre's, a factor of 1 + g: the "
     "smaller, the larger the masks."},
    {"[dishuf]", "noise", "text", "`\"per-neighbour\"`; with `lemma1` `\"shared\"`",
     {"per-neighbour", "shared"}, "",
     "Whether every neighbour sees a mask of its own, or all the same one, as in the paper, "
     "which protects from eavesdroppers only."},
    {"[dishuf]", "a_bar", "whole number", "1000", {}, "2 to 2³¹",
     "The largest multiplier of the shuffle, ā."},
    {"[dishuf]", "calibration", "text", "`\"graph\"`", {"graph", "lemma1"}, "",
     "How large masks are: computed for this graph, or as the paper's Lemma 1 says."},
    {"[dishuf]", "key_bits", "whole number", "3072", {}, "2048 to 16384, in steps of 64",
     "Bits of the Paillier keys."},
    {"[dishuf]", "randomness", "text", "`\"half\"`", {"half", "full"}, "",
     "How long the random exponents of the cipher are: half of the modulus, which also rests on "
     "the DJN assumption and is faster, or all of it."},
  };
  return keys;
}
// clang-format on

Error lemma1_needs_exact() {
  return bad_input("E-lemma1-consensus",
                   "lemma1's values are past what floating-point averaging can hold",
                   "use [consensus] method = \"exact\", or calibration = \"graph\"");
}

bool is_lemma1(const Study& study) {
  return study.dishuf.calibration == Calibration::kLemma1;
}

class DishufMechanism final : public Mechanism {
 public:
  DishufMechanism() : Mechanism(Solver::kDishuf) {}

  [[nodiscard]] SealKind seals() const override { return SealKind::kShuffle; }

  [[nodiscard]] MechanismWords words() const override {
    return {.how = "neighbours shuffle their sums under encryption, then average",
            .title = "encrypted shuffle",
            .stands_on =
                "The promise stands on Paillier encryption: whoever could break it would "
                "see more."};
  }

  [[nodiscard]] std::span<const StudyKey> keys() const override { return dishuf_keys(); }

  [[nodiscard]] Result<void> read(TomlReader section, Study& study) const override {
    DishufTerms& terms = study.dishuf;
    terms.parameters.g = section.positive("g", terms.parameters.g, kExcessRange);
    if (const auto a_bar = section.optional_integer("a_bar", 2, std::int64_t{1} << 31)) {
      terms.parameters.multiplier_max = static_cast<std::uint64_t>(*a_bar);
    }
    if (section.word("calibration", "graph") == "lemma1") {
      terms.calibration = Calibration::kLemma1;
    }
    // The paper's lemma is about the paper's algorithm.
    const bool lemma1 = is_lemma1(study);
    const std::string noise = section.word("noise", lemma1 ? "shared" : "per-neighbour");
    terms.parameters.masks = *kShuffleMasks.find(noise);
    if (lemma1 && terms.parameters.masks != ShuffleMasks::kShared) {
      section.fail_value("noise", "lemma1 calibrates noise that all neighbours share",
                         "remove noise, or calibration = \"lemma1\"");
    }
    if (const auto bits = section.optional_integer("key_bits", kMinKeyBits, kMaxKeyBits)) {
      terms.key_bits = static_cast<std::size_t>(*bits);
      if (terms.key_bits % kKeyBitsStep != 0) {
        section.fail_value(
            "key_bits", fmt::format("key_bits = {} is no multiple of {}", *bits, kKeyBitsStep),
            fmt::format("choose {}", terms.key_bits / kKeyBitsStep * kKeyBitsStep + kKeyBitsStep));
      }
    }
    terms.full_randomness = section.word("randomness", "half") == "full";
    return section.finish();
  }

  [[nodiscard]] Result<void> goes_with(const Study& study, const std::string& file) const override {
    if (study.solver != solver() || !is_lemma1(study) ||
        study.consensus.method == ConsensusMethod::kExact) {
      return {};
    }
    return lemma1_needs_exact().at(fmt::format("[consensus] method of {}", file));
  }

  [[nodiscard]] Result<Calibrated> calibrate(const Study& study,
                                             ModelSize /*size*/) const override {
    const PrivacyTerms& terms = study.privacy;
    const bool lemma1 = is_lemma1(study);
    if (lemma1 && terms.colluders > 0) {
      return bad_input("E-lemma1-colluders", "lemma1 knows no colluders",
                       "use calibration = \"graph\", or colluders = 0");
    }
    if (lemma1 && study.consensus.method != ConsensusMethod::kExact) return lemma1_needs_exact();
    ShuffleParameters parameters = study.dishuf.parameters;
    parameters.attempts = study.network.attempts;
    if (parameters.attempts > 1 && parameters.masks == ShuffleMasks::kShared) {
      return refused("E-dropout-shared",
                     "a shuffle that is given up has shown masked values, to colluders and, by way "
                     "of whoever was given up, to everybody; shared masks are calibrated for one "
                     "shuffle",
                     "use [dishuf] noise = \"per-neighbour\", or remove min_parties")
          .at("[network] min_parties");
    }
    SOTTO_ASSIGN(auto noise, (lemma1 ? calibrate_lemma1(study.graph().size(), terms.sensitivity,
                                                        terms.budget, parameters)
                                     : calibrate_shuffle(study.graph(), terms.sensitivity,
                                                         terms.budget, parameters, terms.colluders))
                                 .at("[dishuf]"));
    const double sum = mechanism::over_parties(study, nearest_double(noise.sigma_gamma));
    return Calibrated{.noise = std::move(noise), .sum_noise_sd = sum};
  }

  [[nodiscard]] Json noise_json(const Noise& noise) const override {
    const auto& shuffle = std::get<ShuffleNoise>(noise);
    Json json{{"sigma_gamma", nearest_double(shuffle.sigma_gamma)}};
    const double sigma_eta = nearest_double(shuffle.sigma_eta);
    // Past a double's range the logarithm is all that can be said; it is always there.
    if (std::isfinite(sigma_eta)) json["sigma_eta"] = sigma_eta;
    if (sgn(shuffle.sigma_eta) > 0) json["log10_sigma_eta"] = log10(shuffle.sigma_eta);
    // A whole number; past 64 bits (large ā and degree) JSON has the nearest double.
    const Integer& inverse_zeta = shuffle.inverse_zeta;
    json["inverse_zeta"] = inverse_zeta.fits_ulong_p()
                               ? Json(inverse_zeta.get_ui())
                               : Json(nearest_double(Rational(inverse_zeta)));
    return json;
  }

  [[nodiscard]] std::string noise_text(const Noise& noise) const override {
    const auto& shuffle = std::get<ShuffleNoise>(noise);
    const double digits = sgn(shuffle.sigma_eta) > 0 ? log10(shuffle.sigma_eta) : 0;
    const std::string eta = digits > 15 ? fmt::format("10^{:.4f}", digits)
                                        : fmt::format("{:.6g}", nearest_double(shuffle.sigma_eta));
    return fmt::format("γ of sd {:.6g}, η of sd {} inside the shuffle, ζ = 1/{}",
                       nearest_double(shuffle.sigma_gamma), eta, shuffle.inverse_zeta.get_str());
  }
};

}  // namespace

std::unique_ptr<const Mechanism> mechanism::dishuf() {
  return std::make_unique<DishufMechanism>();
}

}  // namespace sotto
