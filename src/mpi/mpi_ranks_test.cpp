// The program under mpirun: processes, kills and files that differ. What ranks compute is tested
// with threads in their place (simulate/ranks/ranks_test.cpp); here it is held against the program
// without mpirun.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "support/program.h"

namespace sotto {
namespace {

using testing::HasSubstr;

// A child whose output goes to files.
class Child {
 public:
  Child(const std::filesystem::path& folder, std::vector<std::string> words)
      : out_(folder / ".rank-out"), err_(folder / ".rank-err") {
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    std::fflush(stdout);  // not twice
    pid_ = fork();
    if (pid_ != 0) return;
    // mpirun reads standard input, for rank 0.
    if (std::freopen("/dev/null", "r", stdin) != nullptr &&
        std::freopen(out_.c_str(), "w", stdout) != nullptr &&
        std::freopen(err_.c_str(), "w", stderr) != nullptr && chdir(folder.c_str()) == 0) {
      execvp(pointers.front(), pointers.data());
    }
    _exit(127);
  }

  // Those that it has started.
  [[nodiscard]] std::vector<pid_t> ranks() const {
    std::ifstream list(fmt::format("/proc/{0}/task/{0}/children", pid_));
    std::vector<pid_t> found;
    for (pid_t child = 0; list >> child;) found.push_back(child);
    return found;
  }

  [[nodiscard]] Finished wait() const {
    int state = 0;
    waitpid(pid_, &state, 0);
    return {.status = WIFEXITED(state) ? WEXITSTATUS(state) : -1,
            .out = read_text(out_),
            .err = read_text(err_)};
  }

 private:
  std::filesystem::path out_;
  std::filesystem::path err_;
  pid_t pid_;
};

class Mpirun : public ProgramTest {
 protected:
  void SetUp() override {
    if (sotto({"--version"}).out.find("ranks: none") != std::string::npos) {
      GTEST_SKIP() << "NOT TESTED: sotto was built without MPI (libopenmpi-dev, libptscotch-dev)";
    }
    if (std::system("mpirun --version > /dev/null 2>&1") != 0) {
      GTEST_SKIP() << "NOT TESTED: there is no mpirun (openmpi-bin)";
    }
    // Tests run as root in containers, and with more ranks than cores.
    for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"}) {
      setenv(name, "1", 1);
    }
    setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 1);
    setenv("OMPI_MCA_hwloc_base_binding_policy", "none", 1);
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);  // containers forbid it, loudly
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);  // Open MPI keeps some memory when it ends
  }

  [[nodiscard]] Child start(std::size_t ranks, const std::vector<std::string>& words) const {
    std::vector<std::string> all{"mpirun", "-n", fmt::format("{}", ranks)};
    all.insert(all.end(), words.begin(), words.end());
    return {folder(), std::move(all)};
  }
  [[nodiscard]] Finished mpirun(std::size_t ranks, std::vector<std::string> words) const {
    words.insert(words.begin(), SOTTO_PROGRAM);
    return start(ranks, words).wait();
  }

  // One error, whoever found it, and nothing else on standard output.
  static void expect_one_error(const Finished& run, int status, const std::string& name) {
    EXPECT_EQ(run.status, status) << run.err;
    EXPECT_EQ(run.out, "");
    std::size_t errors = 0;
    for (auto at = run.err.find("error["); at != std::string::npos;
         at = run.err.find("error[", at + 1)) {
      ++errors;
    }
    EXPECT_EQ(errors, 1U) << run.err;
    EXPECT_THAT(run.err, HasSubstr("error[" + name + "]: "));
  }
};

TEST_F(Mpirun, WithAnyNumberOfRanksGivesTheBitsOfOneProcess) {
  for (const char* method : {"exact", "plain", "chebyshev"}) {
    const std::string study =
        write("study.toml",
              paper_text(14).set("consensus", "method", fmt::format("\"{}\"", method)).text());
    const std::vector<std::string> words{"simulate", study, "--solver", "all",
                                         "--trials", "3",   "--format", "json"};
    const Finished whole = sotto(words);
    ASSERT_EQ(whole.status, 0) << whole.err;
    for (const std::size_t ranks : {1U, 2U, 4U}) {
      const Finished run = mpirun(ranks, words);
      EXPECT_EQ(run.status, 0) << run.err;
      EXPECT_EQ(run.out, whole.out) << method << ", " << ranks << " ranks";
      EXPECT_THAT(run.err, HasSubstr("simulating "));
      EXPECT_LE(std::ranges::count(run.err, '\n'), 10) << "one bar: " << run.err;
    }
  }
}

// Large enough for PT-Scotch, and on a graph that it has to look at.
TEST_F(Mpirun, CutsALargeNetworkWithoutChangingABit) {
  StudyText text = paper_text(3000);
  text.set("graph", "topology", "\"random-regular\"").set("graph", "degree", "4");
  text.set("graph", "seed", "1").set("graph", "weight", "0.2");
  text.set("consensus", "method", "\"chebyshev\"");
  const std::string study = write("study.toml", text.text());
  for (const char* solver : {"dishuf", "pairwise"}) {
    const std::vector<std::string> words{"simulate",  study, "--solver", solver,
                                         "--threads", "1",   "--format", "json"};
    const Finished whole = sotto(words);
    ASSERT_EQ(whole.status, 0) << whole.err;
    const Finished run = mpirun(3, words);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.out, whole.out);
  }
}

