// Sizes as protobuf writes them, rounded up: a field is a tag, a length and its bytes.

#include "session/limits.h"

#include "session/wire.h"

namespace sotto {
namespace {

constexpr std::size_t kField = 6;  // a tag below 16, and a length below 2³⁵
constexpr std::size_t kNumber = 6;
// Beside the payload: the body's and the payload's own fields, and the attempt.
constexpr std::size_t kStep = 4 * kField + kDigestBytes + kNumber;
constexpr std::size_t kStatement = 4 * kField + kNumber + kNonceBytes + kMaxSignatureBytes;
constexpr std::size_t kFrame = 3 * kField + kDigestBytes + kNonceBytes + 10 * kNumber;
constexpr std::size_t kPairwiseKey = 32;

// A sign stands before an integer's bytes.
std::size_t integers(std::size_t count, std::size_t bytes) {
  return count * (kField + 1 + bytes);
}

constexpr std::size_t kSigned = 2 * kField + kMaxSignatureBytes + kDigestBytes;  // and a nonce

}  // namespace

MessageLimits limits_of(const MessageShape& shape) {
  const std::size_t offer =
      kField + shape.key_bytes + integers(shape.ciphertexts, shape.ciphertext_bytes);
  const std::size_t release =
      kField + kNumber + kSigned + integers(shape.entries, shape.integer_bytes);
  const std::size_t values = kField + kNumber + kSigned + sizeof(double) * shape.values;
  const std::size_t releases = kNumber + shape.parties * release;
  const bool exact = shape.values == 0;
  const std::size_t witness = 4 * kField + kNumber + 2 * kDigestBytes + kMaxSignatureBytes;

  MessageLimits limits;
  limits.sealing = kStep + std::max(offer, kField + kPairwiseKey);
  limits.round = kStep + (exact ? releases : values);
  limits.outcome =
      6 * kField + 4 * kDigestBytes + 3 * sizeof(double) + sizeof(double) * shape.values;
  limits.evidence = 2 * kField + kDigestBytes + (exact ? shape.parties * witness : 0);
  // An offer and an answer; and either a round's values each time, or every release once.
  limits.steps = 2 * limits.sealing + shape.rounds * (kStep + (exact ? kNumber : values)) +
                 (exact ? releases : 0);
  limits.integer = shape.integer_bytes;
  limits.ciphertext_width = shape.ciphertext_bytes;
  limits.release_width = shape.integer_width;
  return limits;
}

std::size_t MessageLimits::body(std::size_t parties) const {
  const std::size_t text =
      std::max({outcome, evidence, session::most_hello_bytes(), session::most_word_bytes(parties)});
  return std::max({sealing, round, kStatement + text});
}

std::size_t MessageLimits::frame(std::size_t parties) const {
  return kFrame + body(parties);
}

namespace session {

std::size_t most_hello_bytes() {
  return 2 * kField + 2 * kNumber + kMaxCertificateBytes;
}

std::size_t most_word_bytes(std::size_t parties) {
  return 4 * kField + 2 * kDigestBytes + kMaxErrorNameBytes + kNumber * (1 + parties);
}

std::size_t most_statements(std::size_t parties) {
  return 12 + 6 * parties;
}

std::size_t most_statement_bytes(std::size_t parties, const MessageLimits& limits) {
  return most_statements(parties) * most_word_bytes(parties) + most_hello_bytes() + limits.outcome +
         limits.evidence;
}

std::size_t most_early_steps(std::size_t parties) {
  return 2 + parties;
}

std::size_t most_idle_words(std::size_t parties) {
  return 16 + 4 * parties + parties * most_statements(parties);
}

}  // namespace session
}  // namespace sotto
