#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "graph/graph.h"
#include "paillier/cipher.h"

// What parties say to each other, and what a party is: messages in, messages out.
namespace sotto {

using Round = std::uint32_t;

inline constexpr Round kMaxRounds = 100'000'000;

// Algorithm 2, step 2: party i's public key for this neighbour, and E_i(−T̄_i) under it.
struct ShuffleOffer {
  std::string public_key;
  Ciphertexts negated;
};

// Algorithm 2, step 5: (E_j(T̄_i) ⊕ E_j(−T̄_j)) ⊗ a_{i→j}, re-randomised.
struct ShuffleReply {
  Ciphertexts scaled;
};

// `pairwise`: an X25519 public key for this edge and this run.
struct PairwiseOffer {
  std::array<std::byte, 32> public_key{};
};

// One round of averaging, or of gradient tracking (x, then s).
struct RoundValues {
  Round round = 0;
  std::vector<double> values;
  // On a network; the state machines only carry them.
  std::string signature = {};  // the sender's
  std::string nonce = {};      // first round: opens the sender's commitment
};

// A release and whose it is. Shared, because `exact` forwards each to everybody.
struct AuthoredRelease {
  PartyId author = 0;
  std::shared_ptr<const IntegerVector> indices;
  // On a network; the state machines only carry them.
  std::string signature = {};  // the author's
  std::string nonce = {};      // opens the author's commitment
};

// One round of `exact`: what the sender has heard since the round before.
struct RoundReleases {
  Round round = 0;
  std::vector<AuthoredRelease> news;
};

using Payload = std::variant<ShuffleOffer, ShuffleReply, PairwiseOffer, RoundValues, RoundReleases>;

struct Message {
  Message() = default;
  Message(PartyId sender, PartyId receiver, Payload what)
      : from(sender), to(receiver), payload(std::move(what)) {}

  PartyId from = 0;
  PartyId to = 0;
  Payload payload;
};

// A peer's bad word: an error that names the peer, and leaves the state as it was.
[[nodiscard]] inline Error bad_peer(PartyId peer, const std::string& what) {
  Error error = failed("E-peer", "party " + std::to_string(peer + 1) + " " + what,
                       "its message was refused; ask its operator to check program and study");
  error.reason = what;
  return error;
}

// What a peer sends is only ever added and multiplied: one infinity would be everybody's.
[[nodiscard]] inline bool all_finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

// Whether two parties' numbers are as many, and none differs by more than `allowed`.
[[nodiscard]] inline bool all_within(double allowed, std::span<const double> own,
                                     std::span<const double> theirs) {
  return std::ranges::equal(own, theirs,
                            [&](double x, double y) { return std::abs(x - y) <= allowed; });
}

// One party of a protocol. Sans-IO: no sockets, clock, threads or logs; messages
// in, messages out. The simulator and the network drive the same objects.
class Party {
 public:
  Party() = default;
  Party(const Party&) = delete;
  Party& operator=(const Party&) = delete;
  virtual ~Party() = default;

  [[nodiscard]] virtual Result<std::vector<Message>> start() = 0;
  [[nodiscard]] virtual Result<std::vector<Message>> receive(const Message& message) = 0;
  [[nodiscard]] virtual bool done() const = 0;
};

// What the rounds leave a party with: n times the average of all releases, an estimate of Σ_i θ_i.
// `gt` averages on its way, and ends with x.
struct Average {
  std::vector<double> values;
};

// A party of a whole run, with a barrier in the middle: before release() nothing readable
// leaves it, whatever its neighbours send.
class StagedParty : public Party {
 public:
  [[nodiscard]] virtual bool sealed() const = 0;
  // Whether it has made a message that depends on its value, masked and encrypted as it may be:
  // from then on somebody may have had a look.
  [[nodiscard]] virtual bool shown() const = 0;
  // What release() will say first, to be committed to; none if it has nobody to say it to.
  // Precondition: sealed(), and not released.
  [[nodiscard]] virtual std::optional<Payload> first_words() const = 0;
  // The first readable messages. Precondition: sealed(), and once only.
  [[nodiscard]] virtual Result<std::vector<Message>> release() = 0;
  // What the party ends with. Precondition: done().
  [[nodiscard]] virtual Average result() const = 0;
  // Whether a neighbour far away may have ended with `theirs`: `exact` gives everybody the same
  // bits, the others come close. `scale` is the largest number that any member sent first.
  // Precondition: done().
  [[nodiscard]] virtual bool agrees(std::span<const double> theirs, double scale) const = 0;
};

}  // namespace sotto
