// model.json: what predictions and refits are made of, by the program and by the library.

#include <sotto/model.h>

#include "fuzz/good_files.h"
#include "fuzz/model_checks.h"

namespace sotto {
namespace {

std::string in_quotes(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

// Whatever the model wants to know, each column once: rows inside the bounds, far outside, and with
// nothing in them; levels as they come.
std::string table_for(const Schema& schema) {
  const std::vector<std::string> numbers{"1", "-1e308", "1e308", ""};
  const std::vector<TableColumn> columns = schema.table_columns(false);
  std::string text;
  for (const TableColumn& column : columns) {
    text += (text.empty() ? "" : ",") + in_quotes(column.name);
  }
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    text += "\n";
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const auto& levels = columns[c].levels;
      if (c > 0) text += ",";
      text += levels.empty() ? numbers[row] : in_quotes(levels[row % levels.size()]);
    }
  }
  return text + "\n";
}

void predict_with(const ModelFile& model) {
  const std::string table = fuzz::file_with("predict.csv", table_for(model.schema));
  const auto look = [](const Result<Predictions>& found) {
    if (!fuzz::fine_or_error(found)) return;
    const std::size_t rows = found->values.size();
    fuzz::require(!found->intervals || (found->intervals->unshrunk.size() == rows &&
                                        found->intervals->mean.size() == rows &&
                                        found->intervals->row.size() == rows),
                  "every prediction has its intervals");
  };
  look(predict(model, table));
  look(predict(model, table, {.party = {}, .level = 0.9}));
  look(predict(model, table, {.party = "party-2", .level = 0.5}));
}

// The library takes what the program takes, and keeps it to the byte.
void ask_library(const std::string& text, bool taken) {
  const auto model = v1::Model::parse(text, "model.json");
  fuzz::require(fuzz::fine_or_error(model) == taken, "the library reads what the program reads");
  if (!taken) return;
  fuzz::require(model->json() == text && !model->text().empty(), "a model stays what it was");
  const std::string path = fuzz::own_folder() + "/model.json";
  fuzz::require(model->write(path).has_value() && fuzz::content_of(path) == text,
                "a model is written to the bytes that were read");
  const auto again = v1::Model::read(path);
  fuzz::require(again && again->coefficients().size() == model->coefficients().size(),
                "what was written reads back");
  v1::Table table;
  for (const std::string& column : model->columns()) table.add_numbers(column, {1, 2});
  (void)fuzz::fine_or_error(model->predict(table, 0.9));
  if (const auto other = model->refit({}); fuzz::fine_or_error(other)) {
    (void)fuzz::fine_or_error(other->predict(table));
  }
}

}  // namespace

// A model's text, or what is changed in a good one (kept_json.h).
SOTTO_FUZZER(model) {
  fuzz::Choices choices(bytes);
  const auto file = fuzz::kept_file(choices, fuzz::good_models());
  if (!file) return;
  const auto model = model_file_from_json(file->json, "model.json");
  if (fuzz::fine_or_error(model)) predict_with(*model);
  const auto record = record_from_model_json(file->json, "model.json");
  const bool taken = fuzz::fine_or_error(record);
  ask_library(json_text(file->json), taken && model);
  if (!taken) {
    fuzz::require(!file->unchanged, "a good model is taken: " + record.error().to_string());
    return;
  }
  fuzz::require_page(*record, Audience::kShared);
  const Json written = to_json(Model{.record = *record, .fit = {}});
  fuzz::require(!file->unchanged || json_line(written) == json_line(file->json),
                "a good model is written as it was");
  const auto again = record_from_model_json(parse_json(json_text(written)), "model.json");
  fuzz::require(again.has_value(),
                [&] { return "what was written reads back: " + json_line(written); });
  fuzz::require(json_line(to_json(Model{.record = *again, .fit = {}})) == json_line(written),
                "a model has one form");
  if (!record->release) return;
  if (const auto other = refit(*record, RefitWords{}); fuzz::fine_or_error(other)) {
    fuzz::require_model(*other);
  }
}

}  // namespace sotto
