// CSV: rows or errors, the same whatever the kernel, the blocks and the pieces in which it comes.

#include "fuzz/table_texts.h"

namespace sotto {

// Four bytes say how it is read; the rest is the file.
SOTTO_FUZZER(csv) {
  fuzz::Choices choices(bytes);
  const Schema schema = fuzz::schema_of(choices.below(fuzz::kSchemas));
  CsvOptions options;
  constexpr char kSeparators[] = {',', ';', '\t', '|'};
  if (const std::size_t k = choices.below(8); k < 4) options.dialect.separator = kSeparators[k];
  if (const std::size_t k = choices.below(6); k < 2) options.dialect.decimal = k == 0 ? '.' : ',';
  if (options.dialect.separator == ',' && options.dialect.decimal == ',') return;
  const std::size_t piece = 1 + choices.byte();
  const std::string_view text = choices.rest();
  options.kernel = CsvKernel::kPortable;
  const auto whole = fuzz::read_table(fuzz::text_in_memory(text, text.size() + 1), schema, options);
  options.kernel = best_csv_kernel();
  const auto vectors = fuzz::read_table(fuzz::text_in_memory(text, piece), schema, options);
  fuzz::require(whole == vectors,
                "kernels and pieces read the same: " + whole.error + vectors.error);
  options.block_bytes = 16;
  const auto blocks = fuzz::read_table(fuzz::text_in_memory(text, text.size() + 1), schema, options,
                                       fuzz::Care::kOneEncoder);
  fuzz::require(whole.error == blocks.error && (whole == blocks || !whole.error.empty()),
                "blocks of any size read the same:\n" + whole.error + "\n" + blocks.error);
}

}  // namespace sotto
