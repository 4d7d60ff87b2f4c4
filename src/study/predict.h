#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "study/model_file.h"

namespace sotto {

// What a model says of a table's records, in the file's order.
struct Predictions {
  std::vector<double> values;               // kMissing where a feature is missing
  std::uint64_t missing = 0;                // records without a prediction
  std::vector<RunRecord::Clipped> clipped;  // per numeric feature
  std::uint64_t shortened = 0;              // records longer than the study's radius
  std::uint64_t outside = 0;  // predictions outside the target's bounds; kept as they are
};

// A record is clipped to the bounds, and shortened to the radius R, as in training:
//
//     ŷ = m_y + min(1, R/‖u‖)·(β₀ + Σ β_k v_k − m_y),
//
// v the clipped values, u the scaled ones (data/encoding.h), m_y the middle of the
// target's bounds (0 without an intercept). The file needs the features' columns,
// in any order; the target's is not read. Errors as for training: E-csv-….
[[nodiscard]] Result<Predictions> predict(const Model& model, const std::string& path);

}  // namespace sotto
