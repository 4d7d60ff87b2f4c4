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

// A number, or nothing where a record has no prediction.
std::string csv_number(double value) {
  return std::isnan(value) ? "" : fmt::format("{}", value);
}

std::string predictions_csv(const Predictions& found) {
  if (!found.intervals) {
    CsvWriter csv({"record", "prediction"});
    for (std::size_t r = 0; r < found.values.size(); ++r) {
      csv.row(r + 1, csv_number(found.values[r]));
    }
    return csv.text();
  }
  const auto& [level, unshrunk, mean, row] = *found.intervals;
  CsvWriter csv(
      {"record", "prediction", "unshrunk", "mean_low", "mean_high", "row_low", "row_high"});
  for (std::size_t r = 0; r < found.values.size(); ++r) {
    csv.row(r + 1, csv_number(found.values[r]), csv_number(unshrunk[r]), csv_number(mean[r].first),
            csv_number(mean[r].second), csv_number(row[r].first), csv_number(row[r].second));
  }
  return csv.text();
}

Json predictions_json(const ModelFile& model, const Predictions& found) {
  const auto number = [](double value) { return number_or_null(value); };
  Json json{{"study", model.study},
            {"target", model.schema.target.column},
            {"predictions", json_list(found.values, number)},
            {"missing", found.missing},
            {"clipped", clipped_json(found.clipped)},
            {"shortened", found.shortened},
            {"outside_bounds", found.outside}};
  if (found.intervals) {
    const auto pair = [](const std::pair<double, double>& ends) -> Json {
      if (std::isnan(ends.first)) return nullptr;
      return Json::array({ends.first, ends.second});
    };
    json["intervals"] = {{"level", found.intervals->level},
                         {"unshrunk", json_list(found.intervals->unshrunk, number)},
                         {"mean", json_list(found.intervals->mean, pair)},
                         {"row", json_list(found.intervals->row, pair)}};
  }
  return json;
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
  if (found.intervals) {
    notes += fmt::format(
        "  {:g} % intervals, the privacy noise counted in: \"mean\" for all such records together, "
        "\"row\" for\n  one of them. They are about the unshrunk prediction: errors are known of "
        "that one.\n",
        100 * found.intervals->level);
  }
  return notes;
}

}  // namespace

Verb add_predict(const Syntax& program) {
  struct Options {
    std::string model;
    TableRequest table;
    std::string out;
    std::string home;
    std::string party;
    bool intervals = false;
    double level = 0.95;
  };
  auto options = std::make_shared<Options>();
  const Syntax verb =
      program.verb("predict", "predictions of a fitted model for the rows of a table",
                   "sotto predict out/run/model.json new.csv --intervals --out predictions.csv");
  const Syntax rows = verb.group("The table");
  const Syntax intervals = verb.group("Intervals");
  verb.text("model", options->model,
            "a model.json; or a finished run: its first digits, its study's name, or last",
            Need::kRequired);
  verb.text("file", options->table.place, "a table with the model's features; - for standard input",
            Need::kRequired);
  add_table_words(rows, options->table);
  verb.group(kOutput).text("--out", options->out, "write the predictions here");
  verb.group(kWhoAndWhere).text("--home", options->home, kHomeHelp);
  rows.text(
      "--party", options->party,
      "of a model with party effects: whose rows they are (without: the mean of all effects)");
  intervals.flag("--intervals", options->intervals,
                 "between which ends the mean of such records and one new record lie");
  intervals.number("--level", options->level, "of the intervals (default 0.95)");
  auto run = [options, verb](Output output) -> Result<std::string> {
    SOTTO_ASSIGN(const auto file, find_run_file(options->model, options->home, kModelFile));
    SOTTO_ASSIGN(const auto model, read_model_file(file));
    if (verb.given("--level") && !options->intervals) {
      return bad_input("E-usage", "--level is of intervals", "add --intervals")
          .at("the command line");
    }
    const auto level = options->intervals ? std::optional(options->level) : std::nullopt;
    SOTTO_ASSIGN(const auto found,
                 predict(model, options->table, {.party = options->party, .level = level}));
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
