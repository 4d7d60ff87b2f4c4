#pragma once

#include <string>
#include <vector>

#include "paillier/ifma_pairs.h"
#include "paillier/lanes_emulated.h"

namespace sotto::kernel_test {

struct LaneKind {
  std::string name;
  const LaneArithmetic& arithmetic;
};

// Emulated lanes everywhere, and the processor's own where it has them.
inline std::vector<LaneKind> lane_kinds() {
  std::vector<LaneKind> kinds{{"emulated", kArithmeticOf<EmulatedLanes>}};
  for (const LaneArithmetic* kind : {avx512_arithmetic(), avx2_arithmetic()}) {
    if (kind != nullptr) kinds.push_back({std::string(kind->name), *kind});
  }
  return kinds;
}

}  // namespace sotto::kernel_test
