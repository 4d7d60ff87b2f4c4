#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "study/study.h"

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

// Everything that parties on one machine need before they can meet.
struct DemoStage {
  std::string folder;
  std::string study;  // study.toml
  std::vector<DemoParty> parties;
};

// Makes tables, identities and the study. Replaces an earlier demo in the same folder,
// and nothing else: E-demo-folder. E-demo-ports, E-file-write, and the generator's.
[[nodiscard]] Result<DemoStage> set_demo_stage(const DemoSettings& settings);

}  // namespace sotto
