// `sotto demo`: everything at once, on one machine, with made-up data.
#include "cli/demo/demo.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "base/json.h"
#include "cli/command_line.h"
#include "cli/terminal/until_ended.h"
#include "view/view.h"

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

constexpr std::chrono::minutes kForABrowser{2};

// The page of the parties' homes, and its address. The parties wait until somebody looks.
Result<std::unique_ptr<view::View>> show_demo(const DemoSetup& setup) {
  view::ViewTerms terms{.folder = setup.folder, .homes = {}};
  SOTTO_ASSIGN(terms.homes, view::find_homes(setup.folder));
  SOTTO_ASSIGN(auto page, view::View::open(terms));
  const EndHeard heard;
  fmt::print(stderr,
             "{}\n\n  Open it in a browser on this machine: the parties begin when you do.\n\n",
             page->address());
  const auto late = std::chrono::steady_clock::now() + kForABrowser;
  const bool ended =
      EndHeard::wait([&] { return page->watched() || std::chrono::steady_clock::now() > late; });
  if (ended) {
    return failed("E-interrupted", "interrupted before the parties had begun",
                  fmt::format("their files are in {}", setup.folder));
  }
  return page;
}

Result<std::string> demo(const DemoSettings& settings, bool with_page, Output output) {
  SOTTO_ASSIGN(const auto needs, demo_needs(settings.parties));
  const bool json = output.json();
  if (!needs.empty() && !json) fmt::print(stderr, "{}\n", needs);
  SOTTO_ASSIGN(const auto setup, set_up_demo(settings));
  std::unique_ptr<view::View> page;
  if (with_page) {
    SOTTO_ASSIGN(page, show_demo(setup));
  }
  SOTTO_ASSIGN(const auto run, run_demo_parties(setup, json ? ProgressTable::Style::kSilent
                                                            : ProgressTable::usual_style()));
  SOTTO_ASSIGN(const auto result, demo_result(setup));
  const std::string text = json ? json_text(demo_json(setup, run, result))
                                : demo_text(setup, run, result, program_name());
  if (result.same_bits && page) {
    fmt::print("{}", text);
    std::fflush(stdout);
    const EndHeard heard;
    fmt::print(stderr, "\n  The page stays until Ctrl-C.\n");
    (void)EndHeard::wait([] { return false; });
    return std::string();
  }
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
      "sotto demo --solver pairwise --out out/demo\n  sotto demo --view");
  const Syntax parties = verb.group("Parties");
  const Syntax files = verb.group("Files");
  constexpr std::uint64_t kMostParties = 1000;
  parties.whole("--parties", settings->parties, "how many, each a process; as many as memory holds",
                {2, kMostParties});
  parties.whole("--rows", settings->rows, "rows of each party's table");
  parties.choice(
      "--solver", settings->solver,
      {{"dishuf", Solver::kDishuf}, {"ac", Solver::kAc}, {"pairwise", Solver::kPairwise}},
      "dishuf, ac or pairwise");
  files.text("--out", settings->folder, "where everything goes; an earlier demo there is replaced");
  files.flag("--keep", settings->keep, "leave what is there alone, and go to a folder beside it");
  auto with_page = std::make_shared<bool>(false);
  parties.flag("--view", *with_page,
               "show them live: prints the address of a page, and waits for it");
  return {verb,
          [settings, with_page](Output output) { return demo(*settings, *with_page, output); }};
}

}  // namespace sotto
