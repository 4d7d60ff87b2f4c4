#include "data/encoding.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "data/levels.h"

// Scales and names from the schema, and the linear map back to its own units.
namespace sotto {
namespace {

ColumnScale scale_of(Bounds bounds, bool centred) {
  if (!centred) {
    return {bounds, 0, std::max(std::abs(bounds.lo), std::abs(bounds.hi))};
  }
  return {bounds, bounds.lo / 2 + bounds.hi / 2, bounds.hi / 2 - bounds.lo / 2};
}

// ⌊2^b/R⌋ for R = √k must satisfy k·S² ≤ 4^b exactly, whatever the square root's
// rounding was; integers decide.
double grid_scale_of(const Schema& schema, double radius) {
  double scale = std::floor(kGridOne / radius);
  if (radius == schema.longest_row()) {
    const auto terms = static_cast<double>(schema.features.size() + (schema.intercept ? 1 : 0));
    while (terms * scale * scale > kGridOne * kGridOne) --scale;
  }
  return scale;
}

}  // namespace

Result<Encoding> Encoding::make(const Schema& schema) {
  SOTTO_TRY(schema.validate());
  Encoding encoding;
  encoding.schema_ = schema;
  encoding.names_ = schema.encoded_names();
  for (const Feature& feature : schema.features) {
    const auto* numeric = std::get_if<NumericFeature>(&feature);
    encoding.features_.push_back(numeric == nullptr ? ColumnScale{}
                                                    : scale_of(numeric->bounds, schema.intercept));
  }
  encoding.table_ = schema.table_columns();
  const std::vector<LevelColumn> levels = level_columns(schema);
  const auto place_of = [&](const std::string& column) {
    const auto found = std::ranges::find(encoding.table_, column, &TableColumn::name);
    return static_cast<std::size_t>(found - encoding.table_.begin());
  };
  const auto find_inputs = [&](const Feature& feature) {
    std::vector<std::size_t> places;
    for (const std::string& name : table_columns_of(feature)) {
      const auto level = std::ranges::find(levels, name, &LevelColumn::name);
      places.push_back(level == levels.end()
                           ? place_of(name)
                           : TermInput::pack(place_of(level->column), level->level));
    }
    encoding.inputs_.push_back(std::move(places));
  };
  for (const Feature& feature : schema.features) find_inputs(feature);
  const Target& target = schema.target;
  find_inputs(NumericFeature{target.column, target.bounds, target.term});
  encoding.target_ = scale_of(schema.target.bounds, schema.intercept);
  encoding.radius_ = schema.radius == 0 ? schema.longest_row() : schema.radius;
  if (schema.weighting == Weighting::kNone) {
    encoding.grid_scale_ = grid_scale_of(schema, encoding.radius_);
  }
  return encoding;
}

Eigen::MatrixXd Encoding::own_units_matrix() const {
  const auto d = static_cast<Eigen::Index>(dimension());
  const double factor = target_.half * (grid_scale_ / kGridOne);
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(d, d);
  Eigen::Index entry = 0;
  if (schema_.intercept) matrix(entry++, 0) = factor;
  for (std::size_t k = 0; k < schema_.features.size(); ++k) {
    const double entry_factor = factor / features_[k].half;
    for (std::size_t n = entries_of(schema_.features[k]); n > 0; --n, ++entry) {
      matrix(entry, entry) = entry_factor;
      if (schema_.intercept && features_[k].middle != 0) {
        matrix(0, entry) = -entry_factor * features_[k].middle;
      }
    }
  }
  return matrix;
}

Eigen::VectorXd Encoding::own_units_offset() const {
  Eigen::VectorXd offset = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(dimension()));
  if (schema_.intercept) offset(0) = target_.middle;
  return offset;
}

OwnUnits Encoding::to_own_units(const Eigen::VectorXd& theta,
                                const Eigen::MatrixXd& covariance) const {
  check(theta.size() == static_cast<Eigen::Index>(dimension()), "one coefficient per entry of x");
  check(covariance.size() == 0 ||
            (covariance.rows() == theta.size() && covariance.cols() == theta.size()),
        "a covariance has a row and a column per coefficient");
  const Eigen::MatrixXd matrix = own_units_matrix();
  OwnUnits own{matrix * theta + own_units_offset(), {}};
  if (covariance.size() != 0) own.covariance = matrix * covariance * matrix.transpose();
  return own;
}

}  // namespace sotto
