// Pictures of the page for docs/pictures, and for those who look at them: SOTTO_PICTURES names the
// folder; without it they are taken, and thrown away.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "privacy/composition.h"
#include "store/store.h"
#include "support/devtools.h"
#include "support/temporary_folder.h"
#include "support/viewed_demo.h"

namespace sotto::view {
namespace {

namespace fs = std::filesystem;

// A party that has taken part in six studies over some weeks.
std::string home_with_a_past(const std::string& folder) {
  std::string home = folder + "/clinic";
  std::int64_t now = 1'772'000'000;
  auto store = Store::open(home, [&now] { return now; });
  if (!store || !store->new_account("patients", {.epsilon = 6, .delta = 1e-5})) return home;
  int run = 0;
  for (const double epsilon : {0.5, 1.0, 0.5, 0.25, 1.0, 0.5}) {
    now += 86'400LL * (3 + 5 * (run % 3));
    const std::string id = fmt::format("{:032x}", ++run);
    const double squares = squares_at_most(*Budget::make(epsilon, 1e-6));
    const Debit debit{.run = id,
                      .attempt = "01",
                      .study = run % 2 == 0 ? "stay" : "readmission",
                      .data = "patients",
                      .unit = "record",
                      .epsilon = epsilon,
                      .delta = 1e-6,
                      .charges = {{"eavesdropper", 0.8 * squares, 0},
                                  {"neighbour", squares, 0},
                                  {"all-neighbours", 4 * squares, 0}},
                      .guaranteed = "neighbour"};
    if (!store->begin_run(id, debit.study, "beef")) return home;
    const auto journal = store->journal(id);
    if (!journal || !(*journal)->reserve(debit)) return home;
    (*journal)->spend(id, "01");
    if (!(*journal)->commit() || !store->finish(id, {})) return home;
  }
  return home;
}

// A party that takes part in the demo's study once more, and ends with the test.
class Joining {
 public:
  Joining(const ViewedDemo& demo, int party) : child_(::fork()) {
    if (child_ != 0) return;
    const std::string name = fmt::format("party-{}", party);
    const std::string study = demo.folder() + "/study.toml";
    const std::string table = fmt::format("{}/{}.csv", demo.folder(), name);
    const std::string home = demo.home(party);
    const int nowhere = ::open("/dev/null", O_RDWR);
    for (const int standard : {0, 1, 2}) ::dup2(nowhere, standard);
    ::execl(SOTTO_PROGRAM, SOTTO_PROGRAM, "join", study.c_str(), "--as", name.c_str(), "--data",
            table.c_str(), "--home", home.c_str(), "--again", nullptr);
    ::_exit(127);
  }
  Joining(const Joining&) = delete;
  Joining& operator=(const Joining&) = delete;
  ~Joining() {
    ::kill(child_, SIGTERM);
    ::waitpid(child_, nullptr, 0);
  }

 private:
  pid_t child_;
};

TEST(ViewPictures, AreTakenOfEachPartInTheLightInTheDarkAndOnATelephone) {
  const std::string browser = devtools::installed_browser();
  if (browser.empty()) GTEST_SKIP() << "chromium is not installed";
  const ViewedDemo& demo = ViewedDemo::get();
  ASSERT_TRUE(demo.made());
  const char* wanted = std::getenv("SOTTO_PICTURES");
  const TemporaryFolder thrown_away;
  const fs::path folder = wanted != nullptr ? fs::path(wanted) : thrown_away.path();
  // Two of five are there: a run that is under way, as one of them sees it.
  const Joining first(demo, 1);
  const Joining second(demo, 2);
  const auto view = View::open({.folder = demo.folder(), .homes = {{demo.home(1), "party-1"}}});
  ASSERT_TRUE(view.has_value());
  const std::string past = home_with_a_past(demo.folder() + "-past");
  const auto ledger = View::open({.folder = demo.folder(), .homes = {{past, "clinic"}}});
  ASSERT_TRUE(ledger.has_value());
  devtools::Chromium page(browser);
  const std::vector<std::pair<std::string, std::string>> parts{{"runs", ".run.running desc"},
                                                               {"plan", "#plan-answer table"},
                                                               {"models", "#model-answer table"},
                                                               {"ledger", "#ledger table"}};
  const std::vector<std::pair<std::string, devtools::Screen>> screens{
      {"", {.width = 1180, .height = 820, .calm = true}},
      {"-dark", {.width = 1180, .height = 820, .dark = true, .calm = true}},
      {"-phone", {.width = 360, .height = 780, .calm = true}}};
  for (const auto& [name, screen] : screens) {
    page.show_on(screen);
    for (const auto& [part, there] : parts) {
      page.go("about:blank");
      page.go((part == "ledger" ? *ledger : *view)->address() + "#" + part);
      ASSERT_TRUE(page.until(fmt::format("document.querySelector('{}')", there))) << part;
      if (part == "runs") {
        // The nearer neighbour has come, and the others are waited for.
        ASSERT_TRUE(
            page.until("document.querySelector('.run desc').textContent.includes('party-2: 2 "
                       "neighbours (party-1, party-3), taking part')"));
      }
      if (part == "plan") {
        // Somebody has moved ε, and knows how many rows there are.
        page.type("#plan-rows", "60000");
        page.type("#plan-epsilon", "0.5");
        ASSERT_TRUE(page.until(
            "document.querySelector('#plan-answer .facts').innerText.includes('in the file')"));
        page.evaluate("document.activeElement.blur(); scrollTo(0, 0)");
      }
      const fs::path file = folder / fmt::format("view-{}{}.png", part, name);
      ASSERT_TRUE(page.picture(file)) << file;
      EXPECT_GT(fs::file_size(file), 10'000U) << "a blank page is smaller";
    }
  }
}

}  // namespace
}  // namespace sotto::view
