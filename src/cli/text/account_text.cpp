// Every sentence says at which δ, against whom, and whether it was spent or is guaranteed.
#include "cli/text/account_text.h"

#include <fmt/format.h>

#include <cmath>

#include "base/json.h"
#include "cli/terminal/terminal.h"
#include "run/ledger_view.h"

namespace sotto {
namespace {

std::string epsilon_or_none(double epsilon) {
  return std::isfinite(epsilon) ? fmt::format("{:.6g}", epsilon) : "no bound";
}

std::string limit_text(const LedgerAccount& account) {
  if (!account.limit) {
    return "  limit  none: what is shown was spent, and is no guarantee about what comes; set one "
           "with 'sotto ledger limit'\n";
  }
  const LedgerLimit& limit = *account.limit;
  std::string text = fmt::format("  limit  ε = {:.10g} at δ = {:.10g}", limit.epsilon, limit.delta);
  if (limit.gt_epsilon > 0) {
    text += fmt::format(", of which gt's truncated Laplace noise may take ε = {:.10g}, δ = {:.10g}",
                        limit.gt_epsilon, limit.gt_delta);
  }
  text += '\n';
  if (account.limit_changes > 0) {
    text += fmt::format(
        "         changed {} after something was released: a guarantee is only what was fixed "
        "beforehand\n",
        account.limit_changes == 1 ? "once" : fmt::format("{} times", account.limit_changes));
  }
  return text;
}

std::string left_text(const LedgerAccount& account) {
  if (!account.left) return {};
  const LedgerLeft& left = *account.left;
  std::string text =
      left.squares > 0
          ? fmt::format(
                "  left   one more Gaussian release of up to ε = {:.6g} at δ = {:.10g}, or "
                "several with Σs² up to {:.6g}",
                left.epsilon, account.delta, left.squares)
          : std::string("  left   nothing");
  if (account.limit->gt_epsilon > 0) {
    text += fmt::format("; for gt ε = {:.6g}, δ = {:.6g}", left.gt_epsilon, left.gt_delta);
  }
  return text + '\n';
}

std::string observers_text(const LedgerAccount& account) {
  if (account.observers.empty()) return {};
  std::string text = fmt::format("  {:<16} {:>14} {:>18}\n", "seen by",
                                 fmt::format("ε at δ = {:g}", account.delta), "basic composition");
  for (const ObserverTotal& total : account.observers) {
    text +=
        fmt::format("  {:<16} {:>14} {:>18}{}\n", escape_for_terminal(total.observer),
                    epsilon_or_none(total.epsilon), epsilon_or_none(total.basic_epsilon),
                    total.unknown == 0
                        ? ""
                        : fmt::format("   without {} that do not say what it saw", total.unknown));
  }
  return text;
}

}  // namespace

std::string coalition_text(const LedgerAccount& account) {
  if (!account.colluders) return {};
  if (*account.colluders == 0) {
    return "holds against eavesdroppers; a study among these promised nothing against its own "
           "parties";
  }
  return fmt::format(
      "holds against eavesdroppers and coalitions of at most {} of the parties of every study",
      *account.colluders);
}

std::string account_text(const LedgerAccount& account) {
  std::string text = escape_for_terminal(account.data);
  if (!account.unit.empty()) text += fmt::format(", per {}", escape_for_terminal(account.unit));
  text += fmt::format("\n  spent  ε = {} at δ = {:.10g}; basic composition: ε = {}, δ = {:.6g}\n",
                      epsilon_or_none(account.guaranteed.epsilon), account.delta,
                      epsilon_or_none(account.guaranteed.basic_epsilon), account.basic.delta);
  if (const std::string against = coalition_text(account); !against.empty()) {
    text += fmt::format("         {}\n", against);
  }
  if (account.converted > 0) {
    text += fmt::format(
        "         {} of an earlier version, which kept ε and δ alone: counted for an eavesdropper, "
        "others unknown\n",
        account.converted == 1 ? "1 entry is" : fmt::format("{} entries are", account.converted));
  }
  return text + limit_text(account) + left_text(account) + observers_text(account);
}

std::string forecast_text(const AccountForecast& forecast) {
  const auto& [before, with, runs_left, refusal] = forecast;
  std::string text = fmt::format(
      "\n  account      {}\n  spent        ε = {} at δ = {:g}; with this run ε = {} (basic "
      "composition: ε = {}, δ = {:g})\n",
      escape_for_terminal(before.data), epsilon_or_none(before.guaranteed.epsilon), before.delta,
      epsilon_or_none(with.guaranteed.epsilon), epsilon_or_none(with.guaranteed.basic_epsilon),
      with.basic.delta);
  text += fmt::format("  {:<12} {}\n", "", coalition_text(with));
  if (!before.limit) {
    text += "  limit        none: that is what is spent, and no guarantee about what comes\n";
  } else if (refusal) {
    text += fmt::format("  limit        ε = {:g} at δ = {:g}: this run would be refused ({})\n",
                        before.limit->epsilon, before.delta, refusal->name);
  } else {
    text += fmt::format("  limit        ε = {:g} at δ = {:g}: {} such runs fit\n",
                        before.limit->epsilon, before.delta, *runs_left);
  }
  return text + observers_text(with);
}

Json forecast_json(const AccountForecast& forecast) {
  return {{"before", account_json(forecast.before)},
          {"with_this_run", account_json(forecast.with)},
          {"runs_left", forecast.runs_left ? Json(*forecast.runs_left) : Json(nullptr)},
          {"refusal", forecast.refusal ? Json(forecast.refusal->name) : Json(nullptr)}};
}

}  // namespace sotto
