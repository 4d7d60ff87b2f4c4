#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/schema.h"
#include "report/run_record.h"
#include "study/explained.h"

namespace sotto {

// A fitted model, as far as predictions need it.
struct Model {
  struct Coefficient {
    std::string name;
    double value = 0;
    std::optional<double> standard_error;
  };

  std::string study;
  Schema schema;                          // how a row is read and clipped
  std::vector<Coefficient> coefficients;  // in own units, in the order of encoded_names()
};

// The model file: everything that may leave the party, and nothing else.
//
//     coefficients[{name, value, standard_error|null, unshrunk|null, interval|null}],
//     privacy{…, adversaries[]}, rows?, explained?, encoding, study_hash, transcript_hash
[[nodiscard]] nlohmann::ordered_json model_json(const RunRecord& record,
                                                const std::optional<Explained>& explained);

// E-model-file: not readable, or not JSON. E-model-json names the field that is
// missing or wrong; E-schema-… where the encoding is no valid schema.
[[nodiscard]] Result<Model> read_model(const std::string& path);
[[nodiscard]] Result<Model> model_from_json(const nlohmann::ordered_json& json,
                                            const std::string& file);

// The schema as JSON: intercept, missing, radius, target, features[].
[[nodiscard]] nlohmann::ordered_json schema_json(const Schema& schema);

}  // namespace sotto
