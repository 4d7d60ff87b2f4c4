// `sotto new`: writes a study that explains itself, from flags, answers, or both.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include "base/files.h"
#include "base/json.h"
#include "cli/command_line.h"
#include "cli/new/questions.h"
#include "cli/new/table_header.h"
#include "plan/plan.h"
#include "study/sections.h"

namespace sotto {
namespace new_verb {

struct NewOptions {
  std::string out = "study.toml";
  std::string name;
  Solver solver = Solver::kDishuf;
  std::string header;
  std::string schema;
  std::string target;
  std::vector<std::string> numbers;
  std::vector<std::string> categories;
  double epsilon = 0;
  double delta = 0;
  Neighbours neighbours = Neighbours::kAddRemove;
  std::uint64_t colluders = 0;
  std::uint64_t rows = 0;
  std::uint64_t parties = 0;
  std::string topology;
  std::vector<std::string> party_files;
  bool force = false;
};

// A slip in a column's name would only show when somebody opens a table.
Result<void> check_in_header(const NewStudy& study, const std::string& column,
                             const std::string& flag) {
  const auto& header = study.header;
  if (header.empty() || std::ranges::find(header, column) != header.end()) return {};
  const auto near = nearest_word(column, header);
  return bad_input("E-new-column", fmt::format("the header has no column \"{}\"", column),
                   near ? fmt::format("did you mean \"{}\"?", *near)
                        : fmt::format("the columns are {}", fmt::join(header, ", ")))
      .at(flag);
}

Result<void> take_columns(const NewOptions& options, NewStudy& study) {
  Schema& schema = study.draft.schema;
  if (!options.header.empty()) {
    SOTTO_ASSIGN(study.header, read_table_header(options.header));
  }
  if (!options.schema.empty()) {
    if (!options.target.empty() || !options.numbers.empty() || !options.categories.empty()) {
      return bad_input("E-usage", "--schema has the columns already",
                       "leave --target, --number and --category away, or --schema")
          .at("--schema");
    }
    SOTTO_ASSIGN(schema, read_schema_file(options.schema));
    study.has_target = study.has_features = true;
  }
  if (!options.target.empty()) {
    SOTTO_ASSIGN(const auto target, number_column(options.target).at("--target"));
    schema.target = {.column = target.column, .bounds = target.bounds};
    study.has_target = true;
  }
  for (const std::string& words : options.numbers) {
    SOTTO_ASSIGN(auto number, number_column(words).at("--number"));
    schema.features.emplace_back(std::move(number));
  }
  for (const std::string& words : options.categories) {
    SOTTO_ASSIGN(auto category, category_column(words).at("--category"));
    schema.features.emplace_back(std::move(category));
  }
  study.has_features = study.has_features || !schema.features.empty();
  if (study.has_target) SOTTO_TRY(check_in_header(study, schema.target.column, "--target"));
  for (const Feature& feature : schema.features) {
    for (const std::string& column : table_columns_of(feature)) {
      SOTTO_TRY(check_in_header(study, column, "--number"));
    }
  }
  return {};
}

Result<void> take_parties(const NewOptions& options, const Syntax& verb, NewStudy& study) {
  StudyDraft& draft = study.draft;
  for (const std::string& file : options.party_files) {
    SOTTO_ASSIGN(const auto members, read_party_file(file));
    draft.members.insert(draft.members.end(), members.begin(), members.end());
  }
  study.has_parties = verb.given("--parties");
  draft.parties = study.has_parties ? options.parties : draft.members.size();
  study.has_parties = study.has_parties || draft.members.size() >= 2;
  return {};
}

Result<NewStudy> answered_by_flags(const NewOptions& options, const Syntax& verb) {
  NewStudy study;
  StudyDraft& draft = study.draft;
  study.has_name = verb.given("--name");
  draft.name = study.has_name ? options.name : std::filesystem::path(options.out).stem().string();
  draft.solver = options.solver;
  draft.neighbours = options.neighbours;
  SOTTO_TRY(take_columns(options, study));
  SOTTO_TRY(take_parties(options, verb, study));
  study.has_epsilon = verb.given("--epsilon");
  study.has_delta = verb.given("--delta");
  draft.epsilon = options.epsilon;
  draft.delta = options.delta;
  if (verb.given("--rows")) study.rows = options.rows;
  study.has_colluders = verb.given("--colluders");
  draft.colluders = study.has_colluders ? options.colluders : draft.parties < 3 ? 0 : 1;
  draft.topology = draft.parties < 3 ? "path" : "cycle";
  return study;
}

std::string next_steps(const std::string& file, const StudyDraft& draft) {
  std::string text = fmt::format("{} is written, with every key explained.\n\n", file);
  const std::size_t missing = draft.parties - std::min(draft.parties, draft.members.size());
  text += fmt::format("  sotto study show {0}\n  sotto plan {0}\n", file);
  if (missing > 0) {
    text += fmt::format("  sotto study add-party {} FILE    ({} of {} still to be added)\n", file,
                        missing, draft.parties);
  }
  return text;
}

// A shape of the graph may not be able to keep what was promised: better now than with the others.
std::string what_plan_refuses(const Study& study) {
  const auto planned = plan_study(study, study.solver);
  if (planned) return {};
  const Error& error = planned.error();
  return fmt::format("\n  ! 'sotto plan' refuses it as it stands: [{}] {}; {}\n", error.name,
                     error.what, error.fix);
}

Result<std::string> write_new(const NewOptions& options, const Syntax& verb, Output output) {
  const bool shown = options.out == "-";
  std::error_code ignored;
  if (!shown && !options.force && std::filesystem::exists(options.out, ignored)) {
    return bad_input("E-new-exists", "there is such a file already",
                     "another name, or --force to write over it")
        .at(options.out);
  }
  SOTTO_ASSIGN(auto study, answered_by_flags(options, verb));
  if (!study.complete()) SOTTO_TRY(ask_what_is_missing(study, std::cin));
  if (verb.given("--topology")) study.draft.topology = options.topology;
  const std::string text = study_text(study.draft);
  SOTTO_ASSIGN(const Study made, parse_study(text, shown ? "the new study" : options.out));
  if (shown) return text;
  SOTTO_TRY(write_file(options.out, text));
  if (!output.json()) return next_steps(options.out, study.draft) + what_plan_refuses(made);
  return json_text({{"study", options.out},
                    {"name", study.draft.name},
                    {"parties", study.draft.parties},
                    {"members", study.draft.members.size()},
                    {"coefficients", study.draft.schema.entries()}});
}

}  // namespace new_verb

Verb add_new(const Syntax& program) {
  auto options = std::make_shared<new_verb::NewOptions>();
  const Syntax verb =
      program.verb("new", "writes a study that explains itself; asks for what no flag has told",
                   "sotto new energy.toml --header table.csv\n"
                   "  sotto new energy.toml --target kwh=0:1000 --number area_m2=20:220 --category "
                   "solar=no,yes --parties 5 --epsilon 1 --delta 1e-6");
  const Syntax file = verb.group("The file");
  verb.text("out", options->out, "the file to write; - for standard output");
  file.text("--name", options->name, "what people call the study");
  file.flag("--force", options->force, "write over a file that is there");
  const Syntax columns = verb.group("Columns");
  columns.text("--header", options->header, "a table: its first line alone is read, for the names");
  columns.text("--schema", options->schema, "a TOML file whose [data] has the columns");
  columns.text("--target", options->target, "the column to explain, as kwh=0:1000");
  columns.texts("--number", options->numbers,
                "a number to explain it with and its bounds, known without the data, as "
                "area_m2=20:220; as often as there are such",
                Need::kOptional);
  columns.texts("--category", options->categories,
                "a category and what it can be, the base first, as heating=gas,district",
                Need::kOptional);
  const Syntax privacy = verb.group("Privacy");
  privacy.number("--epsilon", options->epsilon, "ε; 'sotto plan --epsilon' shows what each buys");
  privacy.number("--delta", options->delta, "δ, well below 1/rows");
  privacy.choice("--neighbours", options->neighbours,
                 {{"add-remove", Neighbours::kAddRemove}, {"replace", Neighbours::kReplace}},
                 "which tables must look alike");
  privacy.whole("--colluders", options->colluders,
                "how many curious parties together it must hold against; 1 from three parties on",
                {.to = kMaxNamedParties});
  privacy.whole("--rows", options->rows, "how many rows all tables have together, about",
                {.from = 1});
  const Syntax parties = verb.group("Parties");
  parties.whole("--parties", options->parties, "how many take part",
                {.from = 2, .to = kMaxNamedParties});
  parties.texts("--party", options->party_files, "a file that 'sotto keys new --out' wrote",
                Need::kOptional);
  parties.choice(
      "--solver", options->solver,
      {{"dishuf", Solver::kDishuf}, {"pairwise", Solver::kPairwise}, {"ac", Solver::kAc}},
      "how they add up without showing");
  parties.text("--topology", options->topology, "the shape of the graph of neighbours; cycle");
  return {verb,
          [options, verb](Output output) { return new_verb::write_new(*options, verb, output); }};
}

}  // namespace sotto
