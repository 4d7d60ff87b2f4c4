#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <thread>

#include "base/json.h"
#include "support/packet_router.h"

// Four parties on machines of their own (network namespaces). party-4 has no address in the
// study and sits behind a firewall that lets nobody dial in.

namespace sotto {
namespace {

using testing::HasSubstr;

constexpr std::size_t kMachines = 4;
constexpr seconds kPartition{30};
constexpr seconds kUntilTheEnd{170};

NetworkOptions on_machines(const std::string& solver, const std::string& sections) {
  NetworkOptions options;
  options.solver = solver;
  options.parties = kMachines;
  options.sections = sections;
  options.network = "meeting_seconds = 150\npatience_seconds = 150\n";
  for (std::size_t p = 0; p < kMachines; ++p) {
    options.addresses[p] = fmt::format("{}:7101", Machines::address(p));
  }
  options.addresses[kMachines - 1] = "";
  return options;
}

class NetworkNamespace : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = Machines::cannot(); !why.empty()) {
      fmt::print("SKIPPED, NOT SHOWN: runs on separate machines: {}\n", why);
      GTEST_SKIP() << why;
    }
  }
};

void start(Parties& parties, Machines& machines) {
  machines.firewall(kMachines - 1);
  for (std::size_t p = 0; p < kMachines; ++p) parties.start(p, {.before = machines.inside(p)});
}

void expect_common_result(Parties& parties, bool same_bits) {
  parties.expect_all_end(0, kUntilTheEnd);
  for (std::size_t p = 0; p < kMachines; ++p) {
    EXPECT_TRUE(parties.spent_once(p));
    EXPECT_NE(parties.model(p), "");
    const auto transcript = [&](std::size_t party) {
      return parse_json(parties.model(party))["transcript_hash"];
    };
    EXPECT_EQ(transcript(p), transcript(0));
  }
  if (same_bits) parties.expect_same_models({0, 1, 2, 3});
}

TEST_F(NetworkNamespace, PartiesFinishFromTheirOwnAddresses) {
  Machines machines(kMachines, 0);
  Parties parties(on_machines("dishuf", "[dishuf]\nkey_bits = 2048\n"));
  start(parties, machines);
  expect_common_result(parties, true);
  EXPECT_THAT(parties.said(3), HasSubstr("dialling out only"));
  EXPECT_GT(machines.packets().carried, 100U);
}

// Where a partition begins: as soon as anybody says these words.
struct Partition {
  std::string phase;
  std::string words;
  std::string solver;
  std::string sections;
  bool same_bits = true;
};

// Everybody is held still while the first who says the words is cut off, so that nothing of the
// phase slips past. Returns who it was.
std::optional<std::size_t> cut_at(const Partition& partition, Parties& parties,
                                  Machines& machines) {
  std::optional<std::size_t> who;
  (void)comes_true(
      [&] {
        for (std::size_t p = 0; p < kMachines && !who; ++p) {
          if (parties.said(p).find(partition.words) != std::string::npos) who = p;
        }
        return who.has_value();
      },
      kLongRun);
  if (!who) return who;
  for (std::size_t p = 0; p < kMachines; ++p) parties.process(p).signal(SIGSTOP);
  machines.cut_off(*who, true);
  for (std::size_t p = 0; p < kMachines; ++p) parties.process(p).signal(SIGCONT);
  return who;
}

void survive(const Partition& partition, std::size_t group) {
  Machines machines(kMachines, group);
  Parties parties(on_machines(partition.solver, partition.sections));
  start(parties, machines);
  const auto who = cut_at(partition, parties, machines);
  ASSERT_TRUE(who) << partition.phase << "\n" << parties.said_by_all();
  std::this_thread::sleep_for(kPartition);
  std::size_t over = 0;
  for (std::size_t p = 0; p < kMachines; ++p) {
    over += parties.wait(p, milliseconds(0)).has_value() ? 1 : 0;
  }
  machines.cut_off(*who, false);
  const auto healed = std::chrono::steady_clock::now();
  expect_common_result(parties, partition.same_bits);
  const std::chrono::duration<double> after = std::chrono::steady_clock::now() - healed;
  fmt::print(
      "partition of 30 s while {}: {} cut off ({} packets), {} of {} parties had ended by then, "
      "all had the result {:.1f} s after it\n",
      partition.phase, Parties::name(*who), machines.packets().cut, over, kMachines, after.count());
  EXPECT_GT(machines.packets().cut, 0U);
  EXPECT_LT(over, kMachines);
}

TEST_F(NetworkNamespace, APartitionOfThirtySecondsInAnyPhaseIsWaitedOut) {
  const std::string shuffle = "[dishuf]\nkey_bits = 2048\n";
  const std::vector<Partition> partitions{
      {"meeting", "connected to", "pairwise", ""},
      {"sealing", "sealing with neighbours", "dishuf", shuffle},
      {"waiting until all are ready", "sealed; waiting", "dishuf", shuffle},
      {"averaging", "released; averaging", "pairwise",
       "[consensus]\nmethod = \"plain\"\ntolerance = 1e-12\n", false},
      {"comparing", "comparing results", "ac", ""}};
  std::vector<std::jthread> threads;
  for (std::size_t k = 0; k < partitions.size(); ++k) {
    threads.emplace_back([&, k] { survive(partitions[k], k); });
  }
}

// docs/OPERATORS.md: whoever is behind a router has no address in the study, and dials out.
TEST_F(NetworkNamespace, TwoPartiesBehindARouterAndOneOutsideFinish) {
  Machines machines(3, 7);
  machines.translate(0);
  machines.translate(2);
  NetworkOptions options;
  options.solver = "ac";
  options.topology = "path";
  options.network = "meeting_seconds = 150\npatience_seconds = 150\n";
  options.addresses = {{0, ""}, {1, fmt::format("{}:7101", Machines::address(1))}, {2, ""}};
  Parties parties(options);
  for (std::size_t p = 0; p < 3; ++p) parties.start(p, {.before = machines.inside(p)});
  parties.expect_all_end(0, kUntilTheEnd);
  parties.expect_same_models({0, 1, 2});
  EXPECT_GE(machines.packets().translated, 2U) << "both were seen under the router's address";
}

TEST_F(NetworkNamespace, ARunCompletesWithDelayAndLoss) {
  constexpr milliseconds kDelay{200};
  constexpr unsigned kLossPercent = 5;
  Machines machines(kMachines, 0);
  machines.be_bad(kDelay, kLossPercent);
  Parties parties(on_machines("dishuf", "[dishuf]\nkey_bits = 2048\n"));
  const auto begin = std::chrono::steady_clock::now();
  start(parties, machines);
  expect_common_result(parties, true);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const auto packets = machines.packets();
  fmt::print(
      "200 ms delay each way and 5 % loss, by the test's own router: {} packets carried, {} lost, "
      "dishuf with {} parties in {:.1f} s\n",
      packets.carried, packets.lost, kMachines, took.count());
  EXPECT_GT(packets.lost, 0U);
}

}  // namespace
}  // namespace sotto
