#include "report/run_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "report/chart.h"
#include "report/guarantee_text.h"
#include "report/text.h"
#include "run/model.h"
#include "study/mechanism/mechanism.h"

// The page as a whole, its facts, and who could learn how much.
namespace sotto::report {
namespace {

std::string solver_in_words(Solver solver) {
  return fmt::format("{} ({})", to_string(solver), mechanism_of(solver).words().title);
}

std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  return text;
}

std::string lead(const RunRecord& record) {
  const std::string parties = record.parties.empty() ? "several parties"
                              : record.parties.size() == 1
                                  ? "one party"
                                  : fmt::format("{} parties", count_text(record.parties.size()));
  if (record.unit == Unit::kEntry) {
    return fmt::format("One least-squares model over what {} hold, and did not show.", parties);
  }
  return fmt::format("A linear model of {} over the tables of {}, which did not show their rows.",
                     record.target.empty() ? "the target" : record.target, parties);
}

void add_warnings(const RunRecord& record, Section& top) {
  for (const std::string& warning : record.warnings) {
    top.callout(Callout::kWarning, "", capital(warning));
  }
  if (!record.refit_of.empty()) {
    top.callout(Callout::kNote, "This is a refit",
                "It was computed from the noisy sums that the study released for another model. "
                "No data was touched, and nothing more was spent.");
  }
  if (!record.simulated) return;
  // A simulation over real tables takes its noise from the operating system.
  const std::string noise =
      record.seed == 0 ? "" : fmt::format(", with noise from seed {}", record.seed);
  top.callout(
      Callout::kNote, "This was a simulation",
      fmt::format("One process held all the data and played all parties{}. What is promised "
                  "here is what a run between them promises; whoever ran this one could "
                  "see everything.",
                  noise));
}

void add_facts(const RunRecord& record, HtmlPage& page) {
  page.fact("Study", record.study);
  page.fact("Solver", solver_in_words(record.solver));
  // gt never solves equations: it walks to their solution.
  if (!tracks_gradient(record.solver)) {
    page.fact("Estimator", std::string(to_string(record.estimator)));
  }
  if (!record.parties.empty()) page.fact("Parties", count_text(record.parties.size()));
  if (record.noisy_rows) {
    page.fact("Rows", fmt::format("about {}, with noise",
                                  count_text(static_cast<std::uint64_t>(
                                      std::llround(std::max(*record.noisy_rows, 0.0))))));
  }
  if (record.release) page.fact("Weighting", weighting_text(*record.release));
  page.fact("ε", number_text(record.epsilon));
  page.fact("δ", fmt::format("{} ({})", number_text(record.delta), odds_text(record.delta)));
  page.fact("Protected", unit_in_words(record));
  if (!record.finished.empty()) page.fact("Finished", record.finished);
  if (!record.version.empty()) page.fact("Written by", "sotto " + record.version);
  if (!record.study_hash.empty()) page.fact("Study's hash", record.study_hash.substr(0, 12));
  if (!record.transcript_hash.empty()) {
    page.fact("Transcript's hash", record.transcript_hash.substr(0, 12));
  }
}

void add_privacy(const RunRecord& record, HtmlPage& page) {
  if (record.adversaries.empty()) return;
  Section& section = page.section("Who could learn how much");
  section.paragraph(
      "A smaller ε protects better; at 0 nobody would learn anything. Each row is one kind of "
      "observer, with the most it could learn about any party.");
  EpsilonChart chart{.title = "ε by who is watching",
                     .x = fmt::format("ε at {}", equals("δ", record.delta)),
                     .asked = record.epsilon};
  Table table{.caption = "The same in numbers",
              .columns = {{"Who is watching"},
                          {fmt::format("ε at {}", equals("δ", record.delta)), Align::kNumber},
                          {fmt::format("δ at {}", equals("ε", record.epsilon)), Align::kNumber},
                          {"Best guess right", Align::kNumber},
                          {"As asked for"}},
              .cards = true};
  for (const Adversary& observer : record.adversaries) {
    const std::string who = capital(observer_in_words(observer));
    const bool limited = std::isfinite(observer.epsilon_at_delta);
    chart.rows.push_back({who, observer.epsilon_at_delta});
    table.rows.push_back({who, limited ? number_text(observer.epsilon_at_delta) : "no limit",
                          number_text(observer.delta_at_epsilon),
                          fmt::format("≤ {}", percent_at_most(best_guess(record, observer))),
                          holds_against(record, observer) ? "✓ yes" : "✗ no"});
  }
  section.figure(inline_svg(chart),
                 "Whoever reads all traffic sees every message that travels. A neighbour holds its "
                 "own part of the protocol besides; all neighbours together hold all that "
                 "surrounds one party.");
  section.table(table);
  section.paragraph(
      "“Best guess right”: how often somebody who knows all the rest, and would otherwise have to "
      "toss a coin, can tell the two possibilities apart.");
}

}  // namespace
}  // namespace sotto::report

namespace sotto {

HtmlPage run_report(const RunRecord& record, Audience audience) {
  using namespace report;
  HtmlPage page(record.study.empty() ? "A run of sotto" : record.study, lead(record));
  add_warnings(record, page.top());
  add_facts(record, page);
  add_coefficients(record, page);
  const GuaranteeText guarantee = guarantee_text(record);
  page.section("What is promised").list(guarantee.kept);
  page.section("What is not promised").list(guarantee.limits);
  add_privacy(record, page);
  add_graph(record, page, audience);
  add_convergence(record, page);
  if (audience == Audience::kOwn) add_own(record, page);
  return page;
}

}  // namespace sotto
