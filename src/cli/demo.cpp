#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/demo_crew.h"
#include "cli/demo_result.h"
#include "cli/verb.h"

namespace sotto {
namespace {

struct DemoOptions {
  Output output;
  DemoSettings settings;
  std::string solver = "dishuf";
};

// How to start this program from where the reader is.
std::string program_name() {
  std::error_code problem;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", problem);
  if (problem) return "sotto";
  const auto near = program.lexically_relative(std::filesystem::current_path(problem));
  return near.empty() || near.string().starts_with("..") ? "sotto" : near.string();
}

Result<std::string> demo(const DemoOptions& options) {
  DemoSettings settings = options.settings;
  const auto solver = solver_from(options.solver);
  if (!solver) return tl::unexpected(solver.error());
  settings.solver = *solver;
  const auto stage = set_demo_stage(settings);
  if (!stage) return tl::unexpected(stage.error());
  const bool json = options.output.json();
  const auto run =
      run_demo_parties(*stage, json ? PartyBoard::Style::kSilent : PartyBoard::usual_style());
  if (!run) return tl::unexpected(run.error());
  const auto result = demo_result(*stage);
  if (!result) return tl::unexpected(result.error());
  const std::string text = json ? demo_json(*stage, *run, *result).dump(2) + "\n"
                                : demo_text(*stage, *run, *result, program_name());
  if (result->same_bits) return text;
  fmt::print("{}", text);
  return failed("E-demo-differs", "the parties did not end with the same model",
                fmt::format("compare their files in {}, and report a bug", stage->folder));
}

}  // namespace

Verb add_demo(CLI::App& app) {
  auto options = std::make_shared<DemoOptions>();
  CLI::App* command = add_command(
      app, "demo", "five parties as real processes over mutual TLS on loopback, made-up data",
      "sotto demo --solver pairwise --out out/demo", options->output);
  constexpr int kMostParties = 20;  // processes of one machine
  command->add_option("--parties", options->settings.parties, "how many, each a process")
      ->check(whole_number())
      ->check(CLI::Range(2, kMostParties))
      ->capture_default_str();
  command->add_option("--rows", options->settings.rows, "rows of each party's table")
      ->check(whole_number())
      ->capture_default_str();
  command->add_option("--solver", options->solver, "dishuf, ac or pairwise")
      ->check(CLI::IsMember({"dishuf", "ac", "pairwise"}))
      ->capture_default_str();
  command
      ->add_option("--out", options->settings.folder,
                   "where everything goes; an earlier demo there is replaced")
      ->capture_default_str();
  command->add_flag("--keep", options->settings.keep,
                    "leave what is there alone, and go to a folder beside it");
  return {command, [options] { return demo(*options); }};
}

}  // namespace sotto
