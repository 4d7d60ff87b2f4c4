#pragma once

// What everybody does with a record, and what must hold of a model that was made of one.

#include "fuzz/fuzz.h"
#include "report/run_report.h"
#include "run/kept_json.h"
#include "run/model.h"
#include "run/predict.h"

namespace sotto::fuzz {

inline void require_page(const RunRecord& record, Audience audience) {
  require(!run_report(record, audience).html().empty(), "a record is a page");
}

// Shown as a page and on a terminal, and written to a file that predictions and refits read.
inline void require_model(const Model& model) {
  require_page(model.record, Audience::kShared);
  require(!to_text(model).empty(), "a model is a text");
  const Json json = parse_json(json_text(to_json(model)));
  const auto file = model_file_from_json(json, "model.json");
  require(file.has_value(), [&] {
    return "predictions can be made of a model: " + file.error().to_string() + json_line(json);
  });
  const auto record = record_from_model_json(json, "model.json");
  require(record.has_value(),
          [&] { return "a model reads back: " + record.error().to_string() + json_line(json); });
  require(json_line(to_json(Model{.record = *record, .fit = {}})) == json_line(json),
          [&] { return "a model has one form: " + json_line(json); });
}

}  // namespace sotto::fuzz
