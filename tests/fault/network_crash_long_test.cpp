#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <fstream>
#include <mutex>
#include <set>
#include <thread>

#include "base/json.h"
#include "support/party_processes.h"

// The crash matrix: a party is killed as by a power cut at each of its commits, comes back,
// and everything ends as if nothing had happened. All runs of a lane start from the same homes, in
// which the keys of the run are journalled: so every result, and the transcript of all that was
// released, must be that of the run without a crash, bit for bit.

namespace sotto {
namespace {

constexpr std::size_t kLanes = 4;  // networks side by side
constexpr std::array<const char*, 3> kPoints{"before", "after", "sent"};

// Who is killed, and where in a commit. `victim` none: everybody, each at its own commit.
struct Crash {
  std::optional<std::size_t> victim;
  std::string point;
};

std::string phase_in(const std::string& said) {
  static const std::vector<std::pair<std::string, std::string>> kLines{
      {" finished", "finished"},
      {" comparing results", "comparing"},
      {" released; averaging", "averaging"},
      {" sealed; waiting", "ready"},
      {" sealing with", "sealing"}};
  for (const auto& [line, phase] : kLines) {
    if (said.find(line) != std::string::npos) return phase;
  }
  return "meeting";
}

class Matrix {
 public:
  explicit Matrix(NetworkOptions options) : options_(std::move(options)) {
    for (const char* point : kPoints) {
      for (std::size_t p = 0; p < options_.parties; ++p) crashes_.push_back({p, point});
    }
    crashes_.push_back({std::nullopt, "after"});
  }

  void run() {
    {
      std::vector<std::jthread> lanes;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        lanes.emplace_back([this] { run_lane(); });
      }
    }
    std::string phases;
    std::size_t points = 0;
    for (const auto& [phase, count] : covered_) {
      phases += fmt::format(", {} {}", phase, count);
      points += count;
    }
    fmt::print("crash matrix, {}: {} crash points in {} runs{}\n", options_.solver, points, runs_,
               phases);
    for (const std::string& failure : failures_) ADD_FAILURE() << failure;
    for (const char* phase : {"meeting", "ready", "averaging", "finished"}) {
      EXPECT_GT(covered_[phase], 0U) << phase;
    }
    if (options_.solver == "dishuf") {
      EXPECT_GT(covered_["sealing"], 0U);
    }
    EXPECT_GT(points, 3 * 3 * 5U);
    // Another key, another result: what is compared does depend on what must not be drawn again.
    EXPECT_EQ(references_.size(), kLanes);
  }

 private:
  struct Reference {
    std::vector<std::string> models;
  };

  void run_lane() {
    Parties parties(options_);
    parties.begin_runs_and_kill();
    parties.keep_homes();
    const auto reference = without_crash(parties);
    if (!reference) return;
    while (failures_so_far() < 5) {
      const std::size_t next = next_++;
      if (next >= crashes_.size()) return;
      // Events that come together are committed together, so that runs differ in how many commits
      // they have: the end is where two numbers in a row are not reached.
      int missed = 0;
      for (std::size_t k = 1; missed < 2 && failures_so_far() < 5; ++k) {
        missed = crash_at(parties, crashes_[next], k, *reference) ? 0 : missed + 1;
      }
    }
  }

  std::optional<Reference> without_crash(Parties& parties) {
    Reference reference;
    parties.restore_homes();
    for (std::size_t p = 0; p < parties.size(); ++p) {
      parties.start(p);
    }
    for (std::size_t p = 0; p < parties.size(); ++p) {
      if (parties.wait(p) != 0) {
        fail("without a crash:\n" + parties.said_by_all());
        return std::nullopt;
      }
      reference.models.push_back(parties.model(p));
    }
    const std::lock_guard lock(mutex_);
    references_.insert(parse_json(reference.models.front())["coefficients"].dump());
    return reference;
  }

