#pragma once

#include <string>

#include "base/result.h"
#include "run/audit/audit.h"

// `sotto audit`: tries to disprove what a study claims.
namespace sotto {

// What the verb ends with. failed[E-audit], after `text` has been printed, if a claim is disproved:
// no study that can be written down is known to be, so tests ask here.
[[nodiscard]] Result<std::string> audit_outcome(const AuditReport& report, std::string text);

}  // namespace sotto
