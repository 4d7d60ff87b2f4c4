#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "run/run_record.h"

namespace sotto {

// What a finished run leaves with its party.
struct ResultFiles {
  std::vector<std::string> all;         // model.json, record.json, and report.html if it is there
  std::optional<Error> no_report = {};  // why it is not, though somebody wanted one
};

// Writes them. All parties have the same model, and may show it; record and report count this
// party's own rows, and are for their owner alone. The run was paid for, and model and record are
// all of what it found: a report can be made from the record at any time, so one that fails
// (E-unexpected, E-file-write), by an exception even, keeps nothing from being finished. `report`
// may be empty.
[[nodiscard]] Result<ResultFiles> keep_result_files(
    const std::filesystem::path& folder, const RunRecord& record, const std::string& model_json,
    const std::function<std::string(const RunRecord&)>& report);

}  // namespace sotto
