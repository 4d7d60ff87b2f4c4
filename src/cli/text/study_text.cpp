#include "cli/text/study_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/words.h"
#include "cli/terminal/terminal.h"
#include "run/home.h"
#include "study/mechanism/mechanism.h"

// A study for somebody who decides whether to take part in it.
namespace sotto {
namespace study_words {

class Lines {
 public:
  // The label stands before the first line of its part only.
  void line(std::string_view label, const std::string& value) {
    text_ += fmt::format("  {:<12} {}\n", label, escape_for_terminal(value));
  }
  void heading(const std::string& value) { text_ += escape_for_terminal(value) + "\n\n"; }
  void gap() { text_ += '\n'; }
  [[nodiscard]] std::string text() && { return std::move(text_); }

 private:
  std::string text_;
};

std::string feature_words(const Feature& feature, std::size_t width) {
  if (const auto* number = std::get_if<NumericFeature>(&feature)) {
    return fmt::format("{:<{}}  {} to {}", number->column, width, number->bounds.lo,
                       number->bounds.hi);
  }
  if (const auto* spline = std::get_if<SplineFeature>(&feature)) {
    return fmt::format("{:<{}}  {} to {}, a spline of degree {} with {}", name_of(feature), width,
                       spline->bounds.lo, spline->bounds.hi, spline->degree,
                       sotto::counted(spline->knots.size(), "knot", "knots"));
  }
  const auto& category = std::get<CategoricalFeature>(feature);
  std::vector<std::string> others(category.levels.begin() + 1, category.levels.end());
  return fmt::format("{:<{}}  {}, against {}", category.column, width, fmt::join(others, ", "),
                     category.levels.front());
}

void add_data(Lines& lines, const Schema& schema) {
  lines.line("explains", fmt::format("{}, {} to {}", schema.target.column, schema.target.bounds.lo,
                                     schema.target.bounds.hi));
  std::size_t width = 0;
  for (const Feature& feature : schema.features) width = std::max(width, name_of(feature).size());
  for (std::size_t k = 0; k < schema.features.size(); ++k) {
    lines.line(k == 0 ? "with" : "", feature_words(schema.features[k], width));
  }
  lines.line("", fmt::format("{}: {}", schema.intercept ? "and a constant" : "and no constant",
                             sotto::counted(schema.entries(), "coefficient", "coefficients")));
  lines.line("rows",
             fmt::format("with a missing value {}; numbers outside their bounds are clipped",
                         schema.missing == MissingRule::kDrop ? "are left out" : "stop the run"));
}

void add_promise(Lines& lines, const Study& study, const Plan& plan) {
  const PrivacyTerms& terms = study.privacy;
  const double epsilon = terms.budget.epsilon.value();
  lines.line("protects", terms.unit == Unit::kEntry ? "one entry of a party's sums"
                         : terms.neighbours == Neighbours::kReplace
                             ? "one row of a table, replaced by any other"
                             : "one row of a table, there or not there");
  lines.line("promises", fmt::format("the odds of any guess about it grow by a factor of {:.3g} at "
                                     "most (ε = {:g}),",
                                     std::exp(epsilon), epsilon));
  lines.line("", fmt::format("but for a probability of δ = {:g}", terms.budget.delta.value()));
  std::vector<std::string> held;
  std::vector<std::string> weaker;
  for (const Adversary& adversary : plan.adversaries) {
    const bool kept = adversary.delta_at_epsilon <= terms.budget.delta.value() * (1 + 1e-9);
    if (kept) {
      held.push_back(observer_name(adversary));
    } else {
      weaker.push_back(
          std::isfinite(adversary.epsilon_at_delta)
              ? fmt::format("{} (ε = {:.3g})", observer_name(adversary), adversary.epsilon_at_delta)
              : fmt::format("{} (nothing)", observer_name(adversary)));
    }
  }
  lines.line("against", held.empty() ? "nobody" : fmt::format("{}", fmt::join(held, ", ")));
  if (!weaker.empty()) lines.line("less", fmt::format("against {}", fmt::join(weaker, ", ")));
}

std::string solver_words(Solver solver) {
  return fmt::format("{}: {}", to_string(solver), mechanism_of(solver).words().how);
}

std::string seconds_words(double seconds) {
  if (seconds >= 2 * 86'400) return fmt::format("{:.3g} days", seconds / 86'400);
  if (seconds >= 2 * 3'600) return fmt::format("{:.3g} hours", seconds / 3'600);
  if (seconds >= 120) return fmt::format("{:.3g} minutes", seconds / 60);
  return fmt::format("{:g} {}", seconds, seconds == 1 ? "second" : "seconds");
}

void add_parties(Lines& lines, const Study& study) {
  std::size_t named = 0;
  std::size_t width = 0;
  for (const PartyTerms& party : study.parties) {
    if (party.fingerprint.empty()) continue;
    ++named;
    width = std::max(width, party.name.size());
  }
  bool first = true;
  for (const PartyTerms& party : study.parties) {
    if (party.fingerprint.empty()) continue;
    lines.line(first ? "parties" : "",
               fmt::format("{:<{}}  {}  {}…", party.name, width,
                           party.address.empty() ? "dials out only" : party.address,
                           party.fingerprint.substr(0, 19)));
    first = false;
  }
  const std::size_t missing = study.parties.size() - named;
  if (missing > 0) {
    lines.line(first ? "parties" : "",
               fmt::format("{} of {} {} not named yet: 'sotto study add-party' does; a simulation "
                           "needs none",
                           missing, study.parties.size(), missing == 1 ? "is" : "are"));
  }
  if (named == 0) return;
  const NetworkTerms& network = study.network;
  lines.line("waits", fmt::format("{} until all have shown up, {} for one that was there",
                                  seconds_words(network.meeting_seconds),
                                  seconds_words(network.patience_seconds)));
  if (network.start) {
    lines.line("", fmt::format("and dials nobody before {}", utc_text(*network.start)));
  }
  if (network.min_parties > 0) {
    lines.line("",
               fmt::format("and goes on with {} of {}", network.min_parties, study.parties.size()));
  }
}

}  // namespace study_words

std::string study_in_words(const Study& study, const Plan& plan) {
  study_words::Lines lines;
  lines.heading(study.data
                    ? fmt::format("{}: a linear model of {} over the tables of {} parties, who "
                                  "do not show their rows",
                                  study.name, study.data->target.column, plan.parties)
                    : fmt::format("{}: the minimum of {} parties' quadratic costs", study.name,
                                  plan.parties));
  if (study.data) add_data(lines, *study.data);
  lines.gap();
  study_words::add_promise(lines, study, plan);
  lines.gap();
  lines.line("how", study_words::solver_words(plan.solver));
  lines.line("neighbours",
             fmt::format("a {} of {} parties", to_string(study.graph().topology()), plan.parties));
  study_words::add_parties(lines, study);
  lines.gap();
  lines.line("file", fmt::format("sha256 {}…: the same for everybody", study.hash.substr(0, 16)));
  return std::move(lines).text();
}

}  // namespace sotto