  // Whether anybody was killed.
  bool crash_at(Parties& parties, const Crash& crash, std::size_t k, const Reference& reference) {
    const Start killed{.variables = {fmt::format("SOTTO_TEST_KILL={}:{}", k, crash.point)}};
    parties.restore_homes();
    const auto is_victim = [&](std::size_t p) { return !crash.victim || *crash.victim == p; };
    for (std::size_t p = 0; p < parties.size(); ++p) {
      parties.start(p, is_victim(p) ? killed : Start{});
    }
    std::string history;
    std::vector<std::optional<int>> ended(parties.size());
    std::vector<std::string> phases;
    const bool all_ended = comes_true(
        [&] {
          for (std::size_t p = 0; p < parties.size(); ++p) {
            if (!ended[p]) ended[p] = parties.wait(p, milliseconds(0));
            if (ended[p] != -SIGKILL) continue;
            phases.push_back(phase_in(parties.said(p)));
            history +=
                fmt::format("--- {} until it was killed\n{}", Parties::name(p), parties.said(p));
            parties.start(p);
            ended[p].reset();
          }
          return std::ranges::all_of(ended, [](const auto& e) { return e.has_value(); });
        },
        kLongRun);
    const std::string what = wrong(parties, reference, all_ended, ended);
    if (!what.empty()) {
      fail(fmt::format("{} {}:{}: {}\n{}{}",
                       crash.victim ? Parties::name(*crash.victim) : std::string("everybody"), k,
                       crash.point, what, history, parties.said_by_all()));
    }
    const std::lock_guard lock(mutex_);
    ++runs_;
    for (const std::string& phase : phases) ++covered_[phase];
    return !phases.empty();
  }

  static std::string wrong(const Parties& parties, const Reference& reference, bool all_ended,
                           const std::vector<std::optional<int>>& ended) {
    if (!all_ended) return "not everybody came to an end";
    for (std::size_t p = 0; p < parties.size(); ++p) {
      const std::string name = Parties::name(p);
      if (ended[p] != 0) return fmt::format("{} ended with status {}", name, *ended[p]);
      if (parties.model(p) != reference.models[p]) return name + " has another result";
      if (!parties.spent_once(p)) return name + "'s ledger was not debited once";
    }
    return {};
  }

  void fail(const std::string& what) {
    const std::lock_guard lock(mutex_);
    failures_.push_back(options_.solver + ", " + what);
  }
  std::size_t failures_so_far() {
    const std::lock_guard lock(mutex_);
    return failures_.size();
  }

  const NetworkOptions options_;
  std::vector<Crash> crashes_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::set<std::string> references_;
  std::map<std::string, std::size_t> covered_;
  std::size_t runs_ = 0;
  std::vector<std::string> failures_;
};

// Long enough to come back in, and not longer: who comes back last waits it out, if the
// others have gone.
constexpr const char* kPatience = "meeting_seconds = 60\npatience_seconds = 10\n";

TEST(CrashMatrix, AKillAtAnyCommitOfAcChangesNothing) {
  Matrix({.solver = "ac", .network = kPatience}).run();
}

TEST(CrashMatrix, AKillAtAnyCommitOfDishufChangesNothing) {
  Matrix({.solver = "dishuf", .sections = "[dishuf]\nkey_bits = 2048\n", .network = kPatience})
      .run();
}

// With averages that depend on the arithmetic of every round, not only on a sum.
TEST(CrashMatrix, AKillAtAnyCommitOfPairwiseChangesNothing) {
  Matrix({.solver = "pairwise",
          .sections = "[consensus]\nmethod = \"chebyshev\"\n",
          .network = kPatience})
      .run();
}

TEST(CrashMatrix, AKillInAnyRoundOfGtChangesNothing) {
  Matrix({.solver = "gt",
          .tables = false,
          .sections = "[gt]\nlambda_min = 200.0\nstep = 0.002\nrounds = 16\n",
          .network = kPatience})
      .run();
}

}  // namespace
}  // namespace sotto
