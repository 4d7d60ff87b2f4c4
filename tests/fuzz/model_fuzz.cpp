// model.json: what predictions and refits are made of.

#include "fuzz/kept_json.h"
#include "run/predict.h"
#include "run/refit/refit.h"

namespace sotto {
namespace {

// One row for whatever the model wants to know, each column once.
std::string table_for(const Schema& schema) {
  std::string names;
  std::string values;
  for (const TableColumn& column : schema.table_columns(false)) {
    std::string name;
    for (const char c : column.name) name += c == '"' ? "\"\"" : std::string(1, c);
    names += (names.empty() ? "\"" : ",\"") + name + "\"";
    values += (values.empty() ? "" : ",") + std::string("1");
  }
  return names + "\n" + values + "\n";
}

}  // namespace

SOTTO_FUZZER(model) {
  const auto json = fuzz::with_good_digest(bytes);
  if (!json) return;
  const auto model = model_file_from_json(*json, "model.json");
  if (fuzz::fine_or_error(model)) {
    const std::string table = fuzz::file_with("predict.csv", table_for(model->schema));
    const auto predicted = predict(*model, table, {.party = {}, .level = 0.9});
    if (!fuzz::fine_or_error(predicted)) (void)fuzz::fine_or_error(predict(*model, table));
  }
  const auto record = record_from_model_json(*json, "model.json");
  if (fuzz::fine_or_error(record) && record->release) {
    (void)fuzz::fine_or_error(refit(*record, RefitWords{}));
  }
}

}  // namespace sotto
