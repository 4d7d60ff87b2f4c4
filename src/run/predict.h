#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "data/schema.h"
#include "data/table.h"
#include "run/run_record.h"

namespace sotto {

// A model file, as far as predictions need it.
struct ModelFile {
  struct Coefficient {
    std::string name;
    double value = 0;
    std::optional<double> standard_error;
    std::optional<double> unshrunk{};  // what error and covariance belong to
    std::optional<double> degrees_of_freedom{};
  };

  std::string study;
  Schema schema;                          // how a row is read and clipped
  std::vector<Coefficient> coefficients;  // in own units, in the order of encoded_names()
  std::optional<ModelSummary> summary{};  // with the covariance that intervals need
  std::string no_intervals{};             // why there can be none; empty if there can
};

// E-model-file: not readable, cut short, or not JSON. E-model-json names the field that is
// missing or wrong; E-schema-… where the encoding is no valid schema; E-model-version,
// E-model-digest.
[[nodiscard]] Result<ModelFile> read_model_file(const std::string& path);
[[nodiscard]] Result<ModelFile> model_file_from_json(const nlohmann::ordered_json& json,
                                                     const std::string& file);

// Between which ends a record's target lies, with probability `level` each.
struct PredictionIntervals {
  double level = 0;
  std::vector<double> unshrunk{};  // what the intervals are about; kMissing as in Predictions
  std::vector<std::pair<double, double>> mean{};  // of the mean of all such records
  std::vector<std::pair<double, double>> row{};   // of one new record
};

// What a model says of a table's records, in the file's order.
struct Predictions {
  std::vector<double> values;               // kMissing where a feature is missing
  std::uint64_t missing = 0;                // records without a prediction
  std::vector<RunRecord::Clipped> clipped;  // per numeric feature
  std::uint64_t shortened = 0;              // records longer than the study's radius
  std::uint64_t outside = 0;  // predictions outside the target's bounds; kept as they are
  std::optional<PredictionIntervals> intervals{};
};

// A record is clipped to the bounds, and shortened to the radius R, as in training:
//
//     ŷ = m_y + min(1, R/‖u‖)·(β₀ + Σ β_k v_k − m_y),
//
// v the clipped values, u the scaled ones (data/encoding.h), m_y the middle of the
// target's bounds (0 without an intercept). The table needs the features' columns,
// in any order; the target's is not read. Errors as for training: data/table.h.
//
// Of a model with party effects, `party` says whose effect counts; empty: the mean of all of them.
// E-predict-party.
//
// With a level also intervals, from the model file alone: with x the record's clipped values, C the
// covariance of the unshrunk coefficients β̃ (the privacy noise in it), s the residual standard
// deviation, f what shortens the record,
//
//     mean   f·xᵀβ̃ + (1 − f)·m_y ± q·f·√(xᵀCx)
//     row    the same ± q·√(f²·xᵀCx + s²)
//
// q is Student's, with the fewest degrees of freedom of any coefficient for the mean, and s's own
// for a row. Residuals of a row are taken to be normal. E-predict-level: not between 0 and 1.
// E-predict-intervals: the file has no covariance, or bounds so far from 0 for their width that it
// has no digits left (kFarthestBounds); says why.
inline constexpr double kFarthestBounds = 1e6;  // |middle|/half
struct PredictOptions {
  std::string party = {};
  std::optional<double> level = std::nullopt;
};
[[nodiscard]] Result<Predictions> predict(const ModelFile& model, const TableRequest& table,
                                          const PredictOptions& options = {});

}  // namespace sotto
