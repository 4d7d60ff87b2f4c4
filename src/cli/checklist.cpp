#include "cli/checklist.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/shown.h"

namespace sotto {

std::string to_string(CheckVerdict verdict) {
  switch (verdict) {
    case CheckVerdict::kOk:
      return "ok";
    case CheckVerdict::kWarning:
      return "warning";
    case CheckVerdict::kProblem:
      return "problem";
  }
  return {};
}

void Checklist::ok(const std::string& name, const std::string& what) {
  items_.push_back({.name = name, .verdict = CheckVerdict::kOk, .what = what, .fix = {}});
}

void Checklist::warn(const std::string& name, const std::string& what, const std::string& fix) {
  items_.push_back({.name = name, .verdict = CheckVerdict::kWarning, .what = what, .fix = fix});
}

void Checklist::problem(const std::string& name, const std::string& what, const std::string& fix) {
  items_.push_back({.name = name, .verdict = CheckVerdict::kProblem, .what = what, .fix = fix});
}

void Checklist::problem(const std::string& name, const Error& error) {
  const std::string place = error.where.empty() ? "" : fmt::format(" ({})", error.where);
  problem(name, fmt::format("[{}] {}{}", error.name, error.what, place), error.fix);
}

std::size_t Checklist::count(CheckVerdict verdict) const {
  return static_cast<std::size_t>(std::ranges::count(items_, verdict, &CheckItem::verdict));
}

std::string Checklist::text() const {
  std::string text;
  for (const CheckItem& item : items_) {
    text +=
        fmt::format("  {:<8} {:<9} {}\n", to_string(item.verdict), item.name, harmless(item.what));
    if (!item.fix.empty()) text += fmt::format("  {:<8} {:<9} → {}\n", "", "", harmless(item.fix));
  }
  return text;
}

nlohmann::ordered_json Checklist::json() const {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const CheckItem& item : items_) {
    list.push_back({{"name", item.name},
                    {"verdict", to_string(item.verdict)},
                    {"what", item.what},
                    {"fix", item.fix}});
  }
  return list;
}

}  // namespace sotto
