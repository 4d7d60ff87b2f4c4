// study.toml: a study, or an error with a name and a place. What is one can be compared, formatted
// and planned.

#include <cmath>
#include <cstdlib>

#include "fuzz/fuzz.h"
#include "plan/plan.h"
#include "study/settings.h"
#include "study/study_draft.h"
#include "study/study_lines.h"

namespace sotto {
namespace {

using fuzz::require;

// Graphs of millions are allowed, and take their time: not here.
bool asks_for_many(const StudySource& source) {
  for (const char* key : {"graph.parties", "graph.degree"}) {
    const auto value = setting_in(source, key);
    if (value && std::strtod(value->c_str(), nullptr) > 300) return true;
  }
  return false;
}

void plan_it(const Study& study, const std::string& text) {
  constexpr std::size_t kMostParties = 6;
  constexpr std::size_t kMostEntries = 8;
  const std::size_t entries = study.data      ? study.data->entries()
                              : study.problem ? study.problem->dimension
                                              : 0;
  if (study.graph().size() > kMostParties || entries > kMostEntries) return;
  const auto plan = make_plan(study, study.solver);
  if (!fuzz::fine_or_error(plan)) return;
  require(!std::isnan(plan->sum_noise_sd) && plan->sum_noise_sd > 0, "a plan has noise: " + text);
}

}  // namespace

SOTTO_FUZZER(study) {
  const std::string text(bytes);
  if (asks_for_many({.text = text, .name = "study.toml", .folder = {}})) return;
  const auto study = parse_study(text, "study.toml");
  if (!fuzz::fine_or_error(study)) {
    const Error& error = study.error();
    require(error.where.find("study.toml") != std::string::npos && !error.fix.empty(),
            "an error of a study has a place and a way out: " + error.to_string());
    return;
  }
  require(study->graph().size() >= 2 && study->parties.size() == study->graph().size(),
          "a study has parties, each with a name");
  constexpr std::size_t kAllLines = 1 << 20;
  const std::string lines = study_lines(text, kAllLines);
  require(study_differences(lines, lines, 3).empty(), "a study does not differ from itself");
  if (const auto formatted = formatted_study(text, "study.toml"); fuzz::fine_or_error(formatted)) {
    require(parse_study(*formatted, "study.toml").has_value() &&
                study_lines(*formatted, kAllLines) == lines,
            "a formatted study says the same:\n" + *formatted);
  }
  plan_it(*study, text);
}

}  // namespace sotto
