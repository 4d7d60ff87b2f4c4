#pragma once

#include <string>
#include <vector>

#include "run/consent/check_item.h"
#include "run/join/join.h"

// What can be wrong with a party before it joins, looked at without a word of the run: its own side
// (run/consent/own_side.h), and who of its neighbours answers.
namespace sotto {

// Everything that was looked at, in the order of CheckSubject but for a neighbour that speaks up
// early. Changes nothing but the store, which is made if there is a home without one. `seconds` is
// how long to wait for the others; the request's data may be empty.
[[nodiscard]] std::vector<CheckItem> check_party(const Study& study, const JoinRequest& request,
                                                 double seconds);

}  // namespace sotto
