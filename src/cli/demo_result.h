#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/demo_crew.h"
#include "report/run_record.h"

namespace sotto {

// What the parties of a demo ended with, and how it compares.
struct DemoResult {
  std::vector<std::string> models;  // a model.json per party
  bool same_bits = false;           // all of them are the same file
  RunRecord record;                 // the first party's
  nlohmann::ordered_json model;     // what all hold
  // The coefficients of ordinary least squares over all tables together, without noise.
  // Only a demo can have it: the data are made up.
  std::vector<double> without_noise;
};

// Reads it back from the parties' homes. E-demo-result where a party has kept no result.
[[nodiscard]] Result<DemoResult> demo_result(const DemoStage& stage);

// How many coefficients have the one without noise inside their 95 % interval; none
// where there are no intervals.
[[nodiscard]] std::optional<std::size_t> inside_intervals(const DemoResult& result);

// For a person, and for a script. `program` is how the reader starts sotto.
[[nodiscard]] std::string demo_text(const DemoStage& stage, const DemoRun& run,
                                    const DemoResult& result, const std::string& program);
[[nodiscard]] nlohmann::ordered_json demo_json(const DemoStage& stage, const DemoRun& run,
                                               const DemoResult& result);

}  // namespace sotto
