#include "data/own_values.h"

#include <algorithm>
#include <cmath>

#include "data/levels.h"

namespace sotto {

OwnValues::OwnValues(const Encoding& encoding)
    : encoding_(encoding),
      columns_(encoding.schema().table_columns(false)),
      clips_(columns_.size()),
      clipped_(columns_.size()),
      entries_(encoding.dimension()) {
  for (const Feature& feature : encoding.schema().features) {
    const auto* spline = std::get_if<SplineFeature>(&feature);
    splines_.push_back(spline == nullptr ? std::nullopt : std::optional(spline->basis()));
  }
}

bool OwnValues::take(const RawRows& raw, std::size_t r) {
  if (!is_complete(raw, r)) return false;
  clip(raw, r);
  const Schema& schema = encoding_.schema();
  square_ = 0;
  double* entry = entries_.data();
  if (schema.intercept) square_ = *entry++ = 1;
  for (std::size_t k = 0; k < schema.features.size(); ++k) {
    const Feature& feature = schema.features[k];
    if (const auto* levels = std::get_if<CategoricalFeature>(&feature)) {
      entry = take_category(*levels, k, entry);
    } else if (const auto* number = std::get_if<NumericFeature>(&feature)) {
      entry = take_number(*number, k, entry);
    } else {
      entry = take_spline(k, entry);
    }
  }
  return true;
}

void OwnValues::clip(const RawRows& raw, std::size_t r) {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    clipped_[c] = raw.column(c)[r];
    if (!columns_[c].levels.empty()) continue;
    const auto [lo, hi] = columns_[c].bounds;
    clips_[c].below += clipped_[c] < lo ? 1 : 0;
    clips_[c].above += clipped_[c] > hi ? 1 : 0;
    clipped_[c] = std::clamp(clipped_[c], lo, hi);
  }
}

double* OwnValues::take_category(const CategoricalFeature& feature, std::size_t k, double* entry) {
  const std::size_t others = feature.levels.size() - 1;
  const std::optional<std::size_t> party = encoding_.schema().party;
  if (feature.by_party && !party) {
    std::fill_n(entry, others, 1 / static_cast<double>(others + 1));
    square_ += 1;
    return entry + others;
  }
  const std::size_t level =
      feature.by_party ? *party : static_cast<std::size_t>(clipped_[encoding_.inputs(k)[0]]);
  std::fill_n(entry, others, 0.0);
  if (level > 0) {
    entry[level - 1] = 1;
    square_ += 1;
  }
  return entry + others;
}

double* OwnValues::take_number(const NumericFeature& feature, std::size_t k, double* entry) {
  const ColumnScale& scale = encoding_.feature_scale(k);
  values_.clear();
  for (const std::size_t each : encoding_.inputs(k)) {
    const auto input = TermInput::unpack(each);
    values_.push_back(input(clipped_[input.place]));
  }
  inputs_.clear();
  for (const double& value : values_) inputs_.push_back(&value);
  *entry = values_[0];
  if (feature.term) {
    feature.term->expression.evaluate(inputs_, 1, scratch_, entry);
    *entry = std::clamp(*entry, scale.bounds.lo, scale.bounds.hi);
  }
  square_ += std::pow((*entry - scale.middle) / scale.half, 2);
  return entry + 1;
}

double* OwnValues::take_spline(std::size_t k, double* entry) {
  const SplineBasis& basis = *splines_[k];
  basis.evaluate(clipped_[encoding_.inputs(k)[0]], entry, 1);
  for (std::size_t n = 0; n < basis.size(); ++n) square_ += entry[n] * entry[n];
  return entry + basis.size();
}

}  // namespace sotto
