#pragma once

#include <string>
#include <string_view>

#include "protocol/message.h"
#include "session/wire.h"

namespace sotto {

// What signatures stand under. Each text names its purpose, the study and everything
// that gives the words their meaning, so that no signature can be used elsewhere.

[[nodiscard]] std::string statement_text(std::string_view study_hash,
                                         const wire::Statement& statement);
// `author` as the attempt numbers its members.
[[nodiscard]] std::string release_text(std::string_view attempt, PartyId author,
                                       std::string_view indices_digest);
[[nodiscard]] std::string values_text(std::string_view attempt, PartyId sender,
                                      const RoundValues& values);

[[nodiscard]] std::string digest_of_release(const IntegerVector& indices);

}  // namespace sotto
