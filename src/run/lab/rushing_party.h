#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/integer.h"
#include "session/simulated_signer.h"

// A party that rushes: it has committed itself to one release as everybody has, waits until it has
// heard what all others release, and then releases what makes their mean its own choice. Inside it
// an honest session runs; this changes what leaves. Of runs with `exact` averaging.
namespace sotto {

class RushingParty {
 public:
  RushingParty(PartyId self, std::size_t parties)
      : self_(self), others_(parties - 1), signer_(self) {}

  // A frame of a neighbour's, before the session inside takes it.
  void hear(const std::string& frame);
  // What leaves in place of an honest frame; none: nothing as yet, and the links will ask again.
  [[nodiscard]] std::optional<std::string> say(const std::string& frame) const;

 private:
  PartyId self_;
  std::size_t others_;
  SimulatedSigner signer_;
  std::map<PartyId, Integer> heard_;  // the first number of everybody else's release
};

}  // namespace sotto
