#pragma once

#include <toml++/toml.h>

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "study/study.h"
#include "study/study_keys.h"

namespace sotto {

// What a reader calls the mistakes it finds: whoever gets them must know which file to open.
struct TomlErrors {
  const char* key;      // that nothing reads
  const char* missing;  // that has no default
  const char* value;    // of the wrong kind, or out of range
};
inline constexpr TomlErrors kStudyErrors{
    .key = "E-study-key", .missing = "E-study-missing", .value = "E-study-value"};

inline constexpr std::size_t kMaxTomlBytes = 1 << 20;

// What the arithmetic of the other rooms is made for, far beyond what anybody
// needs: outside it numbers overflow, and a covariance loses its last digit.
struct NumberRange {
  double least;
  double most;
};
inline constexpr NumberRange kAnyNumber{1e-100, 1e100};
inline constexpr NumberRange kExcessRange{1e-6, 1e3};  // g of dishuf and pairwise

// The text of a file of kMaxTomlBytes at most, and what it says as TOML. `what` ("study") is what
// people call the file, `error` what a mistake is called.
[[nodiscard]] Result<std::string> read_toml_text(const std::string& path, std::string_view what,
                                                 const char* error);
[[nodiscard]] Result<toml::table> parse_toml(std::string_view text, const std::string& name,
                                             const char* error);

// One table of a TOML file. Every key that is asked for is remembered, so that
// finish() can refuse the rest: a misspelt key must not silently mean nothing.
// Sections of a study are described in study/study_keys.h, and no other keys are asked for.
//
// Errors collect instead of returning: after the first one every further question
// answers with a default, and error() has the first. That keeps the reading of
// a section to one line per key.
class TomlReader {
 public:
  // `section` is the table's name as a person writes it: "[privacy]".
  TomlReader(const toml::table* table, std::string section, std::string file,
             TomlErrors errors = kStudyErrors);

  [[nodiscard]] bool present() const { return table_ != nullptr; }
  [[nodiscard]] bool has(std::string_view key);

  [[nodiscard]] double number(std::string_view key);  // required
  [[nodiscard]] std::optional<double> optional_number(std::string_view key);
  // A finite number above zero and in range.
  [[nodiscard]] double positive(std::string_view key, double fallback,
                                NumberRange range = kAnyNumber);
  void require_range(std::string_view key, double value, NumberRange range);
  // In a range that may begin with 0.
  [[nodiscard]] double within(std::string_view key, double fallback, NumberRange range);
  [[nodiscard]] std::optional<std::int64_t> optional_integer(std::string_view key,
                                                             std::int64_t least, std::int64_t most);
  [[nodiscard]] std::string text(std::string_view key);  // required
  [[nodiscard]] std::optional<std::string> optional_text(std::string_view key);
  [[nodiscard]] std::optional<bool> optional_flag(std::string_view key);
  // One of the words that the key's description lists, or one of `choices`; the error lists them.
  [[nodiscard]] std::string word(std::string_view key,
                                 std::optional<std::string> fallback = std::nullopt);
  [[nodiscard]] std::string choice(std::string_view key, const std::vector<std::string>& choices,
                                   std::optional<std::string> fallback = std::nullopt);
  [[nodiscard]] const toml::node* node(std::string_view key);
  // The table under `key`, which is one: "[privacy] person".
  [[nodiscard]] TomlReader inside(std::string_view key) const;
  [[nodiscard]] std::optional<std::vector<double>> optional_numbers(std::string_view key);
  [[nodiscard]] std::optional<std::vector<std::string>> optional_texts(std::string_view key);

  // "[privacy] epsilon, line 6, column 11 of study.toml"
  [[nodiscard]] std::string place(std::string_view key) const;

  // Keeps the first error; a missing place becomes that of `key`.
  void fail(std::string_view key, Error error);
  void fail_value(std::string_view key, std::string what, std::string fix);

  // The first error of this table, or of an unknown key in it.
  [[nodiscard]] Result<void> finish();

 private:
  template <class T>
  [[nodiscard]] std::optional<T> optional_value(std::string_view key, std::string_view must_be,
                                                const std::string& fix);
  template <class T>
  [[nodiscard]] std::optional<std::vector<T>> optional_list(std::string_view key,
                                                            std::string_view items,
                                                            std::string_view example);
  void require(std::string_view key, std::string_view example);
  [[nodiscard]] Error unknown_key(const toml::key& key) const;

  const toml::table* table_;
  std::string section_;
  std::string file_;
  TomlErrors errors_;
  std::vector<const StudyKey*> described_;  // none: whatever is asked for
  std::set<std::string, std::less<>> asked_;
  std::optional<Error> error_;
};

// The choice nearest to `word`, if near enough to be a slip of the hand.
[[nodiscard]] std::optional<std::string> nearest_word(std::string_view word,
                                                      const std::vector<std::string>& choices);

// One function per section of study.toml. Each reads all its keys and refuses the rest. A solver's
// section is read by its mechanism: study/mechanism/mechanism.h.

// Of estimators and topologies that have a section of their own (study/named_section.h).
using SettingsByName = std::map<std::string, NamedSettings>;

struct StudyHead {
  std::string name;
  Solver solver = Solver::kDishuf;
};

[[nodiscard]] Result<StudyHead> read_study_section(TomlReader section);
[[nodiscard]] Result<PrivacyTerms> read_privacy_section(TomlReader section);
[[nodiscard]] Result<std::vector<PartyTerms>> read_parties(const toml::node* list,
                                                           const std::string& file);
// Relative file names are relative to `folder`.
[[nodiscard]] Result<Weights> read_graph_section(TomlReader section,
                                                 const std::vector<PartyTerms>& parties,
                                                 const std::filesystem::path& folder,
                                                 const SettingsByName& named = {});
[[nodiscard]] Result<ConsensusTerms> read_consensus_section(TomlReader section);
[[nodiscard]] Result<SolveTerms> read_solve_section(TomlReader section, Unit unit,
                                                    const SettingsByName& named = {});
// `parties` are all of the study's, for party = "effect"; `person` is [privacy]'s.
[[nodiscard]] Result<std::optional<Schema>> read_data_section(
    TomlReader section, const std::string& file, const std::vector<PartyTerms>& parties,
    const std::optional<PersonColumn>& person);
[[nodiscard]] Result<NetworkTerms> read_network_section(TomlReader section, std::size_t parties);
[[nodiscard]] Result<std::optional<ProblemSource>> read_problem_section(TomlReader section);
[[nodiscard]] Result<std::optional<FaultTerms>> read_faults_section(TomlReader section,
                                                                    std::size_t parties);

}  // namespace sotto
