#pragma once

#include <string>

#include "cli/verb.h"
#include "study/cipher_choice.h"

namespace sotto {

// What `simulate --data` was asked for.
struct TablesRequest {
  std::string data;   // files, separated by commas
  std::string split;  // interleaved | contiguous
  std::string out;    // folder for model.json and record.json; empty: none
  CipherChoice cipher = CipherChoice::kIdeal;
  Output output;
};

// Runs the study over tables: noise from the operating system, one release. What
// it returns goes to standard output.
[[nodiscard]] Result<std::string> simulate_tables(const Study& study, Solver solver,
                                                  const TablesRequest& request);

}  // namespace sotto
