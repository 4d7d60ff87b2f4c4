// The house as the build and the documents describe it, held against the files that there are.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/source_rules.h"

namespace sotto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::filesystem::path kRoot = SOTTO_SOURCE_DIR;

const SourceTree& source() {
  static const SourceTree kTree = read_tree(kRoot / "src");
  return kTree;
}

const RoomGraph& rooms() {
  static const RoomGraph kRooms = read_rooms(read_text(kRoot / "src/CMakeLists.txt"));
  return kRooms;
}

const std::string& page() {
  static const std::string kPage = read_text(kRoot / "docs/ARCHITECTURE.md");
  return kPage;
}

TEST(Architecture, HasASourceTreeToLookAt) {
  EXPECT_GT(source().size(), 100U);
  EXPECT_TRUE(source().contains("base/result.h"));
  EXPECT_THAT(includes_of(source().at("privacy/seal.h")), Not(IsEmpty()));
  EXPECT_GT(rooms().size(), 15U);
  EXPECT_EQ(read_map(page()).size(), 8U);
}

TEST(Architecture, DependenciesPointOneWay) {
  EXPECT_THAT(order_violations(rooms()), IsEmpty());
  EXPECT_THAT(dependency_violations(source(), rooms()), IsEmpty());
}

TEST(Architecture, TheTableOfRoomsIsTheBuilds) {
  EXPECT_THAT(table_violations(read_room_table(page()), rooms()), IsEmpty());
}

TEST(Architecture, NothingBehindThePrivacyBoundaryReachesRawData) {
  EXPECT_THAT(boundary_violations(source()), IsEmpty());
}

TEST(Architecture, RandomnessIsAnArgument) {
  EXPECT_THAT(randomness_violations(source()), IsEmpty());
}

TEST(Architecture, WhatOnlyTestsUseIsWithTheTests) {
  EXPECT_THAT(harness_violations(source()), IsEmpty());
}

TEST(Architecture, PublicHeadersShowNothingOfTheInside) {
  const SourceTree tree = read_tree(kRoot / "include");
  EXPECT_GE(tree.size(), 5U);
  for (const auto& [path, text] : tree) EXPECT_THAT(includes_of(text), IsEmpty()) << path;
}

TEST(Architecture, RoomsUseWhatTheyMayUse) {
  EXPECT_THAT(unused_permissions(source(), rooms()), IsEmpty());
}

TEST(Architecture, EveryStageOfTheMapIsAType) {
  EXPECT_THAT(map_violations(read_map(page()), source()), IsEmpty());
}

TEST(Architecture, EveryImplementationHasItsHeader) {
  SourceTree tree = source();
  for (const auto& [path, text] : read_tree(kRoot / "include/sotto")) tree["api/" + path] = text;
  EXPECT_THAT(header_violations(tree), IsEmpty());
}

TEST(Architecture, FoldersStayClear) {
  EXPECT_THAT(crowd_violations(source()), IsEmpty());
}

TEST(Architecture, FilesStayShort) {
  EXPECT_THAT(length_violations(source()), IsEmpty());
}

// A checker that finds nothing may be one that looks at nothing: feed it what it must find.

const RoomGraph kHouse{{"base", {}},
                       {"graph", {"base"}},
                       {"privacy", {"base", "graph"}},
                       {"cli", {"base", "privacy"}}};

TEST(ArchitectureChecker, ReadsTheRoomGraphFromTheBuild) {
  EXPECT_THAT(read_rooms("# sotto_room(old USES attic)\n"
                         "sotto_room(base USES\n  LIBRARIES OpenSSL::Crypto)\n"
                         "sotto_room(graph USES base # sotto_room(not a room)\n"
                         "           data TESTED_WITH sotto_run)\nadd_executable(sotto main.cpp)"),
              ElementsAre(Room{"base", {}}, Room{"graph", {"base", "data"}}));
}

