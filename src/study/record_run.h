#pragma once

#include <span>
#include <string>
#include <vector>

#include "study/fit.h"
#include "study/tables.h"

namespace sotto {

// Where a run's noise comes from. The operating system, unless the tables are
// made up: a seed that somebody knows is noise that somebody can subtract.
struct RecordRunOptions {
  const Cipher* cipher = nullptr;  // dishuf's; the ideal one by default
  RandomFrom random_from = RandomFrom::kOperatingSystem;
  std::uint64_t seed = 0;
  std::uint64_t trial = 0;
};

// A finished run over tables, all parties in this process.
struct RecordRun {
  RecordFit fit;
  std::vector<double> sums;  // what every party ends with, in the order of Moments
  std::string transcript_hash;
  std::vector<RunRecord::RoundPoint> convergence;
};

// Seals, releases, averages and solves. `plan` is the study's, for `ac`, `dishuf` or `pairwise`.
[[nodiscard]] Result<RecordRun> run_on_tables(const Study& study, const Plan& plan,
                                              std::span<const PartyTable> tables,
                                              const RecordRunOptions& options = {});

// Only the noisy sums of it: for those who measure.
[[nodiscard]] Result<std::vector<double>> release_sums(const Study& study, const Plan& plan,
                                                       std::span<const PartyTable> tables,
                                                       const RecordRunOptions& options);

// A table's sums behind the privacy boundary.
[[nodiscard]] Secret secret_of(const Study& study, const Plan& plan, const PartyTable& table);

// What is public about any run of a study, before there is a result.
[[nodiscard]] RunRecord public_record(const Study& study, const Plan& plan);

// Everything that may be kept of it.
[[nodiscard]] RunRecord record_of(const Study& study, const Plan& plan,
                                  std::span<const PartyTable> tables, const RecordRun& run,
                                  const RecordRunOptions& options = {});

// For a person: coefficients with their errors, what is promised, what to beware of.
[[nodiscard]] std::string to_text(const RunRecord& record, const RecordFit& fit);

}  // namespace sotto
