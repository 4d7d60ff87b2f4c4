#pragma once

#include <string>
#include <string_view>

#include "study/study.h"

namespace sotto {

// study.toml → typed values. Every error says line and column. Unknown keys are
// errors, and privacy has no defaults: a forgotten line must not choose somebody's.
// Relative file names in the study are relative to it.
[[nodiscard]] Result<Study> read_study(const std::string& path);

// The same from text; `name` stands for the file in errors.
[[nodiscard]] Result<Study> parse_study(std::string_view text, const std::string& name);

}  // namespace sotto
