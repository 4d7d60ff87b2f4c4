#include "run/service/serve.h"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "network/identity.h"
#include "support/temporary_folder.h"

namespace sotto {
namespace {

// Nothing of the program throws on purpose: here whoever is told of the first failure does.
TEST(Serving, OutlivesWhateverAStudysThreadThrows) {
  const TemporaryFolder folder;
  std::ofstream(folder / "serve.toml")
      << "listen = \"127.0.0.1:0\"\n[[study]]\nfile = \"none.toml\"\nas = \"north\"\ndata = "
         "\"none.csv\"\n";
  const auto identity = Identity::make("north", {"127.0.0.1"});
  ASSERT_TRUE(identity.has_value()) << identity.error().to_string();
  ASSERT_TRUE(identity->save((folder / "home").string()).has_value());
  std::vector<std::string> failures;
  std::atomic<std::size_t> told = 0;
  const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  const auto served =
      serve({.folder = folder.path().string(), .home = (folder / "home").string()},
            {.on_event =
                 [&](const std::string&, const JoinEvent& event) {
                   if (event.kind != JoinEvent::Kind::kFailed) return;
                   failures.push_back(event.error.name);
                   told = failures.size();
                   if (told == 1) throw std::out_of_range("no such thing");
                 },
             .report = {},
             .interrupted = [&] { return told > 1 || std::chrono::steady_clock::now() > late; }});
  EXPECT_TRUE(served.has_value()) << served.error().to_string();
  EXPECT_THAT(failures, testing::ElementsAre("E-study-file", "E-unexpected"));
}

}  // namespace
}  // namespace sotto
