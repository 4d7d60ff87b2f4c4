// `sotto sql`: the query that adds up inside a database.
#include <fmt/format.h>

#include <memory>

#include "base/json.h"
#include "cli/command_line.h"
#include "run/sums/sums.h"

namespace sotto {
namespace {

struct SqlOptions {
  std::string study;
  std::string party;
  std::string query;
  SqlDialect dialect = SqlDialect::kPostgres;
};

Result<std::string> run_sql(const SqlOptions& options, Output output) {
  SOTTO_ASSIGN(const Study study, read_study(options.study));
  SOTTO_ASSIGN(const auto party, table_party(study, options.party));
  SOTTO_ASSIGN(const std::string query, sums_query(study, party, options.query, options.dialect));
  if (output.json()) {
    return json_text(
        {{"study", study.name}, {"dialect", kSqlDialects[options.dialect]}, {"query", query}});
  }
  return query + ";\n";
}

}  // namespace

Verb add_sql(const Syntax& program) {
  auto options = std::make_shared<SqlOptions>();
  const Syntax verb = program.verb(
      "sql",
      "one query that makes a table's sums inside a database: the same integers. Its answer is raw "
      "and private",
      "sotto sql study.toml --query patients --dialect duckdb > sums.sql\n  sotto sums study.toml "
      "--answer answer.txt --out north.sums");
  verb.text("study", options->study, "study.toml, the same for all", Need::kRequired);
  verb.group(kOneTable).text("--query", options->query, "the rows: SQL, or the name of a table",
                             Need::kRequired);
  verb.group("The query")
      .choice("--dialect", options->dialect,
              {{"postgres", SqlDialect::kPostgres},
               {"duckdb", SqlDialect::kDuckdb},
               {"spark", SqlDialect::kSpark}},
              "whose SQL");
  verb.group(kOneTable).text("--as", options->party, kTablePartyHelp);
  return {verb, [options](Output output) { return run_sql(*options, output); }};
}

}  // namespace sotto
