#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/sql/push_down.h"
#include "data/table.h"
#include "run/sums/sums_file.h"

// Sums of a party's parts, wherever they are: `sotto sums` and `sotto sql`.
namespace sotto {

struct SumsRequest {
  // Each a file, files by a pattern, "-", or a database; several only where they are files.
  std::vector<std::string> parts;
  TableRequest how = {};              // query, dialect, push-down: for all of them
  std::optional<PartyId> party = {};  // needed with a party effect
  CsvProgress progress = {};
};

// Parts are read one after the other, each once: memory does not depend on them. With a person's
// column they are read as one table, twice. E-data-unit, E-sums-party, E-sums-twice,
// E-data-options, and the errors of data/table.h and moments/push_down.h.
[[nodiscard]] Result<SumsFile> make_sums(const Study& study, const SumsRequest& request);

// E-sums-files where there is none, those of read_sums() and SumsFile::add().
[[nodiscard]] Result<SumsFile> merge_sums(const std::vector<std::string>& files);

// A file of sums as the table of one party of this study. E-sums-study, E-sums-file.
[[nodiscard]] Result<SumsFile> sums_for(const Study& study, PartyId self, const std::string& file);

// The query whose answer sums_of_answer() takes. `query`: SQL, or the name of a table.
[[nodiscard]] Result<std::string> sums_query(const Study& study, std::optional<PartyId> party,
                                             const std::string& query, SqlDialect dialect);

// From the line that a database has answered, in a file; "-" is standard input.
[[nodiscard]] Result<SumsFile> sums_of_answer(const Study& study, std::optional<PartyId> party,
                                              const std::string& file);

}  // namespace sotto
