#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.h"

namespace sotto {

enum class CheckVerdict { kOk, kWarning, kProblem };
[[nodiscard]] std::string to_string(CheckVerdict verdict);

struct CheckItem {
  std::string name;  // what was looked at: "identity"
  CheckVerdict verdict = CheckVerdict::kOk;
  std::string what;
  std::string fix;  // empty where there is nothing to mend
};

// What was looked at before a run, and what to mend.
class Checklist {
 public:
  void ok(const std::string& name, const std::string& what);
  void warn(const std::string& name, const std::string& what, const std::string& fix);
  void problem(const std::string& name, const std::string& what, const std::string& fix);
  void problem(const std::string& name, const Error& error);

  [[nodiscard]] const std::vector<CheckItem>& items() const { return items_; }
  [[nodiscard]] std::size_t count(CheckVerdict verdict) const;

  [[nodiscard]] std::string text() const;
  [[nodiscard]] nlohmann::ordered_json json() const;

 private:
  std::vector<CheckItem> items_;
};

}  // namespace sotto
