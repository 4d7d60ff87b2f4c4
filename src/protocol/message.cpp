#include "protocol/message.h"

#include <fmt/format.h>

namespace sotto {

tl::unexpected<Error> bad_peer(PartyId peer, const std::string& what) {
  return failed("E-peer", fmt::format("party {} {}", peer + 1, what),
                "its message was refused; ask its operator to check program and study");
}

}  // namespace sotto
