#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/verb.h"
#include "study/household_study.h"

namespace sotto {

Verb add_generate(CLI::App& app) {
  struct Options {
    Output output;
    HouseholdStudy study;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(app, "generate", "made-up tables to try things on, and the study that fits them",
                  "sotto generate 4000 --parties 5 --out out/energy", options->output);
  command->add_option("rows", options->study.rows, "rows of each party's table")
      ->check(whole_number())
      ->required();
  command->add_option("--parties", options->study.parties, "how many tables")
      ->check(whole_number())
      ->capture_default_str();
  command->add_option("--seed", options->study.seed, "where all randomness comes from")
      ->check(whole_number())
      ->capture_default_str();
  command->add_option("--missing", options->study.missing, "how often an answer is missing")
      ->capture_default_str();
  command->add_option("--epsilon", options->study.epsilon, "the study's ε")->capture_default_str();
  command->add_option("--delta", options->study.delta, "the study's δ")->capture_default_str();
  command->add_option("--out", options->study.folder, "where the files go")->required();
  auto run = [options]() -> Result<std::string> {
    const auto files = write_household_study(options->study);
    if (!files) return tl::unexpected(files.error());
    if (options->output.json()) {
      const nlohmann::ordered_json json{{"study", files->study}, {"tables", files->tables}};
      return json.dump(2) + "\n";
    }
    std::string list;
    for (const std::string& table : files->tables) {
      list += fmt::format("{}{}", list.empty() ? "" : ",", table);
    }
    return fmt::format(
        "{} tables of {} rows, and {}\n\n  sotto plan {}\n  sotto simulate {} "
        "--data {}\n",
        files->tables.size(), options->study.rows, files->study, files->study, files->study, list);
  };
  return {command, run};
}

}  // namespace sotto
