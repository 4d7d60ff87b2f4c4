#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "paillier/cipher.h"
#include "protocol/message.h"
#include "run/input.h"
#include "run/model.h"
#include "session/terms.h"

namespace sotto {

// E-message-size where an honest party would have to say more at once than is ever sent: looked at
// before anything is, for who finds out later has released, and nobody hears it.
[[nodiscard]] Result<void> check_message_sizes(const PlannedStudy& planned);

// One party of a study on a network: what it brings, how it takes part, and what
// it ends with. The study may lose parties on the way; everything is planned
// for those who are left, once for each set of them.
class PartyRun {
 public:
  // Reads `data` (run/input.h), and puts it behind the privacy boundary.
  [[nodiscard]] static Result<PartyRun> make(const Study& study, PartyId self,
                                             const TableRequest& data,
                                             const CsvProgress& progress = {});
  // The same where somebody has planned the study already.
  [[nodiscard]] static Result<PartyRun> make(PlannedStudy planned, PartyId self,
                                             const TableRequest& data,
                                             const CsvProgress& progress = {});
  // A party of a simulated network: it holds this cost, and `cipher` need not hide anything.
  [[nodiscard]] static Result<PartyRun> simulated(PlannedStudy planned, PartyId self,
                                                  const Quadratic& cost,
                                                  std::shared_ptr<const Cipher> cipher);

  // This party's state machine among `members`: every random number comes from `keys`. It draws its
  // noise at once, and its key pairs when it starts, from here: the run outlives it.
  // What it costs and how large its messages are follows from the plan of these members.
  [[nodiscard]] Result<AttemptParty> take_part(std::span<const PartyId> members,
                                               const AttemptKeys& keys);

  // How large messages can be, whoever takes part.
  [[nodiscard]] MessageLimits limits() const;

  // Idle time, used: makes what the attempt with this AttemptKeys::cipher needs of its cipher, a
  // key pair for each neighbour and the randomness of its offer. One for each core at a time, so
  // that nobody is kept waiting for long; says whether some are left. take_part makes what is
  // missing.
  [[nodiscard]] bool prepare(const KeyedRandom::Key& cipher_key);

  // Of all parties of the study.
  [[nodiscard]] const Plan& plan() const;

  // SHA-256 of what the party brings, as it goes behind the boundary.
  [[nodiscard]] const std::string& data_digest() const { return input_.digest; }
  // What the party alone may know of its table; none where it brings costs.
  [[nodiscard]] const std::optional<RunRecord::Own>& own() const { return input_.own; }
  [[nodiscard]] const std::vector<std::string>& constant_columns() const {
    return input_.constant_columns;
  }

  // What the result comes to: the model and everything that may be kept.
  [[nodiscard]] Result<Model> conclude(std::span<const PartyId> members, const Outcome& outcome);

 private:
  PartyRun(Study study, PartyId self, Input input)
      : study_(std::move(study)), self_(self), input_(std::move(input)) {}

  // What it needs beside its input: a cipher that the entries fit, and the plan of all.
  [[nodiscard]] Result<void> equip(PlannedStudy planned, std::shared_ptr<const Cipher> cipher);

  using Members = std::vector<PartyId>;
  [[nodiscard]] Result<const PlannedStudy*> plan_of(std::span<const PartyId> members);
  // Makes key pairs for the first of these neighbours that have none yet, `at_most` of them.
  void make_key_pairs(const KeyedRandom::Key& cipher_key, std::span<const PartyId> neighbours,
                      std::size_t at_most);
  // All of them, made by now or not; they are used once.
  [[nodiscard]] KeyPairs take_key_pairs(const KeyedRandom::Key& cipher_key,
                                        std::span<const PartyId> neighbours);

  Study study_;
  PartyId self_;
  Input input_;
  std::map<Members, PlannedStudy> plans_;
  std::shared_ptr<const Cipher> cipher_;  // dishuf
  std::size_t plaintexts_ = 0;            // in its offer to a neighbour
  struct Prepared {
    KeyedRandom::Key from;
    std::map<PartyId, std::unique_ptr<DecryptionKey>> for_neighbour;  // as the study numbers them
  };
  std::optional<Prepared> prepared_;
};

}  // namespace sotto
