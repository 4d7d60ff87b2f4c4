// The network as it is: whatever it does to the frames and the processes, the parties end with what
// they end with on a perfect one, or say why not.
#include "run/lab/faults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "run/lab/sweep.h"

namespace sotto {
namespace {

using testing::HasSubstr;

std::string study_text(const std::string& faults, const std::string& more = "",
                       const std::string& topology = "cycle") {
  return R"([study]
name = "faulty"
solver = "dishuf"
[privacy]
epsilon = 10.0
delta = 0.2
unit = "entry"
mu = 3.0
[graph]
topology = ")" +
         topology + R"("
parties = 4
weight = 0.3
[gt]
lambda_min = 200.0
rounds = 30
step = 0.001
[problem]
family = "paper"
m = 2
seed = 1
)" + more +
         "[faults]\n" + faults;
}

Result<FaultReport> faulty(Solver solver, const std::string& faults, const std::string& more = "",
                           const std::string& topology = "cycle") {
  SOTTO_ASSIGN(auto study, parse_study(study_text(faults, more, topology), "faulty.toml"));
  SOTTO_ASSIGN(const auto problem, family_problem(study));
  SOTTO_ASSIGN(const auto planned, plan_study(std::move(study), solver));
  return simulate_faults(planned, problem.costs);
}

constexpr Solver kAll[] = {Solver::kAc, Solver::kDishuf, Solver::kPairwise, Solver::kGt};

TEST(Faults, WithoutAnyARunTakesItsFramesAndItsTime) {
  for (const Solver solver : kAll) {
    const auto report = faulty(solver, "latency_ms = 50\n");
    ASSERT_TRUE(report) << to_string(solver) << report.error().to_string();
    EXPECT_EQ(report->finished, 4U);
    EXPECT_TRUE(report->same_transcript && report->as_undisturbed);
    EXPECT_EQ(report->attempts, 1U);
    EXPECT_EQ(report->lost_frames + report->repeated + report->crashes, 0U);
    EXPECT_EQ(report->seconds, report->undisturbed_seconds);
    // Each round waits for the one before: no faster than light between neighbours.
    EXPECT_GT(report->seconds, 0.05 * *report->rounds);
    EXPECT_EQ(report->cipher_seconds > 0, solver == Solver::kDishuf);
  }
}

TEST(Faults, LossDelayAndRepetitionChangeNoBit) {
  for (const std::string transport : {"", "transport = \"frames\"\nrepeats = 0.1\n"}) {
    for (const Solver solver : kAll) {
      const auto report =
          faulty(solver, transport + "loss = 0.1\njitter_ms = 100\nstart_seconds = 3\nseed = 5\n");
      ASSERT_TRUE(report) << report.error().to_string();
      EXPECT_EQ(report->finished, 4U) << to_string(solver);
      EXPECT_TRUE(report->as_undisturbed) << to_string(solver);
      EXPECT_GT(report->lost_frames, 0U);
      EXPECT_GT(report->resent, 0U);
      EXPECT_EQ(report->repeated > 0, !transport.empty());
      EXPECT_GT(report->seconds, report->undisturbed_seconds);
    }
  }
}

// Nothing overtakes in a stream, so that no link has to send anything again.
TEST(Faults, InAStreamJitterCostsItsDelaysAndNothingMore) {
  for (const Solver solver : kAll) {
    const auto stream = faulty(solver, "jitter_ms = 100\nseed = 7\n");
    const auto frames = faulty(solver, "jitter_ms = 100\nseed = 7\ntransport = \"frames\"\n");
    ASSERT_TRUE(stream && frames);
    EXPECT_EQ(stream->resent, 0U) << to_string(solver);
    EXPECT_TRUE(stream->as_undisturbed && frames->as_undisturbed);
    EXPECT_GT(stream->seconds, stream->undisturbed_seconds);
    // A round waits for the slowest of eight frames: 2.7 times the mean delay, and there are a few
    // exchanges beside the rounds.
    EXPECT_LT(stream->seconds, stream->undisturbed_seconds + 0.5 * (*stream->rounds + 20))
        << to_string(solver);
    EXPECT_GE(frames->resent, stream->resent);
  }
}

TEST(Faults, AStreamSendsAgainWhatItLosesAndHoldsUpWhatIsBehind) {
  const auto calm = faulty(Solver::kAc, "loss = 0\n");
  const auto lossy = faulty(Solver::kAc, "loss = 0.3\nseed = 4\n");
  ASSERT_TRUE(calm && lossy);
  EXPECT_GT(lossy->lost_frames, 0U);
  // And where that takes longer than the links wait, they send again too.
  EXPECT_GE(lossy->resent, lossy->lost_frames);
  EXPECT_GT(lossy->frames, calm->frames);
  EXPECT_GT(lossy->bytes, calm->bytes);
  EXPECT_GT(lossy->seconds, calm->seconds + kFirstTimeoutMs / 1e3);
}

TEST(Faults, CrashedProcessesGoOnFromTheirJournals) {
  for (const Solver solver : kAll) {
    const auto report = faulty(solver, "crashes = 4\nrestart_seconds = 2\nseed = 3\n");
    ASSERT_TRUE(report) << report.error().to_string();
    EXPECT_GE(report->crashes, 3U) << to_string(solver);
    EXPECT_EQ(report->finished, 4U) << to_string(solver);
    EXPECT_TRUE(report->as_undisturbed) << to_string(solver);
    EXPECT_EQ(report->attempts, 1U);
    EXPECT_GT(report->seconds, 2);
  }
}

TEST(Faults, WhoStaysAwayForTooLongIsGivenUpOrEndsTheRun) {
  const std::string impatient = "[network]\npatience_seconds = 5\n";
  const auto all = faulty(Solver::kAc, "crashes = 1\nrestart_seconds = 600\n", impatient);
  ASSERT_TRUE(all) << all.error().to_string();
  EXPECT_LT(all->finished, 4U);
  EXPECT_FALSE(all->ended.empty());
  EXPECT_THAT(to_text(FaultTerms{}, all), HasSubstr("E-"));
}

// Everybody has committed itself before anybody's release can be read.
TEST(Faults, WhoRushesIsNamedByEverybodyAndGetsNothing) {
  for (const Solver solver : {Solver::kAc, Solver::kDishuf, Solver::kPairwise}) {
    const auto report = faulty(solver, "rushing = 2\n", "", "complete");
    ASSERT_TRUE(report) << report.error().to_string();
    EXPECT_EQ(report->finished, 0U) << to_string(solver);
    for (const char* party : {"party-1", "party-3", "party-4"}) {
      EXPECT_THAT(report->ended, testing::Contains(std::string(party) + ": E-commitment"));
    }
  }
}

TEST(Faults, AreTheSameForTheSameSeed) {
  const std::string faults = "loss = 0.05\njitter_ms = 30\ncrashes = 1\nseed = 9\n";
  const auto one = faulty(Solver::kDishuf, faults);
  const auto two = faulty(Solver::kDishuf, faults);
  const auto other = faulty(Solver::kDishuf, faults + "latency_ms = 21\n");
  ASSERT_TRUE(one && two && other);
  EXPECT_EQ(to_json(FaultTerms{}, one), to_json(FaultTerms{}, two));
  EXPECT_NE(one->seconds, other->seconds);
}

TEST(Faults, TheClockCountsBytesAndCiphertexts) {
  const auto fast =
      faulty(Solver::kDishuf, "latency_ms = 0\ncipher_ms = 0\nbandwidth_mbit = 100\n");
  const auto slow =
      faulty(Solver::kDishuf, "latency_ms = 0\ncipher_ms = 0\nbandwidth_mbit = 0.1\n");
  const auto busy = faulty(Solver::kDishuf, "latency_ms = 0\ncipher_ms = 500\n");
  ASSERT_TRUE(fast && slow && busy);
  // A party's own bytes at 0.1 Mbit/s take at least this long, and a ciphertext is two keys long.
  EXPECT_GT(slow->seconds - fast->seconds, static_cast<double>(slow->most_bytes) * 8 / 1e5 / 2);
  EXPECT_GT(slow->most_bytes, 4U * 768);
  EXPECT_GT(busy->seconds, fast->seconds + 0.5);
  EXPECT_GT(busy->cipher_seconds, 1);
  EXPECT_TRUE(slow->as_undisturbed && busy->as_undisturbed);
}

TEST(Faults, ARunOfTooManyFramesIsNotDriven) {
  const auto report =
      faulty(Solver::kAc, "loss = 0\n", "[consensus]\nmethod = \"plain\"\nrounds = 1000000\n");
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().name, "E-faults-long");
  EXPECT_EQ(to_json(FaultTerms{}, report)["error"]["name"], "E-faults-long");
  EXPECT_THAT(to_text(FaultTerms{}, report), HasSubstr("not simulated"));
}

