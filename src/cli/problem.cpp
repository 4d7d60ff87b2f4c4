// `sotto problem export`: the costs that a study brings, as other programs read them.
#include <fmt/format.h>

#include <memory>

#include "base/files.h"
#include "base/json.h"
#include "cli/command_line.h"
#include "run/input.h"
#include "study/settings.h"

namespace sotto {
namespace {

// In the form that [problem] files has: {"parties": [{"A": …, "B": …}, …]}.
Json problem_json(const Problem& problem) {
  Json parties = Json::array();
  for (std::size_t i = 0; i < problem.costs.size(); ++i) {
    const Quadratic cost = problem.costs[i];
    Json a = Json::array();
    for (Eigen::Index r = 0; r < cost.a.rows(); ++r) {
      Json row = Json::array();
      for (Eigen::Index c = 0; c < cost.a.cols(); ++c) row.push_back(cost.a(r, c));
      a.push_back(row);
    }
    parties.push_back({{"A", a}, {"B", cost.b}});
  }
  return {{"parties", parties}};
}

}  // namespace

Verb add_problem(const Syntax& program) {
  struct Options {
    std::string study;
    std::vector<std::string> settings;
    std::string out;
  };
  auto options = std::make_shared<Options>();
  const Syntax verb = program.verb("problem", "the costs of a study without tables",
                                   "sotto problem export examples/paper.toml --out costs.json");
  verb.require_word();
  const Syntax word = verb.word("export", "every party's A and B, as [problem] files takes them");
  word.text("study", options->study, "the study, a TOML file; - is standard input",
            Need::kRequired);
  word.group("The study")
      .repeated("--set", options->settings, "a key of the study and its value, graph.parties=50");
  word.group(kOutput).text("--out", options->out, "where the JSON goes; else to standard output");
  auto run = [options](Output output) -> Result<std::string> {
    SOTTO_ASSIGN(const auto source, read_study_text(options->study));
    std::vector<SettingValues> keys;
    for (const std::string& words : options->settings) {
      SOTTO_ASSIGN(keys.emplace_back(), setting_from(words));
    }
    SOTTO_ASSIGN(const auto grid, grid_of(keys));
    if (grid.size() != 1) {
      return bad_input("E-setting", "a problem is exported in one setting",
                       "give each key one value")
          .at("--set");
    }
    SOTTO_ASSIGN(const auto study, study_with(source, grid.front()));
    SOTTO_ASSIGN(const auto problem, load_problem(study).at(source.name));
    const std::string text = json_text(problem_json(problem));
    if (options->out.empty()) return text;
    SOTTO_TRY(write_file(options->out, text));
    if (output.json())
      return json_text({{"file", options->out}, {"parties", problem.costs.size()}});
    return fmt::format("the costs of {} parties: {}\n", problem.costs.size(), options->out);
  };
  return {verb, run};
}

}  // namespace sotto
