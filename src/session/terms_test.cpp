// One secret, and nothing that is drawn from it tells of another.
#include "session/terms.h"

#include <gtest/gtest.h>

#include <set>

#include "session/wire.h"

namespace sotto {
namespace {

std::string text_of(const KeyedRandom::Key& key) {
  return {reinterpret_cast<const char*>(key.data()), key.size()};
}

TEST(RunKey, GivesEveryPurposeAndAttemptAStreamOfItsOwn) {
  OsRandom random;
  const RunKey key = RunKey::draw(random);
  std::set<std::string> streams{text_of(key.for_first_draws()), text_of(key.for_first_cipher()),
                                key.bytes()};
  for (const char* attempt : {"one", "two"}) {
    streams.insert(text_of(key.for_attempt(attempt)));
    streams.insert(text_of(key.for_cipher(attempt)));
    streams.insert(key.commitment_nonce(attempt));
  }
  EXPECT_EQ(streams.size(), 9U);
  const RunKey again = RunKey::restore(key.bytes()).value();
  EXPECT_EQ(again.for_attempt("one"), key.for_attempt("one"));
  EXPECT_EQ(again.nonce(), key.nonce());
  EXPECT_NE(RunKey::draw(random).nonce(), key.nonce());
}

TEST(RunKey, ShowsNothingOfItselfInWhatIsPublic) {
  OsRandom random;
  const RunKey key = RunKey::draw(random);
  ASSERT_EQ(key.nonce().size(), kNonceBytes);
  // Four bytes in common are one chance in 2^28, whatever the draw.
  for (const std::string& shown : {key.nonce(), key.commitment_nonce("attempt")}) {
    for (std::size_t k = 0; k + 4 <= shown.size(); ++k) {
      EXPECT_EQ(key.bytes().find(shown.substr(k, 4)), std::string::npos);
    }
  }
}

TEST(RunKey, IsNotReadFromAnythingElseThanItsBytes) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{31}, std::size_t{33}}) {
    EXPECT_EQ(RunKey::restore(std::string(size, 'k')).error().name, "E-journal");
  }
}

}  // namespace
}  // namespace sotto
