// One function per section; what belongs to one solver is in the function of its name.
#include "study/sections.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "paillier/cipher.h"

namespace sotto {
namespace {

constexpr std::int64_t kMaxSeed = std::numeric_limits<std::int64_t>::max();

// What the arithmetic of the other rooms is made for, far beyond what anybody
// needs: outside it numbers overflow, and a covariance loses its last digit.
struct Range {
  double least;
  double most;
};
constexpr Range kAnyNumber{1e-100, 1e100};
constexpr Range kEpsilonRange{1e-9, 1e6};
constexpr Range kDeltaRange{1e-100, 1};
constexpr Range kGRange{1e-6, 1e3};

void require_range(TomlReader& section, std::string_view key, double value, Range range) {
  if (value >= range.least && value <= range.most) return;
  section.fail_value(key, fmt::format("{} = {} is out of range", key, value),
                     fmt::format("choose a number from {} to {}", range.least, range.most));
}

// A finite number above zero and in range, or an error at the key.
double positive(TomlReader& section, std::string_view key, double fallback,
                Range range = kAnyNumber) {
  const double value = section.optional_number(key).value_or(fallback);
  if (!(std::isfinite(value) && value > 0)) {
    section.fail_value(key, fmt::format("{} = {} is not a finite number above 0", key, value),
                       fmt::format("write for example {} = {}", key, fallback));
    return fallback;
  }
  require_range(section, key, value, range);
  return value;
}

// A month: longer than anybody waits, short enough for a clock in milliseconds.
constexpr double kMaxSeconds = 31.0 * 86'400;

double read_seconds(TomlReader& section, std::string_view key, double fallback) {
  const double seconds = section.optional_number(key).value_or(fallback);
  if (!(seconds >= 1 && seconds <= kMaxSeconds)) {
    section.fail_value(key, fmt::format("{} = {} is not a time to wait", key, seconds),
                       fmt::format("give seconds, from 1 to {:.0f}", kMaxSeconds));
  }
  return seconds;
}

}  // namespace

Result<StudyHead> read_study_section(TomlReader section) {
  StudyHead head;
  head.name = section.text("name");
  const std::string solver = section.word("solver");
  SOTTO_TRY(section.finish());
  head.solver = *solver_from(solver);
  return head;
}

Result<PrivacyTerms> read_privacy_section(TomlReader section) {
  auto fail = [&](std::string_view key, const Error& error) {
    section.fail(key, error);
    return section.finish().error();
  };
  const double epsilon = section.number("epsilon");
  const double delta = section.number("delta");
  const bool record = unit_from(section.word("unit")) == Unit::kRecord;
  const auto mu = section.optional_number("mu");
  const std::string neighbours =
      section.word("neighbours", record ? std::nullopt : std::optional("add-remove"));
  if (record && mu) {
    section.fail_value("mu", "mu is for unit = \"entry\"; a row's sensitivity is computed",
                       "remove mu");
  }
  if (!record && section.has("neighbours")) {
    section.fail_value("neighbours", "neighbours is for unit = \"record\"", "remove neighbours");
  }
  if (!record && !mu) {
    section.fail("mu", bad_input("E-study-missing", "unit = \"entry\" needs mu",
                                 "say how far one entry of θ may move: mu = 3.0"));
  }
  const auto colluders = section.optional_integer("colluders", 0, kMaxParties);
  const toml::node* person = section.node("person");
  if (person != nullptr && (!record || !person->is_table())) {
    section.fail_value("person",
                       record ? "person must say its column" : "person is for unit = \"record\"",
                       record ? "write person = { column = \"id\", rows = 1 }" : "remove person");
  }
  SOTTO_TRY(section.finish());
  std::optional<PersonColumn> person_column;
  if (person != nullptr) {
    TomlReader inside = section.inside("person");
    // Every number of rows protects the whole person; it decides about accuracy only.
    person_column = PersonColumn{
        .column = inside.text("column"),
        .rows = inside.optional_integer("rows", 1, PersonColumn::kMaxRows).value_or(1)};
    SOTTO_TRY(inside.finish());
  }
  const auto checked_epsilon = Epsilon::make(epsilon);
  if (!checked_epsilon) return fail("epsilon", checked_epsilon.error());
  const auto checked_delta = Delta::make(delta);
  if (!checked_delta) return fail("delta", checked_delta.error());
  const Neighbours relation = neighbours_from(neighbours).value_or(Neighbours::kAddRemove);
  // A row's sensitivity depends on [data] and [solve]; study_file.cpp sets it when all are read.
  const auto sensitivity = Sensitivity::make(record ? 1.0 : *mu);
  if (!sensitivity) return fail("mu", sensitivity.error());
  require_range(section, "epsilon", epsilon, kEpsilonRange);
  require_range(section, "delta", delta, kDeltaRange);
  require_range(section, "mu", sensitivity->value(), kAnyNumber);
  SOTTO_TRY(section.finish());
  return PrivacyTerms{.budget = Budget{*checked_epsilon, *checked_delta},
                      .unit = record ? Unit::kRecord : Unit::kEntry,
                      .neighbours = relation,
                      .sensitivity = *sensitivity,
                      .colluders = static_cast<std::size_t>(colluders.value_or(0)),
                      .person = person_column};
}

Result<GtTerms> read_gt_section(TomlReader section) {
  GtTerms terms;
  if (section.has("truncation")) terms.truncation = positive(section, "truncation", 1.0);
  if (section.word("guarantee", "certain") == "paper") {
    terms.guarantee = Convexity::kPaper;
  }
  if (section.has("lambda_min")) terms.lambda_min = positive(section, "lambda_min", 1.0);
  if (const auto* step = section.node("step"); step != nullptr && step->is_string()) {
    static_cast<void>(section.choice("step", {"auto"}));
  } else if (step != nullptr) {
    terms.step = positive(section, "step", 0.005);
  }
  if (const auto rounds = section.optional_integer("rounds", 1, kMaxRounds)) {
    terms.rounds = static_cast<Round>(*rounds);
  }
  terms.keep_delta = section.optional_flag("keep_delta").value_or(true);
  if (!terms.keep_delta && !terms.truncation) {
    section.fail_value("keep_delta", "without a truncation there is nothing to keep δ from",
                       "add truncation, or remove keep_delta");
  }
  SOTTO_TRY(section.finish());
  return terms;
}

Result<DishufTerms> read_dishuf_section(TomlReader section) {
  DishufTerms terms;
  terms.parameters.g = positive(section, "g", terms.parameters.g, kGRange);
  if (const auto a_bar = section.optional_integer("a_bar", 2, std::int64_t{1} << 31)) {
    terms.parameters.multiplier_max = static_cast<std::uint64_t>(*a_bar);
  }
  if (section.word("calibration", "graph") == "lemma1") {
    terms.calibration = Calibration::kLemma1;
  }
  // The paper's lemma is about the paper's algorithm.
  const bool lemma1 = terms.calibration == Calibration::kLemma1;
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
  SOTTO_TRY(section.finish());
  return terms;
}

Result<double> read_pairwise_section(TomlReader section) {
  const double g = positive(section, "g", 0.001, kGRange);
  SOTTO_TRY(section.finish());
  return g;
}

Result<ConsensusTerms> read_consensus_section(TomlReader section) {
  ConsensusTerms terms;
  terms.method = *consensus_method_from(section.word("method", "exact"));
  terms.tolerance = positive(section, "tolerance", terms.tolerance);
  if (terms.tolerance >= 1) {
    section.fail_value("tolerance", fmt::format("tolerance = {} is not below 1", terms.tolerance),
                       "write for example tolerance = 1e-9");
  }
  if (const auto rounds = section.optional_integer("rounds", 1, kMaxRounds)) {
    terms.rounds = static_cast<Round>(*rounds);
    if (terms.method == ConsensusMethod::kExact) {
      section.fail_value("rounds", "exact takes as many rounds as the graph is wide",
                         "remove rounds, or use method = \"plain\" or \"chebyshev\"");
    }
  }
  SOTTO_TRY(section.finish());
  return terms;
}

Result<SolveTerms> read_solve_section(TomlReader section, Unit unit) {
  // The paper solves Âx = −B̂; tables get the estimator that knows its noise.
  const std::string fallback = unit == Unit::kRecord ? "noise-aware" : "exact";
  const std::string name = section.word("estimator", fallback);
  const auto error_bars = section.optional_flag("error_bars");
  if (error_bars && unit != Unit::kRecord) {
    section.fail_value("error_bars", "error_bars is for unit = \"record\"", "remove error_bars");
  }
  SOTTO_TRY(section.finish());
  return SolveTerms{.estimator = *estimator_from_name(name),
                    .error_bars = error_bars.value_or(true)};
}

Result<std::optional<ProblemSource>> read_problem_section(TomlReader section) {
  if (!section.present()) return std::optional<ProblemSource>{};
  ProblemSource source;
  if (auto files = section.optional_texts("files")) source.files = std::move(*files);
  if (const auto file = section.optional_text("file")) source.files = {*file};
  const auto dimension = section.optional_integer("m", 1, 512);
  if (source.files.empty()) {
    source.family = section.word("family");
    const auto seed = section.optional_integer("seed", 0, kMaxSeed);
    source.dimension = static_cast<std::size_t>(dimension.value_or(3));
    source.seed = static_cast<std::uint64_t>(seed.value_or(1));
  } else {
    source.dimension = static_cast<std::size_t>(dimension.value_or(0));
    for (const char* key : {"family", "seed"}) {
      if (section.has(key)) {
        section.fail_value(key, fmt::format("{} does not go with files", key),
                           fmt::format("remove {}, or the files", key));
      }
    }
  }
  SOTTO_TRY(section.finish());
  return std::optional(source);
}

Result<NetworkTerms> read_network_section(TomlReader section, std::size_t parties) {
  NetworkTerms terms;
  // More than half: otherwise two halves that lose each other would both go on, and everybody's
  // value would be released twice over.
  const auto all = static_cast<std::int64_t>(parties);
  const auto least = section.optional_integer("min_parties", all / 2 + 1, all);
  if (least) {
    terms.min_parties = static_cast<std::size_t>(*least);
    terms.attempts = parties - terms.min_parties + 1;
  }
  terms.meeting_seconds = read_seconds(section, "meeting_seconds", terms.meeting_seconds);
  terms.patience_seconds = read_seconds(section, "patience_seconds", terms.patience_seconds);
  SOTTO_TRY(section.finish());
  return terms;
}

}  // namespace sotto
