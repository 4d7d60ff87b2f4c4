// What ranks compare before they begin, and what they take from a checkpoint; what they compute is
// in simulate/ranks/ and mpi/.
#include "run/ranks/simulate_ranks.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/digest.h"
#include "base/json.h"
#include "support/temporary_folder.h"
#include "support/thread_ranks.h"

namespace sotto {
namespace {

using testing::HasSubstr;

// What both ranks end with, if rank 0 has the first facts and rank 1 the second.
std::string compared(const Json& first, const Json& second) {
  std::vector<std::string> words(2);
  ThreadRanks(2).run([&](Ranks& ranks) {
    const auto same = require_same(ranks, ranks.rank() == 0 ? first : second);
    words[ranks.rank()] = same ? "" : same.error().to_string();
  });
  EXPECT_EQ(words[0], words[1]);
  return words[0];
}

TEST(RanksCompare, WhatOneOfThemHasAloneAsWellAsWhatDiffers) {
  const Json some{{"seed", 1}};
  const Json more{{"seed", 1}, {"solver", {"ac"}}};
  EXPECT_EQ(compared(more, more), "");
  EXPECT_THAT(compared({{"seed", 1}}, {{"seed", 2}}), HasSubstr("seed is 2 on rank 1 and 1 on"));
  EXPECT_THAT(compared(some, more),
              HasSubstr("solver is [\"ac\"] on rank 1 and nothing on rank 0"));
  EXPECT_THAT(compared(more, some),
              HasSubstr("solver is nothing on rank 1 and [\"ac\"] on rank 0"));
}

struct Killed {};

// Two trials of two solvers in one process, and its checkpoint.
class LongRun : public testing::Test {
 protected:
  // Killed where so many thousandths of a trial are over, if that is not 0.
  Result<Simulation> run(std::size_t until = 0) {
    const RanksOfRun ranks{
        .ranks = alone(),
        .partition = [](const Graph& graph, Ranks&) { return Owners(graph.size(), 0); },
        .checkpoint =
            CheckpointOptions{.file = file_, .every_seconds = 0, .clock = [] { return 0.0; }}};
    RunOptions options{.solvers = {Solver::kAc, Solver::kPairwise}, .trials = 2, .threads = 1};
    options.ranks = &ranks;
    options.progress = [until](std::size_t done, std::size_t) {
      if (until > 0 && done >= until) throw Killed{};
    };
    return simulate_study(*study_, options);
  }
  std::string text() {
    std::ifstream in(file_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // Goes on from a file with another header and other rows, and a digest that fits.
  std::string from(const Json& header, const std::string& rows) {
    const std::string content = "sotto checkpoint\n" + json_line(header) + "\n" + rows;
    ByteDigest digest;
    digest.add(content);
    std::ofstream(file_, std::ios::binary) << content << digest.value();
    const auto result = run();
    return result ? "" : result.error().to_string();
  }

  const TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_ / "checkpoint";
  Result<Study> study_ = parse_study(
      "[study]\nname = \"s\"\nsolver = \"ac\"\n"
      "[privacy]\nepsilon = 1\ndelta = 0.1\nunit = \"entry\"\nmu = 1\n"
      "[graph]\ntopology = \"cycle\"\nparties = 8\nweight = 0.3\n"
      "[consensus]\nmethod = \"chebyshev\"\n"
      "[problem]\nfamily = \"paper\"\nm = 1\nseed = 1\n",
      "study.toml");
};

TEST_F(LongRun, GoesOnFromItsOwnCheckpointAndFromNoOtherThatFits) {
  const auto whole = run();
  ASSERT_TRUE(whole.has_value()) << whole.error().to_string();
  std::filesystem::remove(file_);
  EXPECT_THROW((void)run(2500), Killed);
  const std::string kept = text();
  const auto gone_on = run();
  ASSERT_TRUE(gone_on.has_value()) << gone_on.error().to_string();
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(gone_on->runs[k].squared_errors, whole->runs[k].squared_errors);
    EXPECT_EQ(gone_on->runs[k].answers, whole->runs[k].answers);
  }

  const std::size_t begin = kept.find('\n') + 1;
  const std::size_t end = kept.find('\n', begin);
  const Json header = parse_json(kept.substr(begin, end - begin));
  const std::string rows = kept.substr(end + 1, kept.size() - end - 1 - 32);
  ASSERT_GT(header["round"].get<int>(), 0);
  ASSERT_EQ(from(header, rows), "");
  const auto with = [&](const char* key, const Json& value) {
    Json other = header;
    other[key] = value;
    return other;
  };
  const std::string trial = R"([2,0,"3ff0000000000000",["3ff0000000000000"]])";
  for (const std::string& notes : std::initializer_list<std::string>{
           "{}", "[1]", R"([["ac",0,"3ff0000000000000",[]]])", R"([[2,0,"1",["2"]]])",
           R"([[2,0,"3ff0000000000000",[]]])", R"([[2,1,"3ff0000000000000",["3ff0000000000000"]]])",
           R"([[9,0,"3ff0000000000000",["3ff0000000000000"]]])",
           R"([[2,0,"3ff000000000000x",["3ff0000000000000"]]])", fmt::format("[{0},{0}]", trial)}) {
    EXPECT_THAT(from(with("notes", notes), rows), HasSubstr("E-checkpoint-damaged")) << notes;
  }
  EXPECT_THAT(from(with("round", 1'000'000), rows), HasSubstr("E-checkpoint-damaged"));
  EXPECT_THAT(from(with("sets", 1), rows.substr(0, rows.size() / 2)),
              HasSubstr("E-checkpoint-damaged"));
  EXPECT_THAT(from(with("lanes", header["lanes"].get<int>() / 2), rows.substr(0, rows.size() / 2)),
              HasSubstr("E-checkpoint-damaged"));
}

}  // namespace
}  // namespace sotto
