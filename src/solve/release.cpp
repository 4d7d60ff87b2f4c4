#include "solve/release.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/check.h"
#include "data/levels.h"
#include "data/row_weight.h"
#include "moments/moments.h"
#include "moments/quadratic.h"

// A table's sums as one matrix, and the parts of it that are the sums of other studies.
namespace sotto {
namespace {

// As a target: the public map of [−1, 1] to itself leaves 0 and 1 where they are.
constexpr Bounds kLevelBounds{-1, 1};

// Var u²/(m(1 − m)) of a number in [−1, 1] with mean square m: 0.4 where it is uniform, 1 where it
// has two values.
constexpr double kSpreadOfNumbers = 0.4;

// Mean square of a uniform number, where the noise hides how many rows there are.
constexpr double kUnknownSquare = 1.0 / 3;

Encoding encoding_of(const Schema& schema) {
  auto encoding = Encoding::make(schema);
  check(encoding.has_value(), "a release has a valid schema");
  return *std::move(encoding);
}

double scale_of(const Encoding& encoding) {
  return encoding.grid_scale() / kGridOne;
}

// What a feature or the target of the study is as a target.
Target as_target(const Release& release, Eigen::Index column) {
  if (column == release.target()) return release.schema.target;
  Eigen::Index at = release.schema.intercept ? 1 : 0;
  for (const Feature& feature : release.schema.features) {
    const auto* numeric = std::get_if<NumericFeature>(&feature);
    if (numeric != nullptr && at == column) {
      return {numeric->column, numeric->bounds, numeric->term};
    }
    at += static_cast<Eigen::Index>(entries_of(feature));
  }
  return {release.columns()[static_cast<std::size_t>(column)], kLevelBounds};
}

// Categories that a chosen term or the target multiplies by: the model's schema has them, so that
// `predict` knows their levels, also where none of these was chosen.
std::set<std::string> multiplied_categories(const Release& release, Eigen::Index target,
                                            const std::vector<bool>& chosen) {
  Schema parts = release.schema;
  std::erase_if(parts.features, [](const Feature& feature) {
    return !std::holds_alternative<CategoricalFeature>(feature);
  });
  parts.target = as_target(release, target);
  std::size_t at = release.schema.intercept ? 1 : 0;
  for (const Feature& feature : release.schema.features) {
    if (std::holds_alternative<NumericFeature>(feature) && chosen[at]) {
      parts.features.push_back(feature);
    }
    at += entries_of(feature);
  }
  std::set<std::string> found;
  for (const LevelColumn& level : level_columns(parts)) found.insert(level.column);
  return found;
}

}  // namespace

Release Release::from_sums(const Schema& schema, const EntryShares& shares, double sigma,
                           std::span<const double> sums) {
  const std::size_t d = schema.entries();
  check(sums.size() == moments_size(d) || sums.size() == theta_size(d),
        "a table's sums have one entry per moment, or all but Σy²");
  const std::vector<double> weight = entry_weights(d, schema.intercept, shares);
  const auto y = static_cast<Eigen::Index>(d);
  Release release{schema, Eigen::MatrixXd(y + 1, y + 1), Eigen::MatrixXd(y + 1, y + 1)};
  const auto put = [&](Eigen::Index r, Eigen::Index c, std::size_t k) {
    const bool there = k < sums.size();
    release.moments(r, c) = release.moments(c, r) =
        there ? sums[k] : std::numeric_limits<double>::quiet_NaN();
    const double sd = there && sigma > 0 ? sigma / weight[k] : 0;
    release.noise_sd(r, c) = release.noise_sd(c, r) = sd;
  };
  std::size_t k = 0;
  for (Eigen::Index r = 0; r < y; ++r) {
    for (Eigen::Index c = r; c < y; ++c) put(r, c, k++);
  }
  for (Eigen::Index r = 0; r <= y; ++r) put(r, y, k++);
  return release;
}

bool Release::squares_released() const {
  return !std::isnan(moments(target(), target()));
}

std::vector<std::string> Release::columns() const {
  std::vector<std::string> names = schema.encoded_names();
  names.push_back(schema.target.column);
  return names;
}

Eigen::VectorXd Release::scales() const {
  Eigen::VectorXd scales = Eigen::VectorXd::Constant(size(), scale_of(encoding_of(schema)));
  scales(target()) = 1;
  return scales;
}

Selection own_selection(const Release& release) {
  Selection own{.schema = release.schema, .target = release.target(), .columns = {}, .entries = {}};
  for (Eigen::Index k = 0; k < release.target(); ++k) own.columns.push_back(k);
  own.entries = own.columns;
  return own;
}

Result<Selection> select(const Release& release, Eigen::Index target,
                         const std::vector<bool>& chosen) {
  const auto is_chosen = [&](Eigen::Index k) { return chosen[static_cast<std::size_t>(k)]; };
  const Schema& study = release.schema;
  Selection found{.schema = study, .target = target, .columns = {}, .entries = {}};
  found.schema.target = as_target(release, target);
  found.schema.features.clear();
  if (is_chosen(target)) {
    return bad_input("E-refit-features",
                     fmt::format("\"{}\" is both target and feature", found.schema.target.column),
                     "leave it out of the features");
  }
  Eigen::Index column = 0;
  Eigen::Index entry = 0;
  const auto take = [&] {
    found.columns.push_back(column);
    found.entries.push_back(entry);
  };
  if (study.intercept) {
    take();
    ++column, ++entry;
  }
  const std::set<std::string> multiplied = multiplied_categories(release, target, chosen);
  const auto take_feature = [&](const Feature& feature, Eigen::Index size) {
    const std::size_t before = found.columns.size();
    for (Eigen::Index k = 0; k < size; ++k, ++column, ++entry) {
      if (is_chosen(column)) take();
    }
    if (found.columns.size() == before && !multiplied.contains(name_of(feature))) {
      entry -= size;
    } else {
      found.schema.features.push_back(feature);
    }
  };
  for (const Feature& feature : study.features) {
    take_feature(feature, static_cast<Eigen::Index>(entries_of(feature)));
  }
  take_feature(NumericFeature{study.target.column, study.target.bounds, study.target.term}, 1);
  if (found.columns.empty()) {
    return bad_input("E-refit-features", "the model has neither an intercept nor a feature",
                     "choose features");
  }
  if (is_chosen(release.target()) && !release.squares_released()) {
    return bad_input("E-refit-squares",
                     fmt::format("\"{}\" cannot be a feature: the study has error_bars = false, so "
                                 "the sum of its squares was not released",
                                 study.target.column),
                     "leave it out of the features");
  }
  // Rows were shortened by all of the study's columns; `predict` has only the model's.
  if (!(found == own_selection(release))) found.schema.radius = 0;
  return found;
}

ReleasePart part_of(const Release& release, const Selection& selection,
                    const std::vector<Eigen::Index>& more) {
  const Eigen::VectorXd scales = release.scales();
  const double scale = scale_of(encoding_of(selection.schema));
  std::vector<Eigen::Index> columns = selection.columns;
  columns.push_back(selection.target);
  columns.insert(columns.end(), more.begin(), more.end());
  const auto d = static_cast<Eigen::Index>(selection.columns.size());
  Eigen::VectorXd g = Eigen::VectorXd::Ones(static_cast<Eigen::Index>(columns.size()));
  g.head(d) = scale / scales(selection.columns).array();
  g(d) = 1 / scales(selection.target);
  const auto part = [&](const Eigen::MatrixXd& all) -> Eigen::MatrixXd {
    return all(columns, columns).cwiseProduct(g * g.transpose());
  };
  return {.moments = part(release.moments), .noise_sd = part(release.noise_sd)};
}

TypicalWeight typical_weight(const Release& release) {
  const Schema& schema = release.schema;
  if (!schema.intercept) return {};
  const double count = release.moments(0, 0) / std::pow(release.scales()(0), 2);
  if (schema.weighting == Weighting::kNone) return {.weight = 1, .rows = count};
  const double radius_square = weighting_radius_square(schema.feature_columns());
  double length = 0;
  double variance = 0;
  Eigen::Index at = 1;
  for (const Feature& feature : schema.features) {
    const auto* levels = std::get_if<CategoricalFeature>(&feature);
    const auto size = static_cast<Eigen::Index>(entries_of(feature));
    const double squares = release.moments.diagonal().segment(at, size).sum();
    const double mean = count > 0 ? std::clamp(squares / count, 0.0, 1.0) : kUnknownSquare;
    length += mean / radius_square;
    variance += (levels == nullptr ? kSpreadOfNumbers : 1) * mean * (1 - mean) /
                (radius_square * radius_square);
    at += size;
  }
  constexpr double a = RowWeightPolynomial::kConstant / 100.0;
  constexpr double b = RowWeightPolynomial::kLinear / 100.0;
  constexpr double c = RowWeightPolynomial::kSquare / 100.0;
  const double g = a + length * (b + c * length);
  const double slope = b + 2 * c * length;
  const double curve_of_weight = (0.75 * slope * slope / g - c) / (g * std::sqrt(g));
  const double curve_of_inverse = (c - 0.25 * slope * slope / g) / std::sqrt(g);
  return {.weight = 1 / std::sqrt(g) + variance / 2 * curve_of_weight,
          .rows = count * (std::sqrt(g) + variance / 2 * curve_of_inverse)};
}

TableSums table_sums(const Release& release, const Selection& selection) {
  const auto [m, sd] = part_of(release, selection);
  const Eigen::Index d = m.rows() - 1;
  const bool squares = !std::isnan(m(d, d));
  return {.sums = NoisySums::with_sd(m.topLeftCorner(d, d), m.col(d).head(d),
                                     sd.topLeftCorner(d, d), sd.col(d).head(d)),
          .squares_released = squares,
          .sum_of_squares = squares ? m(d, d) : 0,
          .sigma_c = sd(d, d),
          .intercept = release.schema.intercept,
          .weighted = release.schema.weighting == Weighting::kBounded,
          .typical_weight = typical_weight(release).weight};
}

}  // namespace sotto
