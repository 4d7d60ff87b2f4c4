// What a study's values mean together: weights of the release, and the study of some parties.
#include "study/study.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/digest.h"

namespace sotto {
namespace {

// Σy² is only for s² and the explained variance, which need few digits; with v = 1 it would take
// a third of Δ² = 1 + w² + v². v = 1/2 makes Δ = 1.5, exactly, where √2 is the least, and the
// noise on Σy² 3/κ̄ where it would be √3/κ̄. Measured: docs/FINDINGS.md, 19.
constexpr double kAddRemoveV2 = 0.25;
// Where a row is replaced, Δ = (2 + w²)/√2 for every v² up to w² + w⁴/2: less would gain nothing.
constexpr double kReplaceV2 = 1;

RecordWeights ball_weights(Neighbours neighbours, const SolveTerms& terms) {
  if (!terms.error_bars) return {.w2 = 1, .v2 = 0};
  return {.w2 = 1, .v2 = neighbours == Neighbours::kAddRemove ? kAddRemoveV2 : kReplaceV2};
}

}  // namespace

EntryShares released_shares(const Schema& schema, Neighbours neighbours, const SolveTerms& terms) {
  if (schema.weighting == Weighting::kNone) return ball_shares(ball_weights(neighbours, terms));
  return bounded_shares(schema.feature_columns(), schema.intercept, terms.error_bars);
}

Sensitivity row_sensitivity(const Schema& schema, Neighbours neighbours, const SolveTerms& terms) {
  const double one = schema.weighting == Weighting::kNone
                         ? *record_sensitivity(neighbours, ball_weights(neighbours, terms))
                         : bounded_sensitivity(neighbours, schema.intercept, terms.error_bars);
  const auto rows = static_cast<double>(schema.person ? schema.person->rows : 1);
  const double all = one * rows;
  const bool rounded_down = std::fma(one, rows, -all) > 0;
  return *Sensitivity::make(rounded_down ? std::nextafter(all, 2 * all) : all);
}

std::string protected_unit(const PrivacyTerms& terms) {
  return terms.person ? "person" : "row";
}

Result<Study> Study::restricted_to(std::span<const PartyId> members) const {
  if (members.size() == graph().size()) return *this;
  Study rest = *this;
  rest.weights = weights.restricted_to(members);
  SOTTO_TRY(require_connected(rest.graph()));
  rest.parties.clear();
  for (const PartyId member : members) {
    if (member < parties.size()) rest.parties.push_back(parties[member]);
  }
  if (rest.problem && rest.problem->files.size() == graph().size()) {
    rest.problem->files.clear();
    for (const PartyId member : members) rest.problem->files.push_back(problem->files[member]);
  }
  return rest;
}

Result<PartyId> party_named(const Study& study, const std::string& name) {
  const auto found = std::ranges::find(study.parties, name, &PartyTerms::name);
  if (found != study.parties.end()) return static_cast<PartyId>(found - study.parties.begin());
  std::vector<std::string> names;
  for (const PartyTerms& party : study.parties) names.push_back(party.name);
  return bad_input("E-party-unknown", fmt::format("the study has no party \"{}\"", name),
                   fmt::format("the parties are {}", fmt::join(names, ", ")));
}

Result<void> check_network(const Study& study) {
  if (study.graph().size() > kMaxNamedParties || study.graph().topology() == Topology::kFile) {
    return bad_input("E-network-graph",
                     study.graph().topology() == Topology::kFile
                         ? "the graph stands in a file of its own, which parties may have different"
                         : fmt::format("{} parties cannot meet", study.graph().size()),
                     fmt::format("at most {} parties, and the graph in the study: topology = "
                                 "\"edges\"; others are for plans and simulations",
                                 kMaxNamedParties))
        .at("[graph]");
  }
  std::map<std::string, std::string> owner;
  for (const PartyTerms& party : study.parties) {
    const bool second = party.other_fingerprint.empty() || is_fingerprint(party.other_fingerprint);
    if (!is_fingerprint(party.fingerprint) || !second) {
      return bad_input("E-network-fingerprint",
                       fmt::format("{} has no fingerprint of the form sha256:… with 64 digits from "
                                   "0-9a-f",
                                   party.name),
                       "let its operator run sotto keys new, and paste what sotto keys show prints")
          .at(fmt::format("[[party]] {}", party.name));
    }
    for (const std::string& fingerprint : {party.fingerprint, party.other_fingerprint}) {
      if (fingerprint.empty()) continue;
      const auto [other, fresh] = owner.emplace(fingerprint, party.name);
      if (fresh) continue;
      return bad_input("E-network-fingerprint",
                       other->second == party.name
                           ? fmt::format("{} has the same fingerprint twice", party.name)
                           : fmt::format("{} and {} have the same fingerprint", other->second,
                                         party.name),
                       "every party makes its own key with sotto keys new")
          .at(fmt::format("[[party]] {}", party.name));
    }
  }
  for (const Edge& edge : study.graph().edges()) {
    const PartyTerms& a = study.parties[edge.a];
    const PartyTerms& b = study.parties[edge.b];
    if (!a.address.empty() || !b.address.empty()) continue;
    return bad_input(
               "E-network-edge",
               fmt::format("{} and {} are neighbours, and neither has an address", a.name, b.name),
               "give one of them an address = \"host:port\" where the other can reach it")
        .at("[[party]]");
  }
  return {};
}

}  // namespace sotto
