#pragma once

#include <string>
#include <vector>

#include "base/enum_names.h"
#include "study/study.h"

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

// Who is about to take part in what.
struct CheckTarget {
  std::string study_file;
  PartyId self = 0;
  std::string home;
  std::string data;                  // may be empty
  std::string account = "all data";  // what the ledger calls the data
  std::string listen;                // host:port; empty: as the study says
  double seconds = 5;                // to wait for the others
};

// Everything that was looked at, in the order of CheckSubject but for a neighbour that speaks up
// early. Changes nothing but the store, which is made if there is a home without one.
[[nodiscard]] std::vector<CheckItem> check_party(const Study& study, const CheckTarget& target);

}  // namespace sotto
