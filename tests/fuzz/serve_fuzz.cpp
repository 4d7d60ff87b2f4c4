// serve.toml, and the [[party]] blocks that `sotto keys new` writes.

#include "fuzz/fuzz.h"
#include "study/serve_file.h"
#include "study/study_draft.h"

namespace sotto {

SOTTO_FUZZER(serve) {
  if (const auto served = parse_serve_file(bytes, "serve.toml", "/folder");
      fuzz::fine_or_error(served)) {
    fuzz::require(!served->listen.empty(), "who serves listens somewhere");
  }
  if (const auto parties = read_party_file(fuzz::file_with("party.toml", bytes));
      fuzz::fine_or_error(parties)) {
    for (const PartyTerms& party : *parties) {
      fuzz::require(!party.name.empty(), "a party has a name");
      const auto again = read_party_file(fuzz::file_with("again.toml", party_block(party)));
      fuzz::require(again && again->size() == 1 && again->front().name == party.name &&
                        again->front().address == party.address &&
                        again->front().fingerprint == party.fingerprint,
                    "a party's block reads back:\n" + party_block(party));
    }
  }
}

}  // namespace sotto
