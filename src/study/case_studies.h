#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/result.h"
#include "study/run.h"

namespace sotto {

struct CaseStudyOptions {
  std::string folder = "out/paper";
  std::uint64_t seed = 1;
  Progress progress;
};

struct Reproduction {
  nlohmann::ordered_json summary;
  std::string text;  // what was measured, and where the files are
};

// The paper's Section V again: fig1, fig2, fig3 or all. Writes CSV and SVG per
// figure and one index.html, with what the paper claims beside what was measured.
[[nodiscard]] Result<Reproduction> reproduce(const std::string& figure,
                                             const CaseStudyOptions& options);

}  // namespace sotto
