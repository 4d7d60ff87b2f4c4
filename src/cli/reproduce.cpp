// `sotto reproduce`: the paper's figures.

#include <memory>

#include "base/json.h"
#include "base/version.h"
#include "cli/command_line.h"
#include "cli/terminal/terminal.h"
#include "paper/case_studies.h"

namespace sotto {

Verb add_reproduce(const Syntax& program) {
  struct Options {
    Figure figure = Figure::kAll;
    CaseStudyOptions study;
    bool independent = false;
  };
  auto options = std::make_shared<Options>();
  const Syntax verb =
      program.verb("reproduce", "the paper's case studies: CSV, SVG and one HTML page",
                   "sotto reproduce all --out out/paper");
  const Syntax draws = verb.group("Draws");
  const std::vector<std::pair<std::string, Figure>> figures{
      {"fig1", Figure::k1}, {"fig2", Figure::k2}, {"fig3", Figure::k3}, {"all", Figure::kAll}};
  verb.choice("figure", options->figure, figures, "fig1, fig2, fig3 or all", Need::kRequired);
  verb.group(kOutput).text("--out", options->study.folder, "where the files go");
  draws.whole("--seed", options->study.seed, "where all randomness comes from");
  draws.flag("--independent", options->independent,
             "draws of its own for every setting; else all share theirs");
  verb.group(kOutput).flag("--pdf", options->study.pdf, "drawings as PDF too; needs librsvg2-bin");
  auto run = [options, figures](Output output) -> Result<std::string> {
    const auto name =
        std::ranges::find(figures, options->figure, &std::pair<std::string, Figure>::second)->first;
    ProgressBar bar(name);
    options->study.progress = bar.callback();
    options->study.version = sotto_version();
    if (options->independent) options->study.draws = PointDraws::kIndependent;
    SOTTO_ASSIGN(const auto result, reproduce(options->figure, options->study));
    if (output.json()) return json_text(result.summary);
    return result.text;
  };
  return {verb, run};
}

}  // namespace sotto
