// The line that a database answers to a query that adds up inside it: sums, or an error.

#include "fuzz/table_texts.h"
#include "moments/push_down.h"

namespace sotto {

// Which study; then what follows the mark.
SOTTO_FUZZER(answer) {
  constexpr const char* kMark = "sotto-sums-1:mark";
  fuzz::Choices choices(bytes);
  const Schema schema = fuzz::schema_of(choices.below(fuzz::kSchemas));
  const std::string line = kMark + std::string(choices.rest());
  const auto table = moments_of_answer(schema, kMark, line);
  if (!fuzz::fine_or_error(table)) return;
  const auto encoding = Encoding::make(schema);
  fuzz::require(table->moments.dimension == encoding->dimension() &&
                    table->moments.sums.size() == moments_size(encoding->dimension()) &&
                    table->clips.columns.size() == encoding->table().size(),
                "an answer has what its study asks for");
}

}  // namespace sotto
