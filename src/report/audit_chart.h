#pragma once

#include "report/chart.h"
#include "run/audit/audit.h"

namespace sotto {

// What the attacks of an audit reached, false alarms against what is missed, and for each claim the
// line that it lets nobody pass: of every observer its own ε at the study's δ, which may be more
// than was asked for; none where no ε is claimed.
[[nodiscard]] LineChart trade_off_chart(const Budget& budget, const AuditReport& report);

}  // namespace sotto
