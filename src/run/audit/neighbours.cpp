// Neighbouring worlds: rows go through the encoder that a run uses, and the change that moves the
// sums farthest is the one to attack.
#include "run/audit/neighbours.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/check.h"
#include "base/random.h"
#include "moments/moments.h"

namespace sotto {
namespace {

using Row = std::vector<double>;  // of the schema's table_columns()

// One row as a table of its own.
class RowSource final : public Source {
 public:
  explicit RowSource(const Row& row) : row_(row) {}
  [[nodiscard]] std::size_t workers() const override { return 1; }
  [[nodiscard]] Result<void> read(const Schema& schema, const RowSink& sink) const override {
    RawRows raw(schema.table_columns().size());
    raw.rows = 1;
    for (std::size_t c = 0; c < raw.columns(); ++c) raw.column(c)[0] = row_[c];
    if (schema.person) raw.persons = {"somebody"};
    sink(0, raw);
    return {};
  }

 private:
  const Row& row_;
};

double uniform(SeededRandom& random) {
  return static_cast<double>(random.bits64() >> 11) * 0x1p-53;
}

// Numbers at their bounds more often than not: that is where rows are longest.
Row draw_row(const Schema& schema, SeededRandom& random) {
  Row row;
  for (const TableColumn& column : schema.table_columns()) {
    if (!column.levels.empty()) {
      row.push_back(static_cast<double>(random.below(column.levels.size())));
      continue;
    }
    const auto [low, high] = column.bounds;
    const double share = uniform(random);
    const bool at_bound = column.is_weight || random.below(4) != 0;
    row.push_back(column.is_weight ? high
                  : at_bound       ? (share < 0.5 ? low : high)
                                   : low + share * (high - low));
  }
  return row;
}

// The sums of rows, and how they weigh in φ.
class RowSums {
 public:
  RowSums(const PlannedStudy& planned)
      : schema_(planned.study.data->has_party_effect() ? planned.study.data->held_by(0)
                                                       : *planned.study.data),
        entries_(planned.plan.entries),
        weights_(entry_weights(
            schema_.entries(), schema_.intercept,
            released_shares(schema_, planned.study.privacy.neighbours, planned.study.solve))) {
    weights_.resize(entries_);
  }

  [[nodiscard]] const Schema& schema() const { return schema_; }
  [[nodiscard]] const std::vector<double>& weights() const { return weights_; }
  [[nodiscard]] IntegerVector zeros() const { return IntegerVector(entries_); }

  [[nodiscard]] IntegerVector of(const Row& row) const {
    auto table = read_moments(RowSource(row), schema_);
    check(table.has_value(), "a row inside its bounds has sums");
    IntegerVector sums = std::move(table->moments.sums);
    sums.resize(entries_);  // without error bars Σy² stays at home
    return sums;
  }

  // Entry by entry in φ.
  [[nodiscard]] std::vector<double> in_phi(const IntegerVector& sums) const {
    std::vector<double> phi;
    for (std::size_t k = 0; k < entries_; ++k) {
      phi.push_back(weights_[k] * moments_grid().value(sums[k]));
    }
    return phi;
  }

 private:
  Schema schema_;
  std::size_t entries_;
  std::vector<double> weights_;
};

double length_of(std::span<const double> vector) {
  double square = 0;
  for (const double x : vector) square += x * x;
  return std::sqrt(square);
}

IntegerVector difference(IntegerVector one, const IntegerVector& other) {
  for (std::size_t k = 0; k < one.size(); ++k) one[k] -= other[k];
  return one;
}

// base + distance·step, on the grid.
IntegerVector moved_by(const IntegerVector& base, const IntegerVector& step, double distance) {
  IntegerVector result = base;
  const Rational exact(distance);
  for (std::size_t k = 0; k < base.size(); ++k) {
    const Rational far = exact * Rational(step[k]);
    result[k] += floor(far + Rational(1, 2));
  }
  return result;
}

}  // namespace

NeighbouringData entry_moved(const PlannedStudy& planned, std::size_t entry) {
  const std::size_t entries = planned.plan.entries;
  const Sensitivity mu = planned.study.privacy.sensitivity;
  const auto at = [entries, entry, mu](double distance) {
    std::vector<double> theta(entries, 0.0);
    theta[entry] = distance * mu.value();
    return Secret::of_entries(theta, mu);
  };
  std::vector<double> direction(entries, 0.0);
  direction[entry] = 1;
  const std::size_t matrix_entries = entries - planned.plan.dimension;
  return {.at = at,
          .others = at(0),
          .direction = std::move(direction),
          .moved = mu.value(),
          .base = 0,
          .words = entry < matrix_entries ? "an entry of A" : "an entry of B"};
}

NeighbouringData row_moved(const PlannedStudy& planned, std::uint64_t seed) {
  constexpr int kTries = 400;
  const RowSums sums(planned);
  const bool replace = planned.study.privacy.neighbours == Neighbours::kReplace;
  SeededRandom random(seed);
  IntegerVector base = sums.zeros();
  IntegerVector step;
  double longest = -1;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const Row row = draw_row(sums.schema(), random);
    IntegerVector from = sums.zeros();
    if (replace) {
      // Another row, or the same with the target at its other end.
      Row other = draw_row(sums.schema(), random);
      if (attempt % 2 == 0) std::copy(row.begin(), row.end() - 1, other.begin());
      from = sums.of(other);
    }
    const IntegerVector change = difference(sums.of(row), from);
    const double length = length_of(sums.in_phi(change));
    if (length > longest) {
      longest = length;
      base = from;
      step = change;
    }
  }
  // A person counts as k rows that may all be the same.
  if (const auto& person = planned.study.data->person) {
    for (Integer& sum : step) sum *= static_cast<long>(person->rows);
    longest *= static_cast<double>(person->rows);
  }
  check(longest > 0, "some row moves the sums");
  std::vector<double> direction = sums.in_phi(step);
  for (double& entry : direction) entry /= longest;
  double base_in_direction = 0;
  const std::vector<double> base_phi = sums.in_phi(base);
  for (std::size_t k = 0; k < direction.size(); ++k)
    base_in_direction += direction[k] * base_phi[k];

  const auto at = [base, step, weights = sums.weights()](double distance) {
    return Secret::of_sums(moved_by(base, step, distance), moments_grid(), weights);
  };
  Secret zeros = Secret::of_sums(sums.zeros(), moments_grid(), sums.weights());
  for (std::size_t k = 0; k < direction.size(); ++k) direction[k] *= sums.weights()[k];
  return {.at = at,
          .others = std::move(zeros),
          .direction = std::move(direction),
          .moved = longest,
          .base = base_in_direction,
          .words = replace ? "a row replaced by another" : "a row added"};
}

}  // namespace sotto
