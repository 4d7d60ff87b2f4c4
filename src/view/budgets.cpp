// An account over time: a line for each observer, a step for each release, the limit across.
#include "view/budgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/chart.h"
#include "report/html.h"
#include "report/text.h"
#include "run/ledger_view.h"
#include "store/ledger_history.h"

namespace sotto::view {
namespace {

using report::escape;
using store::AccountStep;

constexpr std::size_t kMostEntries = 200;  // in the table; the chart has all

// The unit in which a span of seconds is told.
struct TimeUnit {
  const char* name;
  double seconds;
};

TimeUnit unit_for(double span) {
  if (span < 600) return {"seconds", 1};
  if (span < 36'000) return {"minutes", 60};
  if (span < 4 * 86'400) return {"hours", 3600};
  return {"days", 86'400};
}

std::string observer_text(const std::string& observer) {
  return observer == "all-neighbours" ? "all neighbours" : observer;
}

// ε after each step: a stair that begins with the first one and ends a margin after the last.
LineSeries stair(const std::string& name, const std::vector<double>& at,
                 const std::vector<double>& epsilon, double margin) {
  LineSeries line{.name = name, .x = {at.front()}, .y = {0}};
  for (std::size_t k = 0; k < at.size(); ++k) {
    line.x.insert(line.x.end(), {at[k], at[k]});
    const double before = line.y.back();
    line.y.insert(line.y.end(), {before, epsilon[k]});
  }
  line.x.push_back(at.back() + margin);
  line.y.push_back(epsilon.back());
  return line;
}

double epsilon_against(const LedgerAccount& account, const std::string& observer) {
  const auto found = std::ranges::find(account.observers, observer, &ObserverTotal::observer);
  return found == account.observers.end() ? 0 : found->epsilon;
}

LineChart history_chart(const LedgerAccount& account, const std::vector<AccountStep>& steps) {
  const auto first = static_cast<double>(steps.front().entry.time);
  const double span = static_cast<double>(steps.back().entry.time) - first;
  const TimeUnit unit = unit_for(span);
  std::vector<double> at;
  for (const AccountStep& step : steps) {
    at.push_back((static_cast<double>(step.entry.time) - first) / unit.seconds);
  }
  const double margin = std::max(0.08 * span, 1.0) / unit.seconds;
  LineChart chart{.labels = {.title = "ε over time, by who is watching",
                             .x = fmt::format("{} since the first release, {}", unit.name,
                                              utc_text(steps.front().entry.time)),
                             .y = fmt::format("ε at {}", report::equals("δ", account.delta))}};
  for (const ObserverTotal& total : account.observers) {
    std::vector<double> epsilon;
    for (const AccountStep& step : steps) {
      epsilon.push_back(epsilon_against(step.after, total.observer));
    }
    chart.series.push_back(stair(observer_text(total.observer), at, epsilon, margin));
  }
  if (account.limit) chart.references.push_back({.label = "limit", .y = account.limit->epsilon});
  return chart;
}

Table observers_table(const LedgerAccount& account) {
  Table table{
      .caption = "Together, as it stands",
      .columns = {{"Who is watching"},
                  {fmt::format("ε at {}", report::equals("δ", account.delta)), Align::kNumber},
                  {"ε if simply added", Align::kNumber}},
      .cards = true};
  const auto text = [](double epsilon) {
    return std::isfinite(epsilon) ? report::number_text(epsilon) : "no limit";
  };
  for (const ObserverTotal& total : account.observers) {
    table.rows.push_back(
        {observer_text(total.observer), text(total.epsilon), text(total.basic_epsilon)});
  }
  return table;
}

Table entries_table(const LedgerView& ledger, const std::vector<AccountStep>& steps) {
  Table table{
      .caption = steps.size() > kMostEntries
                     ? fmt::format("The last {} of {} entries", kMostEntries, steps.size())
                     : "Every entry that counts",
      .columns =
          {{"When"}, {"Study"}, {"Run"}, {"State"}, {"ε", Align::kNumber}, {"δ", Align::kNumber}},
      .cards = true};
  for (std::size_t k = steps.size(); k > 0 && table.rows.size() < kMostEntries; --k) {
    const LedgerEntry& entry = steps[k - 1].entry;
    table.rows.push_back(
        {utc_text(entry.time), entry.debit.study, short_run(ledger.name_of(entry.debit.run)),
         std::string(kEntryStates[entry.state]), report::number_text(entry.debit.epsilon),
         report::number_text(entry.debit.delta)});
  }
  return table;
}

std::string left_html(const LedgerAccount& account) {
  const auto fact = [](std::string_view name, const std::string& value) {
    return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", name, escape(value));
  };
  std::string html = "<dl class=\"facts\">\n";
  html += fact("Spent, as guaranteed", report::number_text(account.guaranteed.epsilon));
  html += fact("Limit", account.limit ? report::number_text(account.limit->epsilon)
                                      : "none: this says what was spent, and promises nothing");
  if (account.left)
    html += fact("Left for one more release", report::number_text(account.left->epsilon));
  html += fact("At δ", report::number_text(account.delta));
  if (!account.unit.empty()) html += fact("Protected", account.unit);
  html += "</dl>\n";
  if (!account.limit) return html;
  const double share = std::clamp(account.guaranteed.epsilon / account.limit->epsilon, 0.0, 1.0);
  return html + fmt::format(
                    "<meter min=\"0\" max=\"1\" value=\"{:.4f}\" aria-label=\"{:.0f} % of the "
                    "limit is spent\"></meter>\n",
                    share, 100 * share);
}

Result<std::string> home_html(const Home& home, bool alone) {
  SOTTO_ASSIGN(const auto ledger, read_ledger(home.folder, ""));
  std::string html;
  for (const LedgerAccount& account : ledger.accounts) {
    const auto steps = store::account_history(account, ledger.entries);
    html += fmt::format(
        "<article class=\"account\">\n<header><h3>{}</h3>{}</header>\n{}", escape(account.data),
        alone ? "" : fmt::format("<span class=\"quiet\">home {}</span>", escape(home.name)),
        left_html(account));
    Section section("");
    if (steps.empty()) {
      section.paragraph("Nothing was spent from it.");
    } else {
      section.figure(
          inline_svg(history_chart(account, steps)),
          "All releases taken together: squares of shifts add, so that this is less than "
          "the sum of each one’s ε. Each is rounded up.");
      section.table(observers_table(account));
      section.table(entries_table(ledger, steps));
    }
    html += section.html() + "</article>\n";
  }
  return html;
}

}  // namespace

Json budgets_json(const std::vector<Home>& homes) {
  std::string html;
  for (const Home& home : homes) {
    const auto made = home_html(home, homes.size() == 1);
    if (made) {
      html += *made;
    } else {
      Section section("");
      section.callout(Callout::kWarning, made.error().what, made.error().fix);
      html += section.html();
    }
  }
  return {{"html", html}};
}

}  // namespace sotto::view
