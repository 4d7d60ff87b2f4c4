// `sotto reproduce`: the paper's figures.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "cli/terminal/terminal.h"
#include "paper/case_studies.h"

namespace sotto {

Verb add_reproduce(const Syntax& program) {
  struct Options {
    Output output;
    std::string figure;
    CaseStudyOptions study;
  };
  auto options = std::make_shared<Options>();
  const Syntax verb =
      program.verb("reproduce", "the paper's case studies: CSV, SVG and one HTML page",
                   "sotto reproduce all --out out/paper", options->output);
  verb.choice<std::string>("figure", options->figure,
                           {{"fig1", "fig1"}, {"fig2", "fig2"}, {"fig3", "fig3"}, {"all", "all"}},
                           "fig1, fig2, fig3 or all", Need::kRequired);
  verb.text("--out", options->study.folder, "where the files go");
  verb.whole("--seed", options->study.seed, "where all randomness comes from");
  auto run = [options]() -> Result<std::string> {
    ProgressBar bar(options->figure);
    options->study.progress = bar.callback();
    SOTTO_ASSIGN(const auto result, reproduce(options->figure, options->study));
    if (options->output.json()) return json_text(result.summary);
    return result.text;
  };
  return {verb, run};
}

}  // namespace sotto
