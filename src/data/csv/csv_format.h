#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "data/csv/fields.h"
#include "data/schema.h"

// What a file writes between its fields, and inside its numbers: a party's own matter, so it stands
// in no study. A party says it, or the file does.
namespace sotto {

struct CsvDialect {
  std::optional<char> separator;  // none: whichever finds the study's columns in the header
  std::optional<char> decimal;    // none: a comma where numbers have commas and no points
};

// From the first `sample` of a file, at best some hundred records. A comma that separates is no
// decimal comma, and the other way round. Where numbers have points and commas the point is taken,
// so that all others are errors: neither is ever read as the other.
[[nodiscard]] CsvFormat find_format(const CsvDialect& dialect, std::string_view sample,
                                    const Schema& schema, bool with_target);

// "fields separated by ";", decimal comma"; nothing for commas and points.
[[nodiscard]] std::string format_text(CsvFormat format);

}  // namespace sotto
