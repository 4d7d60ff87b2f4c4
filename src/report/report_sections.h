#pragma once

#include "report/html.h"
#include "report/run_record.h"
#include "report/run_report.h"

namespace sotto {

// Sections of run_report. Each adds itself to the page, or nothing if the record
// has nothing to say about it.

void add_coefficients(const RunRecord& record, HtmlPage& page);
void add_graph(const RunRecord& record, HtmlPage& page, Audience audience);
void add_convergence(const RunRecord& record, HtmlPage& page);
void add_own(const RunRecord& record, HtmlPage& page);

}  // namespace sotto
