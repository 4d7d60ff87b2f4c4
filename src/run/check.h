#pragma once

#include <string>
#include <vector>

#include "base/enum_names.h"
#include "run/join.h"

// What can be wrong with a party before it joins, looked at without a word of the run: the study,
// its key, the clock, its data, its home, and who of its neighbours answers.
namespace sotto {

enum class CheckSubject {
  kStudy,
  kPlan,
  kIdentity,
  kClock,
  kData,
  kHome,
  kJournal,
  kBudget,
  kPort,
  kPeers,
};
inline constexpr EnumNames<CheckSubject, 10> kCheckSubjects{
    {"study", "plan", "identity", "clock", "data", "home", "journal", "budget", "port", "peers"}};

enum class CheckVerdict { kOk, kWarning, kProblem };
inline constexpr EnumNames<CheckVerdict, 3> kCheckVerdicts{{"ok", "warning", "problem"}};

struct CheckItem {
  CheckSubject subject = CheckSubject::kStudy;
  CheckVerdict verdict = CheckVerdict::kOk;
  std::string what;
  std::string fix;  // empty where there is nothing to mend
};

// Everything that was looked at, in the order of CheckSubject but for a neighbour that speaks up
// early. Changes nothing but the store, which is made if there is a home without one. `seconds` is
// how long to wait for the others; the request's data may be empty.
[[nodiscard]] std::vector<CheckItem> check_party(const Study& study, const JoinRequest& request,
                                                 double seconds);

}  // namespace sotto
