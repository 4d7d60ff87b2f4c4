// From a study to links and a session: who dials whom, what a session must know.
#include "base/digest.h"
#include "run/join.h"

namespace sotto {
namespace {

Time milliseconds_of(double seconds) {
  return std::chrono::duration_cast<Time>(std::chrono::duration<double>(seconds));
}

}  // namespace

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

SessionTerms session_terms(const Study& study, PartyId self, Debit debit) {
  SessionTerms terms{.study_hash = from_hex(study.hash),
                     .self = self,
                     .graph = study.graph(),
                     .names = {},
                     .min_parties = study.network.min_parties,
                     .meeting = milliseconds_of(study.network.meeting_seconds),
                     .patience = milliseconds_of(study.network.patience_seconds),
                     .debit = std::move(debit),
                     .limits = {}};
  if (terms.min_parties == 0) terms.min_parties = study.graph().size();
  for (const PartyTerms& party : study.parties) terms.names.push_back(party.name);
  return terms;
}

}  // namespace sotto
