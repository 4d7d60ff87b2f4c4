// Files that a long simulation goes on from.

#include "base/digest.h"
#include "base/json.h"
#include "fuzz/fuzz.h"
#include "run/ranks/simulate_ranks.h"
#include "study/study.h"

namespace sotto {
namespace {

constexpr std::size_t kSha256Bytes = 32;
constexpr const char* kMagic = "sotto checkpoint\n";

struct Killed {};

// A simulation in one process, which is killed where the rounds come to `until`, if that is not 0.
class LongRun {
 public:
  LongRun()
      : file_(fuzz::own_folder() + "/checkpoint"),
        study_(*parse_study("[study]\nname = \"s\"\nsolver = \"ac\"\n"
                            "[privacy]\nepsilon = 1\ndelta = 0.1\nunit = \"entry\"\nmu = 1\n"
                            "[graph]\ntopology = \"cycle\"\nparties = 8\nweight = 0.3\n"
                            "[consensus]\nmethod = \"chebyshev\"\n"
                            "[problem]\nfamily = \"paper\"\nm = 1\nseed = 1\n",
                            "study.toml")) {}
  [[nodiscard]] const std::string& file() const { return file_; }

  [[nodiscard]] Result<Simulation> run(std::size_t until) const {
    const RanksOfRun ranks{
        .ranks = alone(),
        .partition = [](const Graph& graph, Ranks&) { return Owners(graph.size(), 0); },
        .checkpoint =
            CheckpointOptions{.file = file_, .every_seconds = 0, .clock = [] { return 0.0; }}};
    RunOptions options;
    options.solvers = {Solver::kAc, Solver::kPairwise};
    options.trials = 2;
    options.threads = 1;
    options.ranks = &ranks;
    if (until > 0) {
      options.progress = [until](std::size_t done, std::size_t) {
        if (done >= until) throw Killed{};
      };
    }
    return simulate_study(study_, options);
  }

 private:
  std::string file_;
  Study study_;
};

}  // namespace

// The first byte: a checkpoint of the run, damaged; or a header of any kind under the run's own
// identity, with any rows. Then, unless the second says otherwise, a digest that fits.
SOTTO_FUZZER(checkpoint) {
  static const LongRun run;
  static const std::string kept = [] {
    std::filesystem::remove(run.file());
    try {
      (void)run.run(2500);
    } catch (const Killed&) {
    }
    return fuzz::content_of(run.file());
  }();
  static const auto expected = [] {
    std::filesystem::remove(run.file());
    return run.run(0);
  }();
  const std::string content = kept.substr(0, kept.size() - kSha256Bytes);
  fuzz::Choices choices(bytes);
  std::string text = content;
  const bool header = choices.flag();
  const bool fits = !choices.flag();
  if (header) {
    const std::string_view rest = choices.rest();
    const std::size_t line = std::min(rest.find('\n'), rest.size());
    Json json = parse_json(rest.substr(0, line));
    if (json.is_discarded() || !json.is_object()) return;
    const std::size_t begin = std::string_view(kMagic).size();
    json["run"] = parse_json(content.substr(begin, content.find('\n', begin) - begin))["run"];
    text =
        kMagic + json_line(json) + "\n" + std::string(rest.substr(std::min(line + 1, rest.size())));
  } else {
    for (int k = 0; k < 4 && !choices.empty(); ++k) fuzz::damage(choices, text);
  }
  ByteDigest digest;
  digest.add(text);
  const std::string file = text + (fits ? digest.value() : kept.substr(content.size()));
  std::ofstream(run.file(), std::ios::binary | std::ios::trunc) << file;
  const auto result = run.run(0);
  if (!fuzz::fine_or_error(result)) return;
  fuzz::require(
      result->runs.size() == 2 && result->runs[0].size() == 2 && result->runs[1].size() == 2,
      "a run that goes on ends with all its trials");
  if (file == kept) {
    for (std::size_t k = 0; k < 2; ++k) {
      fuzz::require(result->runs[k].squared_errors == expected->runs[k].squared_errors &&
                        result->runs[k].answers == expected->runs[k].answers,
                    "a run that goes on has the bits of one that was never killed");
    }
  }
}

}  // namespace sotto
