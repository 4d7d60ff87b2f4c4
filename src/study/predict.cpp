#include "study/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "data/csv.h"
#include "data/csv_block.h"
#include "data/encoding.h"

namespace sotto {
namespace {

// The model, ready to be applied to raw rows.
class Predictor {
 public:
  Predictor(const Model& model, const Encoding& encoding) : model_(model), encoding_(encoding) {
    for (const Feature& feature : model.schema.features) {
      if (std::holds_alternative<NumericFeature>(feature)) {
        found_.clipped.push_back({.column = column_of(feature)});
      }
    }
  }

  void add(const RawRows& rows) {
    for (std::size_t r = 0; r < rows.rows; ++r) found_.values.push_back(predict_row(rows, r));
  }

  [[nodiscard]] Predictions result() { return std::move(found_); }

 private:
  double predict_row(const RawRows& rows, std::size_t r) {
    const Schema& schema = model_.schema;
    for (std::size_t c = 0; c < schema.features.size(); ++c) {
      if (!std::isnan(rows.column(c)[r])) continue;
      ++found_.missing;
      return kMissing;
    }
    std::size_t entry = 0;
    std::size_t numeric = 0;
    double linear = schema.intercept ? model_.coefficients[entry++].value : 0;
    double square = schema.intercept ? 1 : 0;
    for (std::size_t c = 0; c < schema.features.size(); ++c) {
      const double raw = rows.column(c)[r];
      if (const auto* levels = std::get_if<CategoricalFeature>(&schema.features[c])) {
        if (raw > 0) {
          linear += model_.coefficients[entry + static_cast<std::size_t>(raw) - 1].value;
          square += 1;
        }
        entry += levels->levels.size() - 1;
        continue;
      }
      const ColumnScale& scale = encoding_.feature_scale(c);
      const double value = std::clamp(raw, scale.bounds.lo, scale.bounds.hi);
      found_.clipped[numeric].below += raw < scale.bounds.lo ? 1 : 0;
      found_.clipped[numeric].above += raw > scale.bounds.hi ? 1 : 0;
      ++numeric;
      linear += model_.coefficients[entry++].value * value;
      square += std::pow((value - scale.middle) / scale.half, 2);
    }
    const ColumnScale& target = encoding_.target_scale();
    double predicted = linear;
    if (encoding_.shortens() && square > encoding_.radius() * encoding_.radius()) {
      ++found_.shortened;
      predicted = target.middle + encoding_.radius() / std::sqrt(square) * (linear - target.middle);
    }
    if (predicted < target.bounds.lo || predicted > target.bounds.hi) ++found_.outside;
    return predicted;
  }

  const Model& model_;
  const Encoding& encoding_;
  Predictions found_;
};

// Where the features stand in the file. The target need not be there.
Result<CsvLayout> feature_layout(const std::vector<std::string>& header, Schema schema) {
  schema.target.column = column_of(schema.features[0]);
  auto layout = CsvLayout::make(header, schema);
  if (layout) layout->columns.pop_back();
  return layout;
}

Error at_line(CsvFault fault, const std::string& path, std::size_t lines_before,
              std::string_view text) {
  const auto until = text.substr(0, fault.offset);
  const auto line = 1 + lines_before + static_cast<std::size_t>(std::ranges::count(until, '\n'));
  const std::string place = fmt::format("{}, line {}", path, line);
  return std::move(fault.error)
      .at(fault.column.empty() ? place : fmt::format("{}, column \"{}\"", place, fault.column));
}

}  // namespace

Result<Predictions> predict(const Model& model, const std::string& path) {
  const auto encoding = Encoding::make(model.schema);
  if (!encoding) return tl::unexpected(encoding.error());
  if (model.schema.features.empty()) {
    return bad_input("E-predict-features", "the model has no features to predict from",
                     "its intercept is the prediction for everybody");
  }
  const auto header = read_csv_header(path);
  if (!header) return tl::unexpected(header.error());
  const auto layout = feature_layout(*header, model.schema);
  if (!layout) {
    return tl::unexpected(Error(layout.error()).at(fmt::format("{}, line 1", path)));
  }
  auto source = RecordSource::open(path);
  if (!source) return tl::unexpected(source.error());

  Predictor predictor(model, *encoding);
  CsvBlockParser parser(*layout, best_csv_kernel());
  std::size_t lines = 0;
  RecordBlock block;
  for (bool first = true;; first = false) {
    const auto more = source->next(block);
    if (!more) return tl::unexpected(more.error());
    if (!*more) break;
    if (first) {
      std::size_t length = 0;
      const auto names = first_record(best_csv_kernel(), block.text(), length);
      if (!names) return tl::unexpected(names.error());
      lines += static_cast<std::size_t>(std::ranges::count(block.text().substr(0, length), '\n'));
      block.skip(length);
    }
    if (block.text().empty()) continue;
    auto fault = parser.parse(block.text(), [&](const RawRows& rows) { predictor.add(rows); });
    if (fault) return tl::unexpected(at_line(std::move(*fault), path, lines, block.text()));
    lines += parser.lines();
  }
  return predictor.result();
}

}  // namespace sotto