TEST_F(Mpirun, KilledInTheMiddleGoesOnToTheSameBits) {
  const std::string study = write("study.toml", paper_text(16)
                                                    .set("consensus", "method", "\"plain\"")
                                                    .set("consensus", "tolerance", "1e-6")
                                                    .text());
  const std::vector<std::string> words{"simulate", study, "--solver", "ac,gt", "--format", "json"};
  const Finished whole = sotto(words);
  ASSERT_EQ(whole.status, 0) << whole.err;
  const auto file = folder() / "run.checkpoint";
  std::vector<std::string> kept = words;
  kept.insert(kept.end(), {"--checkpoint", file.string(), "--checkpoint-every", "0"});
  std::vector<std::string> program = kept;
  program.insert(program.begin(), SOTTO_PROGRAM);
  std::size_t killed = 0;
  // A kill is early or late: some checkpoints are of `ac`, others of `gt`.
  for (const std::size_t ranks : {2U, 4U, 2U}) {
    const std::string before = std::filesystem::exists(file) ? read_text(file) : "";
    const Child run = start(ranks, program);
    for (int tries = 0; tries < 2000; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      const auto children = run.ranks();
      if (children.size() < ranks || !std::filesystem::exists(file) || read_text(file) == before) {
        continue;
      }
      kill(children.back(), SIGKILL);
      break;
    }
    const Finished ended = run.wait();
    if (ended.status != 0) ++killed;
    ASSERT_TRUE(std::filesystem::exists(file)) << ended.err;
    EXPECT_THAT(read_text(file), testing::StartsWith("sotto checkpoint\n"));
  }
  EXPECT_GT(killed, 0U) << "nothing was killed in time: the run is too short for this test";
  const Finished resumed = mpirun(4, kept);
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(resumed.out, whole.out);
  // What is finished is read off, on one process too.
  const Finished again = sotto(kept);
  EXPECT_EQ(again.out, whole.out) << again.err;

  const std::string other = write("other.toml", paper_text(41).text());
  expect_one_error(mpirun(2, {"simulate", other, "--checkpoint", file.string()}), 2,
                   "E-checkpoint-other");
}

TEST_F(Mpirun, SaysOnceWhatIsWrongAndEndsEveryRank) {
  const std::string study = write("study.toml", paper_text(6).text());
  expect_one_error(mpirun(2, {"simulate", folder() / "none.toml"}), 2, "E-study-file");
  expect_one_error(mpirun(4, {"simulate", write("three.toml", paper_text(3).text())}), 2,
                   "E-ranks-many");
  expect_one_error(mpirun(2, {"simulate", study, "--set", "privacy.epsilon=1,2"}), 2,
                   "E-ranks-unsupported");
  // Each rank has a file of its own, as on machines without a common disk.
  write("study0.toml", paper_text(6).text());
  write("study1.toml", paper_text(6).set("privacy", "epsilon", "9.0").text());
  const Finished differs =
      start(2, {"sh", "-c",
                fmt::format("exec {} simulate study$OMPI_COMM_WORLD_RANK.toml", SOTTO_PROGRAM)})
          .wait();
  expect_one_error(differs, 2, "E-ranks-differ");
  EXPECT_THAT(differs.err, HasSubstr("rank 1"));
}

// mpirun takes a program for each rank; whatever they are told, nobody waits for the others.
TEST_F(Mpirun, EndsWhereRanksWereToldDifferentThings) {
  write("study.toml", paper_text(6).set("consensus", "method", "\"plain\"").text());
  const std::string words = "simulate study.toml --solver ac --checkpoint run.checkpoint";
  for (const auto& [other, name] : std::vector<std::pair<std::string, std::string>>{
           {"simulate study.toml --checkpoint run.checkpoint", "E-ranks-differ"},
           {words + " --checkpoint-every 0", "E-ranks-differ"},
           {words + " --cipher paillier", "E-ranks-differ"},
           {"simulate - --solver ac --checkpoint run.checkpoint", "E-ranks-differ"},
           {"simulate study.toml --set privacy.epsilon=1,2", "E-ranks-unsupported"},
           {"simulate study.toml --solver none", "E-solver"}}) {
    SCOPED_TRACE(other);
    const std::string both = fmt::format("exec timeout 60 mpirun -n 1 {0} {1} : -n 1 {0} {2}",
                                         SOTTO_PROGRAM, words, other);
    expect_one_error(Child(folder(), {"sh", "-c", both}).wait(), 2, name);
  }
}

TEST_F(Mpirun, TakesAStudyFromStandardInputOfRankZero) {
  const std::string study = write("study.toml", paper_text(6).text());
  const Finished whole = sotto({"simulate", study, "--format", "json"});
  const Finished run =
      start(2, {"sh", "-c", fmt::format("exec {} simulate - --format json", SOTTO_PROGRAM)}).wait();
  // Nothing was piped in: one error. With the file, the same numbers.
  EXPECT_NE(run.status, 0);
  const Finished piped =
      Child(folder(),
            {"sh", "-c",
             fmt::format("mpirun -n 2 {} simulate - --format json < {}", SOTTO_PROGRAM, study)})
          .wait();
  EXPECT_EQ(piped.status, 0) << piped.err;
  EXPECT_EQ(parse_json(piped.out)["runs"], parse_json(whole.out)["runs"]);
}

}  // namespace
}  // namespace sotto
