// `sotto predict`: a model's predictions as CSV or JSON, and what a person should know beside them.
#include "run/predict.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "base/files.h"
#include "base/json.h"
#include "base/words.h"
#include "cli/command_line.h"
#include "report/csv.h"
#include "run/home.h"

namespace sotto {
namespace {

std::string predictions_csv(const Predictions& found) {
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

Json predictions_json(const ModelFile& model, const Predictions& found) {
  return {
      {"study", model.study},
      {"target", model.schema.target.column},
      {"predictions", json_list(found.values, [](double value) { return number_or_null(value); })},
      {"missing", found.missing},
      {"clipped", clipped_json(found.clipped)},
      {"shortened", found.shortened},
      {"outside_bounds", found.outside}};
}

// What a person should know beside the numbers.
std::string predictions_text(const ModelFile& model, const Predictions& found) {
  std::string notes =
      fmt::format("{} of {}\n",
                  sotto::counted(found.values.size() - found.missing, "prediction", "predictions"),
                  model.schema.target.column);
  if (found.missing > 0) {
    notes += fmt::format("  {} a missing value and no prediction\n",
                         sotto::counted(found.missing, "record has", "records have"));
  }
  for (const RunRecord::Clipped& column : found.clipped) {
    if (column.below + column.above == 0) continue;
    notes += fmt::format("  {}: {} below the study's bounds and {} above, clipped\n", column.column,
                         sotto::counted(column.below, "value", "values"), column.above);
  }
  if (found.shortened > 0) {
    notes += fmt::format("  {} longer than the study's radius, and {} shortened\n",
                         sotto::counted(found.shortened, "record is", "records are"),
                         found.shortened == 1 ? "was" : "were");
  }
  if (found.outside > 0) {
    notes += fmt::format("  {} outside the bounds of {}\n",
                         sotto::counted(found.outside, "prediction lies", "predictions lie"),
                         model.schema.target.column);
  }
  return notes;
}

}  // namespace

Verb add_predict(const Syntax& program) {
  struct Options {
    std::string model;
    std::string table;
    std::string out;
    std::string home;
  };
  auto options = std::make_shared<Options>();
  const Syntax verb =
      program.verb("predict", "predictions of a fitted model for the records of a CSV file",
                   "sotto predict out/run/model.json new.csv --out predictions.csv");
  verb.text("model", options->model,
            "a model.json; or a finished run: its first digits, its study's name, or last",
            Need::kRequired);
  verb.text("file", options->table, "a CSV file with the model's features", Need::kRequired);
  verb.text("--out", options->out, "write the predictions here");
  verb.text("--home", options->home, kHomeHelp);
  auto run = [options](Output output) -> Result<std::string> {
    SOTTO_ASSIGN(const auto file, find_run_file(options->model, options->home, kModelFile));
    SOTTO_ASSIGN(const auto model, read_model_file(file));
    SOTTO_ASSIGN(const auto found, predict(model, options->table));
    const bool json = output.json();
    const std::string body =
        json ? json_text(predictions_json(model, found)) : predictions_csv(found);
    const std::string notes = predictions_text(model, found);
    if (options->out.empty()) {
      // Standard output carries the numbers alone, for the next program.
      if (!json) fmt::print(stderr, "{}", notes);
      return body;
    }
    SOTTO_TRY(write_file(options->out, body));
    return json ? std::string() : notes;
  };
  return {verb, run};
}

}  // namespace sotto
