#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "session/links.h"
#include "session/wire.h"
#include "support/simulated_study.h"

namespace sotto {

// A member that lies. Inside it an honest session runs; what leaves it is changed on its way, has
// lies before it, or does not leave at all, to some neighbours and not to others. It signs with its
// own key whatever it likes, forges nobody's signature successfully, and repeats what it has heard.
class Liar {
 public:
  // What it does, and how often: drawn once.
  Liar(const SimulatedStudy& study, PartyId self, SeededRandom& random);

  // What leaves in place of an honest frame.
  [[nodiscard]] std::vector<Outgoing> send(const Outgoing& honest);
  // A frame as the session inside may see it: acknowledgements count what that has said.
  [[nodiscard]] std::string hear(PartyId from, const std::string& frame);

  [[nodiscard]] std::uint64_t lies() const { return lies_; }

 private:
  enum class Lie {
    kOtherCommitment,  // says Ready twice, with different releases behind it
    kOtherOutcome,
    kOtherWithout,   // loses whom it likes, and tells whom it likes
    kEarlyReleased,  // claims to have passed the barrier
    kOtherMet,
    kFalseBlame,
    kNewStart,
    kFalseEvidence,
    kEarlyFarewell,
    kRepeated,      // what it heard, again
    kBadSignature,  // of its own, and in others' names
    kPremature,     // values and releases before their time, or out of turn
    kForeignAttempt,
    kOtherSize,    // more numbers or fewer, or far too many
    kOtherValues,  // signed again, and not what others hear
    kStaleFrame,
    kForeignFrame,  // of another study, protocol, run or start
    kBrokenFrame,
    kSilence,
  };
  static constexpr std::uint64_t kLies = 19;
  // What was said to a neighbour under which number, lies counted.
  struct Said {
    std::vector<std::string> lies;  // bodies before it
    std::string body;
    std::uint64_t number = 0;
  };
  struct Channel {
    std::uint64_t knows = 0;
    std::vector<Said> said;
    std::uint64_t next = 1;
    std::vector<std::string> frames;  // as they left, a few
  };

  [[nodiscard]] bool chance(std::uint64_t of_1000) { return random_.below(1000) < of_1000; }
  [[nodiscard]] wire::Body change(const wire::Body& body, Lie lie);
  [[nodiscard]] std::optional<wire::Body> invent(Lie lie);
  [[nodiscard]] std::string bad_frame(wire::Frame frame, Lie lie, const Channel& channel);
  [[nodiscard]] wire::Body statement_of(PartyId author, const wire::Text& text);
  [[nodiscard]] std::string some_attempt();
  void sign_again(wire::Step& step);
  void learn(const wire::Body& body);

  const SimulatedStudy& study_;
  PartyId self_;
  SimulatedSigner signer_;
  SeededRandom& random_;
  std::string study_hash_;
  std::vector<Lie> repertoire_;
  std::uint64_t rate_ = 0;   // of 1000 frames
  std::set<PartyId> dupes_;  // who hears the lies
  std::uint64_t lies_ = 0;
  std::uint64_t new_starts_ = 0;
  std::vector<std::string> starts_;  // their nonces
  std::string nonce_;
  std::map<PartyId, std::string> nonces_;  // of others
  std::vector<std::string> attempts_;
  std::vector<wire::Body> heard_;  // a few
  std::map<PartyId, Channel> channels_;
};

}  // namespace sotto
