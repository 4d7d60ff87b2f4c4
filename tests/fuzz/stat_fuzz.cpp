// Stata, SPSS and SAS files, any bytes of them, through libreadstat.

#include "data/readstat/stat_file.h"
#include "fuzz/table_texts.h"

namespace sotto {

// The first byte says which kind.
SOTTO_FUZZER(stat) {
  if (!stat_files_built_in()) return;
  fuzz::Choices choices(bytes);
  const auto kind = static_cast<StatKind>(choices.below(5));
  const Schema schema = fuzz::schema_of(choices.below(fuzz::kSchemas));
  const auto text = text_of_stat_file(fuzz::file_with("t.stat", choices.rest()), kind);
  if (!fuzz::fine_or_error(text)) return;
  (void)fuzz::read_table(*text, schema, {});
}

}  // namespace sotto
