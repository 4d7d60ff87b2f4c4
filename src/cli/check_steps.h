#pragma once

#include <optional>
#include <string>

#include "cli/checklist.h"
#include "network/identity.h"
#include "study/study.h"

namespace sotto {

// Who is about to take part in what.
struct CheckTarget {
  Study study;
  std::string study_file;
  PartyId self = 0;
  std::string home;
  std::string data;     // may be empty
  std::string account;  // what the ledger calls the data
  std::string listen;   // host:port; empty: as the study says
  double seconds = 5;   // to wait for the others
};

// One function per thing that can be wrong. Each adds what it found to the list and
// changes nothing but the store, which is made if there is none.

// Whether parties can meet on this study, and what noise it asks for. True if they can meet.
bool check_study(const CheckTarget& target, Checklist& list);

// The party's key, if it is the one that the study names.
[[nodiscard]] std::optional<Identity> check_identity(const CheckTarget& target, Checklist& list);

// Against the dates of the certificate and the study. Nothing here depends on the clock,
// but logs and the ledger are dated by it.
void check_clock(const CheckTarget& target, const Identity& identity, Checklist& list);

// The party's table against the schema, or its costs against the study. Sends nothing.
void check_data(const CheckTarget& target, Checklist& list);

// Home, journal and what the ledger has left. True if a process of this party is in a run
// of this study now.
[[nodiscard]] bool check_home(const CheckTarget& target, Checklist& list);

// Its port, and who of the neighbours answers: over mutual TLS, and without a word of the run.
void check_peers(const CheckTarget& target, const Identity& identity, Checklist& list);

}  // namespace sotto
