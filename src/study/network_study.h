#pragma once

#include <string>
#include <vector>

#include "network/transport.h"
#include "session/terms.h"
#include "study/study.h"

namespace sotto {

// What a study must have before its parties can meet, and how each of them meets the others.

// E-party-unknown lists the names there are.
[[nodiscard]] Result<PartyId> party_named(const Study& study, const std::string& name);

// Every party has a fingerprint, no two the same, and one end of every edge has an address.
// E-network-fingerprint, E-network-edge.
[[nodiscard]] Result<void> check_network(const Study& study);

// The neighbours of `self`. Whoever has no address dials; if both have one, the party
// that comes later in the study does. Precondition: check_network().
[[nodiscard]] std::vector<Peer> peers_of(const Study& study, PartyId self);

// Where a party listens unless it is told otherwise: every interface at its address's port, and
// loopback where the address is. Empty for a party without an address.
[[nodiscard]] std::string listen_address(const Study& study, PartyId self);

// `account` is what the ledger knows the party's data by.
[[nodiscard]] SessionTerms session_terms(const Study& study, PartyId self,
                                         const std::string& account);

[[nodiscard]] std::vector<std::string> fingerprints_of(const Study& study);

}  // namespace sotto
