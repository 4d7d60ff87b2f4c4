#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "problem/quadratic.h"

namespace sotto {

inline constexpr std::size_t kMaxProblemBytes = std::size_t{1} << 28U;

// How far A's two triangles may differ, relative to the larger of the two entries.
inline constexpr double kSymmetryTolerance = 1e-12;

// Problems as JSON. Either one file for all parties
//
//     {"parties": [{"A": [[2, 1], [1, 3]], "B": [1, 0]}, …]}
//
// or one file {"A": …, "B": …} per party, in the parties' order. Both forms may
// be mixed: parties are taken in the order of the files. A's lower triangle must
// repeat the upper one, which is the one that is kept.
//
//     E-problem-file        cannot be opened or read, or is above kMaxProblemBytes
//     E-problem-json        is not JSON, or has other keys than these
//     E-problem-shape       A is not square, B has another length, sizes differ between parties
//     E-problem-asymmetric  A is not symmetric
//     E-problem-number      an entry is not a finite number
[[nodiscard]] Result<std::vector<Quadratic>> read_problem(
    std::span<const std::filesystem::path> files);

// The same for one file's text; `name` is what errors call it.
[[nodiscard]] Result<std::vector<Quadratic>> parse_problem(std::string_view text,
                                                           const std::string& name);

}  // namespace sotto
