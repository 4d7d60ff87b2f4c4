#pragma once

// What test parameters are called, where gtest would show their bytes.

#include <ostream>

#include "protocol/consensus.h"

namespace sotto {

inline void PrintTo(ConsensusMethod method, std::ostream* out) {
  *out << to_string(method);
}

}  // namespace sotto
