// `sotto simulate`: all parties in one process. Over the study's own [problem] from a seed; over
// tables with the operating system's noise, and one release.
#include "run/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

#include "base/digest.h"
#include "base/files.h"
#include "base/json.h"
#include "base/parallel.h"
#include "base/version.h"
#include "cli/command_line.h"
#include "cli/terminal/terminal.h"
#include "report/sweep_charts.h"
#include "report/sweep_tables.h"
#include "run/home.h"
#include "run/lab/sweep.h"
#include "run/lab/transcript.h"
#include "run/ranks/simulate_ranks.h"
#include "study/settings.h"
#include "study/study.h"

namespace sotto {
namespace {

struct SimulateOptions {
  std::string study;
  std::string solvers;
  std::uint64_t seed = 1;
  std::uint64_t trials = 1;
  CipherChoice cipher = CipherChoice::kIdeal;
  std::vector<std::string> settings;  // KEY=VALUE,VALUE
  bool independent = false;
  std::string trajectory;  // file; empty: none
  std::uint64_t every = 1;
  TrajectoryDetail detail = TrajectoryDetail::kQuantiles;
  std::string transcript;  // file; empty: none
  std::string truth;       // file for what was drawn; empty: none
  std::string observer = "eavesdropper";
  TableRequest data;  // files, separated by commas
  TableSplit::Kind split = TableSplit::Kind::kInterleaved;
  std::string out;  // folder for what is kept; empty: none
  std::uint64_t threads = 0;
  std::string checkpoint;  // file; empty: none
  std::uint64_t checkpoint_seconds = 600;
};

// An option that would change nothing is a misunderstanding, and is said.
Result<void> refuse_unused(const Syntax& verb, const std::vector<const char*>& options,
                           const std::string& why) {
  for (const char* option : options) {
    if (!verb.given(option)) continue;
    return bad_input("E-option-unused", fmt::format("{} would change nothing {}", option, why),
                     fmt::format("leave {} away", option))
        .at("the command line");
  }
  return {};
}

// With --data every draw of the noise is a release of somebody's rows: one of
// them, and from a generator that nobody can wind back.
Result<void> allow_data(bool seeded, std::size_t trials, std::size_t solvers) {
  if (seeded) {
    return refused("E-seed-data", "--seed with --data: noise from a known seed protects nobody",
                   "leave --seed away; the operating system's generator is used");
  }
  if (trials > 1 || solvers > 1) {
    return refused("E-trials-data",
                   "several runs over the same tables would spend the budget several times",
                   "run one solver once with --data");
  }
  return {};
}

Result<std::vector<PartyTable>> read_data(const Study& study, const SimulateOptions& options) {
  ProgressBar bar("reading");
  SOTTO_ASSIGN(auto tables, read_tables(study,
                                        {.files = between_commas(options.data.place),
                                         .split = options.split,
                                         .query = options.data.query,
                                         .dialect = options.data.dialect,
                                         .digest = !options.out.empty()},
                                        bar.callback())
                                .at("--data"));
  for (const SourceFacts& source : tables.front().own.sources) {
    if (source.format.empty()) continue;
    fmt::print(stderr, "{} has {}\n", escape_for_terminal(source.place), source.format);
  }
  return tables;
}

Result<std::string> over_tables(const Study& study, Solver solver, const SimulateOptions& options,
                                Output output) {
  SOTTO_ASSIGN(const auto planned, plan_study(study, solver));
  SOTTO_ASSIGN(const auto cipher, cipher_for(study, options.cipher));
  SOTTO_ASSIGN(auto tables, read_data(study, options));
  TableOptions table_options{.cipher = cipher.get()};
  Trajectory trajectory;
  if (!options.trajectory.empty()) {
    table_options.trajectory = &trajectory;
    table_options.every = static_cast<Round>(options.every);
  }
  SOTTO_ASSIGN(auto model, simulate_tables(planned, std::move(tables), table_options));
  model.record.finished = utc_text(unix_seconds());
  model.record.version = sotto_version();
  const std::string json = json_text(to_json(model));
  std::string where;
  if (!options.trajectory.empty()) {
    SOTTO_TRY(
        write_file(options.trajectory, trajectory_csv(trajectory, study.name, sotto_version())));
    where = fmt::format("\n  written: {}\n", options.trajectory);
  }
  if (!options.out.empty()) {
    const std::filesystem::path folder(options.out);
    SOTTO_TRY(write_file(folder / "model.json", json));
    SOTTO_TRY(write_record(folder / kRecordFile, model.record));
    where += fmt::format("\n  written: {} and {}\n", (folder / "model.json").string(),
                         (folder / kRecordFile).string());
  }
  return output.json() ? json : to_text(model) + where;
}

Result<std::string> over_problem(const Study& study, std::vector<Solver> solvers,
                                 const SimulateOptions& options, Output output,
                                 const RanksOfRun* ranks = nullptr) {
  if (solvers.empty()) solvers.push_back(study.solver);
  if (options.cipher == CipherChoice::kPaillier &&
      std::ranges::find(solvers, Solver::kDishuf) == solvers.end()) {
    return bad_input("E-option-unused", "--cipher would change nothing: only dishuf encrypts",
                     "leave --cipher away");
  }
  const bool launched = ranks != nullptr && &ranks->ranks != &alone();
  ProgressBar bar("simulating",
                  launched ? ProgressBar::OffTerminal::kTenths : ProgressBar::OffTerminal::kSilent);
  const bool shows = ranks == nullptr || ranks->ranks.rank() == 0;
  SOTTO_ASSIGN(const auto simulation,
               simulate_study(study, {.solvers = std::move(solvers),
                                      .seed = options.seed,
                                      .trials = options.trials,
                                      .progress = shows ? bar.callback() : Progress(),
                                      .threads = options.threads,
                                      .cipher = options.cipher,
                                      .ranks = ranks}));
  if (!shows) return std::string();
  if (!output.json()) return to_text(study, simulation);
  Json json = to_json(study, simulation);
  json["version"] = sotto_version();
  return json_text(json);
}

// Settings, trajectories, tables and folders: all that is more than one study's summary.
Result<std::string> over_settings(const StudySource& source, std::vector<Solver> solvers,
                                  const SimulateOptions& options, Output output) {
  SweepOptions sweeping{.keys = {},
                        .solvers = std::move(solvers),
                        .seed = options.seed,
                        .trials = options.trials,
                        .version = sotto_version(),
                        .folder = options.out};
  for (const std::string& words : options.settings) {
    SOTTO_ASSIGN(sweeping.keys.emplace_back(), setting_from(words));
  }
  if (options.independent) sweeping.draws = PointDraws::kIndependent;
  if (!options.trajectory.empty()) {
    sweeping.every = static_cast<Round>(options.every);
    sweeping.detail = options.detail;
  }
  ProgressBar bar("simulating");
  sweeping.progress = bar.callback();
  sweeping.on_estimate = [](const SweepEstimate& estimate) {
    if (estimate.points < 2) return;
    fmt::print(stderr, "{} points, {} of them known already; about {:.2g} s for the rest\n",
               estimate.points, estimate.known, std::max(0.1, estimate.seconds));
  };
  SOTTO_ASSIGN(const auto points, sweep(source, sweeping));
  std::vector<std::string> written;
  const auto write = [&](const std::filesystem::path& file, const std::string& text) {
    written.push_back(file.string());
    return write_file(file, text);
  };
  if (!options.trajectory.empty()) {
    SOTTO_TRY(write(options.trajectory, trajectories_csv(points, sweeping)));
  }
  if (!options.out.empty()) {
    SOTTO_TRY(write(sweeping.folder / "points.csv", points_csv(points, sweeping)));
    SOTTO_TRY(write(sweeping.folder / "errors.csv", errors_csv(points, sweeping)));
    if (const auto error = error_chart(points)) {
      SOTTO_TRY(write(sweeping.folder / "error.svg", standalone_svg(*error)));
    }
    if (const auto noise = noise_chart(points)) {
      SOTTO_TRY(write(sweeping.folder / "noise.svg", standalone_svg(*noise)));
    }
  }
  if (output.json()) return json_text(to_json(points, sweeping));
  if (output.format == Format::kCsv) return points_csv(points, sweeping);
  std::string text = to_text(points, sweeping);
  for (const std::string& file : written) text += fmt::format("  written: {}\n", file);
  return text;
}

// All ranks' study: each reads its own file, which must be the same; standard input is rank 0's.
Result<Study> study_of_ranks(Ranks& ranks, const std::vector<Solver>& solvers,
                             const SimulateOptions& options) {
  const bool piped = options.study == "-";
  Json facts{{"version", sotto_version()},
             {"standard input", piped},
             {"seed", options.seed},
             {"trials", options.trials},
             {"cipher", options.cipher},
             {"checkpoint", !options.checkpoint.empty()},
             {"checkpoint-every", options.checkpoint_seconds}};
  for (const Solver solver : solvers) facts["solver"].push_back(to_string(solver));
  SOTTO_TRY(require_same(ranks, facts).at("the command line"));
  SOTTO_ASSIGN(auto source,
               agree(ranks, !piped || ranks.rank() == 0 ? read_study_text(options.study)
                                                        : Result<StudySource>(StudySource{})));
  if (piped) {
    broadcast_text(ranks, 0, source.text);
    broadcast_text(ranks, 0, source.name);
  }
  SOTTO_TRY(require_same(ranks, {{"study", to_hex(sha256(source.text))}}).at(options.study));
  return agree(ranks, study_with(source, {}));
}

Error needs_tables(const SimulateOptions& options) {
  return bad_input("E-data-missing", "a study over tables needs tables",
                   "add --data a.csv,b.csv; 'sotto generate' makes some up")
      .at(options.study);
}

// One study's summary by several processes, or with a file to go on from. Whatever happens on one
// rank, all end.
Result<std::string> over_ranks(ProgramRanks& program, Ranks& ranks,
                               const std::vector<Solver>& solvers, SimulateOptions options,
                               Output output) {
  // A launcher may have bound this rank to some of the machine's cores already.
  const std::size_t share = std::thread::hardware_concurrency() / ranks.here();
  if (options.threads == 0) options.threads = std::clamp<std::size_t>(share, 1, core_count());
  const auto whole = [](const Graph& graph, Ranks&) { return Owners(graph.size(), 0); };
  RanksOfRun run{.ranks = ranks,
                 .partition = program.partition() ? program.partition() : whole,
                 .checkpoint = {}};
  if (!options.checkpoint.empty()) {
    run.checkpoint = CheckpointOptions{
        .file = options.checkpoint,
        .every_seconds = static_cast<double>(options.checkpoint_seconds),
        .clock = [] {
          using Seconds = std::chrono::duration<double>;
          return Seconds(std::chrono::steady_clock::now().time_since_epoch()).count();
        }};
  }
  Result<std::string> printed;
  try {
    // With one thread everything stays on it, as inside of any parallel_for of one.
    parallel_for(1, options.threads, [&](std::size_t) {
      printed = [&]() -> Result<std::string> {
        SOTTO_ASSIGN(const auto study, study_of_ranks(ranks, solvers, options));
        if (study.data) return needs_tables(options);
        return over_problem(study, solvers, options, output, &run).at(options.study);
      }();
    });
  } catch (const std::exception& error) {
    if (ranks.count() == 1) throw;
    fmt::print(stderr, "{}\n",
               failed("E-ranks-lost", fmt::format("rank {}: {}", ranks.rank(), error.what()),
                      "more memory, or more ranks; all ranks end here")
                   .at("sotto simulate")
                   .to_string());
    ranks.abandon(1);
  }
  return printed;
}

// What somebody sees of the runs, for an attack or an audit.
Result<std::string> write_transcript(const StudySource& source, const std::vector<Solver>& solvers,
                                     const SimulateOptions& options, Output output) {
  std::vector<SettingValues> keys;
  for (const std::string& words : options.settings) {
    SOTTO_ASSIGN(keys.emplace_back(), setting_from(words));
  }
  SOTTO_ASSIGN(const auto grid, grid_of(keys));
  if (grid.size() != 1 || solvers.size() > 1) {
    return bad_input("E-transcript-many", "a transcript is of one solver in one setting",
                     "name one solver, and one value for each key")
        .at("--transcript");
  }
  SOTTO_ASSIGN(auto study, study_with(source, grid.front()));
  SOTTO_ASSIGN(const auto problem, load_problem(study));
  study.problem->dimension = problem.dimension();
  const Solver solver = solvers.empty() ? study.solver : solvers.front();
  SOTTO_ASSIGN(const auto planned, plan_study(std::move(study), solver));
  SOTTO_ASSIGN(auto observer, transcript_observer_from(options.observer, planned.plan.parties));
  SOTTO_ASSIGN(const auto transcript, record_transcript(planned, problem,
                                                        {.seed = options.seed,
                                                         .trials = options.trials,
                                                         .observer = std::move(observer),
                                                         .version = sotto_version()}));
  SOTTO_TRY(write_file(options.transcript, transcript.seen));
  if (!options.truth.empty()) SOTTO_TRY(write_file(options.truth, transcript.truth));
  if (output.json()) {
    Json json{{"transcript", options.transcript}, {"observer", options.observer}};
    if (!options.truth.empty()) json["truth"] = options.truth;
    return json_text(json);
  }
  return fmt::format("{} trials of {} as {} sees them: {}\n", options.trials, to_string(solver),
                     options.observer, options.transcript) +
         (options.truth.empty() ? "" : fmt::format("what was drawn: {}\n", options.truth));
}

// The solvers, if the words make sense together.
Result<std::vector<Solver>> read_words(const Syntax& verb, const SimulateOptions& options,
                                       bool for_one, std::size_t ranks) {
  SOTTO_ASSIGN(auto solvers, solvers_from(options.solvers));
  if (options.checkpoint.empty()) {
    SOTTO_TRY(refuse_unused(verb, {"--checkpoint-every"}, "without --checkpoint"));
  }
  if (options.trajectory.empty()) {
    SOTTO_TRY(refuse_unused(verb, {"--every", "--detail"}, "without --trajectory"));
  }
  if (options.settings.empty()) {
    SOTTO_TRY(refuse_unused(verb, {"--independent"}, "without --set: there is one point"));
  }
  if (options.transcript.empty()) {
    SOTTO_TRY(refuse_unused(verb, {"--truth", "--observer"}, "without --transcript"));
  }
  if (!verb.given("--data")) SOTTO_TRY(refuse_unused(verb, {"--split"}, "without --data"));
  if (!for_one) return solvers;
  SOTTO_TRY(refuse_unused(verb, {"--threads", "--checkpoint"},
                          "with --data, --set, --trajectory, --transcript, --out or CSV"));
  if (ranks == 1) return solvers;
  return bad_input("E-ranks-unsupported",
                   "several ranks simulate one study over its [problem], and nothing else",
                   "leave --data, --set, --trajectory, --transcript, --out and CSV away, or run "
                   "without mpirun")
      .at("the command line");
}

Result<std::string> run_simulate(const Syntax& verb, const SimulateOptions& options,
                                 Output output) {
  SOTTO_ASSIGN(auto* launched, verb.ranks().start());
  Ranks& ranks = launched == nullptr ? alone() : *launched;
  const bool alone_only = verb.given("--data") || !options.settings.empty() ||
                          !options.trajectory.empty() || !options.transcript.empty() ||
                          !options.out.empty() || output.format == Format::kCsv;
  // mpirun can give every rank words of its own, and all must end if one cannot go on.
  SOTTO_ASSIGN(auto solvers, agree(ranks, read_words(verb, options, alone_only, ranks.count())));
  if (!alone_only && (launched != nullptr || !options.checkpoint.empty())) {
    return over_ranks(verb.ranks(), ranks, solvers, options, output);
  }
  SOTTO_ASSIGN(const auto source, read_study_text(options.study));
  if (verb.given("--data")) {
    SOTTO_TRY(
        refuse_unused(verb, {"--set", "--independent", "--detail", "--transcript"}, "with --data"));
    if (output.format == Format::kCsv) {
      return bad_input("E-option-unused", "a run over tables has no table of points",
                       "use --format json or text with --data")
          .at("the command line");
    }
    SOTTO_ASSIGN(const auto study, study_with(source, {}));
    if (solvers.empty()) solvers.push_back(study.solver);
    SOTTO_TRY(
        allow_data(verb.given("--seed"), options.trials, solvers.size()).at("the command line"));
    return over_tables(study, solvers.front(), options, output).at(options.study);
  }
  if (!options.transcript.empty()) {
    SOTTO_TRY(refuse_unused(verb, {"--trajectory", "--out", "--cipher", "--independent"},
                            "with --transcript"));
    return write_transcript(source, solvers, options, output).at(options.study);
  }
  if (alone_only) {
    SOTTO_TRY(refuse_unused(verb, {"--cipher"}, "here: every cipher gives the same numbers"));
    return over_settings(source, std::move(solvers), options, output);
  }
  SOTTO_ASSIGN(const auto study, study_with(source, {}));
  if (study.data) return needs_tables(options);
  return over_problem(study, std::move(solvers), options, output).at(options.study);
}

}  // namespace

Verb add_simulate(const Syntax& program) {
  auto options = std::make_shared<SimulateOptions>();
  const Syntax verb = program.verb(
      "simulate", "all parties in one process, from one seed",
      "sotto simulate examples/paper.toml --solver gt,ac,dishuf --trials 100\n"
      "  sotto simulate examples/paper.toml --set privacy.epsilon=1,10 --set graph.parties=10,50 "
      "--out out/sweep\n"
      "  sotto simulate examples/paper.toml --solver gt --trials 100 --trajectory gt.csv",
      /*has_csv=*/true);
  const Syntax trials = verb.group("Trials");
  const Syntax sweep = verb.group("Many settings");
  const Syntax inside = verb.group("Inside the trials");
  const Syntax tables = verb.group("Tables");
  const Syntax large = verb.group("Large networks (docs/CLUSTER.md)");
  verb.text("study", options->study, "the study, a TOML file; - is standard input",
            Need::kRequired);
  trials.text("--solver", options->solvers, "solvers to compare, as gt,dishuf,ac,pairwise");
  trials.whole("--seed", options->seed, "where all randomness comes from; not with --data");
  trials.whole("--trials", options->trials, "draws of the noise per solver");
  trials.choice("--cipher", options->cipher,
                {{"ideal", CipherChoice::kIdeal}, {"paillier", CipherChoice::kPaillier}},
                "what dishuf encrypts with; same answers, other times");
  sweep.repeated(
      "--set", options->settings,
      "a key of the study and the values to try, privacy.epsilon=0.1,1,10; several make a "
      "grid");
  sweep.flag("--independent", options->independent,
             "with --set: a seed of its own for every point; else all share their draws");
  inside.text("--trajectory", options->trajectory, "file for the errors after each round, as CSV");
  inside.whole("--every", options->every, "with --trajectory: every k-th round", {1, kMaxRounds});
  inside.choice(
      "--detail", options->detail,
      {{"quantiles", TrajectoryDetail::kQuantiles}, {"trials", TrajectoryDetail::kTrials}},
      "with --trajectory: mean and quartiles, or every trial");
  inside.text("--transcript", options->transcript,
              "file for all that an observer sees of each trial, as lines of JSON");
  inside.text("--observer", options->observer,
              "of the transcript: eavesdropper, neighbour:3, coalition:1,4 or all");
  inside.text("--truth", options->truth, "with --transcript: file for what was drawn");
  tables.text("--data", options->data.place,
              "tables, one per party: a.csv,b.csv or '*.csv'; or one to split");
  add_table_words(tables, options->data);
  tables.choice("--split", options->split,
                {{"interleaved", TableSplit::Kind::kInterleaved},
                 {"contiguous", TableSplit::Kind::kContiguous}},
                "how one file is dealt out to the parties");
  verb.group(kOutput).text(
      "--out", options->out,
      "folder: points.csv, errors.csv and every point, which are not computed again; over the "
      "numbers of one key also error.svg and noise.svg; with --data model.json and record.json");
  large.whole("--threads", options->threads,
              "of this process; 0: one for each core, of several ranks on a machine their share");
  large.text("--checkpoint", options->checkpoint,
             "file to go on from when this was killed: the same bits, on any number of ranks");
  large.whole("--checkpoint-every", options->checkpoint_seconds,
              "with --checkpoint: seconds from one to the next; 0: every round");
  auto run = [options, verb](Output output) -> Result<std::string> {
    return run_simulate(verb, *options, output);
  };
  return {verb, run};
}

}  // namespace sotto
