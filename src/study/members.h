#pragma once

#include <span>

#include "study/study.h"

namespace sotto {

// The study of those who are left: the graph without the others, edges with their
// weights. `members` ascending. Fails where the rest does not hang together.
[[nodiscard]] Result<Study> study_of(const Study& study, std::span<const PartyId> members);

}  // namespace sotto
