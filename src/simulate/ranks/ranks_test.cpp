// A network in pieces gives the bits of the whole one, whoever has which piece, and whenever it was
// killed. Ranks are threads here; src/mpi/mpi_ranks_test.cpp has processes.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>

#include "base/digest.h"
#include "base/json.h"
#include "moments/costs.h"
#include "privacy/calibrate/dishuf.h"
#include "privacy/calibrate/pairwise.h"
#include "simulate/ranks/checkpoint.h"
#include "simulate/simulation.h"
#include "support/by_messages.h"
#include "support/secrets.h"
#include "support/temporary_folder.h"
#include "support/thread_ranks.h"

namespace sotto::ranks_test {
namespace {

using namespace simulate_test;
using testing::HasSubstr;

constexpr std::size_t kEntries = 5;

std::vector<Weights> networks() {
  return {*Weights::uniform(*Graph::cycle(10), 0.3), Weights::metropolis(*Graph::star(7)),
          Weights::metropolis(random_graph(13, 10, 2)), Weights::metropolis(*Graph::grid(24))};
}

// Whose parties are anybody's: no result may depend on it.
Owners drawn_owners(std::size_t parties, std::size_t ranks, std::uint64_t seed) {
  SeededRandom random(seed);
  Owners owners(parties);
  for (auto& owner : owners) owner = static_cast<std::uint32_t>(random.below(ranks));
  for (std::uint32_t rank = 0; rank < ranks; ++rank) owners[rank] = rank;
  return owners;
}

std::vector<AveragingSetup> setups(const Weights& weights, ConsensusMethod method) {
  const ConsensusPlan plan = *plan_consensus(method, 1e-6, weights);
  const Budget budget = *Budget::make(10, 0.2);
  const Sensitivity mu = *Sensitivity::make(3);
  return {{weights, plan, LocalNoise{0.8}},
          {weights, plan, *calibrate_shuffle(weights.graph(), mu, budget, {.g = 0.01}, 0)},
          {weights, plan, ShuffleNoise{Rational(0.8), Rational(2), 7, 3, ShuffleMasks::kShared}},
          {weights, plan, *calibrate_pairwise(weights.graph(), mu, budget, 0.01, 0)}};
}

// θ of all parties, and of some.
struct Thetas {
  explicit Thetas(std::size_t parties) : each(random_thetas(parties, kEntries, 3)) {}
  [[nodiscard]] Secrets all() const { return secrets_of(each, 3); }
  [[nodiscard]] Secrets of(std::span<const PartyId> parties) const {
    std::vector<std::vector<double>> some;
    for (const PartyId party : parties) some.push_back(each[party]);
    return secrets_of(some, 3);
  }
  std::vector<std::vector<double>> each;
};

// What every rank ends with, in the places of its parties, held against the whole.
void expect_part(const TrialValues& part, std::span<const PartyId> own, const TrialValues& whole) {
  ASSERT_EQ(part.trials(), whole.trials());
  for (std::size_t t = 0; t < part.trials(); ++t) {
    for (std::size_t place = 0; place < own.size(); ++place) {
      const auto mine = part.at(t, part.parties() == 1 ? 0 : place);
      ASSERT_TRUE(std::ranges::equal(mine, whole.at(t, own[place]))) << "party " << own[place];
    }
  }
}

class OnRanks : public testing::TestWithParam<ConsensusMethod> {};
INSTANTIATE_TEST_SUITE_P(Methods, OnRanks,
                         testing::Values(ConsensusMethod::kPlain, ConsensusMethod::kChebyshev,
                                         ConsensusMethod::kExact),
                         [](const auto& test) { return to_string(test.param); });

TEST_P(OnRanks, EverySolverGivesTheBitsOfOneProcess) {
  for (const Weights& weights : networks()) {
    const Thetas thetas(weights.graph().size());
    for (const AveragingSetup& setup : setups(weights, GetParam())) {
      const TrialValues whole = *simulate_averaging(setup, thetas.all(), {.seed = 4, .trials = 3});
      for (const std::size_t count : {1U, 2U, 3U, 4U}) {
        const Owners owners = drawn_owners(weights.graph().size(), count, count);
        ThreadRanks(count).run([&](Ranks& ranks) {
          NetworkPart part(weights, owners, ranks);
          const auto held = simulate_averaging(setup, thetas.of(part.own()),
                                               {.seed = 4, .trials = 3, .part = &part});
          ASSERT_TRUE(held.has_value()) << held.error().to_string();
          expect_part(*held, part.own(), whole);
        });
      }
    }
  }
}

TEST(OnRanks, GradientTrackingGivesTheBitsOfOneProcess) {
  const Weights weights = Weights::metropolis(random_graph(13, 10, 2));
  const Thetas thetas(13);
  const TrackingSetup setup{
      .weights = weights,
      .dimension = 2,
      .laplace = GridLaplace::make(*Epsilon::make(1), *Sensitivity::make(3), 3.3),
      .sigma = 0.8,
      .step = 0.01,
      .rounds = 60};
  const TrialValues whole = *simulate_tracking(setup, thetas.all(), {.seed = 4, .trials = 5});
  for (const std::size_t count : {2U, 4U}) {
    ThreadRanks(count).run([&](Ranks& ranks) {
      NetworkPart part(weights, owners_by_order(weights.graph(), count), ranks);
      const auto held =
          simulate_tracking(setup, thetas.of(part.own()), {.seed = 4, .trials = 5, .part = &part});
      expect_part(*held, part.own(), whole);
    });
  }
}

TEST(OnRanks, SeveralThreadsOfEachGiveTheSameBits) {
  const Weights weights = *Weights::uniform(*Graph::torus(9000), 0.2);
  const Thetas thetas(9000);
  ConsensusPlan plan = *plan_consensus(ConsensusMethod::kChebyshev, 1e-3, weights);
  plan.rounds = 20;
  const AveragingSetup setup{weights, plan, LocalNoise{0.8}};
  const TrialValues whole = *simulate_averaging(setup, thetas.all(), {.seed = 4});
  ThreadRanks(2).run([&](Ranks& ranks) {
    NetworkPart part(weights, owners_by_order(weights.graph(), 2), ranks);
    EXPECT_GT(part.graph().interior(), 4000U);
    const auto held =
        simulate_averaging(setup, thetas.of(part.own()), {.seed = 4, .threads = 3, .part = &part});
    expect_part(*held, part.own(), whole);
  });
}

// The others of its team wait for it after every round.
TEST(OnRanks, AnExceptionInTheRoundsEndsAllThreadsOfARank) {
  const Weights weights = *Weights::uniform(*Graph::torus(9000), 0.2);
  const Thetas thetas(9000);
  ConsensusPlan plan = *plan_consensus(ConsensusMethod::kPlain, 1e-3, weights);
  plan.rounds = 20;
  const AveragingSetup setup{weights, plan, LocalNoise{0.8}};
  std::atomic<std::size_t> ended = 0;
  ThreadRanks(2).run([&](Ranks& ranks) {
    NetworkPart part(weights, owners_by_order(weights.graph(), 2), ranks);
    SimulationOptions options{.seed = 4, .threads = 3, .part = &part};
    options.on_round = [](Round round, const RoundView&) {
      if (round == 7) throw std::bad_alloc();
    };
    try {
      (void)simulate_averaging(setup, thetas.of(part.own()), options);
    } catch (const std::bad_alloc&) {
      ++ended;
    }
  });
  EXPECT_EQ(ended, 2U);
}

TEST(OnRanks, NoiseThatDoesNotFitWordsOnOneRankEndsAll) {
  const Weights weights = *Weights::uniform(*Graph::cycle(4), 0.3);
  const AveragingSetup setup{weights, *plan_consensus(ConsensusMethod::kPlain, 1e-3, weights),
                             LocalNoise{0.8}};
  ThreadRanks(2).run([&](Ranks& ranks) {
    NetworkPart part(weights, {0, 0, 1, 1}, ranks);
    const double size = ranks.rank() == 1 ? 0x1p60 : 1;
    const auto held = simulate_averaging(
        setup, secrets_of(std::vector<std::vector<double>>(2, std::vector<double>(5, size)), 3),
        {.part = &part});
    ASSERT_FALSE(held.has_value());
    EXPECT_EQ(held.error().name, "E-ranks-words");
    EXPECT_THAT(held.error().where, HasSubstr("rank 1 of 2"));
  });
}

TEST(OnRanks, AFamilyIsDrawnInSharesOfTheSameBits) {
  for (const FamilySum sum : {FamilySum::kFixed, FamilySum::kGrows}) {
    const Costs whole = *paper_family(11, 3, 5, sum);
    const Eigen::VectorXd solution = *minimiser(whole);
    for (const std::size_t count : {1U, 2U, 4U}) {
      ThreadRanks(count).run([&](Ranks& ranks) {
        const Costs share = *paper_family(11, 3, 5, sum, ranks);
        const Share parties = share_of(11, ranks.rank(), count);
        ASSERT_EQ(share.size(), parties.size());
        for (std::size_t i = 0; i < share.size(); ++i) {
          EXPECT_TRUE(std::ranges::equal(share.theta(i), whole.theta(parties.begin + i)));
        }
        EXPECT_EQ(*minimiser(share, ranks), solution);
      });
    }
  }
}

TEST(OnRanks, ValuesGoToTheirOwnersAndBack) {
  const Weights weights = Weights::metropolis(random_graph(13, 10, 2));
  ThreadRanks(3).run([&](Ranks& ranks) {
    const NetworkPart part(weights, drawn_owners(13, 3, 7), ranks);
    const Share share = share_of(13, ranks.rank(), 3);
    std::vector<double> mine;
    for (std::size_t party = share.begin; party < share.end; ++party) {
      EXPECT_EQ(sharer_of(party, 13, 3), ranks.rank());
      mine.push_back(static_cast<double>(party));
      mine.push_back(-static_cast<double>(party));
    }
    const auto own = part.from_shares(mine, 2);
    for (std::size_t place = 0; place < part.own().size(); ++place) {
      EXPECT_EQ(own[2 * place], part.own()[place]);
    }
    EXPECT_EQ(part.to_shares(own, 2), mine);
  });
}

// A run that is killed after some rounds, by an exception on every rank.
struct Killed {};

class CheckpointTest : public testing::Test {
 protected:
  [[nodiscard]] CheckpointOptions options() const {
    return {.file = file_, .every_seconds = 0, .clock = [] { return 0.0; }};
  }
  [[nodiscard]] std::string text() const {
    std::ifstream in(file_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  // Rounds on `ranks` with the file; killed after round `until`, if that is not 0.
  void run(std::size_t count, const AveragingSetup& setup, Round until, const TrialValues& whole) {
    const Thetas thetas(setup.weights.graph().size());
    ThreadRanks(count).run([&](Ranks& ranks) {
      NetworkPart part(setup.weights, drawn_owners(setup.weights.graph().size(), count, 5 * count),
                       ranks);
      const auto checkpoint = Checkpoint::open(options(), {{"study", "a"}}, part);
      ASSERT_TRUE(checkpoint.has_value()) << checkpoint.error().to_string();
      reached_ = (*checkpoint)->reached();
      SimulationOptions simulation{.seed = 4, .trials = 2, .part = &part};
      simulation.keeper = checkpoint->get();
      if (until > 0) {
        simulation.on_round = [&](Round round, const RoundView&) {
          if (round == until + 1) throw Killed{};
        };
      }
      try {
        const auto held = simulate_averaging(setup, thetas.of(part.own()), simulation);
        EXPECT_EQ(until, 0U);
        expect_part(*held, part.own(), whole);
      } catch (const Killed&) {
      }
    });
  }

  const TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "checkpoint";
  std::atomic<Round> reached_ = 0;
};

TEST_F(CheckpointTest, GoesOnWithTheSameBitsOnAnyNumberOfRanks) {
  const Weights weights = Weights::metropolis(*Graph::grid(24));
  const Thetas thetas(24);
  for (const auto method : {ConsensusMethod::kPlain, ConsensusMethod::kChebyshev}) {
    const AveragingSetup setup{weights, *plan_consensus(method, 1e-6, weights), LocalNoise{0.8}};
    const TrialValues whole = *simulate_averaging(setup, thetas.all(), {.seed = 4, .trials = 2});
    ASSERT_GT(setup.consensus.rounds, 12U);
    std::filesystem::remove(file_);
    run(3, setup, 4, whole);
    run(2, setup, 9, whole);
    EXPECT_EQ(reached_, 4U);
    run(1, setup, 11, whole);
    EXPECT_EQ(reached_, 9U);
    run(4, setup, 0, whole);
    EXPECT_EQ(reached_, 11U);
  }
}

TEST_F(CheckpointTest, OfAnotherRunOrDamagedIsRefusedOnEveryRank) {
  const Weights weights = *Weights::uniform(*Graph::cycle(6), 0.3);
  const auto opened = [&](const Json& facts) {
    std::vector<std::string> names(2);
    ThreadRanks(2).run([&](Ranks& ranks) {
      const NetworkPart part(weights, {0, 0, 0, 1, 1, 1}, ranks);
      const auto checkpoint = Checkpoint::open(options(), facts, part);
      names[ranks.rank()] = checkpoint ? "" : checkpoint.error().to_string();
      if (!checkpoint) return;
      EXPECT_TRUE((*checkpoint)->finished(true).has_value());
    });
    EXPECT_EQ(names[0], names[1]);
    return names[0];
  };
  EXPECT_EQ(opened({{"study", "a"}, {"seed", 1}}), "");
  EXPECT_EQ(opened({{"study", "a"}, {"seed", 1}}), "");
  const std::string other = opened({{"study", "a"}, {"seed", 2}});
  EXPECT_THAT(other, HasSubstr("E-checkpoint-other"));
  EXPECT_THAT(other, HasSubstr("seed was 1 and is 2"));
  const std::string whole = text();
  for (std::size_t at = 0; at < whole.size(); at += 7) {
    std::string broken = whole;
    broken[at] = static_cast<char>(broken[at] ^ 1);
    std::ofstream(file_, std::ios::binary) << broken;
    EXPECT_THAT(opened({{"study", "a"}, {"seed", 1}}), HasSubstr("E-checkpoint-damaged")) << at;
    std::ofstream(file_, std::ios::binary) << whole.substr(0, at);
    EXPECT_THAT(opened({{"study", "a"}, {"seed", 1}}), HasSubstr("E-checkpoint-damaged")) << at;
  }
}

TEST_F(CheckpointTest, ThatCannotBeWrittenIsSaidOnEveryRank) {
  file_ = "/proc/no such folder/checkpoint";
  const Weights weights = *Weights::uniform(*Graph::cycle(6), 0.3);
  ThreadRanks(2).run([&](Ranks& ranks) {
    const NetworkPart part(weights, {0, 0, 0, 1, 1, 1}, ranks);
    const auto checkpoint = Checkpoint::open(options(), {{"study", "a"}}, part);
    ASSERT_TRUE(checkpoint.has_value());
    for (const auto& written : {(*checkpoint)->require_writable(), (*checkpoint)->finished(true)}) {
      ASSERT_FALSE(written.has_value());
      EXPECT_EQ(written.error().name, "E-checkpoint-file");
    }
  });
}

TEST_F(CheckpointTest, IsWrittenByOneRunAtATime) {
  const std::string beside = file_.string() + ".new";
  const NetworkPart part(*Weights::uniform(*Graph::cycle(6), 0.3), Owners(6, 0), alone());
  const auto checkpoint = Checkpoint::open(options(), {{"study", "a"}}, part);
  ASSERT_TRUE(checkpoint.has_value());
  {
    // Another run, in the middle of it.
    std::ofstream(beside) << "of another run";
    const int held = ::open(beside.c_str(), O_WRONLY | O_CLOEXEC);
    ASSERT_EQ(::flock(held, LOCK_EX), 0);
    const auto refused = (*checkpoint)->require_writable();
    ASSERT_FALSE(refused.has_value());
    EXPECT_THAT(refused.error().what, HasSubstr("another run is writing it"));
    EXPECT_TRUE(std::filesystem::exists(beside)) << "it is not ours";
    ::close(held);
  }
  // What a killed one has left is nobody's.
  EXPECT_TRUE((*checkpoint)->require_writable().has_value());
  EXPECT_FALSE(std::filesystem::exists(file_));
  EXPECT_TRUE((*checkpoint)->finished(true).has_value());
  EXPECT_TRUE(std::filesystem::exists(file_));
  EXPECT_FALSE(std::filesystem::exists(beside));
}

// 2³²·2²⁹·8 bytes would be none at all, in words of 64 bits.
TEST_F(CheckpointTest, WithNumbersOutOfRangeIsDamaged) {
  std::string text =
      "sotto checkpoint\n"
      R"({"format":1,"run":{},"notes":"","round":1,"lanes":4294967296,"sets":1,"parties":536870912})"
      "\n";
  text += sha256(text);  // 32 bytes
  std::ofstream(file_, std::ios::binary) << text;
  const NetworkPart part(*Weights::uniform(*Graph::cycle(6), 0.3), Owners(6, 0), alone());
  const auto checkpoint = Checkpoint::open(options(), Json::object(), part);
  ASSERT_FALSE(checkpoint.has_value());
  EXPECT_EQ(checkpoint.error().name, "E-checkpoint-damaged");
  EXPECT_THAT(checkpoint.error().what, HasSubstr("out of range"));
}

}  // namespace
}  // namespace sotto::ranks_test
