#include "report/guarantee_text.h"

#include <fmt/core.h>

#include <cmath>

#include "base/check.h"
#include "privacy/budget.h"
#include "report/text.h"
#include "study/mechanism/mechanism.h"

// Sentences for what holds and for what does not, chosen by what the record says.
namespace sotto::report {
namespace {

constexpr double kAlmostSure = 0.999;  // where a bound on a guess says nothing any more

bool is_gaussian(const RunRecord& record) {
  return mechanism_of(record.solver).gaussian();
}

// "a", "a or b", "a, b or c"
std::string one_of(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += i == 0 ? "" : i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

std::string what_may_change(const RunRecord& record) {
  if (record.unit == Unit::kEntry) {
    return fmt::format(
        "Take any one of the numbers that a party puts in, and let it be larger or smaller by up "
        "to {}. That",
        number_text(record.sensitivity));
  }
  const bool replaced = record.neighbours == Neighbours::kReplace;
  if (record.protects_persons()) {
    return replaced ? "Take all rows of any one person in any one party's table, and put any other "
                      "person's in their place. That"
                    : "Take all rows of any one person in any one party's table. Whether they were "
                      "there or not";
  }
  if (replaced) {
    return "Take any one row of any one party's table, and put any other row in its place. That";
  }
  return "Take any one row of any one party's table. Whether it was there or not";
}

std::string guess_in_words(const RunRecord& record, const Adversary& observer) {
  const char* question = record.unit == Unit::kEntry ? "which of the two numbers it was"
                         : record.neighbours == Neighbours::kReplace
                             ? record.protects_persons() ? "which of the two persons it was"
                                                         : "which of the two rows it was"
                         : record.protects_persons() ? "whether the person was there"
                                                     : "whether the row was there";
  const double right = best_guess(record, observer);
  const std::string before =
      fmt::format("In other words: {} may know all the rest and think it even odds {}.",
                  observer_in_words(observer), question);
  if (right > kAlmostSure) {
    return fmt::format(
        "{} After the run its best guess may be right almost always: at this ε and δ little is "
        "promised.",
        before);
  }
  return fmt::format(
      "{} After the run its best guess is right with a probability of at most {}; a coin's is "
      "right with 50\u00A0%.",
      before, percent_at_most(right));
}

std::string weaker_against(const RunRecord& record, const Adversary& observer) {
  const std::string who = observer_in_words(observer);
  if (!std::isfinite(observer.epsilon_at_delta)) {
    return fmt::format("Against {} nothing is promised: no ε holds at this δ.", who);
  }
  return fmt::format(
      "Against {} less is promised: {} instead of {} at the same δ, a factor of {} instead of {}.",
      who, equals("ε", observer.epsilon_at_delta), number_text(record.epsilon),
      number_text(std::exp(observer.epsilon_at_delta)), number_text(std::exp(record.epsilon)));
}

// Two of what the run hides, of one person, move what is seen up to twice as far: two rows, or what
// two parties have of that person. `covered`: an observer against whom the run keeps what was
// asked for, if there is one.
void add_limits_of_the_unit(const RunRecord& record, const Adversary* covered,
                            std::vector<std::string>& limits) {
  if (record.unit == Unit::kEntry) {
    limits.emplace_back(
        "A person is not one number. A person's row moves many of a party's sums at once, so this "
        "run promises nothing about a person's row.");
    return;
  }
  if (covered != nullptr && is_gaussian(record) && record.delta > 0 &&
      std::isfinite(covered->shift)) {
    limits.push_back(fmt::format("A person with {}, {} at the same δ.",
                                 record.protects_persons()
                                     ? "rows at several parties is protected less: with rows at two"
                                     : "several rows is protected less: with two rows",
                                 equals("ε", gaussian_epsilon(2 * covered->shift, record.delta))));
  }
  limits.emplace_back(
      "A party is not protected as a whole: who takes part is public, and what all of a party's "
      "rows have in common may show.");
}

}  // namespace

GuaranteeText guarantee_text(const RunRecord& record) {
  GuaranteeText text;
  const Adversary* first_covered = nullptr;
  std::vector<std::string> covered;
  for (const Adversary& observer : record.adversaries) {
    if (holds_against(record, observer)) {
      if (first_covered == nullptr) first_covered = &observer;
      covered.push_back(observer_in_words(observer));
    } else {
      text.limits.push_back(weaker_against(record, observer));
    }
  }
  if (first_covered == nullptr) {
    text.kept.emplace_back("The ε and δ that were asked for hold against none of the observers.");
  } else {
    text.kept.push_back(fmt::format(
        "{} changes the probability of anything that {} can see, or do with it, by at most a "
        "factor {}, plus {} ({}).",
        what_may_change(record), one_of(covered), equals("e^ε", std::exp(record.epsilon)),
        equals("δ", record.delta), odds_text(record.delta)));
    text.kept.push_back(guess_in_words(record, *first_covered));
  }
  text.kept.emplace_back(
      "Whatever is computed from the released sums costs nothing more: the model, its intervals, "
      "any prediction made with it.");

  add_limits_of_the_unit(record, first_covered, text.limits);
  text.limits.emplace_back(
      "What the model shows is not hidden. If it shows that smokers fall ill more often, it says "
      "so of every smoker, in the tables or not.");
  text.limits.emplace_back(
      "Every further run over the same rows adds to what is learned about them.");
  text.limits.emplace_back(
      "Parties are taken to follow the protocol, however curious they are. One that does not can "
      "spoil the model.");
  if (const auto stands_on = mechanism_of(record.solver).words().stands_on; !stands_on.empty()) {
    text.limits.emplace_back(stands_on);
  }
  return text;
}

std::string observer_in_words(const Adversary& observer) {
  switch (observer.observer) {
    case Observer::kEavesdropper:
      return "someone who reads all traffic";
    case Observer::kNeighbour:
      return "one curious neighbour";
    case Observer::kColluders:
      if (observer.colluders == 1) return "any one curious party";
      return fmt::format("any {} parties together", observer.colluders);
    case Observer::kAllNeighbours:
      return "all neighbours together";
  }
  check(false, "an observer has words");
  return {};
}

std::string unit_in_words(const RunRecord& record) {
  if (record.unit == Unit::kEntry) {
    return fmt::format("one entry, moved by up to {}", number_text(record.sensitivity));
  }
  return fmt::format(
      "one {}, {}", record.protects_persons() ? "person" : "row",
      record.neighbours == Neighbours::kReplace ? "replaced by another" : "added or removed");
}

bool holds_against(const RunRecord& record, const Adversary& observer) {
  return observer.delta_at_epsilon <= record.delta * (1 + 1e-9);
}

double best_guess(const RunRecord& record, const Adversary& observer) {
  if (is_gaussian(record)) return 0.5 * std::erfc(-observer.shift / 2 / std::sqrt(2.0));
  if (!std::isfinite(observer.epsilon_at_delta)) return 1;
  const double odds = std::exp(-observer.epsilon_at_delta);
  return (1 + record.delta * odds) / (1 + odds);
}

}  // namespace sotto::report
