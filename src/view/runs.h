#pragma once

#include <cstdint>

#include "base/json.h"
#include "view/homes.h"

// The part *Runs* of the page.
namespace sotto::view {

// {"cards": [{"key", "html"}], "problems": "html", "running": 2}: a card for each run, the last one
// first; parties of one run that are all looked at share a card. Times that go on stand as
// <time data-since="milliseconds since 1970">, so that nothing is sent because a second is over.
[[nodiscard]] Json runs_json(const Watched& watched);

}  // namespace sotto::view
