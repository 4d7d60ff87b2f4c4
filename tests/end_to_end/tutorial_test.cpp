// docs/TUTORIAL.md is a transcript: its commands are run here, all of them, and what they print is
// compared with the page. SOTTO_WRITE_TUTORIAL=FILE writes the page with what came out instead.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/console_page.h"
#include "support/party_processes.h"
#include "support/postgres_server.h"
#include "support/stat_files.h"
#include "support/temporary_folder.h"

namespace sotto {
namespace {

TEST(ConsolePage, ReadsCommandsAndComparesWhatTheyPrint) {
  const std::string page = "text\n```console\n$ say \\\n  more\none 12\n…\nlast\n$ next\n```\n";
  const auto commands = console_commands(page);
  ASSERT_EQ(commands.size(), 2U);
  EXPECT_EQ(commands[0].text, "say \\\n  more");
  EXPECT_TRUE(same_transcript(commands[0].expected, {"one  7", "x", "y", "last"}));
  EXPECT_TRUE(same_transcript(commands[0].expected, {"one 7", "last"}));
  EXPECT_FALSE(same_transcript(commands[0].expected, {"one 7", "x"}));
  EXPECT_FALSE(same_transcript(commands[0].expected, {"two 7", "last"}));
  EXPECT_FALSE(same_transcript(commands[1].expected, {"something"}));
}

#if __has_include(<readstat.h>)

// A CSV of generate's as a statistician's Stata file: categories as text.
void write_stata(const std::filesystem::path& csv, const std::string& path) {
  const std::vector<std::string> texts{"household", "insulation", "heating", "solar"};
  std::vector<StatColumn> columns;
  std::vector<std::vector<StatCell>> rows;
  for (const std::string& line : lines_of(read_text(csv))) {
    std::istringstream fields(line);
    std::vector<StatCell> row;
    for (std::string field; std::getline(fields, field, ',');) {
      if (rows.empty() && row.size() == columns.size()) {
        const bool text = std::ranges::find(texts, field) != texts.end();
        columns.push_back({.name = field, .text = text});
      }
      const bool text = columns.size() > row.size() && columns[row.size()].text;
      if (field.empty()) {
        row.emplace_back(std::monostate{});
      } else if (text) {
        row.emplace_back(field);
      } else {
        row.emplace_back(std::strtod(field.c_str(), nullptr));
      }
    }
    while (row.size() < columns.size()) row.emplace_back(std::monostate{});
    rows.push_back(std::move(row));
  }
  rows.erase(rows.begin());  // the header
  write_stat_file(path, StatFormat::kStata, columns, rows);
}

TEST(Tutorial, IsWhatItsCommandsPrint) {
  const auto server = PostgresServer::start();
  if (!server) GTEST_SKIP() << "no PostgreSQL server can be started here";
  const std::filesystem::path source = std::filesystem::path(SOTTO_SOURCE_DIR) / "docs/TUTORIAL.md";
  const TemporaryFolder folder;
  // What the four organisations have before they begin.
  const std::string before = std::string("cd ") + folder.path().string() + " && " + SOTTO_PROGRAM +
                             " generate 6000 --parties 4 --seed 4 --out made-up > /dev/null && "
                             "cp made-up/party-1.csv north.csv && "
                             "gzip -c made-up/party-2.csv > south.csv.gz";
  ASSERT_EQ(std::system(before.c_str()), 0);
  write_stata(folder / "made-up/party-4.csv", (folder / "west.dta").string());
  ASSERT_TRUE(server->run(
      "create table households (household text, kwh float8, area_m2 float8, people float8, "
      "outdoor_c float8, built float8, insulation text, heating text, solar text)"));
  const std::string copy =
      "\\copy households from '" + (folder / "made-up/party-3.csv").string() + "' csv header";
  ASSERT_TRUE(server->run(copy));

  // The page has 127.0.0.1 and ports of its own; tests that run at once each have an address.
  const std::string page = read_text(source);
  auto commands = console_commands(page);
  ASSERT_GT(commands.size(), 10U);
  for (ConsoleCommand& command : commands) {
    for (auto at = command.text.find("127.0.0.1"); at != std::string::npos;
         at = command.text.find("127.0.0.1", at + 1)) {
      command.text.replace(at, 9, own_loopback());
    }
  }
  const std::string program = std::filesystem::path(SOTTO_PROGRAM).parent_path().string();
  run_console(commands, folder.path(),
              "export PATH=" + program + ":$PATH PGHOST=" + server->folder().string() +
                  " PGUSER=sotto PGDATABASE=postgres; unset SOTTO_HOME");
  for (const ConsoleCommand& command : commands) {
    std::string out;
    for (const std::string& line : command.output) out += line + "\n";
    SCOPED_TRACE("$ " + command.text + "\n" + out);
    EXPECT_EQ(command.status != 0, command.fails);
    if (std::getenv("SOTTO_WRITE_TUTORIAL") != nullptr) continue;
    EXPECT_TRUE(same_transcript(command.expected, command.output));
  }
  if (const char* file = std::getenv("SOTTO_WRITE_TUTORIAL")) {
    std::ofstream(file) << page_with_outputs(page, commands);
  }
}

#endif

}  // namespace
}  // namespace sotto
