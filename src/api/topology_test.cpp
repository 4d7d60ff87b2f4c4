// Topologies from outside: graphs like the others, and held to be graphs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sotto/plan.h>
#include <sotto/simulate.h>
#include <sotto/topology.h>

#include "base/json.h"

namespace sotto::v1 {
namespace {

using testing::HasSubstr;
using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

// A ring in which everybody also knows who is `step` further on; or what is no graph.
class Circulant final : public Topology {
 public:
  explicit Circulant(std::string name) : name_(std::move(name)) {}
  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::string about() const override { return "a ring with chords"; }
  [[nodiscard]] std::vector<AddedKey> keys() const override {
    return {{.name = "step", .about = "How far a chord leads.", .fallback = 2, .least = 1},
            {.name = "edges", .about = "Which.", .choices = {"all", "loop", "nobody", "few"}}};
  }
  [[nodiscard]] Result<Pairs> edges(const TopologyTerms& terms) const override {
    const std::size_t n = terms.parties;
    const auto step = static_cast<std::size_t>(terms.numbers.at("step"));
    if (2 * step >= n)
      return Error{.name = "E-mine", .what = "too far", .where = {}, .fix = "a shorter step"};
    Pairs pairs;
    for (std::size_t i = 0; i < n; ++i) {
      pairs.emplace_back(i, (i + 1) % n);
      if (step > 1) pairs.emplace_back((i + step) % n, i);
    }
    if (terms.words.at("edges") == "loop") pairs.emplace_back(1, 1);
    if (terms.words.at("edges") == "nobody") pairs.emplace_back(0, std::size_t{1} << 40);
    if (terms.words.at("edges") == "few") pairs.resize(3);
    return pairs;
  }

 private:
  std::string name_;
};

// Before any study is read.
struct RegisteredTopologies {
  Result<void> circulant = register_topology(std::make_unique<Circulant>("circulant"));
  Result<void> twice = register_topology(std::make_unique<Circulant>("circulant"));
  Result<void> built_in = register_topology(std::make_unique<Circulant>("cycle"));
  Result<void> section = register_topology(std::make_unique<Circulant>("graph"));
  Result<void> unreadable = register_topology(std::make_unique<Circulant>(""));
};
const RegisteredTopologies kTopologies;

std::string shaped_study(const std::string& topology, const std::string& keys = "") {
  return R"(
[study]
name   = "shaped"
solver = "dishuf"
[privacy]
epsilon = 1.0
delta   = 1e-3
unit    = "entry"
mu      = 1.0
[graph]
topology = ")" +
         topology + R"("
parties  = 8
[consensus]
method = "plain"
[problem]
family = "paper"
m      = 2
seed   = 1
)" + keys;
}

Error topology_error(const std::string& keys) {
  const auto study = Study::parse(shaped_study("circulant", keys), "shaped.toml");
  EXPECT_FALSE(study);
  return study ? Error{} : study.error();
}

TEST(AddedTopology, IsPlannedAndSimulatedLikeAListOfItsEdges) {
  ASSERT_TRUE(kTopologies.circulant) << kTopologies.circulant.error().to_string();
  const auto study =
      Study::parse(shaped_study("circulant", "[circulant]\nstep = 3\n"), "shaped.toml");
  ASSERT_TRUE(study) << study.error().to_string();
  std::string text = shaped_study("edges");
  text.insert(text.find("parties"),
              "edges = [[1,2],[2,3],[3,4],[4,5],[5,6],[6,7],[7,8],[8,1],"
              "[1,4],[2,5],[3,6],[4,7],[5,8],[6,1],[7,2],[8,3]]\n");
  const auto listed = Study::parse(text, "listed.toml");
  ASSERT_TRUE(listed) << listed.error().to_string();
  const auto plan = make_plan(*study);
  ASSERT_TRUE(plan) << plan.error().to_string();
  const Json json = parse_json(plan->json);
  const Json expected = parse_json(make_plan(*listed)->json);
  EXPECT_EQ(json["noise"], expected["noise"]);
  EXPECT_EQ(json["adversaries"], expected["adversaries"]);
  EXPECT_EQ(json["consensus"], expected["consensus"]);
  EXPECT_THAT(plan->text, HasSubstr("circulant"));
  EXPECT_EQ(simulate(*study, {.seed = 2, .trials = 3})->trials.at(0).x,
            simulate(*listed, {.seed = 2, .trials = 3})->trials.at(0).x);
}

TEST(AddedTopology, TakesTheKeysOfItsSectionAndNoOthers) {
  EXPECT_EQ(topology_error("[circulant]\nstep = 4\n").name, "E-mine");
  EXPECT_THAT(topology_error("[circulant]\nstep = 4\n").where, HasSubstr("[graph] topology"));
  EXPECT_EQ(topology_error("[circulant]\nstep = 0\n").name, "E-study-value");
  EXPECT_EQ(topology_error("[circulant]\nsteps = 2\n").name, "E-study-key");
  std::string text = shaped_study("circulant");
  text.insert(text.find("parties"), "degree = 4\n");
  EXPECT_EQ(Study::parse(text, "shaped.toml").error().name, "E-study-value");
}

TEST(AddedTopology, IsHeldToBeAGraphInOnePiece) {
  EXPECT_EQ(topology_error("[circulant]\nedges = \"loop\"\n").name, "E-graph-edge");
  EXPECT_EQ(topology_error("[circulant]\nedges = \"nobody\"\n").name, "E-graph-edge");
  EXPECT_EQ(topology_error("[circulant]\nedges = \"few\"\n").name, "E-graph-disconnected");
}

TEST(AddedTopology, HasANameOfItsOwnAndComesBeforeTheFirstStudy) {
  for (const auto* refused :
       {&kTopologies.twice, &kTopologies.built_in, &kTopologies.section, &kTopologies.unreadable}) {
    ASSERT_FALSE(*refused);
    EXPECT_EQ(refused->error().name, "E-topology-name");
  }
  ASSERT_TRUE(Study::parse(shaped_study("cycle"), "shaped.toml"));
  EXPECT_EQ(register_topology(std::make_unique<Circulant>("late")).error().name, "E-topology-late");
}

}  // namespace
}  // namespace sotto::v1
