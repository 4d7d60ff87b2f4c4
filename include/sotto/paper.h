#pragma once

// The paper's case studies: `sotto reproduce`.

#include <sotto/result.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace sotto::v1 {

enum class Figure { k1, k2, k3, kAll };

struct ReproduceOptions {
  std::string folder = "out/paper";  // for CSV, SVG and one HTML page
  std::uint64_t seed = 1;
  bool independent = false;  // draws of its own for every setting; else all share theirs
  std::function<void(std::size_t done, std::size_t all)> progress = {};  // may throw: ends it
};

struct Reproduction {
  std::string text = {};  // what was measured beside what the paper claims, and the files
  std::string json = {};
};

[[nodiscard]] Result<Reproduction> reproduce(Figure figure, const ReproduceOptions& options = {});

}  // namespace sotto::v1
