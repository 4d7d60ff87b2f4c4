#pragma once

#include <string>
#include <vector>

#include "run/consent/consent.h"

// What an operator sees before taking part, in `check` and in `join`.
namespace sotto {

// A line for each, and one for its fix.
[[nodiscard]] std::string check_text(const std::vector<CheckItem>& items);

// What the study promises against whom, what it costs, and what was found: the data's line, and all
// that is not in order.
[[nodiscard]] std::string consent_text(const Consent& consent);

// Asks on standard error, and reads one line of standard input. Only "y" and "yes" mean yes; the
// end of the input does not.
[[nodiscard]] bool ask_whether_to_take_part();

}  // namespace sotto
