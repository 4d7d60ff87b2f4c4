#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/progress_bar.h"
#include "cli/verb.h"
#include "study/case_studies.h"

namespace sotto {

Verb add_reproduce(CLI::App& app) {
  struct Options {
    Output output;
    std::string figure;
    CaseStudyOptions study;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(app, "reproduce", "the paper's case studies: CSV, SVG and one HTML page",
                  "sotto reproduce all --out out/paper", options->output);
  command->add_option("figure", options->figure, "fig1, fig2, fig3 or all")
      ->required()
      ->check(CLI::IsMember({"fig1", "fig2", "fig3", "all"}));
  command->add_option("--out", options->study.folder, "where the files go")->capture_default_str();
  command->add_option("--seed", options->study.seed, "where all randomness comes from")
      ->check(whole_number())
      ->capture_default_str();
  auto run = [options]() -> Result<std::string> {
    ProgressBar bar(options->figure);
    options->study.progress = bar.callback();
    const auto result = reproduce(options->figure, options->study);
    if (!result) return tl::unexpected(result.error());
    if (options->output.json()) return result->summary.dump(2) + "\n";
    return result->text;
  };
  return {command, run};
}

}  // namespace sotto
