// `sotto view`: a page on this machine. What it shows is view/view.h.
#include "view/view.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "base/json.h"
#include "cli/command_line.h"
#include "cli/terminal/until_ended.h"
#include "run/home.h"

namespace sotto {
namespace {

struct ViewOptions {
  std::string folder = ".";
  std::string home;
  std::uint64_t port = 0;
};

// Who has no home yet can plan all the same; who names one means it.
Result<std::vector<view::Home>> homes_of(const std::string& option) {
  SOTTO_ASSIGN(const auto folder, home_folder(option));
  auto homes = view::find_homes(folder);
  if (!homes && option.empty()) return std::vector<view::Home>{};
  return homes;
}

Result<std::string> show(const ViewOptions& options, Output output) {
  view::ViewTerms terms{
      .folder = options.folder, .homes = {}, .port = static_cast<std::uint16_t>(options.port)};
  SOTTO_ASSIGN(terms.homes, homes_of(options.home));
  SOTTO_ASSIGN(const auto page, view::View::open(terms));
  const EndHeard heard;  // whoever has read the address may end it
  if (output.json()) {
    fmt::print("{}\n", json_line({{"address", page->address()}}));
  } else {
    fmt::print(
        "{}\n\n  Open it in a browser on this machine, and show it to nobody: whoever has the "
        "address sees\n  what you see. Ctrl-C ends it.\n",
        page->address());
  }
  std::fflush(stdout);
  (void)EndHeard::wait([] { return false; });
  return std::string();
}

}  // namespace

Verb add_view(const Syntax& program) {
  auto options = std::make_shared<ViewOptions>();
  const Syntax verb = program.verb(
      "view", "a page on this machine: runs live, ε by looking, models to explore, budgets",
      "sotto view\n  sotto view studies --home out/demo --port 8080");
  verb.text("folder", options->folder, "whose study files are planned, and where one is saved");
  verb.group(kWhoAndWhere)
      .text("--home", options->home,
            "the party's folder, or one that holds several; else $SOTTO_HOME, else ~/.sotto");
  constexpr std::uint64_t kHighestPort = 65535;
  verb.group(kWhoAndWhere)
      .whole("--port", options->port, "at 127.0.0.1; 0 takes any that is free", {0, kHighestPort});
  return {verb, [options](Output output) { return show(*options, output); }};
}

}  // namespace sotto