TEST(ArchitectureChecker, ReportsAnIncludeAgainstTheOrder) {
  const SourceTree tree{{"graph/graph.h", "#pragma once\n#include \"base/result.h\"\n"},
                        {"graph/spy.cpp", "#include <map>\n  #  include \"privacy/seal.h\"\n"},
                        {"graph/spy_test.cpp", "#include \"privacy/seal.h\"\n"},
                        {"base/up.h", "#include \"graph/graph.h\"\n"},
                        {"cli/all.cpp", "#include \"base/a.h\"\n#include \"privacy/b.h\"\n"},
                        {"cli/far.cpp", "#include \"graph/graph.h\"\n"},
                        {"cli/wire.cpp", "#include \"sotto.pb.h\"\n"},
                        {"attic/old.cpp", ""}};
  EXPECT_THAT(dependency_violations(tree, kHouse),
              ElementsAre("attic/old.cpp is in no known room",
                          "base/up.h includes graph/graph.h: base may not use graph",
                          "cli/far.cpp includes graph/graph.h: cli may not use graph",
                          "graph/spy.cpp includes privacy/seal.h: graph may not use privacy"));
}

TEST(ArchitectureChecker, ReportsARoomThatUsesOneBelowIt) {
  EXPECT_THAT(order_violations(kHouse), IsEmpty());
  EXPECT_THAT(order_violations({{"graph", {"base"}}, {"base", {"base"}}}),
              ElementsAre("graph uses base, which is not above it",
                          "base uses base, which is not above it"));
}

TEST(ArchitectureChecker, ReportsAPermissionThatNobodyUses) {
  const SourceTree tree{{"graph/a.h", "#include \"base/a.h\"\n"},
                        {"privacy/b.cpp", "#include \"base/a.h\"\n"},
                        {"privacy/b_test.cpp", "#include \"graph/a.h\"\n"},
                        {"cli/c.cpp", "#include \"base/a.h\"\n#include \"privacy/b.h\"\n"}};
  EXPECT_THAT(unused_permissions(tree, kHouse), ElementsAre("privacy may use graph, and does not"));
}

TEST(ArchitectureChecker, ReportsATableThatTheBuildDoesNotKnow) {
  const auto table = read_room_table(
      "| what | sizes | may use |\n|---|---|---|\n| a | b | c |\n\n"
      "| room | what is in it | may use |\n|---|---|---|\n"
      "| `base` | results, `check` | |\n"
      "| `graph` | topologies | base |\n"
      "| `privacy` | the seal | graph, cli |\n"
      "| `attic` | old things | base |\n\n"
      "| room | what is in it | size |\n|---|---|---|\n| `hall` | a | b |\n");
  EXPECT_THAT(table, ElementsAre(Room{"base", {}}, Room{"graph", {"base"}},
                                 Room{"privacy", {"graph", "cli"}}, Room{"attic", {"base"}}));
  EXPECT_THAT(table_violations(table, kHouse),
              ElementsAre("privacy may use base, graph, not graph, cli", "cli is not in the table",
                          "attic is in the table, and is no room"));
}

TEST(ArchitectureChecker, ReportsAStageThatIsOnlyOnTheMap) {
  const auto map = read_map(
      "Data → goes on.\n\n```\nRows → Moments │ Secret → Released\n"
      " data    sums   │ privacy   privacy\n       the boundary\n```\n");
  EXPECT_THAT(map, ElementsAre(Stage{"Rows", "data"}, Stage{"Moments", "sums"},
                               Stage{"Secret", "privacy"}, Stage{"Released", "privacy"}));
  const SourceTree tree{
      {"data/rows.h", "// Rows.\nstruct Rows {\n"},
      {"data/moments.h", "struct Moments {\n"},
      {"sums/sums.h", "struct Moments;\n// A struct Moments {\nusing Moments = X;\n"},
      {"privacy/seal.h", "class [[nodiscard]] Secret final {\n"},
      {"privacy/release.cpp", "struct Released {\n"}};
  EXPECT_THAT(map_violations(map, tree),
              ElementsAre("sums/ defines no Moments", "privacy/ defines no Released"));
}

TEST(ArchitectureChecker, ReportsARawSumOnItsWayToTheWire) {
  const SourceTree tree{{"protocol/party.cpp", "#include \"protocol/helper.h\"\n"},
                        {"protocol/helper.h", "#include \"moments/moments.h\"\n"},
                        {"simulate/run.cpp", "#include \"solve/fit.h\"\n"},
                        {"simulate/run_test.cpp", "#include \"solve/fit.h\"\n"},
                        {"solve/fit.h", "#include \"moments/theta.h\"\n"},
                        {"network/link.cpp", "#include \"data/csv.h\"\n"}};
  EXPECT_THAT(boundary_violations(tree),
              ElementsAre("network/link.cpp > data/csv.h", "protocol/helper.h > moments/moments.h",
                          "protocol/party.cpp > protocol/helper.h > moments/moments.h",
                          "simulate/run.cpp > solve/fit.h > moments/theta.h"));
}

