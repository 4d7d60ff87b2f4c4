#pragma once

#include <string>
#include <vector>

#include "data/table.h"
#include "moments/moments.h"
#include "run/run_record.h"
#include "study/study.h"

namespace sotto {

// The tables of a simulation over data: one per party, or one that is dealt out. Names like *.csv
// stand for all files that fit.
struct TableFiles {
  std::vector<std::string> files;  // TableRequest::place of each
  TableSplit::Kind split = TableSplit::Kind::kInterleaved;
  std::string query = {};   // of all that are databases
  CsvDialect dialect = {};  // of all
  bool digest = true;       // TableRequest::digest of all
};

// What one party knows of its own table. Moments are data; Own stays with the party.
struct PartyTable {
  Moments moments;
  RunRecord::Own own;
  // With an intercept: columns that hold one value in all of two rows or more.
  std::vector<std::string> constant_columns;
};

// One per party, in the study's order. E-data-unit for a study that is not over
// records, E-data-files where there are neither one nor n files, and the errors of
// data/table.h, which name file, line and column.
[[nodiscard]] Result<std::vector<PartyTable>> read_tables(const Study& study,
                                                          const TableFiles& files,
                                                          const CsvProgress& progress = {});

// The same for tables wherever they are, one per party or a single one to split.
[[nodiscard]] Result<std::vector<PartyTable>> read_tables(const Study& study,
                                                          const std::vector<TableRequest>& requests,
                                                          TableSplit::Kind split,
                                                          const CsvProgress& progress = {});

// The table of one party, for that party alone.
[[nodiscard]] Result<PartyTable> read_own_table(const Study& study, PartyId self,
                                                const TableRequest& request,
                                                const CsvProgress& progress = {});

// The same for tables that are moments already.
[[nodiscard]] std::vector<PartyTable> tables_of(const Study& study,
                                                std::vector<TableMoments> moments);

}  // namespace sotto
