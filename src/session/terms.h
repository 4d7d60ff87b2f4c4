#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "graph/graph.h"
#include "protocol/message.h"
#include "session/journal.h"
#include "session/limits.h"

// What a session is given: the study's terms, who signs, all randomness, and who computes.
namespace sotto {

// Time is an argument: milliseconds since whenever the driver began to count.
using Time = std::chrono::milliseconds;

// After how long what nobody has acknowledged goes out again, at first. Frames that travel each by
// itself get lost. A connection loses nothing while it lasts, and whoever carries it finds out
// when it is dead: who only takes long would take longer if everything came twice, so that this is
// for what nobody has thought of.
inline constexpr Time kResendFrames{4'000};
inline constexpr Time kResendOverConnections{60'000};

// What a run needs to know of its study.
struct SessionTerms {
  std::string study_hash;  // 32 bytes
  PartyId self = 0;
  Graph graph;
  std::vector<std::string> names;  // by party
  std::size_t min_parties = 0;     // fewer than this never go on; all, if nobody may be lost
  Time meeting{};                  // how long parties may take to show up
  Time patience{};                 // how long one that was there may be silent
  Debit debit;                     // run, attempt and charges are filled in by the session
  MessageLimits limits;            // of any set of parties that may be left
  Time resend = kResendFrames;
  // Which start of this party's: any number that is larger than those of its earlier starts, such
  // as the time. A later start takes an earlier one's place in the meeting.
  std::uint64_t start = 1;
  // Of what this party brings. A run is never resumed with other data: the same noise over two
  // values would show their difference.
  std::string data_digest = {};
  // Of the noise that is drawn. Nor is it resumed with other noise: from the same key that would be
  // a second look at the same values, and nobody has counted it.
  std::string draws_digest = {};
};

// Signs for this party, and knows whose signature is whose. On a network: Ed25519
// under the certificates that the study pins.
class Signer {
 public:
  Signer() = default;
  Signer(const Signer&) = delete;
  Signer& operator=(const Signer&) = delete;
  virtual ~Signer() = default;

  [[nodiscard]] virtual std::string certificate() const = 0;
  [[nodiscard]] virtual std::string sign(std::string_view text) const = 0;
  // Whether the study names this certificate for `party`.
  [[nodiscard]] virtual bool pinned(PartyId party, std::string_view certificate) const = 0;
  [[nodiscard]] virtual bool verify(std::string_view certificate, std::string_view text,
                                    std::string_view signature) const = 0;
};

// All of a run's randomness: a key from the operating system's generator, by type, so that nobody
// can hand a party on the network a seed, and ChaCha20 under what SHA-256 makes of it.
class RunKey {
 public:
  [[nodiscard]] static RunKey draw(OsRandom& random);
  // From the journal.
  [[nodiscard]] static Result<RunKey> restore(std::string_view bytes);
  ~RunKey();
  RunKey(const RunKey&) = default;
  RunKey& operator=(const RunKey&) = default;

  [[nodiscard]] std::string bytes() const;  // for the journal
  // Public: names the run. 16 bytes.
  [[nodiscard]] std::string nonce() const;
  // What an attempt draws its noise and masks from; another set of parties, another key.
  [[nodiscard]] KeyedRandom::Key for_attempt(std::string_view attempt) const;
  // The same for the first attempt, if everybody takes part in it. It is known before the others
  // are there: how long it took to draw shows in no message.
  [[nodiscard]] KeyedRandom::Key for_first_draws() const;
  // What the first attempt makes its cipher's keys from. It is known before the others are there,
  // so that the time in which they are waited for can be used.
  [[nodiscard]] KeyedRandom::Key for_first_cipher() const;
  // The same for a later attempt: no randomness of a ciphertext is ever used for another.
  [[nodiscard]] KeyedRandom::Key for_cipher(std::string_view attempt) const;
  // What hides an attempt's release in its commitment. 32 bytes.
  [[nodiscard]] std::string commitment_nonce(std::string_view attempt) const;

 private:
  RunKey() = default;
  [[nodiscard]] KeyedRandom::Key derived(std::string_view purpose, std::string_view attempt) const;
  KeyedRandom::Key key_{};
};

// What an attempt draws from.
struct AttemptKeys {
  KeyedRandom::Key draws;   // noise, masks, and what it encrypts to others with
  KeyedRandom::Key cipher;  // its own key pairs, and what it encrypts to itself with
  bool operator==(const AttemptKeys&) const = default;
};

// A party of one attempt, and what the attempt costs: all from the plan of its members.
struct AttemptParty {
  std::unique_ptr<StagedParty> party;
  std::vector<ObserverCharge> charges;  // for the ledger, before the party has said a word
  // What a neighbour's release shows of this party if the attempt is given up here; only `looks`
  // count. Empty where it shows nothing. docs/proofs/session.md
  std::vector<ObserverCharge> if_neighbour_released = {};
  MessageLimits limits;
};

// Makes this party's state machine for a set of parties (ascending, as the study numbers
// them; the machine numbers them from 0), calibrated for exactly that set. The same arguments give
// the same party, to the bit.
using PartyFactory =
    std::function<Result<AttemptParty>(std::span<const PartyId> members, const AttemptKeys& keys)>;

}  // namespace sotto
