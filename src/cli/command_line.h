#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/command_tree.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

// The command line: where the program begins, and how a verb says which words it takes. Only
// command_line.cpp knows CLI11, whose headers cost the compiler more than all verbs together.
namespace sotto {

// Runs the program. Returns the exit status: 0, 1 (failed), 2 (bad input) or 3 (refused).
[[nodiscard]] int run_command_line(int argc, const char* const* argv);
// The same where it may be one of several processes: run/ranks/simulate_ranks.h.
struct RankLauncher;
[[nodiscard]] int run_command_line(int argc, const char* const* argv, const RankLauncher& launcher);
class ProgramRanks;

enum class Format { kText, kJson, kCsv };

// What every verb has: how it prints.
struct Output {
  Format format = Format::kText;
  [[nodiscard]] bool json() const { return format == Format::kJson; }
};

inline constexpr const char* kHomeHelp = "the party's folder; else $SOTTO_HOME, else ~/.sotto";

inline constexpr const char* kRunHelp =
    "a run's record.json, the folder that holds it, or a model.json; or a finished run: its first "
    "digits, its study's name, or last";

// Headings that several verbs have in their --help.
inline constexpr const char* kWhoAndWhere = "Who and where";
inline constexpr const char* kOneTable = "The table";
inline constexpr const char* kCost = "What it costs";
inline constexpr const char* kTold = "What is told meanwhile";
inline constexpr const char* kOutput = "Output";

struct WholeRange {
  std::uint64_t from = 0;
  std::uint64_t to = std::numeric_limits<std::uint64_t>::max();
};

enum class Need { kOptional, kRequired };

// The words that the program, a verb, or a word after a verb takes.
class Syntax {
 public:
  Syntax(CLI::App& app, std::shared_ptr<CommandNode> node, std::shared_ptr<ProgramRanks> ranks)
      : app_(&app), node_(std::move(node)), ranks_(std::move(ranks)) {}

  // A verb of the program, with an example under its --help. Tables have CSV too.
  [[nodiscard]] Syntax verb(const std::string& name, const std::string& summary,
                            const std::string& example, bool has_csv = false) const;
  // A word that may follow a verb, `keys new`; the verb's own options may stand after it too.
  [[nodiscard]] Syntax word(const std::string& name, const std::string& summary,
                            const std::string& example = {}) const;
  void require_word() const;
  // The same with a heading of its own in --help: options that belong together.
  [[nodiscard]] Syntax group(const std::string& heading) const;
  // --format, which every verb has, at the end of its --help.
  void add_format() const;

  // Options, or without dashes words at their place. Where one is not given its value stays as it
  // is, and --help shows that.
  void text(const std::string& name, std::string& value, const std::string& help,
            Need need = Need::kOptional) const;
  void texts(const std::string& name, std::vector<std::string>& values, const std::string& help,
             Need need = Need::kRequired) const;  // as often as one likes
  void repeated(const std::string& name, std::vector<std::string>& values,
                const std::string& help) const;  // any number of times, a value each
  void flag(const std::string& name, bool& value, const std::string& help) const;
  void number(const std::string& name, double& value, const std::string& help,
              Need need = Need::kOptional) const;
  void seconds(const std::string& name, double& value, const std::string& help) const;

  // Decimal digits alone, where CLI11 would take −1 for 2⁶⁴ − 1 and 010 for 8.
  void whole(const std::string& name, std::uint64_t& value, const std::string& help,
             WholeRange range = {}, Need need = Need::kOptional) const;

  // One of several words, each with what it stands for.
  template <class T>
  void choice(const std::string& name, T& value,
              const std::vector<std::pair<std::string, T>>& words, const std::string& help,
              Need need = Need::kOptional) const {
    std::vector<std::string> names;
    std::size_t now = 0;
    for (std::size_t k = 0; k < words.size(); ++k) {
      names.push_back(words[k].first);
      if (words[k].second == value) now = k;
    }
    choose(name, names, now, help, need,
           [&value, words](std::size_t k) { value = words[k].second; });
  }

