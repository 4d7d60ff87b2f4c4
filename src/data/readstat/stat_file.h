#pragma once

#include <string>

#include "data/csv/text_stream.h"

namespace sotto {

enum class StatKind { kStata, kSpss, kSpssPortable, kSas, kSasTransport };

// Whether this sotto was built with libreadstat.
[[nodiscard]] bool stat_files_built_in();

// The rows of a Stata (.dta), SPSS (.sav, .zsav, .por) or SAS (.sas7bdat, .xpt) file. What the file
// calls missing is missing, system values and a user's own alike. Where the study has levels, a
// value stands for its label if that is one of them, else for itself if it is one. Where the study
// has a number, a value stands for itself, labelled or not. The digest is the file's.
//   E-data-source  this sotto was built without libreadstat
// and when it is opened and read
//   E-stat-read    it cannot be opened, is damaged, or has changed meanwhile
[[nodiscard]] Result<TableText> text_of_stat_file(const std::string& path, StatKind kind);

}  // namespace sotto