TEST(Faults, AreReadFromTheStudyAndOnlyOverCosts) {
  for (const char* bad :
       {"loss = 1.0\n", "latency_ms = -1\n", "crashes = -1\n", "bandwidth_mbit = 0\n",
        "repeats = 2\n", "losses = 0.1\n", "repeats = 0.1\n", "transport = \"udp\"\n"}) {
    EXPECT_FALSE(parse_study(study_text(bad), "faulty.toml")) << bad;
  }
  EXPECT_EQ(parse_study(study_text("loss = 0.25\n"), "faulty.toml")->faults->loss, 0.25);
  EXPECT_FALSE(
      parse_study(study_text("", "").substr(0, study_text("").find("[faults]")), "f.toml")->faults);
  const std::string tables = R"([study]
name = "t"
solver = "ac"
[privacy]
epsilon = 1.0
delta = 1e-6
unit = "record"
neighbours = "add-remove"
[graph]
topology = "path"
parties = 2
[data]
target = { column = "y", bounds = [0, 4] }
[faults]
loss = 0.1
)";
  EXPECT_THAT(parse_study(tables, "t.toml").error().where, HasSubstr("[faults]"));
}

TEST(Faults, AreSweptLikeEveryKey) {
  const StudySource source{.text = study_text("seed = 2\n"), .name = "faulty.toml", .folder = {}};
  SweepOptions options{.keys = {*setting_from("faults.loss=0,0.2")},
                       .solvers = {Solver::kAc},
                       .trials = 2,
                       .version = "test"};
  const auto points = sweep(source, options);
  ASSERT_TRUE(points) << points.error().to_string();
  ASSERT_EQ(points->size(), 2U);
  EXPECT_EQ((*points)[0].result["faults"]["lost_frames"], 0);
  EXPECT_GT((*points)[1].result["faults"]["lost_frames"].get<int>(), 0);
  EXPECT_EQ((*points)[1].result["faults"]["as_undisturbed"], true);
  const auto study = parse_study(source.text, source.name);
  const auto made = simulate_study(*study, {.solvers = {Solver::kAc}, .trials = 1});
  EXPECT_EQ(to_json(*study, *made)["faults"]["ac"]["finished"], 4);
  EXPECT_THAT(to_text(*study, *made), HasSubstr("4 of 4 parties finished"));
}

}  // namespace
}  // namespace sotto
