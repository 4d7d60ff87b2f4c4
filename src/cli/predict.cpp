// `sotto predict`: a model's predictions as CSV or JSON, and what a person should know beside them.
#include "run/predict.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "base/files.h"
#include "base/json.h"
#include "cli/command_line.h"
#include "report/csv.h"

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

Verb add_predict(const Syntax& program) {
  struct Options {
    std::string model;
    TableRequest table;
    std::string out;
    std::string party;
  };
  auto options = std::make_shared<Options>();
  const Syntax verb =
      program.verb("predict", "predictions of a fitted model for the rows of a table",
                   "sotto predict out/run/model.json new.csv --out predictions.csv");
  verb.text("model", options->model, "model.json of a run", Need::kRequired);
  verb.text("file", options->table.place, "a table with the model's features; - for standard input",
            Need::kRequired);
  add_table_words(verb, options->table);
  verb.text("--out", options->out, "write the predictions here");
  verb.text(
      "--party", options->party,
      "of a model with party effects: whose rows they are (without: the mean of all effects)");
  auto run = [options](Output output) -> Result<std::string> {
    SOTTO_ASSIGN(const auto model, read_model_file(options->model));
    SOTTO_ASSIGN(const auto found, predict(model, options->table, options->party));
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
