#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

// How much a neighbour may say: what an honest one can need, from public numbers of the plan.
namespace sotto {

// What decides how large an honest party's messages are.
struct MessageShape {
  std::size_t parties = 0;           // of the attempt
  std::size_t ciphertexts = 0;       // in an offer, and in an answer; none without a shuffle
  std::size_t ciphertext_bytes = 0;  // each, at most
  std::size_t key_bytes = 0;         // of the public key in an offer
  std::size_t entries = 0;           // integers in a release; none where values are averaged
  std::size_t integer_bytes = 0;     // each, at most
  std::size_t integer_width = 0;     // each, as a rule: shorter ones are padded up to it
  std::size_t values = 0;            // doubles in a round; none where releases are passed on
  std::uint64_t rounds = 0;
};

// Bytes of a body, at most, and of all bodies of one kind together.
struct MessageLimits {
  std::size_t sealing = 0;  // an offer, an answer, a key
  std::size_t round = 0;    // values or releases
  std::size_t outcome = 0;
  std::size_t evidence = 0;
  std::uint64_t steps = 0;  // what one neighbour sends in a whole attempt
  // A release's integer, beside its sign: whoever passes releases on passes on all of them, so that
  // none may take the room of the others.
  std::size_t integer = 0;
  // Magnitudes of integers are padded up to these, so that no message's size tells of its content.
  std::size_t ciphertext_width = 0;
  std::size_t release_width = 0;

  // The largest body of all; statements that are no outcomes are as long as `parties` lets them be.
  [[nodiscard]] std::size_t body(std::size_t parties) const;
  [[nodiscard]] std::size_t frame(std::size_t parties) const;
};

[[nodiscard]] MessageLimits limits_of(const MessageShape& shape);

namespace session {

// Texts of statements: what introduces a party, and what is neither that nor an outcome.
[[nodiscard]] std::size_t most_hello_bytes();
[[nodiscard]] std::size_t most_word_bytes(std::size_t parties);

// More statements than any honest author makes: a set per loss, and a few for each.
[[nodiscard]] std::size_t most_statements(std::size_t parties);
// And their bytes, of one author in a whole run.
[[nodiscard]] std::size_t most_statement_bytes(std::size_t parties, const MessageLimits& limits);

// So many starts of a party count beside its first, in the run of another.
inline constexpr std::size_t kMostStarts = 100;

// What an honest neighbour can send of an attempt before we begin it: the first message of a
// sealing, and no more, for it waits for ours. Attempts may follow quickly, and each has a party
// less than the one before.
[[nodiscard]] std::size_t most_early_steps(std::size_t parties);

// More words without news than any honest neighbour has: every author's statements once, for it
// cannot know which of them are none, and for each attempt what was under way when it ended.
[[nodiscard]] std::size_t most_idle_words(std::size_t parties);

}  // namespace session
}  // namespace sotto
