// Costs as JSON, the [problem] files of a study: quadratics of one size and finite numbers.

#include <cmath>

#include "fuzz/fuzz.h"
#include "moments/costs.h"

namespace sotto {

SOTTO_FUZZER(problem) {
  const auto parties = parse_problem(bytes, "costs.json");
  if (!fuzz::fine_or_error(parties)) return;
  fuzz::require(!parties->empty(), "a problem has parties");
  for (const Quadratic& party : *parties) {
    fuzz::require(party.a.allFinite() && party.b.allFinite() && party.a == party.a.transpose() &&
                      party.size() == parties->front().size(),
                  "costs are finite, symmetric and of one size");
  }
  (void)minimiser(Costs(*parties));
}

}  // namespace sotto
