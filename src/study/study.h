#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/schema.h"
#include "graph/weights.h"
#include "moments/costs.h"
#include "moments/sensitivity.h"
#include "privacy/budget.h"
#include "privacy/calibrate/dishuf.h"
#include "privacy/calibrate/gt.h"
#include "protocol/consensus.h"
#include "solve/estimators.h"

namespace sotto {

// What all parties agree on, as typed values: study.toml once it has been read.

struct PrivacyTerms {
  Budget budget;
  Unit unit = Unit::kEntry;
  Neighbours neighbours = Neighbours::kAddRemove;
  Sensitivity sensitivity;  // μ, or a row's
  std::size_t colluders = 0;
  std::optional<PersonColumn> person = std::nullopt;  // whose rows are protected together
};

// What is hidden, of a table: "row", or "person".
[[nodiscard]] std::string protected_unit(const PrivacyTerms& terms);

struct GtTerms {
  std::optional<double> truncation;  // none: the smallest that has the δ asked for
  Convexity guarantee = Convexity::kCertain;
  std::optional<double> lambda_min;  // public lower bound on ΣA_i's eigenvalues
  std::optional<double> step;        // none: "auto"
  std::optional<Round> rounds;       // none: from the rate and the tolerance
  bool keep_delta = true;            // false: the truncation stands, whatever δ it has
};

enum class Calibration { kGraph, kLemma1 };

struct DishufTerms {
  ShuffleParameters parameters;
  Calibration calibration = Calibration::kGraph;
  std::size_t key_bits = 3072;
  bool full_randomness = false;
};

// [solve]: what is made of the sums, and whether Σy² is among them. Only the intervals and the
// explained variance need Σy²; without it a row moves the sums less, √2 and not 1.5, or with
// bounded weights the other sums get its share.
struct SolveTerms {
  Estimator estimator = Estimator::kExact;
  bool error_bars = true;       // tables only
  NamedSettings settings = {};  // of an estimator with keys
};

// What a table releases, chosen here and nowhere else. With Weighting::kNone shares of w = 1 and
// v = 1/2 for add/remove, 1 for replace; v = 0 stands for "Σy² stays at home". With
// Weighting::kBounded those of bounded_shares().
[[nodiscard]] EntryShares released_shares(const Schema& schema, Neighbours neighbours,
                                          const SolveTerms& terms);

// How far one row moves that; a person who counts as k rows moves it k times as far
// (docs/proofs/person.md).
[[nodiscard]] Sensitivity row_sensitivity(const Schema& schema, Neighbours neighbours,
                                          const SolveTerms& terms);

struct Study;

// weighting = "auto": from the public number of rows, which of the two asks the better question.
// With many rows the noise is small beside what the rows themselves leave open, and ordinary least
// squares is what people ask for; with fewer, bounded weights have much less noise. It is kBounded
// below
//
//     N₀ = 10·σ²·[k + ½k²(m² + t²r/f²)] / (f²·t²(1 − r))
//
// rows, σ = φΔ/κ̄ the noise of ordinary least squares on the sum (φ = √n for `ac`, √(n/(n−t)) else),
// k the number of columns with the intercept, and the table assumed to be what every plan assumes:
// features of sd f = 0.4 in halves of their bounds' width, a target of sd t = 0.3 and mean m = 0.3,
// r = 1/2 of it explained. At N₀ the noise adds a tenth to the variance of a coefficient, 5 % to
// its interval. Precondition: the study is over tables and says `rows`. Sets weighting and
// bounded_below.
void choose_weighting(Study& study);

struct ConsensusTerms {
  ConsensusMethod method = ConsensusMethod::kExact;
  double tolerance = 1e-9;
  std::optional<Round> rounds;  // none: as many as the tolerance takes; exact has the diameter's
};

// Where the parties' costs come from when there are no tables.
struct ProblemSource {
  std::string family;         // "paper", or empty: files
  std::size_t dimension = 0;  // m; 0: the files say it, and nothing can be planned without them
  std::uint64_t seed = 0;
  FamilySum sum = FamilySum::kFixed;  // how large a family's costs are
  std::vector<std::string> files;     // one for all parties, or one each
};

// [network]: how long parties wait for each other, and how few may go on.
struct NetworkTerms {
  std::size_t min_parties = 0;  // 0: all of them
  std::size_t attempts = 1;     // how often parties may have to seal anew, at most
  // When the meeting begins, in seconds since 1970; none: as soon as each party is there. Nobody
  // dials before it, so that how long a table takes to read shows nowhere.
  std::optional<std::int64_t> start = {};
  double meeting_seconds = 86'400;  // until everybody has shown up
  double patience_seconds = 300;    // for one that was there
};

// What carries frames between two parties of [faults].
enum class FaultTransport {
  kStream,  // as TCP does: once and in order, what is lost is sent again and holds up the rest
  kFrames,  // each by itself: lost, doubled and overtaken, and the parties' own links mend it
};

// [faults]: the network over which `simulate` also drives the parties' own machines, once.
struct FaultTerms {
  FaultTransport transport = FaultTransport::kStream;
  double loss = 0;                      // the share of frames that are lost on their way
  double repeats = 0;                   // the share that arrive twice; kFrames alone
  double latency_ms = 20;               // what every frame takes at least
  double jitter_ms = 0;                 // and on average beyond that: exponential, each by itself
  double bandwidth_mbit = 100;          // of every party, up
  std::size_t crashes = 0;              // how often the process of some party dies, in all
  double restart_seconds = 5;           // and comes back after
  double start_seconds = 0;             // within which the parties start
  std::optional<PartyId> rushing = {};  // one that releases when it has heard all others
  std::optional<double> cipher_ms = std::nullopt;  // of one ciphertext; none: run/lab/faults.h
  std::uint64_t seed = 1;                          // of all that
};

struct PartyTerms {
  std::string name;
  std::string address;      // host:port; empty: it only dials out, or this is a simulation
  std::string fingerprint;  // sha256:…; empty in a simulation
  // The second of two, while the party exchanges its key; usually empty.
  std::string other_fingerprint = {};
};

struct Study {
  std::string name;
  Solver solver = Solver::kDishuf;
  PrivacyTerms privacy;
  Weights weights;
  GtTerms gt;
  DishufTerms dishuf;
  double pairwise_g = 0.001;
  ConsensusTerms consensus;
  SolveTerms solve;
  std::optional<Schema> data;
  std::optional<ProblemSource> problem;
  NetworkTerms network = {};
  std::optional<FaultTerms> faults = std::nullopt;
  std::map<Solver, NamedSettings> added = {};  // of solvers that a program has added
  // Those that are listed, and names for all others; beyond kMaxNamedParties only the former.
  std::vector<PartyTerms> parties;
  std::string hash;   // SHA-256 of the file's bytes, hexadecimal
  std::string lines;  // study/study_lines.h: for a neighbour whose study differs

  [[nodiscard]] const Graph& graph() const { return weights.graph(); }

  // The study of those who are left: the graph without the others, edges with their
  // weights. `members` ascending. Fails where the rest does not hang together.
  [[nodiscard]] Result<Study> restricted_to(std::span<const PartyId> members) const;
};

// E-party-unknown lists the names there are.
[[nodiscard]] Result<PartyId> party_named(const Study& study, const std::string& name);

// Every party has a fingerprint, no two the same, and one end of every edge has an address; all
// that they agree on stands in the study. E-network-fingerprint, E-network-edge, E-network-graph.
[[nodiscard]] Result<void> check_network(const Study& study);

// study.toml → typed values. Every error says line and column. Unknown keys are
// errors, and privacy has no defaults: a forgotten line must not choose somebody's.
// Relative file names in the study are relative to it. "-" is standard input.
[[nodiscard]] Result<Study> read_study(const std::string& path);

// The same from text; `name` stands for the file in errors, `folder` is where files are that it
// names: of those only that of [graph] is read.
[[nodiscard]] Result<Study> parse_study(std::string_view text, const std::string& name,
                                        const std::filesystem::path& folder = {});

}  // namespace sotto
