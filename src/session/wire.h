#pragma once

#include <sotto.pb.h>

#include <optional>
#include <string>
#include <string_view>

#include "protocol/message.h"

namespace sotto {

// What all parties must do alike and no study says: the grid, the weights of a table's sums, the
// rounds, these messages. Raise it with every change to any of them, so that two versions that
// would compute different things do not start.
inline constexpr std::uint32_t kProtocol = 2;

// The protocol's messages as bytes, and back. What comes from a peer is checked for
// form here (canonical integers, lengths, nothing unknown); what it means is the
// state machines' business.

inline constexpr std::size_t kNonceBytes = 16;
inline constexpr std::size_t kDigestBytes = 32;
inline constexpr std::size_t kMaxSignatureBytes = 128;
inline constexpr std::size_t kMaxCertificateBytes = 16'384;

[[nodiscard]] std::string integer_bytes(const Integer& integer);
// None unless these are the bytes that integer_bytes gives.
[[nodiscard]] std::optional<Integer> integer_from(std::string_view bytes);

[[nodiscard]] wire::Step step_of(const Payload& payload);
[[nodiscard]] std::optional<Payload> payload_of(const wire::Step& step);

// Parses strictly: nothing left over, nothing unknown. None: malformed.
[[nodiscard]] std::optional<wire::Frame> frame_from(std::string_view bytes);
[[nodiscard]] std::optional<wire::Body> body_from(std::string_view bytes);
[[nodiscard]] std::optional<wire::Text> text_from(std::string_view bytes);

}  // namespace sotto
