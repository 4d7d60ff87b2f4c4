#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "view/homes.h"
#include "view/planner.h"

// The part *Models* of the page: other models of what a run has released. All of it is
// post-processing, and costs nothing.
namespace sotto::view {

// {"runs": [{"id", "name"}]}: finished runs over tables, the last one first, each once however many
// of its parties are looked at; and model files in `folder`.
[[nodiscard]] Json model_sources(const std::vector<Home>& homes, const std::string& folder);

// The estimators that the control offers beside the run's own: those of studies, and "ridge".
[[nodiscard]] Json estimator_words();

// {"html", "columns": [{name, levels}], "target", "features", "estimator"} of the run `run`; the
// query has `target`, `features` (a,b,c), `estimator`, `ridge`. {"error"} where there is no such
// model. E-view-run.
[[nodiscard]] Result<Json> model_json(const std::vector<Home>& homes, const std::string& folder,
                                      const Query& query);

}  // namespace sotto::view
