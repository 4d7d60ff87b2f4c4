// `sotto sums`: a table larger than one machine, part by part. The sums themselves are never shown.
#include "run/sums/sums.h"

#include <fmt/format.h>

#include <memory>

#include "base/json.h"
#include "base/words.h"
#include "cli/command_line.h"
#include "cli/terminal/terminal.h"

namespace sotto {
namespace {

struct SumsOptions {
  std::vector<std::string> words;
  bool merge = false;
  std::string party;
  std::string answer;
  std::string out;
  TableRequest how;
};

Error misused(const std::string& what, const std::string& fix) {
  return bad_input("E-usage", what, fix);
}

bool reads_a_table(const TableRequest& how) {
  return !how.query.empty() || how.dialect.separator || how.dialect.decimal || how.push_down;
}

Result<SumsFile> sums_from(const SumsOptions& options) {
  if (options.merge) {
    if (!options.party.empty() || !options.answer.empty() || reads_a_table(options.how)) {
      return misused("--merge adds files of sums, and reads no table",
                     "leave all but the files and --out away");
    }
    return merge_sums(options.words);
  }
  if (options.words.empty()) {
    return misused("no study was named", "sotto sums study.toml part.csv --out north.sums");
  }
  SOTTO_ASSIGN(const Study study, read_study(options.words.front()));
  SOTTO_ASSIGN(const auto party, table_party(study, options.party));
  const std::vector<std::string> parts(options.words.begin() + 1, options.words.end());
  if (!options.answer.empty()) {
    if (!parts.empty() || reads_a_table(options.how)) {
      return misused("--answer has all sums already, and no part is read",
                     "leave the parts and what says how to read them away");
    }
    return sums_of_answer(study, party, options.answer);
  }
  ProgressBar bar("reading");
  return make_sums(
      study, {.parts = parts, .how = options.how, .party = party, .progress = bar.callback()});
}

Result<std::string> run_sums(const SumsOptions& options, Output output) {
  SOTTO_ASSIGN(const SumsFile file, sums_from(options));
  SOTTO_TRY(write_sums(options.out, file));
  const TableMoments& table = file.table;
  if (output.json()) {
    return json_text({{"file", options.out},
                      {"study", file.study},
                      {"rows", table.rows},
                      {"dropped", table.dropped},
                      {"parts", file.parts.size()},
                      {"private", true}});
  }
  return fmt::format(
      "{}, {} left out, of {}\n"
      "  written: {}, which only you can read (0600)\n"
      "  These are raw sums, without any noise: as private as the rows. Send them to nobody;\n"
      "  'sotto join --data {}' takes them, and adds the noise.\n",
      sotto::counted(table.rows, "row", "rows"), table.dropped,
      sotto::counted(file.parts.size(), "part", "parts"), escape_for_terminal(options.out),
      escape_for_terminal(options.out));
}

}  // namespace

Result<std::optional<PartyId>> table_party(const Study& study, const std::string& name) {
  if (name.empty()) return std::optional<PartyId>();
  SOTTO_ASSIGN(const PartyId party, party_named(study, name).at("--as"));
  return std::optional<PartyId>(party);
}

Verb add_sums(const Syntax& program) {
  auto options = std::make_shared<SumsOptions>();
  const Syntax verb = program.verb(
      "sums",
      "exact sums of the parts of a table larger than one machine. They are raw and private, "
      "for your eyes only: written with mode 0600, to be sent to nobody",
      "sotto sums study.toml part1.csv --out part1.sums\n  sotto sums --merge 'part*.sums' --out "
      "north.sums\n  sotto join study.toml --as north --data north.sums");
  verb.texts("words", options->words,
             "study.toml, then the parts: files, 'part*.csv', -, or postgresql://…; with --merge "
             "files of sums");
  verb.group(kOutput).text("--out", options->out, "the file for the sums", Need::kRequired);
  verb.group("Parts").flag("--merge", options->merge, "adds files of sums; each part counts once");
  verb.group(kOneTable).text("--as", options->party, kTablePartyHelp);
  const Syntax table = verb.group(kOneTable);
  add_table_words(table, options->how);
  table.flag("--push-down", options->how.push_down, kPushDownHelp);
  table.text("--answer", options->answer,
             "a file with the line that a database answered to the query of 'sotto sql'");
  return {verb, [options](Output output) { return run_sums(*options, output); }};
}

}  // namespace sotto
