#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/rogue_party.h"

// Who was hung up on may come back only after a pause: these runs wait for it.

namespace sotto {
namespace {

TEST(BadPeer, WhoSpeaksNonsenseIsNamedAndTheHonestOwnerOfThePlaceIsLetIn) {
  Parties parties(star_of(6));
  parties.start(0);
  ASSERT_TRUE(parties.says(0, "listening at")) << parties.said(0);

  // By party: what it says, and what it is told.
  std::map<std::size_t, std::pair<std::string, std::string>> misdeeds;
  std::map<std::size_t, std::unique_ptr<Rogue>> rogues;
  for (std::size_t p = 1; p < 6; ++p) {
    rogues[p] = std::make_unique<Rogue>(parties, p, std::vector<std::size_t>{0});
    const std::string hello = rogues[p]->frame(1, rogues[p]->hello().SerializeAsString());
    wire::Frame other = rogues[p]->header(0, {});
    if (p == 1) {
      other.set_study(std::string(32, 'x'));
      misdeeds[p] = {other.SerializeAsString(), "refused from party-2: [E-study-differs]"};
    }
    if (p == 2) misdeeds[p] = {std::string(1000, '\xff'), "refused from party-3: [E-frame]"};
    if (p == 3) {
      misdeeds[p] = {hello.substr(0, hello.size() / 2), "refused from party-4: [E-frame]"};
    }
    if (p == 4) {
      misdeeds[p] = {std::string(kMaxFrameBytes + 1, 'z'), "lost the connection to party-5"};
    }
    if (p == 5) {
      other.set_have(99);
      misdeeds[p] = {other.SerializeAsString(), "heard more of this party"};
    }
  }
  for (const auto& [p, misdeed] : misdeeds) {
    ASSERT_TRUE(rogues[p]->connects_to(0)) << parties.said(0);
    rogues[p]->send(0, misdeed.first);
    // Once may be the fault of the other side, whose journal was lost.
    if (p == 5) rogues[p]->send(0, misdeed.first);
  }
  for (const auto& [p, misdeed] : misdeeds) {
    EXPECT_TRUE(rogues[p]->is_hung_up_on_by(0)) << p;
    EXPECT_TRUE(parties.says(0, misdeed.second)) << misdeed.second << "\n" << parties.said(0);
    EXPECT_TRUE(p == 5 || rogues[p]->heard().empty()) << p;
  }
  rogues.clear();

  for (std::size_t p = 1; p < 6; ++p) parties.start(p);
  parties.expect_all_end(0);
  parties.expect_same_models({0, 1, 2, 3, 4, 5});
  for (std::size_t p = 0; p < 6; ++p) EXPECT_TRUE(parties.spent_once(p));
}

}  // namespace
}  // namespace sotto