TEST(ArchitectureChecker, LetsPrivacyAloneTouchRawData) {
  const SourceTree tree{{"protocol/party.cpp", "#include \"privacy/seal.h\"\n"},
                        {"privacy/seal.h", "#include \"moments/theta.h\"\n"},
                        {"moments/theta.h", "#include \"data/rows.h\"\n"}};
  EXPECT_THAT(boundary_violations(tree), IsEmpty());
}

TEST(ArchitectureChecker, GoesRoundIncludesThatGoRound) {
  const SourceTree tree{{"protocol/a.h", "#include \"protocol/b.h\"\n"},
                        {"protocol/b.h", "#include \"protocol/a.h\"\n"}};
  EXPECT_THAT(boundary_violations(tree), IsEmpty());
}

TEST(ArchitectureChecker, ReportsRandomnessOutOfNowhere) {
  const SourceTree tree{{"base/random.cpp", "getrandom(p, n, 0);"},
                        {"graph/a.cpp", "std::random_device device;"},
                        {"graph/b.cpp", "return rand ();"},
                        {"graph/c.cpp", "std::mt19937 g(1);"},
                        {"graph/d.cpp", "operand(1); brand(); RandomSource& random;"},
                        {"graph/d_test.cpp", "std::mt19937 g(1);"},
                        {"privacy/e.cpp", "::getrandom(p, n, 0);"}};
  EXPECT_THAT(randomness_violations(tree),
              ElementsAre(HasSubstr("graph/a.cpp uses random_device"),
                          HasSubstr("graph/b.cpp uses rand"), HasSubstr("graph/c.cpp uses mt19937"),
                          HasSubstr("privacy/e.cpp uses getrandom")));
}

TEST(ArchitectureChecker, ReportsWhatBelongsToTheTests) {
  const SourceTree tree{{"simulate/fault_plan.h", ""},
                        {"store/a.h", "void seed_for_tests(int);"},
                        {"store/a_test.cpp", "#include \"support/memory_journal.h\""},
                        {"store/b.h", "int default_value; int fault_; // at fault"}};
  EXPECT_THAT(harness_violations(tree),
              ElementsAre("simulate/fault_plan.h has fault_plan", "store/a.h has seed_for_tests"));
}

TEST(ArchitectureChecker, ReportsAMonolith) {
  const SourceTree tree{{"cli/short.cpp", std::string(450, '\n')},
                        {"cli/long.cpp", std::string(451, '\n')},
                        {"cli/long_test.cpp", std::string(500, '\n')}};
  EXPECT_THAT(length_violations(tree), ElementsAre("cli/long.cpp has 451 lines"));
}

TEST(ArchitectureChecker, ReportsACrowd) {
  SourceTree tree;
  for (int k = 0; k < 31; ++k) tree[fmt::format("cli/{}.h", k)] = "";
  for (int k = 0; k < 30; ++k) tree[fmt::format("cli/terminal/{}.h", k)] = "";
  for (int k = 0; k < 31; ++k) tree[fmt::format("cli/terminal/{}_test.cpp", k)] = "";
  EXPECT_THAT(crowd_violations(tree), ElementsAre("cli has 31 files"));
}

TEST(ArchitectureChecker, ReportsAnImplementationThatNobodyDeclares) {
  const SourceTree tree{{"cli/main.cpp", ""},
                        {"cli/plan.h", ""},
                        {"cli/plan.cpp", ""},
                        {"cli/plan_as_json.cpp", ""},
                        {"cli/planner.cpp", ""},
                        {"cli/demo/plan_text.cpp", ""},
                        {"cli/demo/plan_test.cpp", ""},
                        {"cli/a_plan.cpp", ""},
                        {"cli/command_line.h", "Verb add_join(App&);"},
                        {"cli/join.cpp", ""}};
  EXPECT_THAT(header_violations(tree),
              ElementsAre("cli/a_plan.cpp has no header", "cli/demo/plan_text.cpp has no header",
                          "cli/planner.cpp has no header"));
}

}  // namespace
}  // namespace sotto
