// study.toml → Study: the sections in turn, then what they must be together.
#include <fmt/format.h>

#include <utility>

#include "base/digest.h"
#include "study/mechanism/mechanism.h"
#include "study/named_section.h"
#include "study/sections.h"
#include "study/settings.h"
#include "study/study.h"
#include "study/study_lines.h"

namespace sotto {
namespace {

// What a neighbour may be shown of it: far more than a study has.
constexpr std::size_t kMostLinesBytes = std::size_t{48} << 10;

Result<void> check_together(const Study& study, const std::string& file) {
  for (const auto& mechanism : mechanisms()) SOTTO_TRY(mechanism->goes_with(study, file));
  auto at = [&](std::string_view section) { return fmt::format("{} of {}", section, file); };
  if (study.privacy.unit == Unit::kRecord) {
    if (!study.data) {
      return bad_input("E-study-missing", "unit = \"record\" needs a [data] section",
                       "describe the target and the features, with public bounds")
          .at(at("[data]"));
    }
    if (study.problem) {
      return bad_input("E-study-value", "a study over tables has no [problem]",
                       "remove [problem], or use unit = \"entry\"")
          .at(at("[problem]"));
    }
    if (study.faults) {
      return bad_input("E-study-value",
                       "[faults] is simulated over costs: noise on a table is drawn once, from the "
                       "operating system",
                       "remove [faults], or use a study with [problem] of the same size")
          .at(at("[faults]"));
    }
  } else if (study.data) {
    return bad_input("E-study-value", "[data] needs unit = \"record\"",
                     "protect rows with unit = \"record\", or remove [data]")
        .at(at("[privacy] unit"));
  }
  if (study.data && study.data->has_party_effect() && study.network.min_parties > 0 &&
      study.network.min_parties < study.graph().size()) {
    return bad_input("E-study-value",
                     "party = \"effect\" needs every party, and min_parties lets some be lost",
                     "remove min_parties, or party = \"effect\"")
        .at(at("[network] min_parties"));
  }
  return {};
}

}  // namespace

Result<Study> parse_study(std::string_view text, const std::string& name,
                          const std::filesystem::path& folder) {
  SOTTO_ASSIGN(auto parsed, parse_toml(text, name, "E-study-syntax"));
  const toml::table& root = parsed;
  TomlReader top(&root, "the study", name);
  for (const std::string& key : study_tables()) {
    const toml::node* node = top.node(key);
    if (node == nullptr || node->is_table()) continue;
    top.fail_value(key, fmt::format("{} must be a section", key),
                   fmt::format("write [{}] on a line of its own", key));
  }
  const toml::node* party_list = top.node("party");
  SOTTO_TRY(top.finish());
  const auto section = [&](std::string_view key) {
    return TomlReader(root[key].as_table(), fmt::format("[{}]", key), name);
  };
  SettingsByName settings;
  for (const NamedSection& added : named_sections()) {
    SOTTO_ASSIGN(settings[added.name], read_named_section(section(added.name), added.keys));
  }
  SOTTO_ASSIGN(auto head, read_study_section(section("study")));
  SOTTO_ASSIGN(auto parties, read_parties(party_list, name));
  SOTTO_ASSIGN(auto privacy, read_privacy_section(section("privacy")));
  SOTTO_ASSIGN(auto weights, read_graph_section(section("graph"), parties, folder, settings));
  SOTTO_ASSIGN(auto consensus, read_consensus_section(section("consensus")));
  SOTTO_ASSIGN(auto solve, read_solve_section(section("solve"), privacy.unit, settings));
  const std::size_t named = weights.graph().size() <= kMaxNamedParties ? weights.graph().size() : 0;
  for (std::size_t i = parties.size(); i < named; ++i) {
    parties.push_back({.name = fmt::format("party-{}", i + 1), .address = {}, .fingerprint = {}});
  }
  SOTTO_ASSIGN(auto data, read_data_section(section("data"), name, parties, privacy.person));
  SOTTO_ASSIGN(auto problem, read_problem_section(section("problem")));
  SOTTO_ASSIGN(auto network, read_network_section(section("network"), weights.graph().size()));
  SOTTO_ASSIGN(auto faults, read_faults_section(section("faults"), weights.graph().size()));
  Study study{.name = std::move(head.name),
              .solver = head.solver,
              .privacy = privacy,
              .weights = std::move(weights),
              .gt = {},
              .dishuf = {},
              .consensus = consensus,
              .solve = solve,
              .data = std::move(data),
              .problem = std::move(problem),
              .network = network,
              .faults = faults,
              .parties = std::move(parties),
              .hash = to_hex(sha256(text)),
              .lines = study_lines(text, kMostLinesBytes)};
  for (const auto& mechanism : mechanisms()) {
    SOTTO_TRY(mechanism->read(section(to_string(mechanism->solver())), study));
  }
  SOTTO_TRY(check_together(study, name));
  if (study.data) {
    if (study.data->bounded_below) choose_weighting(study);
    study.privacy.sensitivity = row_sensitivity(*study.data, study.privacy.neighbours, study.solve);
  }
  return study;
}

Result<Study> read_study(const std::string& path) {
  SOTTO_ASSIGN(const auto source, read_study_text(path));
  return study_with(source, {});
}

}  // namespace sotto
