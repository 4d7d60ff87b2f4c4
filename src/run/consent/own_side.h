#pragma once

#include <optional>

#include "network/identity.h"
#include "run/consent/consent.h"
#include "run/join/join.h"
#include "store/store.h"

// Everything about a party's own side that can be looked at before the first word leaves: study,
// plan, policy, key, clock, home, journal, budget and data. `check` shows what was found, `join`
// goes on with it; the table is read once.
namespace sotto {

enum class Purpose {
  kCheck,  // looks at all that can be looked at
  kJoin,   // has the study's lock, and stops before the table at what would stop the run
};

struct OwnSide {
  Consent consent;                    // with everything that was found
  std::optional<Error> problem = {};  // the first one: what ends a join

  std::optional<Identity> identity = {};  // if it is the one that the study names
  std::optional<Store> store = {};
  std::optional<StoreLock> lock = {};  // of the study
  bool busy = false;                   // another process has it
  StudyRuns runs = {};
  bool over = false;  // kJoin: the study was run to its end, and is not to be run again
  std::optional<PartyRun> party = {};
};

// Changes nothing but the store, which is made if there is a home without one; sends nothing.
[[nodiscard]] OwnSide examine_own_side(const Study& study, const JoinRequest& request,
                                       Purpose purpose, const CsvProgress& reading = {});

}  // namespace sotto
