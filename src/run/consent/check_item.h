#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/enum_names.h"

// One thing that was looked at before a party takes part: what was found, and what would mend it.
namespace sotto {

enum class CheckSubject {
  kStudy,
  kPlan,
  kPolicy,
  kIdentity,
  kClock,
  kData,
  kHome,
  kJournal,
  kBudget,
  kPort,
  kPeers,
};
inline constexpr EnumNames<CheckSubject, 11> kCheckSubjects{{"study", "plan", "policy", "identity",
                                                             "clock", "data", "home", "journal",
                                                             "budget", "port", "peers"}};

enum class CheckVerdict { kOk, kWarning, kProblem };
inline constexpr EnumNames<CheckVerdict, 3> kCheckVerdicts{{"ok", "warning", "problem"}};

struct CheckItem {
  CheckSubject subject = CheckSubject::kStudy;
  CheckVerdict verdict = CheckVerdict::kOk;
  std::string what;
  std::string fix;  // empty where there is nothing to mend
};

// {"name", "verdict", "what", "fix"}
[[nodiscard]] nlohmann::ordered_json to_json(const CheckItem& item);

}  // namespace sotto
