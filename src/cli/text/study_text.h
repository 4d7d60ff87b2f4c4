#pragma once

#include <string>

#include "plan/plan.h"

namespace sotto {

// What a study means, in words and on one screen: what is explained with what, what is promised to
// whom, how the parties compute and who they are.
[[nodiscard]] std::string study_in_words(const Study& study, const Plan& plan);

}  // namespace sotto
