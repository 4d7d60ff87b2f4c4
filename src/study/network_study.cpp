#include "study/network_study.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "session/digest.h"

namespace sotto {
namespace {

bool is_fingerprint(const std::string& text) {
  constexpr std::string_view kPrefix = "sha256:";
  return text.starts_with(kPrefix) && text.size() == kPrefix.size() + 64 &&
         !from_hex(std::string_view(text).substr(kPrefix.size())).empty();
}

Time milliseconds_of(double seconds) {
  return std::chrono::duration_cast<Time>(std::chrono::duration<double>(seconds));
}

}  // namespace

Result<PartyId> party_named(const Study& study, const std::string& name) {
  const auto found = std::ranges::find(study.parties, name, &PartyTerms::name);
  if (found != study.parties.end()) return static_cast<PartyId>(found - study.parties.begin());
  std::vector<std::string> names;
  for (const PartyTerms& party : study.parties) names.push_back(party.name);
  return bad_input("E-party-unknown", fmt::format("the study has no party \"{}\"", name),
                   fmt::format("the parties are {}", fmt::join(names, ", ")));
}

Result<void> check_network(const Study& study) {
  std::map<std::string, std::string> owner;
  for (const PartyTerms& party : study.parties) {
    if (!is_fingerprint(party.fingerprint)) {
      return tl::unexpected(
          bad_input("E-network-fingerprint",
                    fmt::format("{} has no fingerprint of the form sha256:… with 64 digits from "
                                "0-9a-f",
                                party.name),
                    "let its operator run sotto keys new, and paste what sotto keys show prints")
              .value()
              .at(fmt::format("[[party]] {}", party.name)));
    }
    const auto [other, fresh] = owner.emplace(party.fingerprint, party.name);
    if (!fresh) {
      return tl::unexpected(
          bad_input("E-network-fingerprint",
                    fmt::format("{} and {} have the same fingerprint", other->second, party.name),
                    "every party makes its own key with sotto keys new")
              .value()
              .at(fmt::format("[[party]] {}", party.name)));
    }
  }
  for (const Edge& edge : study.graph().edges()) {
    const PartyTerms& a = study.parties[edge.a];
    const PartyTerms& b = study.parties[edge.b];
    if (!a.address.empty() || !b.address.empty()) continue;
    return tl::unexpected(
        bad_input(
            "E-network-edge",
            fmt::format("{} and {} are neighbours, and neither has an address", a.name, b.name),
            "give one of them an address = \"host:port\" where the other can reach it")
            .value()
            .at("[[party]]"));
  }
  return {};
}

std::vector<Peer> peers_of(const Study& study, PartyId self) {
  std::vector<Peer> peers;
  const bool can_be_reached = !study.parties[self].address.empty();
  for (const PartyId id : study.graph().neighbours(self)) {
    const PartyTerms& party = study.parties[id];
    const bool dial = !party.address.empty() && (!can_be_reached || self > id);
    peers.push_back({.id = id,
                     .name = party.name,
                     .address = party.address,
                     .fingerprint = party.fingerprint,
                     .dial = dial});
  }
  return peers;
}

std::string listen_address(const Study& study, PartyId self) {
  const std::string& address = study.parties[self].address;
  const auto colon = address.rfind(':');
  if (colon == std::string::npos) return {};
  const std::string host = address.substr(0, colon);
  const bool loopback = host.starts_with("127.") || host == "localhost" || host == "[::1]";
  return loopback ? address : "0.0.0.0" + address.substr(colon);
}

SessionTerms session_terms(const Study& study, PartyId self, const std::string& account) {
  SessionTerms terms{.study_hash = from_hex(study.hash),
                     .self = self,
                     .graph = study.graph(),
                     .names = {},
                     .min_parties = study.network.min_parties,
                     .meeting = milliseconds_of(study.network.meeting_seconds),
                     .patience = milliseconds_of(study.network.patience_seconds),
                     .debit = {}};
  if (terms.min_parties == 0) terms.min_parties = study.graph().size();
  for (const PartyTerms& party : study.parties) terms.names.push_back(party.name);
  terms.debit.study = study.name;
  terms.debit.data = account;
  // Different notions of neighbouring do not add up: the ledger keeps them apart.
  const bool replace = study.privacy.neighbours == Neighbours::kReplace;
  terms.debit.unit = study.privacy.unit == Unit::kEntry ? "entry"
                     : replace                          ? "replaced record"
                                                        : "record";
  terms.debit.epsilon = study.privacy.budget.epsilon.value();
  terms.debit.delta = study.privacy.budget.delta.value();
  return terms;
}

std::vector<std::string> fingerprints_of(const Study& study) {
  std::vector<std::string> fingerprints;
  for (const PartyTerms& party : study.parties) fingerprints.push_back(party.fingerprint);
  return fingerprints;
}

}  // namespace sotto
