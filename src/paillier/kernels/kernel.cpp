// Which kernel runs here: the fastest, or the one that SOTTO_KERNEL asks for.
#include "paillier/kernels/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/check.h"
#include "paillier/kernels/lanes.h"

namespace sotto::paillier {
namespace {

struct LaneKind {
  std::string_view name;
  std::string_view needs;
  const LaneArithmetic* (*arithmetic)();
};
constexpr std::array<LaneKind, 2> kLaneKinds{
    {{"ifma", "AVX512-IFMA", avx512_arithmetic}, {"fma", "AVX2 with FMA", avx2_arithmetic}}};

}  // namespace

IntegerVector Kernel::store(const Residues& residues) const {
  IntegerVector numbers;
  numbers.reserve(residues.count);
  for (const auto& [low, high] : store_pairs(residues)) {
    numbers.push_back(integer_of(sum(low, high, n_)));
  }
  return numbers;
}

const LaneArithmetic* lane_arithmetic(std::string_view kernel) {
  const auto kind = std::ranges::find(kLaneKinds, kernel, &LaneKind::name);
  return kind == kLaneKinds.end() ? nullptr : kind->arithmetic();
}

std::vector<std::string_view> available_kernels() {
  std::vector<std::string_view> names;
  for (const LaneKind& kind : kLaneKinds) {
    if (kind.arithmetic() != nullptr) names.push_back(kind.name);
  }
  names.emplace_back("portable");
  return names;
}

Result<std::string_view> selected_kernel() {
  const auto available = available_kernels();
  const char* forced = std::getenv("SOTTO_KERNEL");
  const std::string_view wanted = forced == nullptr ? "" : forced;
  if (wanted.empty()) return available.front();
  const auto found = std::ranges::find(available, wanted);
  if (found != available.end()) return *found;
  const auto kind = std::ranges::find(kLaneKinds, wanted, &LaneKind::name);
  if (kind == kLaneKinds.end()) {
    return bad_input("E-kernel", fmt::format("SOTTO_KERNEL={} names no kernel", wanted),
                     "set it to ifma, fma or portable, or leave it away");
  }
  return bad_input(
      "E-kernel", fmt::format("SOTTO_KERNEL={}, and this processor has no {}", wanted, kind->needs),
      fmt::format("leave SOTTO_KERNEL away, or set it to {}", fmt::join(available, " or ")));
}

std::unique_ptr<Kernel> make_kernel(const Integer& n, std::string_view name) {
  if (name == "portable") return make_portable_kernel(n);
  const LaneArithmetic* arithmetic = lane_arithmetic(name);
  check(arithmetic != nullptr, "a kernel is made only where it runs");
  return make_lane_kernel(n, *arithmetic);
}

std::unique_ptr<Kernel> make_kernel(const Integer& n) {
  const auto selected = selected_kernel();
  check(selected.has_value(), selected ? "" : selected.error().to_string());
  return make_kernel(n, *selected);
}

}  // namespace sotto::paillier
