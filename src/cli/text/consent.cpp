// Names of studies, parties and columns come from others: a terminal must not obey them.
#include "cli/text/consent.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdio>

#include "cli/terminal/terminal.h"
#include "report/guarantee_text.h"

namespace sotto {
namespace {

std::string observer_text(const Consent& consent, const Adversary& observer) {
  const Budget& asked = consent.asked.budget;
  const std::string who = report::observer_in_words(observer);
  if (!std::isfinite(observer.epsilon_at_delta)) {
    return fmt::format("{}: nothing, no ε holds at this δ", who);
  }
  const bool kept = observer.delta_at_epsilon <= asked.delta.value() * (1 + 1e-9);
  return fmt::format("{}: ε = {:.4g} at δ = {:g}{}", who, observer.epsilon_at_delta,
                     asked.delta.value(), kept ? "" : ", more than was asked for");
}

}  // namespace

std::string check_text(const std::vector<CheckItem>& items) {
  std::string text;
  for (const CheckItem& item : items) {
    text += fmt::format("  {:<8} {:<9} {}\n", kCheckVerdicts[item.verdict],
                        kCheckSubjects[item.subject], escape_for_terminal(item.what));
    if (!item.fix.empty()) {
      text += fmt::format("  {:<8} {:<9} → {}\n", "", "", escape_for_terminal(item.fix));
    }
  }
  return text;
}

std::string consent_text(const Consent& consent) {
  std::string text =
      fmt::format("before {} takes part in {}:\n", escape_for_terminal(consent.party),
                  escape_for_terminal(consent.study));
  text += fmt::format("  promises {}\n", asked_text(consent.asked));
  const char* label = "against";
  for (const Adversary& observer : consent.observers) {
    text += fmt::format("  {:<8} {}\n", label, observer_text(consent, observer));
    label = "";
  }
  if (consent.cost) {
    text += fmt::format("  {:<8} {}\n", "costs", escape_for_terminal(cost_text(*consent.cost)));
  }
  std::vector<CheckItem> shown;
  for (const CheckItem& item : consent.items) {
    if (item.verdict != CheckVerdict::kOk || item.subject == CheckSubject::kData ||
        item.subject == CheckSubject::kPolicy) {
      shown.push_back(item);
    }
  }
  return text + check_text(shown);
}

bool ask_whether_to_take_part() {
  fmt::print(stderr, "take part? [y/N] ");
  std::fflush(stderr);
  std::array<char, 16> line{};
  if (std::fgets(line.data(), static_cast<int>(line.size()), stdin) == nullptr) {
    fmt::print(stderr, "\n");
    return false;
  }
  const std::string answer(line.data());
  return answer == "y\n" || answer == "yes\n" || answer == "y" || answer == "yes";
}

}  // namespace sotto
