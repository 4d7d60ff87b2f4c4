#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "network/transport.h"
#include "plan/plan.h"
#include "run/consent/consent.h"
#include "run/join/join_event.h"
#include "run/party_run.h"

namespace sotto {

// How each party meets the others. Precondition of all: check_network().

// The neighbours of `self`. Whoever has no address dials; if both have one, the party
// that comes later in the study does.
[[nodiscard]] std::vector<Peer> peers_of(const Study& study, PartyId self);

// Where a party listens unless it is told otherwise: every interface at its address's port, and
// loopback where the address is. Empty for a party without an address.
[[nodiscard]] std::string listen_address(const Study& study, PartyId self);

// `plan` is of all parties; `debit` is what a run costs (run/account.h).
[[nodiscard]] SessionTerms session_terms(const Study& study, const Plan& plan, PartyId self,
                                         Debit debit);

// What a party shows its neighbours of the study before anything else.
[[nodiscard]] Greeting greeting_of(const Study& study, bool looking);
// What a neighbour's card means here: "its study differs from ours: privacy.epsilon: 1 here, 2
// there". None if it is of the same study and version.
[[nodiscard]] std::optional<Error> differs(const Study& study, const std::string& neighbour,
                                           const PeerCard& card);
// "its clock is 3.2 s ahead of ours (± 0.01 s)"; and whether that is much.
[[nodiscard]] std::string clock_text(const PeerCard& card);
[[nodiscard]] bool clocks_differ(const PeerCard& card);

// One party takes part in a study over the network, from its table to its model. A run that was
// left unfinished, by a crash or an interruption, goes on where it was.

struct JoinRequest {
  std::string study_file;  // for what is said about it
  PartyId self = 0;
  TableRequest data;    // run/input.h
  std::string home;     // key, journal, ledger and results
  std::string account;  // in the ledger; empty: default_account() (run/account.h)
  std::string listen;   // empty: where the study says
  std::string out;      // folder for the result; empty: in the home
  bool again = false;   // once more, although the study was run to its end
  // Where several studies are listened for at one port; its certificate is that of the port.
  const SharedPort* port = nullptr;
};

// What joining tells, and asks, while it goes on. All may be empty.
struct JoinHooks {
  // What the party agrees to, before the first word leaves; then whether it does.
  std::function<void(const Consent&)> on_consent;
  std::function<bool()> agreed;
  std::function<void(const JoinEvent&)> on_event;
  CsvProgress reading;
  std::function<std::string(const RunRecord&)> report;  // the page that is kept beside the model
  std::function<bool()> interrupted;                    // leaves; the run can be resumed
};

struct Joined {
  std::string run;
  std::vector<std::string> files;  // model.json first
  std::string json;                // the model file's text
  std::optional<Model> model;      // none: the study had been run to its end before
};

// Looks at the party's own side first (run/consent/own_side.h), and ends with the first problem
// there before anything is sent: E-account-unknown, say, before the data is read; E-declined if the
// party does not agree; E-aborted, E-interrupted, and whatever ends a run (docs/errors.md).
[[nodiscard]] Result<Joined> join_study(const Study& study, const JoinRequest& request,
                                        const JoinHooks& hooks);

}  // namespace sotto
