#pragma once

#include <cstdint>

#include "study/study.h"

namespace sotto {

struct Plan;

// What a party on the network sends in a run without trouble: frames, as `join` counts them.
struct TrafficPlan {
  std::uint64_t messages = 0;  // of the party that sends most
  std::uint64_t bytes = 0;
};

// From the plan's noise, rounds and entries. Lengths of certificates, of released integers and
// the number of acknowledgements are estimates, everything else is counted.
[[nodiscard]] TrafficPlan predict_traffic(const Study& study, const Plan& plan);

}  // namespace sotto
