#include "study/predict.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/verb.h"
#include "report/csv.h"
#include "report/file.h"

namespace sotto {
namespace {

std::string csv_of(const Predictions& found) {
  CsvWriter csv({"record", "prediction"});
  for (std::size_t r = 0; r < found.values.size(); ++r) {
    if (std::isnan(found.values[r])) {
      csv.row(r + 1, "");
    } else {
      csv.row(r + 1, found.values[r]);
    }
  }
  return csv.text();
}

nlohmann::ordered_json json_of(const Model& model, const Predictions& found) {
  using Json = nlohmann::ordered_json;
  Json values = Json::array();
  for (const double value : found.values) {
    values.push_back(std::isnan(value) ? Json(nullptr) : Json(value));
  }
  Json clipped = Json::array();
  for (const RunRecord::Clipped& column : found.clipped) {
    clipped.push_back(
        {{"column", column.column}, {"below", column.below}, {"above", column.above}});
  }
  return {{"study", model.study},
          {"target", model.schema.target.column},
          {"predictions", values},
          {"missing", found.missing},
          {"clipped", clipped},
          {"shortened", found.shortened},
          {"outside_bounds", found.outside}};
}

// What a person should know beside the numbers.
std::string notes_of(const Model& model, const Predictions& found) {
  std::string notes = fmt::format("{} predictions of {}\n", found.values.size() - found.missing,
                                  model.schema.target.column);
  if (found.missing > 0) {
    notes += fmt::format("  {} records have a missing value and no prediction\n", found.missing);
  }
  for (const RunRecord::Clipped& column : found.clipped) {
    if (column.below + column.above == 0) continue;
    notes += fmt::format("  {}: {} values below the study's bounds and {} above, clipped\n",
                         column.column, column.below, column.above);
  }
  if (found.shortened > 0) {
    notes += fmt::format("  {} records are longer than the study's radius, and were shortened\n",
                         found.shortened);
  }
  if (found.outside > 0) {
    notes += fmt::format("  {} predictions lie outside the bounds of {}\n", found.outside,
                         model.schema.target.column);
  }
  return notes;
}

}  // namespace

Verb add_predict(CLI::App& app) {
  struct Options {
    Output output;
    std::string model;
    std::string table;
    std::string out;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      app, "predict", "predictions of a fitted model for the records of a CSV file",
      "sotto predict out/run/model.json new.csv --out predictions.csv", options->output);
  command->add_option("model", options->model, "model.json of a run")->required();
  command->add_option("file", options->table, "a CSV file with the model's features")->required();
  command->add_option("--out", options->out, "write the predictions here");
  auto run = [options]() -> Result<std::string> {
    const auto model = read_model(options->model);
    if (!model) return tl::unexpected(model.error());
    const auto found = predict(*model, options->table);
    if (!found) return tl::unexpected(found.error());
    const std::string body =
        options->output.json() ? json_of(*model, *found).dump(2) + "\n" : csv_of(*found);
    const std::string notes = notes_of(*model, *found);
    if (options->out.empty()) {
      // Standard output carries the numbers alone, for the next program.
      if (!options->output.json()) fmt::print(stderr, "{}", notes);
      return body;
    }
    if (auto written = write_file(options->out, body); !written) {
      return tl::unexpected(written.error());
    }
    return options->output.json() ? std::string() : notes;
  };
  return {command, run};
}

}  // namespace sotto
