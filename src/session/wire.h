#pragma once

#include <sotto.pb.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "protocol/message.h"

// The protocol's messages as bytes, and back, and what signatures stand under. What comes from a
// peer is checked for form here (canonical integers, lengths, nothing unknown); what it means is
// the state machines' business.
namespace sotto {

// What all parties must do alike and no study says: the grid, the weights of a table's sums, the
// rounds, these messages. Raise it with every change to any of them, so that two versions that
// would compute different things do not start.
inline constexpr std::uint32_t kProtocol = 6;

inline constexpr std::size_t kNonceBytes = 16;
inline constexpr std::size_t kDigestBytes = 32;
inline constexpr std::size_t kMaxSignatureBytes = 128;
inline constexpr std::size_t kMaxCertificateBytes = 16'384;
inline constexpr std::size_t kMaxErrorNameBytes = 40;

// How long integers are written, in bytes beside the sign: shorter ones are padded, and only one
// that is longer anyway shows how long it is.
struct IntegerWidths {
  std::size_t ciphertext = 0;
  std::size_t release = 0;
};

[[nodiscard]] wire::Step step_of(const Payload& payload, IntegerWidths widths);
// Whatever the widths are: they come from a plan's floating point, and it is the sender whom they
// protect.
[[nodiscard]] std::optional<Payload> payload_of(const wire::Step& step);

[[nodiscard]] std::string digest_of_release(const IntegerVector& indices);
// Of what a party says first, which is all its own: its release, or its first round's values.
[[nodiscard]] std::string digest_of_first_words(const Payload& payload);

// What Ready binds its author to: hides the release behind the nonce, and no other release fits.
// `author` as the attempt numbers its members.
[[nodiscard]] std::string commitment_to(std::string_view release_digest, std::string_view attempt,
                                        PartyId author, std::string_view nonce);

// What all parties saw of a run, as one name: SHA-256 over the attempt and what each member sent
// that can be read, in the study's order: digest_of_release() with `exact`, otherwise the digest of
// all its round values.
[[nodiscard]] std::string transcript_digest(std::string_view attempt,
                                            std::span<const std::string> sent);
// The same in hexadecimal.
[[nodiscard]] std::string transcript_hash(std::string_view attempt,
                                          std::span<const std::string> sent);

namespace session {

// Parses strictly: nothing left over, nothing unknown. None: malformed.
// For wire::Frame, wire::Body and wire::Text.
template <class T>
[[nodiscard]] std::optional<T> parse(std::string_view bytes);

// Whether somebody says who it is.
[[nodiscard]] bool is_hello(const wire::Statement& statement);

// What signatures stand under. Each text names its purpose, the study and everything
// that gives the words their meaning, so that no signature can be used elsewhere.
[[nodiscard]] std::string statement_text(std::string_view study_hash,
                                         const wire::Statement& statement);
// `author` and `sender` as the attempt numbers its members.
[[nodiscard]] std::string release_text(std::string_view attempt, PartyId author,
                                       std::string_view indices_digest, std::string_view nonce);
[[nodiscard]] std::string values_text(std::string_view attempt, PartyId sender,
                                      const RoundValues& values);

}  // namespace session
}  // namespace sotto
