// One function per section; a solver's own is read by its mechanism.
#include "study/sections.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>

namespace sotto {
namespace {

constexpr std::int64_t kMaxSeed = std::numeric_limits<std::int64_t>::max();

constexpr NumberRange kEpsilonRange{1e-9, 1e6};
constexpr NumberRange kDeltaRange{1e-100, 1};

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

// A clock in nanoseconds ends in 2262.
constexpr int kLastYear = 2261;

// "2026-01-31T09:00:00Z": one form only, so that all parties read the same.
std::optional<std::int64_t> read_time(TomlReader& section, std::string_view key) {
  const auto text = section.optional_text(key);
  if (!text) return std::nullopt;
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  int end = 0;
  const bool shaped =
      text->size() == 20 && std::sscanf(text->c_str(), "%4d-%2u-%2uT%2d:%2d:%2dZ%n", &year, &month,
                                        &day, &hour, &minute, &second, &end) == 6;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  const std::chrono::sys_seconds time = std::chrono::sys_days(date) + std::chrono::hours(hour) +
                                        std::chrono::minutes(minute) + std::chrono::seconds(second);
  // Written again it must be the same text: signs, spaces and the 30th of February are not.
  const bool valid = shaped && end == 20 && date.ok() && year >= 1970 &&
                     fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", year, month, day, hour,
                                 minute, second) == *text &&
                     hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 &&
                     second < 60;
  if (!valid) {
    section.fail_value(key, fmt::format("{} = \"{}\" is not a time", key, *text),
                       "write it in UTC, as in \"2026-01-31T09:00:00Z\"");
    return std::nullopt;
  }
  if (year > kLastYear) {
    section.fail_value(key, fmt::format("{} = \"{}\" is later than clocks go", key, *text),
                       fmt::format("give a time before the end of {}", kLastYear));
    return std::nullopt;
  }
  return time.time_since_epoch().count();
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
  section.require_range("epsilon", epsilon, kEpsilonRange);
  section.require_range("delta", delta, kDeltaRange);
  section.require_range("mu", sensitivity->value(), kAnyNumber);
  SOTTO_TRY(section.finish());
  return PrivacyTerms{.budget = Budget{*checked_epsilon, *checked_delta},
                      .unit = record ? Unit::kRecord : Unit::kEntry,
                      .neighbours = relation,
                      .sensitivity = *sensitivity,
                      .colluders = static_cast<std::size_t>(colluders.value_or(0)),
                      .person = person_column};
}

Result<ConsensusTerms> read_consensus_section(TomlReader section) {
  ConsensusTerms terms;
  terms.method = *consensus_method_from(section.word("method", "exact"));
  terms.tolerance = section.positive("tolerance", terms.tolerance);
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

Result<SolveTerms> read_solve_section(TomlReader section, Unit unit, const SettingsByName& named) {
  // The paper solves Âx = −B̂; tables get the estimator that knows its noise.
  const std::string fallback = unit == Unit::kRecord ? "noise-aware" : "exact";
  const std::string name = section.word("estimator", fallback);
  const auto error_bars = section.optional_flag("error_bars");
  if (error_bars && unit != Unit::kRecord) {
    section.fail_value("error_bars", "error_bars is for unit = \"record\"", "remove error_bars");
  }
  SOTTO_TRY(section.finish());
  const auto settings = named.find(name);
  return SolveTerms{.estimator = *estimator_from_name(name),
                    .error_bars = error_bars.value_or(true),
                    .settings = settings == named.end() ? NamedSettings{} : settings->second};
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
    if (section.word("sum", "fixed") == "grows") source.sum = FamilySum::kGrows;
  } else {
    source.dimension = static_cast<std::size_t>(dimension.value_or(0));
    for (const char* key : {"family", "seed", "sum"}) {
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
  terms.start = read_time(section, "start");
  terms.meeting_seconds = read_seconds(section, "meeting_seconds", terms.meeting_seconds);
  terms.patience_seconds = read_seconds(section, "patience_seconds", terms.patience_seconds);
  SOTTO_TRY(section.finish());
  return terms;
}

Result<std::optional<FaultTerms>> read_faults_section(TomlReader section, std::size_t parties) {
  if (!section.present()) return std::optional<FaultTerms>{};
  FaultTerms terms;
  const bool frames = section.word("transport", "stream") == "frames";
  terms.transport = frames ? FaultTransport::kFrames : FaultTransport::kStream;
  terms.loss = section.within("loss", terms.loss, {0, 0.9});
  terms.repeats = section.within("repeats", terms.repeats, {0, 1});
  terms.latency_ms = section.within("latency_ms", terms.latency_ms, {0, 100'000});
  terms.jitter_ms = section.within("jitter_ms", terms.jitter_ms, {0, 100'000});
  terms.bandwidth_mbit = section.within("bandwidth_mbit", terms.bandwidth_mbit, {1e-3, 1e6});
  terms.crashes =
      static_cast<std::size_t>(section.optional_integer("crashes", 0, 1000).value_or(0));
  terms.restart_seconds = section.within("restart_seconds", terms.restart_seconds, {0, 86'400});
  terms.start_seconds = section.within("start_seconds", terms.start_seconds, {0, 86'400});
  if (const auto party =
          section.optional_integer("rushing", 1, static_cast<std::int64_t>(parties))) {
    terms.rushing = static_cast<PartyId>(*party - 1);
  }
  if (section.has("cipher_ms")) terms.cipher_ms = section.within("cipher_ms", 1, {0, 100'000});
  terms.seed =
      static_cast<std::uint64_t>(section.optional_integer("seed", 0, kMaxSeed).value_or(1));
  if (terms.repeats > 0 && !frames) {
    section.fail_value("repeats", "a stream delivers every frame once",
                       "transport = \"frames\", or remove repeats");
  }
  SOTTO_TRY(section.finish());
  return std::optional(terms);
}

}  // namespace sotto
