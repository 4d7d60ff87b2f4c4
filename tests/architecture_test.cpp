#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "source_rules.h"

namespace sotto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const SourceTree& source() {
  static const SourceTree kTree = read_tree(std::filesystem::path(SOTTO_SOURCE_DIR) / "src");
  return kTree;
}

TEST(Architecture, HasASourceTreeToLookAt) {
  EXPECT_GT(source().size(), 100U);
  EXPECT_TRUE(source().contains("base/result.h"));
  EXPECT_THAT(includes_of(source().at("privacy/calibration.h")), testing::Not(IsEmpty()));
}

TEST(Architecture, DependenciesPointOneWay) {
  EXPECT_THAT(dependency_violations(source()), IsEmpty());
}

TEST(Architecture, NothingBehindThePrivacyBoundaryReachesRawData) {
  EXPECT_THAT(boundary_violations(source()), IsEmpty());
}

TEST(Architecture, RandomnessIsAnArgument) {
  EXPECT_THAT(randomness_violations(source()), IsEmpty());
}

TEST(Architecture, FilesStayShort) {
  EXPECT_THAT(length_violations(source()), IsEmpty());
}

// A checker that finds nothing may be one that looks at nothing: feed it what it must find.

TEST(ArchitectureChecker, ReportsAnIncludeAgainstTheOrder) {
  const SourceTree tree{{"graph/graph.h", "#pragma once\n#include \"base/result.h\"\n"},
                        {"graph/spy.cpp", "#include <map>\n  #  include \"privacy/seal.h\"\n"},
                        {"base/up.h", "#include \"graph/graph.h\"\n"},
                        {"cli/all.cpp", "#include \"data/csv.h\"\n#include \"study/run.h\"\n"},
                        {"attic/old.cpp", ""}};
  EXPECT_THAT(dependency_violations(tree),
              ElementsAre("attic/old.cpp is in no known room",
                          "base/up.h includes graph/graph.h: base may not use graph",
                          "graph/spy.cpp includes privacy/seal.h: graph may not use privacy"));
}

TEST(ArchitectureChecker, ReportsARawSumOnItsWayToTheWire) {
  const SourceTree tree{{"protocol/party.cpp", "#include \"protocol/helper.h\"\n"},
                        {"protocol/helper.h", "#include \"problem/moments.h\"\n"},
                        {"simulate/run.cpp", "#include \"solve/fit.h\"\n"},
                        {"solve/fit.h", "#include \"problem/theta.h\"\n"},
                        {"network/link.cpp", "#include \"data/csv.h\"\n"}};
  EXPECT_THAT(boundary_violations(tree),
              ElementsAre("network/link.cpp > data/csv.h", "protocol/helper.h > problem/moments.h",
                          "protocol/party.cpp > protocol/helper.h > problem/moments.h",
                          "simulate/run.cpp > solve/fit.h > problem/theta.h"));
}

TEST(ArchitectureChecker, LetsPrivacyAloneTouchRawData) {
  const SourceTree tree{{"protocol/party.cpp", "#include \"privacy/seal.h\"\n"},
                        {"privacy/seal.h", "#include \"problem/theta.h\"\n"},
                        {"problem/theta.h", "#include \"data/rows.h\"\n"}};
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

TEST(ArchitectureChecker, ReportsAMonolith) {
  const SourceTree tree{{"cli/short.cpp", std::string(500, '\n')},
                        {"cli/long.cpp", std::string(501, '\n')}};
  EXPECT_THAT(length_violations(tree), ElementsAre("cli/long.cpp has 501 lines"));
}

}  // namespace
}  // namespace sotto
