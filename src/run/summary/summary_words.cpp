#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "base/statistics.h"
#include "privacy/budget.h"
#include "run/run_record.h"

// A summary for people who do not read t and p.
namespace sotto {
namespace words {

constexpr double kUsual = 0.05;        // below this p a coefficient counts as told apart from 0
constexpr std::size_t kMostNames = 8;  // a list longer than this says only how many more
constexpr double kHardly = 0.2;        // a noise share below this is no reason to change anything

std::string names_text(const std::vector<std::string>& names) {
  const std::size_t shown = std::min(names.size(), kMostNames);
  std::string text = fmt::format("{}", fmt::join(std::span(names).first(shown), ", "));
  if (shown < names.size()) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

std::string told_apart(const std::vector<std::string>& clear,
                       const std::vector<std::string>& hidden) {
  if (hidden.empty()) {
    return fmt::format("Every coefficient is told apart from 0 at p < {}: {}.", kUsual,
                       names_text(clear));
  }
  const std::string rest =
      fmt::format("{} {} not: {} may be 0, or of either sign", names_text(hidden),
                  hidden.size() == 1 ? "is" : "are", hidden.size() == 1 ? "it" : "they");
  if (clear.empty()) {
    return fmt::format("No coefficient is told apart from 0 at p < {}: {}.", kUsual, rest);
  }
  return fmt::format("Told apart from 0 at p < {}: {}. {}.", kUsual, names_text(clear), rest);
}

// "about 0.43 times"
std::string times(double factor) {
  return fmt::format("about {:.2g} times", factor);
}

std::vector<std::string> about_noise(const RunRecord& record, std::vector<double> shares) {
  std::ranges::sort(shares);
  const double noise = std::clamp(quantile(shares, 0.5), 0.0, 1.0);
  const double sampling = 1 - noise;
  std::vector<std::string> found;
  if (noise < kHardly) {
    found.push_back(
        fmt::format("The privacy noise hardly matters here: without it the same rows would give "
                    "intervals {} as wide. More rows would help, a larger ε would not.",
                    times(std::sqrt(sampling))));
    return found;
  }
  found.push_back(
      fmt::format("Privacy noise makes the intervals wide: without it the same rows would give "
                  "intervals {} as wide (the median over the coefficients).",
                  times(std::sqrt(sampling))));
  const bool known = record.epsilon > 0 && record.delta > 0 && record.delta < 1;
  const double loud = known ? gaussian_shift(record.epsilon, record.delta) /
                                  gaussian_shift(2 * record.epsilon, record.delta)
                            : 0.5;
  const double more_rows = std::sqrt(sampling / 2 + noise / 4);
  const double more_epsilon = std::sqrt(sampling + noise * loud * loud);
  const double fewer_columns = std::sqrt(sampling + noise / 2);
  found.push_back(fmt::format(
      "What would help: twice the rows make the intervals {} as wide, twice the ε {}, a study of "
      "half as many columns {} or less.",
      times(more_rows), times(more_epsilon), times(fewer_columns)));
  return found;
}

}  // namespace words

std::vector<std::string> summary_words(const RunRecord& record) {
  using namespace words;
  std::vector<std::string> clear;
  std::vector<std::string> hidden;
  std::vector<double> shares;
  for (const RunRecord::Coefficient& c : record.coefficients) {
    if (c.name == "intercept" || !c.p) continue;
    (*c.p < kUsual ? clear : hidden).push_back(c.name);
    if (c.noise_share) shares.push_back(*c.noise_share);
  }
  std::vector<std::string> found;
  if (!record.errors_refused.empty()) {
    found.emplace_back(
        "How far off single coefficients are cannot be said, so they should not be read one by "
        "one, nor their signs.");
    found.emplace_back("What would help: more rows, a larger ε, or a study of fewer columns.");
    return found;
  }
  if (clear.empty() && hidden.empty()) return found;
  found.push_back(told_apart(clear, hidden));
  const std::size_t tested = clear.size() + hidden.size();
  constexpr std::size_t kMany = 20;
  if (tested >= kMany) {
    found.push_back(fmt::format(
        "{} coefficients were tested: if all were 0, about {:.0f} of them would pass by chance.",
        tested, kUsual * static_cast<double>(tested)));
  }
  if (!shares.empty()) {
    for (std::string& sentence : about_noise(record, std::move(shares))) {
      found.push_back(std::move(sentence));
    }
  }
  return found;
}

}  // namespace sotto
