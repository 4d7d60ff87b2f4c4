#include "privacy/observe/adversary.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/check.h"
#include "privacy/observe/coalition.h"

// The observers' names, the two shapes that a table can have, and the one place where it is asked
// which solver's it is.
namespace sotto {
namespace {

constexpr std::string_view kEavesdropperName = "eavesdropper";
constexpr std::string_view kNeighbourName = "neighbour";
constexpr std::string_view kColludersName = "colluders-";  // and how many
constexpr std::string_view kAllNeighboursName = "all-neighbours";

}  // namespace

std::string observer_name(const Adversary& adversary) {
  switch (adversary.observer) {
    case Observer::kEavesdropper:
      return std::string(kEavesdropperName);
    case Observer::kNeighbour:
      return std::string(kNeighbourName);
    case Observer::kColluders:
      return fmt::format("{}{}", kColludersName, adversary.colluders);
    case Observer::kAllNeighbours:
      return std::string(kAllNeighboursName);
  }
  check(false, "an observer has a name");
  return {};
}

std::optional<Adversary> observer_from(std::string_view name) {
  Adversary adversary;
  if (name == kNeighbourName) adversary.observer = Observer::kNeighbour;
  if (name == kAllNeighboursName) adversary.observer = Observer::kAllNeighbours;
  if (name.starts_with(kColludersName)) {
    const std::string_view digits = name.substr(kColludersName.size());
    std::from_chars(digits.data(), digits.data() + digits.size(), adversary.colluders);
    if (adversary.colluders > 0) adversary.observer = Observer::kColluders;
  }
  // One way to write each: "colluders-007" is nobody.
  if (observer_name(adversary) != name) return std::nullopt;
  return adversary;
}

Result<std::vector<Adversary>> adversary_table(const Graph& graph, const Noise& noise,
                                               Sensitivity sensitivity, const Budget& budget,
                                               std::size_t colluders, std::size_t attempts) {
  const privacy::Watched watched{graph, sensitivity, budget, colluders, attempts};
  return std::visit([&](const auto& of_solver) { return privacy::rows_of(of_solver, watched); },
                    noise);
}

namespace privacy {

Adversary gaussian_row(Observer observer, double shift, const Budget& budget) {
  return {.observer = observer,
          .shift = shift,
          .delta_at_epsilon = gaussian_delta(budget.epsilon.value(), shift),
          .epsilon_at_delta = gaussian_epsilon(shift, budget.delta.value())};
}

std::vector<Adversary> alike_for_all(const Adversary& seen, std::size_t colluders) {
  std::vector<Adversary> table;
  for (const Observer observer : {Observer::kEavesdropper, Observer::kNeighbour,
                                  Observer::kColluders, Observer::kAllNeighbours}) {
    const bool many = observer == Observer::kColluders;
    if (many && colluders == 0) continue;
    table.push_back(seen);
    table.back().observer = observer;
    table.back().colluders = many ? colluders : 0;
  }
  return table;
}

Rows graded(const Watched& watched, Seen eavesdropper, double ceiling,
            const std::function<std::optional<Seen>(std::size_t)>& coalition) {
  std::vector<Adversary> table;
  // A row that is a search never says less than one before it that is a bound.
  const auto add = [&](Observer observer, Seen seen) {
    if (!table.empty()) seen.shift = std::max(seen.shift, table.back().shift);
    table.push_back(gaussian_row(observer, seen.shift, watched.budget));
    table.back().method = seen.method;
  };
  const Seen at_most{ceiling, RowMethod::kCeiling};
  add(Observer::kEavesdropper, eavesdropper);
  const std::optional<Seen> neighbour = coalition(1);
  add(Observer::kNeighbour, neighbour.value_or(at_most));
  if (const std::size_t colluders = watched.colluders; colluders > 0) {
    const std::optional<Seen> seen = colluders == 1 ? neighbour : coalition(colluders);
    if (!seen && colluders > 1) return too_many_coalitions(watched.graph, colluders);
    add(Observer::kColluders, seen.value_or(at_most));
    table.back().colluders = colluders;
  }
  add(Observer::kAllNeighbours, {ceiling, RowMethod::kProof});
  return table;
}

}  // namespace privacy
}  // namespace sotto
