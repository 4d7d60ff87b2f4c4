#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "moments/costs.h"
#include "plan/plan.h"

// A study's run on the network as it is: every party's own machine (session/, as `join` runs it)
// with a journal, over a simulated network that loses, delays and repeats frames and kills
// processes, on a clock of its own. From [faults], and from one seed.
//
// The clock is a model. A frame leaves when its sender has nothing else to send, takes its bytes
// over the bandwidth, the latency, and an exponential delay with mean `jitter_ms`. A stream
// delivers in order, and what it loses again after its own timeout (kFirstTimeoutMs). What parties
// compute counts for the cipher alone, one ciphertext after another on one core; ciphertexts have
// the length of Paillier's, and nobody encrypts.
namespace sotto {

// Milliseconds on one core with 3072 bits, measured with AVX512-IFMA (docs/SCOPE.md), times
// (bits/3072)³; a key pair, of which a party makes one for each neighbour, times its fourth power.
struct CipherCost {
  double key_pair_ms = 115;
  double make_ms = 0.27;    // a ciphertext for a neighbour
  double answer_ms = 0.35;  // what a neighbour makes of it
  double read_ms = 0.83;    // of the answer
};
[[nodiscard]] CipherCost cipher_cost(const Study& study);

// After how long a stream sends again what was lost, beside two round trips; then after twice as
// long, up to a minute: TCP's way (RFC 6298), with the least timeout that Linux has.
inline constexpr double kFirstTimeoutMs = 200;
inline constexpr double kLastTimeoutMs = 60'000;

struct FaultReport {
  std::size_t parties = 0;
  std::size_t finished = 0;        // with a result
  bool same_transcript = false;    // all who finished have seen the same run
  bool as_undisturbed = false;     // and hold, to the bit, what they hold without any fault
  std::vector<std::string> lost;   // parties that the others went on without
  std::vector<std::string> ended;  // why, of those who have no result: "party-3: E-…"
  std::uint64_t attempts = 0;      // how often a set of parties sealed
  std::optional<Round> rounds;
  std::uint64_t frames = 0;  // sent, by all; the next four are among them
  std::uint64_t resent = 0;  // again: by the stream, or by a link to which no receipt had come
  std::uint64_t lost_frames = 0;
  std::uint64_t repeated = 0;
  std::uint64_t crashes = 0;
  std::uint64_t bytes = 0;         // of all frames
  std::uint64_t most_bytes = 0;    // of the party that sent most
  double seconds = 0;              // until the last party had its result, or was over
  double undisturbed_seconds = 0;  // the same without loss, jitter, repeats and crashes
  double cipher_seconds = 0;       // of the party that computed most
};

// Frames that one run is let to have, about: E-faults-long beyond.
inline constexpr double kMaxFaultFrames = 400'000;

// Precondition: the study has [faults] and [problem]. costs[party]. Same seed, same report.
[[nodiscard]] Result<FaultReport> simulate_faults(const PlannedStudy& planned, const Costs& costs);

// Of a solver that cannot be driven so, the reason.
[[nodiscard]] nlohmann::ordered_json to_json(const FaultTerms& terms,
                                             const Result<FaultReport>& report);
[[nodiscard]] std::string to_text(const FaultTerms& terms, const Result<FaultReport>& report);

}  // namespace sotto
