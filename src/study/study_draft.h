#pragma once

#include <string>
#include <vector>

#include "study/study.h"

namespace sotto {

// A study over tables that is still to be written: what people decide, the rest is as usual.
struct StudyDraft {
  std::string name = "study";
  Solver solver = Solver::kDishuf;
  double epsilon = 0;
  double delta = 0;
  Neighbours neighbours = Neighbours::kAddRemove;
  std::size_t colluders = 0;
  std::string topology = "cycle";
  std::size_t parties = 0;
  Schema schema;
  std::vector<PartyTerms> members;  // as far as they are known
};

// study.toml with a comment above every key that says what it means (study/study_keys.h). Whether
// it is a study is parse_study()'s to say.
[[nodiscard]] std::string study_text(const StudyDraft& draft);

// A party as a study names it: name, address if it has one, and fingerprint under [[party]].
[[nodiscard]] std::string party_block(const PartyTerms& party);

// The [[party]] blocks of a file that `sotto keys new --out` wrote, or several of them.
// E-party-file where it has none, or anything else.
[[nodiscard]] Result<std::vector<PartyTerms>> read_party_file(const std::string& path);

// `text` with these parties at its end; who is in it already, exactly so, is left out.
// E-party-exists: one of the same name or fingerprint is another one. Errors of parse_study() for
// the result.
[[nodiscard]] Result<std::string> with_parties(const std::string& text, const std::string& file,
                                               const std::vector<PartyTerms>& parties);

// The same study, keys and comments where they are, in the usual shape: `=` and comments in
// columns, one empty line between sections, none at the end. Errors of parse_study();
// E-study-format where that would change its meaning.
[[nodiscard]] Result<std::string> formatted_study(const std::string& text, const std::string& file);

// The [data] section of a TOML file, another study's for instance. E-study-….
[[nodiscard]] Result<Schema> read_schema_file(const std::string& path);

}  // namespace sotto
