#include <fmt/chrono.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "base/json.h"
#include "support/party_processes.h"
#include "support/source_tree.h"

// What somebody sees of a run who can read nothing: who speaks when, to whom, and how much.

namespace sotto {
namespace {

using testing::HasSubstr;

// A table with the same columns and half as many rows, in which every number is another.
void change_table(const std::string& path) {
  std::istringstream lines(read_text(path));
  std::string text;
  std::string line;
  for (std::size_t k = 0; std::getline(lines, line); ++k) {
    if (k == 0) text += line + "\n";
    if (k % 2 == 1) text += std::regex_replace(line, std::regex("[1-9]"), "1") + "\n";
  }
  std::ofstream(path) << text;
}

// What went unanswered for long on a busy machine was sent again, under its number. The first
// message holds the certificate, whose serial number is drawn for a key, and not for a run.
std::string said_once(const std::string& path) {
  std::istringstream lines(read_text(path));
  std::string text;
  std::set<std::string> known;
  for (std::string line; std::getline(lines, line);) {
    const bool certificate = line.starts_with("1 1 ") || line.starts_with("2 1 ");
    if (!certificate && known.insert(line).second) text += line + "\n";
  }
  return text;
}

std::vector<std::string> shape_of(const std::string& solver, bool other_data) {
  Parties parties({.solver = solver, .parties = 2, .topology = "path"});
  if (other_data) {
    for (std::size_t p = 0; p < 2; ++p) change_table(parties.table(p));
  }
  const auto log = [&](std::size_t p) {
    return (parties.folder() / fmt::format("frames-{}", p)).string();
  };
  for (std::size_t p = 0; p < 2; ++p) {
    parties.start(p, {.variables = {"SOTTO_TEST_FRAMES=" + log(p)}});
  }
  parties.expect_all_end(0);
  return {said_once(log(0)), said_once(log(1))};
}

// Two parties, so that nothing depends on who was faster.
TEST(NetworkShape, TwoRunsOnOtherDataSendTheSameSizesInTheSameOrder) {
  for (const std::string solver : {"dishuf", "pairwise"}) {
    const auto before = shape_of(solver, false);
    EXPECT_THAT(before[0], HasSubstr("2 2 ")) << solver;
    EXPECT_EQ(shape_of(solver, true), before) << solver;
  }
}

// However long its table takes to read: nobody hears of a party before the study's start.
TEST(NetworkShape, NobodyIsDialledBeforeTheStudysStart) {
  Parties parties({.solver = "ac",
                   .parties = 2,
                   .topology = "path",
                   .network = "start = \"later\"\nmeeting_seconds = 60\n"});
  // Far enough for both to be ready by then.
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  const std::string start = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now + 8));
  const std::string text =
      std::regex_replace(read_text(parties.study()), std::regex("\"later\""), "\"" + start + "\"");
  std::ofstream(parties.study()) << text;
  parties.start_all({.words = {"--progress", "json"}});
  parties.expect_all_end(0);
  parties.expect_same_models({0, 1});
  for (std::size_t p = 0; p < 2; ++p) {
    EXPECT_THAT(parties.said(p), HasSubstr("the study's meeting begins at " + start));
    std::istringstream lines(parties.said(p));
    bool heard_of = false;
    for (std::string line; std::getline(lines, line);) {
      const auto event = parse_json(line);
      if (!event.is_object() || !event.contains("event")) continue;
      const std::string kind = event["event"];
      heard_of = heard_of || kind == "begun";
      if (kind == "begun" || kind == "connected" || kind == "phase") {
        EXPECT_GE(event["time"].get<std::string>(), start) << line;
      }
    }
    EXPECT_TRUE(heard_of);
  }
}

}  // namespace
}  // namespace sotto
