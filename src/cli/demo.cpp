// `sotto demo`: everything at once, on one machine, with made-up data.
#include "cli/demo/demo.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "base/json.h"
#include "cli/command_line.h"

namespace sotto {
namespace {

// How to start this program from where the reader is.
std::string program_name() {
  std::error_code problem;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", problem);
  if (problem) return "sotto";
  const auto near = program.lexically_relative(std::filesystem::current_path(problem));
  return near.empty() || near.string().starts_with("..") ? "sotto" : near.string();
}

Result<std::string> demo(const DemoSettings& settings, Output output) {
  SOTTO_ASSIGN(const auto setup, set_up_demo(settings));
  const bool json = output.json();
  SOTTO_ASSIGN(const auto run, run_demo_parties(setup, json ? ProgressTable::Style::kSilent
                                                            : ProgressTable::usual_style()));
  SOTTO_ASSIGN(const auto result, demo_result(setup));
  const std::string text = json ? json_text(demo_json(setup, run, result))
                                : demo_text(setup, run, result, program_name());
  if (result.same_bits) return text;
  fmt::print("{}", text);
  return failed("E-demo-differs", "the parties did not end with the same model",
                fmt::format("compare their files in {}, and report a bug", setup.folder));
}

}  // namespace

Verb add_demo(const Syntax& program) {
  auto settings = std::make_shared<DemoSettings>();
  const Syntax verb = program.verb(
      "demo", "five parties as real processes over mutual TLS on loopback, made-up data",
      "sotto demo --solver pairwise --out out/demo");
  constexpr std::uint64_t kMostParties = 20;  // processes of one machine
  verb.whole("--parties", settings->parties, "how many, each a process", {2, kMostParties});
  verb.whole("--rows", settings->rows, "rows of each party's table");
  verb.choice("--solver", settings->solver,
              {{"dishuf", Solver::kDishuf}, {"ac", Solver::kAc}, {"pairwise", Solver::kPairwise}},
              "dishuf, ac or pairwise");
  verb.text("--out", settings->folder, "where everything goes; an earlier demo there is replaced");
  verb.flag("--keep", settings->keep, "leave what is there alone, and go to a folder beside it");
  return {verb, [settings](Output output) { return demo(*settings, output); }};
}

}  // namespace sotto
