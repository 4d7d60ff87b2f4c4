#pragma once

#include "report/chart.h"
#include "run/audit/audit.h"

namespace sotto {

// What the attacks of an audit reached, false alarms against what is missed, and the line that
// (ε, δ) lets nobody pass.
[[nodiscard]] LineChart trade_off_chart(const PlannedStudy& planned, const AuditReport& report);

}  // namespace sotto
