#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "data/row_weight.h"
#include "data/source.h"
#include "plan/plan.h"
#include "privacy/calibrate/noise.h"
#include "privacy/observe/adversary.h"
#include "protocol/consensus.h"
#include "run/summary/summary.h"
#include "solve/estimators.h"
#include "solve/release.h"
#include "study/study.h"

namespace sotto {

// Everything a party keeps of a finished run, and may show: the last room of the
// house. `own` alone stays with the party that wrote it.
struct RunRecord {
  struct Coefficient {
    std::string name;
    double value = 0;
    std::optional<double> standard_error{};  // of the unshrunk estimate; none: see errors_refused
    std::optional<std::pair<double, double>> interval{};  // 95 %, about `unshrunk`
    std::optional<double> unshrunk{};                     // what the standard error belongs to
    std::optional<double> degrees_of_freedom{};           // of t and interval; may be infinite
    std::optional<double> t{};                            // unshrunk/standard_error
    std::optional<double> p{};                            // two-sided, that the coefficient is 0
    std::optional<double> noise_share{};  // of standard_error²: the privacy noise's
  };
  struct Clipped {
    std::string column;
    std::uint64_t below = 0;
    std::uint64_t above = 0;
  };
  // Known to the writing party alone.
  struct Own {
    std::string party;
    std::uint64_t rows = 0;
    std::uint64_t dropped = 0;
    std::vector<Clipped> clipped;
    std::vector<SourceFacts> sources =
        {};  // what was read; more than one where a table is in pieces
  };
  struct RoundPoint {
    std::uint64_t round = 0;
    double disagreement = 0;  // largest distance of a party from the average, relative to the start
  };

  std::string study;
  std::string study_hash;
  Solver solver = Solver::kDishuf;
  Estimator estimator = Estimator::kNoiseAware;
  NamedSettings estimator_settings = {};  // of an estimator with keys
  double ridge = 0;                       // λ of Estimator::kRidge, which only refits have
  std::vector<std::string> instruments;   // columns, of Estimator::kTwoStage
  bool simulated = true;
  std::uint64_t seed = 0;  // of a simulation
  std::string finished;    // 2026-01-31T09:00:00Z; empty in what all parties share
  std::string version;     // of the sotto that wrote it; likewise

  double epsilon = 0;
  double delta = 0;
  Unit unit = Unit::kRecord;
  std::optional<Neighbours> neighbours;  // always there for records
  double sensitivity = 0;
  double kappa_bar = 0;
  std::vector<Adversary> adversaries;

  std::vector<std::string> parties;
  std::vector<std::pair<std::size_t, std::size_t>> edges;  // indices into parties

  double sum_noise_sd = 0;
  double central_ratio = 0;
  std::optional<ConsensusMethod> consensus = ConsensusMethod::kExact;  // none: gradient tracking
  std::uint64_t rounds = 0;
  double rate = 0;
  std::vector<RoundPoint> convergence;

  std::vector<Coefficient> coefficients;
  std::string errors_refused;           // why there are no standard errors; empty if there are
  std::optional<double> noisy_rows;     // an estimate of the number of rows, if one was released
  std::optional<Explained> explained;   // by these coefficients, of the target's variance
  std::optional<ModelSummary> summary;  // tables: none in files of earlier versions
  std::string target;
  nlohmann::ordered_json encoding;  // schema: what `predict` needs to encode a row
  std::vector<std::string> warnings;
  std::vector<Own> own;
  std::string transcript_hash;
  std::optional<Release> release;  // tables: what every other model of these columns follows from
  std::string refit_of;            // the release's digest, of a model that no run has fitted

  // All rows of a person together, and not each row by itself.
  [[nodiscard]] bool protects_persons() const { return encoding.contains("person"); }
};

inline constexpr const char* kRecordFile = "record.json";  // in a run's folder

// JSON has no infinity: in `shift`, `epsilon_at_delta`, `sum_noise_sd`,
// `central_ratio` and `disagreement` null stands for it (and for a disagreement
// that is no number, after rounds that diverge). Everything else is finite.
[[nodiscard]] nlohmann::ordered_json to_json(const RunRecord& record);

// Its part about privacy, which model files have as well.
[[nodiscard]] nlohmann::ordered_json privacy_json(const RunRecord& record);

// Parts of it that other files have as well: a coefficient, {share, interval} or null, [lower,
// upper] or null, and [{column, below, above}].
[[nodiscard]] nlohmann::ordered_json coefficient_json(const RunRecord::Coefficient& coefficient);
[[nodiscard]] nlohmann::ordered_json explained_json(const std::optional<Explained>& explained);
[[nodiscard]] nlohmann::ordered_json interval_json(const RunRecord::Coefficient& coefficient);
[[nodiscard]] nlohmann::ordered_json clipped_json(const std::vector<RunRecord::Clipped>& clipped);
// {kind, place, query, format, sha256}.
[[nodiscard]] nlohmann::ordered_json source_json(const SourceFacts& source);
[[nodiscard]] SourceFacts source_from(const nlohmann::ordered_json& json, const std::string& path,
                                      std::string& problem);

// What a model file keeps of a record: neither graph nor rounds. Unknown fields are let pass.
[[nodiscard]] Result<RunRecord> record_from_model_json(const nlohmann::ordered_json& json,
                                                       const std::string& file);

// E-record-json names the file and the field that is missing, wrong or unknown.
// Unknown fields are refused: a newer sotto may have written a caveat there, and
// a report must not leave it out. Only `encoding` is taken as it is. E-model-version,
// E-model-digest.
[[nodiscard]] Result<RunRecord> record_from_json(const nlohmann::ordered_json& json,
                                                 const std::string& file);

// Reads a record.json, the one in a folder, or a model.json. E-record-file: there is none, it
// cannot be read, was cut short or is no JSON.
[[nodiscard]] Result<RunRecord> read_record(const std::filesystem::path& run);

// All of it or nothing (base/files.h). Names that are not UTF-8 are mended, so
// that a run's result is never lost to a column's name. Only the file's owner may read
// a party's own run, and whatever has counts of a party's own rows in `own`.
[[nodiscard]] Result<void> write_record(const std::filesystem::path& file, const RunRecord& record);

}  // namespace sotto
