#include "protocol/message.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sotto {

tl::unexpected<Error> bad_peer(PartyId peer, const std::string& what) {
  return failed("E-peer", fmt::format("party {} {}", peer + 1, what),
                "its message was refused; ask its operator to check program and study");
}

bool all_finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

}  // namespace sotto
