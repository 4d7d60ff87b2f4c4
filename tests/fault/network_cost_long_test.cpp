#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <thread>

#include "base/json.h"
#include "support/party_processes.h"

// What a run costs, beside what was foreseen. The figures are printed: how long things take is
// for people to judge, on a machine that does nothing else.

namespace sotto {
namespace {

constexpr std::size_t kParties = 5;

struct Cost {
  double wall_seconds = 0;
  double cpu_seconds = 0;
  std::uint64_t most_sent = 0;  // by one party, bytes of frames
  std::uint64_t planned = 0;
};

Cost cost_of(Parties& parties) {
  Cost cost;
  const auto plan = parse_json(parties.sotto({"plan", parties.study(), "--format", "json"}));
  cost.planned = plan["traffic"]["bytes"].get<std::uint64_t>();
  const auto begin = std::chrono::steady_clock::now();
  parties.start_all();
  parties.expect_all_end(0);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  cost.wall_seconds = took.count();
  for (std::size_t p = 0; p < parties.size(); ++p) {
    cost.cpu_seconds += parties.process(p).cpu_seconds();
    cost.most_sent = std::max(cost.most_sent, parties.bytes_sent(p));
  }
  return cost;
}

TEST(NetworkCost, BytesOnTheWireBesideThePlan) {
  const std::string gt = "[gt]\nlambda_min = 200.0\nstep = 0.002\nrounds = 60\n";
  for (const std::string solver : {"ac", "dishuf", "pairwise", "gt"}) {
    Parties parties({.solver = solver,
                     .parties = kParties,
                     .tables = solver != "gt",
                     .sections = solver == "gt" ? gt : ""});
    const Cost cost = cost_of(parties);
    fmt::print(
        "bytes on the wire, {}, five parties: {} sent by one party, {} planned ({:+.1f} %)\n",
        solver, cost.most_sent, cost.planned,
        100.0 * (static_cast<double>(cost.most_sent) / static_cast<double>(cost.planned) - 1));
    const auto planned = static_cast<double>(cost.planned);
    EXPECT_NEAR(static_cast<double>(cost.most_sent), planned, 0.05 * planned) << solver;
  }
}

// One process that does all the cryptography of all parties, less one that does all but that.
double cryptography_seconds(Parties& parties) {
  std::map<std::string, double> seconds_with;
  for (const char* cipher : {"paillier", "ideal"}) {
    Child run({SOTTO_PROGRAM, "simulate", parties.study(), "--cipher", cipher},
              parties.folder() / "simulate.out", parties.folder() / "simulate.err");
    EXPECT_EQ(run.wait(kLongRun), 0);
    seconds_with[cipher] = run.cpu_seconds();
  }
  return seconds_with["paillier"] - seconds_with["ideal"];
}

TEST(NetworkCost, TimeOfAShuffleBesideItsCryptography) {
  // As many entries as the made-up tables have, nearly: 11·12/2 + 11 = 77.
  NetworkOptions options{.solver = "dishuf", .parties = kParties, .tables = false};
  Parties parties(options);
  const std::string study = parties.study();
  std::ifstream file(study);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  text = std::regex_replace(text, std::regex("m = 3"), "m = 11");
  std::ofstream(study) << text;
  const double cryptography = cryptography_seconds(parties);
  const Cost cost = cost_of(parties);
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const double path = cryptography / std::min<double>(cores, kParties);
  fmt::print(
      "dishuf, five parties, 3072 bits, {} cores: {:.2f} s from the first start to the last end; "
      "cryptography of all parties {:.2f} s, on the critical path {:.2f} s, ratio {:.2f}; the five "
      "processes took {:.2f} s of the processors\n",
      cores, cost.wall_seconds, cryptography, path, cost.wall_seconds / path, cost.cpu_seconds);
  EXPECT_GT(cryptography, 0);
}

}  // namespace
}  // namespace sotto
