// policy.toml → Policy: two sections, and no key is required.
#include "study/policy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "study/sections.h"

namespace sotto {
namespace {

// Nothing is required, so nothing can be missing.
constexpr TomlErrors kPolicyErrors{
    .key = "E-policy-key", .missing = "E-policy-value", .value = "E-policy-value"};

constexpr std::int64_t kMostRows = 1'000'000'000'000;

void read_privacy_rules(TomlReader& section, Policy& policy) {
  policy.epsilon_max = section.optional_number("epsilon_max");
  if (const auto& epsilon = policy.epsilon_max;
      epsilon && !(std::isfinite(*epsilon) && *epsilon > 0)) {
    section.fail_value("epsilon_max",
                       fmt::format("epsilon_max = {} is not a finite number above 0", *epsilon),
                       "write for example epsilon_max = 1.0");
  }
  policy.delta_max = section.optional_number("delta_max");
  if (const auto& delta = policy.delta_max; delta && !(*delta > 0 && *delta < 1)) {
    section.fail_value("delta_max",
                       fmt::format("delta_max = {} is not strictly between 0 and 1", *delta),
                       "write for example delta_max = 1e-6, well below 1/rows");
  }
  policy.colluders_min = static_cast<std::size_t>(
      section.optional_integer("colluders_min", 0, kMaxNamedParties).value_or(0));
  policy.require_limit = section.optional_flag("require_limit").value_or(false);
}

void read_solvers(TomlReader& section, Policy& policy) {
  const auto names = section.optional_texts("solvers");
  if (!names) return;
  const std::string fix = fmt::format("list some of \"{}\"", fmt::join(solver_names(), "\", \""));
  if (names->empty()) section.fail_value("solvers", "solvers allows none at all", fix);
  for (const std::string& name : *names) {
    if (const auto solver = solver_from(name)) {
      policy.solvers.push_back(*solver);
    } else {
      section.fail_value("solvers", fmt::format("solvers knows no \"{}\"", name), fix);
    }
  }
}

void read_study_rules(TomlReader& section, Policy& policy) {
  read_solvers(section, policy);
  if (const auto rows = section.optional_integer("rows_min", 1, kMostRows)) {
    policy.rows_min = static_cast<std::uint64_t>(*rows);
  }
  if (const auto parties = section.optional_integer("parties_min", 2, kMaxNamedParties)) {
    policy.parties_min = static_cast<std::size_t>(*parties);
  }
  policy.columns_forbidden =
      section.optional_texts("columns_forbidden").value_or(std::vector<std::string>{});
  if (std::ranges::find(policy.columns_forbidden, "") != policy.columns_forbidden.end()) {
    section.fail_value("columns_forbidden", "columns_forbidden has a column without a name",
                       "write for example columns_forbidden = [\"name\", \"*_id\"]");
  }
}

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

// Bytes of the UTF-8 letter that begins `text`.
std::size_t letter_bytes(std::string_view text) {
  std::size_t bytes = 1;
  while (bytes < text.size() && (static_cast<unsigned char>(text[bytes]) & 0xC0U) == 0x80U) ++bytes;
  return bytes;
}

Error unreadable(const std::string& path, const std::string& why) {
  return bad_input("E-policy-file", fmt::format("the policy cannot be read: {}", why),
                   "let it be a file that you may read, or remove it if there are to be no rules")
      .at(path);
}

}  // namespace

bool stands_for(std::string_view pattern, std::string_view column) {
  // After a mismatch the last * takes one letter more; earlier ones need never be looked at again.
  std::optional<std::string_view> after_star;
  std::string_view retry;
  while (!column.empty()) {
    if (!pattern.empty() && pattern.front() == '*') {
      after_star = pattern = pattern.substr(1);
      retry = column;
    } else if (!pattern.empty() && pattern.front() == '?') {
      pattern.remove_prefix(1);
      column.remove_prefix(letter_bytes(column));
    } else if (!pattern.empty() && lower(pattern.front()) == lower(column.front())) {
      pattern.remove_prefix(1);
      column.remove_prefix(1);
    } else if (after_star) {
      retry.remove_prefix(letter_bytes(retry));
      pattern = *after_star;
      column = retry;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*') == std::string_view::npos;
}

Result<Policy> parse_policy(std::string_view text, const std::string& name) {
  SOTTO_ASSIGN(const auto root, parse_toml(text, name, "E-policy-syntax"));
  TomlReader top(&root, "the policy", name, kPolicyErrors);
  for (const char* key : {"privacy", "study"}) {
    const toml::node* node = top.node(key);
    if (node == nullptr || node->is_table()) continue;
    top.fail_value(key, fmt::format("{} must be a section", key),
                   fmt::format("write [{}] on a line of its own", key));
  }
  SOTTO_TRY(top.finish());
  Policy policy;
  policy.file = name;
  TomlReader privacy(root["privacy"].as_table(), "[privacy]", name, kPolicyErrors);
  read_privacy_rules(privacy, policy);
  SOTTO_TRY(privacy.finish());
  TomlReader study(root["study"].as_table(), "[study]", name, kPolicyErrors);
  read_study_rules(study, policy);
  SOTTO_TRY(study.finish());
  return policy;
}

Result<std::optional<Policy>> read_policy(const std::string& home) {
  const std::string path = (std::filesystem::path(home) / kPolicyFile).string();
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::optional<Policy>{};
    return unreadable(path, std::strerror(errno));
  }
  // A link that leads nowhere is a policy that is lost, not one that was never made.
  if (::stat(path.c_str(), &found) != 0) return unreadable(path, std::strerror(errno));
  if (!S_ISREG(found.st_mode)) return unreadable(path, "it is not a regular file");
  SOTTO_ASSIGN(const auto text, read_toml_text(path, "policy", "E-policy-file"));
  SOTTO_ASSIGN(auto policy, parse_policy(text, path));
  return std::optional(std::move(policy));
}

}  // namespace sotto
