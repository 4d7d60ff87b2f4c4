#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/terminal/terminal.h"
#include "run/run_record.h"
#include "study/study.h"

// `sotto demo` in three steps: everything that parties on one machine need before they can meet,
// their processes, and what they ended with.
namespace sotto {

struct DemoSettings {
  std::string folder = "out/demo";
  std::size_t parties = 5;
  std::uint64_t rows = 4000;  // of each party
  Solver solver = Solver::kDishuf;
  bool keep = false;  // an earlier demo's files stay, this one's go beside them
};

struct DemoParty {
  std::string name;
  std::string home;   // key, journal, ledger and results
  std::string table;  // made up
  std::string log;    // what its process said
};

// What so many processes take of this machine, for whoever waits for them; nothing is said of a
// few. E-demo-machine if it cannot hold them.
[[nodiscard]] Result<std::string> demo_needs(std::size_t parties);

// Everything that parties on one machine need before they can meet.
struct DemoSetup {
  std::string folder;
  std::string study;  // study.toml
  std::vector<DemoParty> parties;
};

// Makes tables, identities and the study. Replaces an earlier demo in the same folder,
// and nothing else: E-demo-folder. E-demo-ports, E-file-write, and the generator's.
[[nodiscard]] Result<DemoSetup> set_up_demo(const DemoSettings& settings);

struct DemoRun {
  double seconds = 0;            // from the first process's start to the last one's end
  std::uint64_t sent_bytes = 0;  // of frames, all parties together
  std::uint64_t most_bytes = 0;  // sent by the busiest party
};

// Every party as a process of its own, each with one `sotto join --progress json`, until all have
// ended. E-demo-party with the last lines of the one that failed, E-interrupted, E-child; after any
// of them no process is left.
[[nodiscard]] Result<DemoRun> run_demo_parties(const DemoSetup& setup, ProgressTable::Style style);

// What the parties of a demo ended with, and how it compares.
struct DemoResult {
  std::vector<std::string> models;  // a model.json per party
  bool same_bits = false;           // all of them are the same file
  RunRecord record;                 // the first party's
  nlohmann::ordered_json model;     // what all hold
  // The coefficients of ordinary least squares over all tables together, without noise.
  // Only a demo can have it: the data are made up.
  std::vector<double> without_noise;
};

// Reads it back from the parties' homes. E-demo-result where a party has kept no result.
[[nodiscard]] Result<DemoResult> demo_result(const DemoSetup& setup);

// How many coefficients have the one without noise inside their 95 % interval; none
// where there are no intervals.
[[nodiscard]] std::optional<std::size_t> inside_intervals(const DemoResult& result);

// For a person, and for a script. `program` is how the reader starts sotto.
[[nodiscard]] std::string demo_text(const DemoSetup& setup, const DemoRun& run,
                                    const DemoResult& result, const std::string& program);
[[nodiscard]] nlohmann::ordered_json demo_json(const DemoSetup& setup, const DemoRun& run,
                                               const DemoResult& result);

}  // namespace sotto
