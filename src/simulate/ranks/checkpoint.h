#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "simulate/engine.h"
#include "simulate/ranks/network_part.h"

namespace sotto {

struct CheckpointOptions {
  std::filesystem::path file;
  double every_seconds = 600;          // 0: after every round
  std::function<double()> clock = {};  // seconds, of rank 0
};

// What a long simulation has come to, in one file, so that it goes on where it was killed, with the
// same bits, on as many ranks as there are then:
//
//     sotto checkpoint
//     {"format": 1, "run": {…}, "notes": "…", "round": 117, "lanes": 9, "sets": 2, "parties": 1000}
//     rows of doubles: for each set (the round's, the round before's) each party's, in their order
//     SHA-256 of all that comes before
//
// `run` says which run it is, `notes` what it had finished before the rounds under way. Afterwards
// the file is either what it was or all of what it should be, never a part. Rows go through rank 0,
// a few megabytes at a time. Called by all ranks together.
class Checkpoint final : public RoundKeeper {
 public:
  // Reads the file if there is one. E-checkpoint-other where it is of another run, with what
  // differs; E-checkpoint-damaged; E-checkpoint-file where it cannot be read. `part` outlives this.
  [[nodiscard]] static Result<std::unique_ptr<Checkpoint>> open(CheckpointOptions options,
                                                                const nlohmann::ordered_json& run,
                                                                const NetworkPart& part);

  // What the file has; and from now on what is to be noted, asked whenever it is written, on rank
  // 0.
  [[nodiscard]] const std::string& notes() const { return kept_notes_; }
  void note(std::function<std::string()> notes) { notes_ = std::move(notes); }

  // E-checkpoint-damaged where the rows are not those of a batch of so many lanes and sets, under
  // way before its last round. Precondition of a batch's rounds, if any were come to.
  [[nodiscard]] Result<void> require_rows(Round rounds, std::size_t lanes, std::size_t sets) const;
  // The file is whole, and no run of sotto has written it.
  [[nodiscard]] Error unlikely(const std::string& what) const;

  // Before hours of work: E-checkpoint-file where the first write would fail.
  [[nodiscard]] Result<void> require_writable();

  // A batch has ended and stands in the notes: its rows are of no use any more. Writes if it is
  // time, or `last`. E-checkpoint-file where anything could not be written.
  [[nodiscard]] Result<void> finished(bool last);

  [[nodiscard]] Round reached() const override { return round_; }
  void restore(std::size_t lanes, double* now, double* before) override;
  void after(Round round, std::size_t lanes, const double* now, const double* before) override;

 private:
  Checkpoint(CheckpointOptions options, const NetworkPart& part, std::string run);

  [[nodiscard]] Result<void> read(const nlohmann::ordered_json& run);  // rank 0
  [[nodiscard]] bool due();
  void write(Round round, std::size_t lanes, const double* now, const double* before);

  CheckpointOptions options_;
  const NetworkPart* part_;
  std::string run_;  // as JSON
  std::string kept_notes_;
  std::function<std::string()> notes_;
  Round round_ = 0;  // come to earlier, until the batch is over
  std::uint64_t lanes_ = 0;
  std::uint64_t sets_ = 0;
  std::uint64_t rows_at_ = 0;  // in the file
  Round until_look_ = 0;       // rounds
  double last_seconds_ = 0;
  Result<void> written_;  // the first fault
};

}  // namespace sotto
