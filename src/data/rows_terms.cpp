// What a row has beyond plain columns: terms, splines, and how much it counts.
#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "data/levels.h"
#include "data/rows.h"

namespace sotto {

void RowEncoder::find_term_columns() {
  const Schema& schema = encoding_.schema();
  std::vector<std::size_t> in_term;
  std::vector<std::size_t> alone;
  const auto look = [&](const std::vector<std::size_t>& inputs, bool term) {
    auto& places = term ? in_term : alone;
    places.insert(places.end(), inputs.begin(), inputs.end());
  };
  for (std::size_t k = 0; k < schema.features.size(); ++k) {
    const auto* number = std::get_if<NumericFeature>(&schema.features[k]);
    look(encoding_.inputs(k), number != nullptr && number->term);
  }
  look(encoding_.target_inputs(), schema.target.term.has_value());
  std::ranges::sort(in_term);
  in_term.erase(std::unique(in_term.begin(), in_term.end()), in_term.end());
  for (const std::size_t place : in_term) {
    const bool counted = std::ranges::find(alone, place) != alone.end();
    term_columns_.push_back({place, counted, {}});
  }
}

void RowEncoder::clip_term_columns(const RawRows& raw) {
  for (TermColumn& column : term_columns_) {
    if (const auto input = TermInput::unpack(column.place); input.level) {
      gather(raw.column(input.place), 0);
      std::ranges::transform(lane_, column.lane.begin(), input);
      continue;
    }
    const Bounds bounds = encoding_.table()[column.place].bounds;
    gather(raw.column(column.place), bounds.lo);
    ColumnClips clips;
    for (std::size_t r = 0; r < kGroupRows; ++r) {
      const double v = lane_[r];
      clips.below += v < bounds.lo ? std::uint64_t{1} : std::uint64_t{0};
      clips.above += v > bounds.hi ? std::uint64_t{1} : std::uint64_t{0};
      const double raised = v < bounds.lo ? bounds.lo : v;
      column.lane[r] = raised > bounds.hi ? bounds.hi : raised;
    }
    if (!column.counted) clips_.columns[column.place] += clips;
  }
}

// The term's value in lane_.
void RowEncoder::evaluate_term(const Term& term, const std::vector<std::size_t>& inputs) {
  term_inputs_.clear();
  for (const std::size_t place : inputs) {
    const auto found = std::ranges::find(term_columns_, place, &TermColumn::place);
    term_inputs_.push_back(found->lane.data());
  }
  term.expression.evaluate(term_inputs_, kGroupRows, scratch_, lane_.data());
}

void RowEncoder::spread_spline(const RawRows& raw, std::size_t feature, std::size_t first_entry) {
  const std::size_t place = encoding_.inputs(feature)[0];
  const Bounds bounds = encoding_.table()[place].bounds;
  gather(raw.column(place), bounds.lo);
  for (std::size_t r = 0; r < grid_.rows; ++r) {
    clips_.columns[place].below += lane_[r] < bounds.lo ? 1 : 0;
    clips_.columns[place].above += lane_[r] > bounds.hi ? 1 : 0;
    splines_[feature]->evaluate(std::clamp(lane_[r], bounds.lo, bounds.hi),
                                grid_.column(first_entry) + r, kGroupRows);
  }
  // What stands behind the rows is on the grid already, of the group before.
  for (std::size_t k = 0; k < splines_[feature]->size(); ++k) {
    double* out = grid_.column(first_entry + k);
    std::fill(out + grid_.rows, out + kGroupRows, 0.0);
  }
}

// f = √(w/hi)·√min(1, k/n) ≤ 1 of each row.
void RowEncoder::find_shares(const RawRows& raw) {
  const std::optional<WeightColumn>& weight = encoding_.schema().weight;
  share_.fill(1);
  if (weight) {
    const auto [lo, hi] = weight->bounds;
    gather(raw.column(raw.columns() - 1), hi);
    for (std::size_t r = 0; r < kGroupRows; ++r) {
      if (!(lane_[r] >= lo && lane_[r] <= hi)) ++weights_outside_;
      share_[r] = std::sqrt(std::clamp(lane_[r], lo, hi) / hi);
    }
  }
  if (persons_ == nullptr) return;
  for (std::size_t r = 0; r < grid_.rows; ++r) {
    const Persons::Share share = persons_->take(raw.persons[grid_.source[r]]);
    share_[r] *= share.factor;
    longest_[r] = share.longest;
  }
}

// (u, u_y) ← (u, u_y)·f: no entry grows.
void RowEncoder::take_shares() {
  for (std::size_t k = 0; k <= grid_.dimension(); ++k) {
    double* __restrict column = grid_.column(k);
    for (std::size_t r = 0; r < kGroupRows; ++r) column[r] *= share_[r];
  }
}

}  // namespace sotto
