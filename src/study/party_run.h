#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "paillier/cipher.h"
#include "protocol/message.h"
#include "report/run_record.h"
#include "session/terms.h"
#include "study/fit.h"
#include "study/tables.h"

namespace sotto {

// One party of a study on a network: what it brings, how it takes part, and what
// it ends with. The study may lose parties on the way; everything is calibrated
// for those who are left.
class PartyRun {
 public:
  // `data` is the party's table (unit = "record") or its own A and B (unit = "entry"; may be
  // empty if the study brings a family). Reads it, and puts it behind the privacy boundary.
  [[nodiscard]] static Result<PartyRun> make(const Study& study, PartyId self,
                                             const std::string& data,
                                             const CsvProgress& progress = {});

  // This party's state machine among `members`: every random number comes from `keys`.
  [[nodiscard]] Result<std::unique_ptr<StagedParty>> take_part(std::span<const PartyId> members,
                                                               const AttemptKeys& keys);

  // Idle time, used: makes what the attempt with this AttemptKeys::cipher needs of its cipher, the
  // key pair and the randomness of the offer. take_part makes the same if nobody did before.
  void prepare(const KeyedRandom::Key& cipher_key);

  // SHA-256 of what the party brings, as it goes behind the boundary.
  [[nodiscard]] const std::string& data_digest() const { return data_digest_; }

  // What the result comes to: the model and everything that may be kept.
  struct Model {
    RunRecord record;
    std::optional<RecordFit> fit;  // over tables
  };
  [[nodiscard]] Result<Model> conclude(std::span<const PartyId> members,
                                       std::span<const double> result,
                                       const std::string& transcript_hash) const;

 private:
  PartyRun(const Study& study, PartyId self, Secret secret);

  Study study_;
  PartyId self_;
  Secret secret_;
  std::optional<PartyTable> table_;
  std::string data_digest_;
  std::shared_ptr<const Cipher> cipher_;  // dishuf
  std::size_t plaintexts_ = 0;            // in an offer to all parties of the study
  struct Prepared {
    KeyedRandom::Key from;
    std::unique_ptr<DecryptionKey> key;
  };
  std::optional<Prepared> prepared_;
};

}  // namespace sotto
