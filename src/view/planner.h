#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "study/settings.h"

// The part *Plan* of the page: what a study with other settings would give, and saving it. Only
// study files directly in one folder are read, and only there one is written.
namespace sotto::view {

using Query = std::map<std::string, std::string>;

// The names of the files in `folder` that are studies, sorted. At most kMostStudies are looked at.
inline constexpr std::size_t kMostStudies = 200;
[[nodiscard]] std::vector<std::string> studies_in(const std::string& folder);

// How many parties the page plans for: more take longer than a slider's movement.
inline constexpr std::size_t kMostPlannedParties = 1000;

// {"solvers", "topologies"}: the words that the controls offer. A topology that needs more than a
// number of parties is offered only where the file has it.
[[nodiscard]] Json plan_words();

// What stands for a study where the folder has none: made-up households, as `sotto generate` has.
inline constexpr const char* kMadeUpStudy = "(made up)";

// The study that a query names, and what its controls set: `epsilon`, `delta`, `solver`,
// `colluders`, `topology`, `parties`; only what differs from the file is a setting. E-view-study.
struct PlanQuestion {
  StudySource source;
  std::vector<Setting> settings;
  double rows = 0;
};
[[nodiscard]] Result<PlanQuestion> plan_question(const std::string& folder, const Query& query);

// {"controls": {epsilon, delta, solver, colluders, topology, parties, rows, named, tables},
//  "html"}, or {"error"} in place of the html: with controls, since an error is what some settings
// give. No data is touched.
[[nodiscard]] Result<Json> plan_json(const std::string& folder, const Query& query);

// Writes the study with its settings into `folder`, as `name`. {"saved": "study.toml"}.
// E-view-name: a name that is no plain file name ending in .toml. E-view-exists: there is one, and
// the query does not say replace=yes. Errors of the study: what is not one is not saved.
[[nodiscard]] Result<Json> save_study(const std::string& folder, const std::string& name,
                                      bool replace, const Query& query);

}  // namespace sotto::view
