// study.toml → Study: the sections in turn, then what they must be together.
#include <fmt/format.h>

#include <utility>

#include "base/digest.h"
#include "study/sections.h"
#include "study/settings.h"
#include "study/study.h"
#include "study/study_lines.h"

namespace sotto {
namespace {

// What a neighbour may be shown of it: far more than a study has.
constexpr std::size_t kMostLinesBytes = std::size_t{48} << 10;

Result<void> check_together(const Study& study, const std::string& file) {
  auto at = [&](std::string_view section) { return fmt::format("{} of {}", section, file); };
  if (study.privacy.unit == Unit::kRecord) {
    if (study.solver == Solver::kGt) {
      return refused("E-gt-record", "gt protects one entry of θ, and has no guarantee for a row",
                     "use solver = \"dishuf\", \"pairwise\" or \"ac\" with unit = \"record\"")
          .at(at("[study] solver"));
    }
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
  if (!study.gt.keep_delta && (!study.problem || study.problem->family.empty())) {
    return refused("E-gt-delta", "keep_delta = false would break the δ that is asked for",
                   "it is for [problem] family = …, where nobody's data is at stake")
        .at(at("[gt] keep_delta"));
  }
  if (study.solver == Solver::kDishuf && study.dishuf.calibration == Calibration::kLemma1 &&
      study.consensus.method != ConsensusMethod::kExact) {
    return bad_input("E-lemma1-consensus",
                     "lemma1's values are past what floating-point averaging can hold",
                     "use [consensus] method = \"exact\", or calibration = \"graph\"")
        .at(at("[consensus] method"));
  }
  return {};
}

}  // namespace

Result<Study> parse_study(std::string_view text, const std::string& name) {
  SOTTO_ASSIGN(auto parsed, parse_toml(text, name, "E-study-syntax"));
  const toml::table& root = parsed;
  TomlReader top(&root, "the study", name);
  for (const char* key : {"study", "privacy", "graph", "gt", "dishuf", "pairwise", "consensus",
                          "solve", "data", "problem", "network"}) {
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
  SOTTO_ASSIGN(auto head, read_study_section(section("study")));
  SOTTO_ASSIGN(auto parties, read_parties(party_list, name));
  SOTTO_ASSIGN(auto privacy, read_privacy_section(section("privacy")));
  SOTTO_ASSIGN(auto weights, read_graph_section(section("graph"), parties));
  SOTTO_ASSIGN(auto gt, read_gt_section(section("gt")));
  SOTTO_ASSIGN(auto dishuf, read_dishuf_section(section("dishuf")));
  SOTTO_ASSIGN(auto pairwise, read_pairwise_section(section("pairwise")));
  SOTTO_ASSIGN(auto consensus, read_consensus_section(section("consensus")));
  SOTTO_ASSIGN(auto solve, read_solve_section(section("solve"), privacy.unit));
  for (std::size_t i = parties.size(); i < weights.graph().size(); ++i) {
    parties.push_back({.name = fmt::format("party-{}", i + 1), .address = {}, .fingerprint = {}});
  }
  SOTTO_ASSIGN(auto data, read_data_section(section("data"), name, parties, privacy.person));
  SOTTO_ASSIGN(auto problem, read_problem_section(section("problem")));
  SOTTO_ASSIGN(auto network, read_network_section(section("network"), weights.graph().size()));
  Study study{.name = std::move(head.name),
              .solver = head.solver,
              .privacy = privacy,
              .weights = std::move(weights),
              .gt = gt,
              .dishuf = dishuf,
              .pairwise_g = pairwise,
              .consensus = consensus,
              .solve = solve,
              .data = std::move(data),
              .problem = std::move(problem),
              .network = network,
              .parties = std::move(parties),
              .hash = to_hex(sha256(text)),
              .lines = study_lines(text, kMostLinesBytes)};
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
