#include "session/signing.h"

#include "session/digest.h"

namespace sotto {

std::string statement_text(std::string_view study_hash, const wire::Statement& statement) {
  return Digest("sotto statement")
      .add(study_hash)
      .add(std::uint64_t{statement.author()})
      .add(statement.nonce())
      .add(statement.text())
      .value();
}

std::string release_text(std::string_view attempt, PartyId author,
                         std::string_view indices_digest) {
  return Digest("sotto release")
      .add(attempt)
      .add(std::uint64_t{author})
      .add(indices_digest)
      .value();
}

std::string values_text(std::string_view attempt, PartyId sender, const RoundValues& values) {
  return Digest("sotto round")
      .add(attempt)
      .add(std::uint64_t{sender})
      .add(std::uint64_t{values.round})
      .add(std::span<const double>(values.values))
      .value();
}

std::string digest_of_release(const IntegerVector& indices) {
  return Digest("sotto indices").add(indices).value();
}

}  // namespace sotto