  // After parsing.
  [[nodiscard]] bool chosen() const;
  [[nodiscard]] bool given(const std::string& option) const;
  [[nodiscard]] Output output() const { return *output_; }  // of a verb

  // Other processes of the same run, if there are any: run/ranks/simulate_ranks.h.
  [[nodiscard]] ProgramRanks& ranks() const { return *ranks_; }

  [[nodiscard]] const CommandNode& tree() const { return *node_; }
  // What --help says after these words; nothing for words that there are not.
  [[nodiscard]] std::string help_after(const std::vector<std::string>& words) const;

 private:
  // Described to CLI11 already: its group, and its line in the tree.
  void describe(CLI::Option* option, CommandOption description) const;
  void choose(const std::string& name, const std::vector<std::string>& words, std::size_t now,
              const std::string& help, Need need, std::function<void(std::size_t)> take) const;

  CLI::App* app_;
  std::shared_ptr<CommandNode> node_;
  std::shared_ptr<ProgramRanks> ranks_;
  std::string group_ = "Options";
  std::shared_ptr<Output> output_;
  bool has_csv_ = false;
};

// The words with which a party says in which study it takes part, and as whom: of `join`, and of
// `check`, which comes before it.
struct JoinRequest;
void add_party_words(const Syntax& verb, std::string& name, JoinRequest& request);

// The words with which one says how to read a table that is no plain CSV file.
struct TableRequest;
void add_table_words(const Syntax& verb, TableRequest& table);

inline constexpr const char* kPushDownHelp =
    "PostgreSQL adds the rows up itself, and only sums leave it; the same bits, or an error";
inline constexpr const char* kTablePartyHelp =
    "whose table it is: needed where the study has an effect of its parties";
struct Study;
// The party that --as names, if it does. E-party-unknown.
[[nodiscard]] Result<std::optional<std::uint32_t>> table_party(const Study& study,
                                                               const std::string& name);

// The words of a list as a,b,c.
[[nodiscard]] std::vector<std::string> between_commas(const std::string& list);

enum class Solver;

// Solvers as --solver lists them, each once; "all" of them. E-solver-twice, and solver_from()'s.
[[nodiscard]] Result<std::vector<Solver>> solvers_from(const std::string& list);

// `run` is called after parsing if the verb was chosen; what it returns goes to standard output.
struct Verb {
  Syntax syntax;
  std::function<Result<std::string>(Output)> run;
};

// One function per verb, in a file of its own.
[[nodiscard]] Verb add_plan(const Syntax& program);
[[nodiscard]] Verb add_simulate(const Syntax& program);
[[nodiscard]] Verb add_problem(const Syntax& program);
[[nodiscard]] Verb add_audit(const Syntax& program);
[[nodiscard]] Verb add_reproduce(const Syntax& program);
[[nodiscard]] Verb add_report(const Syntax& program);
[[nodiscard]] Verb add_predict(const Syntax& program);
[[nodiscard]] Verb add_refit(const Syntax& program);
[[nodiscard]] Verb add_generate(const Syntax& program);
[[nodiscard]] Verb add_join(const Syntax& program);
[[nodiscard]] Verb add_serve(const Syntax& program);
[[nodiscard]] Verb add_keys(const Syntax& program);
[[nodiscard]] Verb add_ledger(const Syntax& program);
[[nodiscard]] Verb add_demo(const Syntax& program);
[[nodiscard]] Verb add_check(const Syntax& program);
[[nodiscard]] Verb add_status(const Syntax& program);
[[nodiscard]] Verb add_abort(const Syntax& program);
[[nodiscard]] Verb add_new(const Syntax& program);
[[nodiscard]] Verb add_study(const Syntax& program);
[[nodiscard]] Verb add_view(const Syntax& program);
[[nodiscard]] Verb add_sums(const Syntax& program);
[[nodiscard]] Verb add_sql(const Syntax& program);
[[nodiscard]] Verb add_help(const Syntax& program);

}  // namespace sotto
