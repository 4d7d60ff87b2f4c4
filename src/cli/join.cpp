#include <fmt/chrono.h>
#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/home.h"
#include "cli/kill_point.h"
#include "cli/progress_bar.h"
#include "cli/shown.h"
#include "cli/verb.h"
#include "network/driver.h"
#include "network/identity_notary.h"
#include "network/store.h"
#include "report/file.h"
#include "report/run_report.h"
#include "session/digest.h"
#include "study/model_file.h"
#include "study/network_study.h"
#include "study/party_run.h"
#include "study/record_run.h"
#include "study/study_file.h"

namespace sotto {
namespace {

struct JoinOptions {
  Output output;
  std::string study;
  std::string name;
  std::string data;
  std::string home;
  std::string listen;
  std::string out;
  std::string account = "all data";
  bool again = false;
};

std::atomic<bool> interrupted{false};

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = [](int) { interrupted = true; };
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

// One line a change, with the time: what an operator wants to find in a log. Peers have words in
// it, and a terminal must not obey them.
void say(const std::string& line) {
  fmt::print(stderr, "{:%H:%M:%S} {}\n", fmt::localtime(std::time(nullptr)), harmless(line));
}

// The files a finished run leaves with the party.
struct RunFiles {
  std::filesystem::path folder;
  [[nodiscard]] std::string model() const { return (folder / "model.json").string(); }
  [[nodiscard]] std::string record() const { return (folder / kRecordFile).string(); }
  [[nodiscard]] std::string report() const { return (folder / "report.html").string(); }
  [[nodiscard]] std::vector<std::string> all() const { return {model(), record(), report()}; }
};

Result<void> write_files(const RunFiles& files, const PartyRun::Model& model,
                         const std::string& json) {
  if (auto written = write_file(files.model(), json); !written) return written;
  if (auto written = write_record(files.record(), model.record); !written) return written;
  return write_file(files.report(), run_report(model.record, Audience::kOwn).html());
}

std::string to_text(const PartyRun::Model& model) {
  if (model.fit) return to_text(model.record, *model.fit);
  std::string text = fmt::format("{}: {} over {} parties\n\n", model.record.study,
                                 model.record.solver, model.record.parties.size());
  for (const auto& c : model.record.coefficients) {
    text += fmt::format("  {:<8} {:>14.8g}\n", c.name, c.value);
  }
  return text + fmt::format("\n  privacy      ε = {:g}, δ = {:g} for one entry\n",
                            model.record.epsilon, model.record.delta);
}

// Which run this is: one that was left unfinished, or a new one.
struct ChosenRun {
  std::string id;
  RunKey key;
  bool resumed = false;
};

Result<ChosenRun> choose_run(Store& store, const Study& study) {
  auto runs = store.runs_of_study(study.hash);
  if (!runs) return tl::unexpected(runs.error());
  OsRandom random;
  const RunKey fresh = RunKey::draw(random);
  if (runs->unfinished) {
    auto journal = store.journal(runs->unfinished->run);
    if (!journal) return tl::unexpected(journal.error());
    auto records = (*journal)->records();
    if (!records) return tl::unexpected(records.error());
    if (!records->empty()) return ChosenRun{runs->unfinished->run, fresh, true};
    // Ended between its name and its key: there is nothing to resume.
    if (auto ended = store.abort(runs->unfinished->run, "ended before it began"); !ended) {
      return tl::unexpected(ended.error());
    }
  }
  const std::string id = to_hex(fresh.nonce());
  if (auto begun = store.begin_run(id, study.name, study.hash); !begun) {
    return tl::unexpected(begun.error());
  }
  return ChosenRun{id, fresh, false};
}

class Join {
 public:
  Join(const JoinOptions& options, Study study, PartyId self, Identity identity, Store store,
       std::string home)
      : options_(options),
        study_(std::move(study)),
        self_(self),
        identity_(std::move(identity)),
        notary_(identity_, fingerprints_of(study_)),
        store_(std::move(store)),
        home_(std::move(home)) {}

  [[nodiscard]] Result<std::string> run() {
    auto lock = store_.lock(study_.hash);
    if (!lock) return tl::unexpected(lock.error());
    auto runs = store_.runs_of_study(study_.hash);
    if (!runs) return tl::unexpected(runs.error());
    if (runs->finished && !runs->unfinished && !options_.again) return finished(*runs->finished);

    Result<PartyRun> party = read_data();
    if (!party) return tl::unexpected(party.error());
    party_ = std::make_unique<PartyRun>(std::move(*party));
    auto chosen = choose_run(store_, study_);
    if (!chosen) return tl::unexpected(chosen.error());
    run_ = chosen->id;
    files_.folder = options_.out.empty() ? std::filesystem::path(home_) / "runs" / short_run(run_)
                                         : std::filesystem::path(options_.out);
    auto journal = store_.journal(run_);
    if (!journal) return tl::unexpected(journal.error());
    const SteadyClock clock;
    SessionTerms terms = session_terms(study_, self_, options_.account);
    terms.data_digest = party_->data_digest();
    auto session = Session::open(
        std::move(terms), notary_, **journal,
        [this](std::span<const PartyId> members, const AttemptKeys& keys) {
          return party_->take_part(members, keys);
        },
        chosen->key, clock.now());
    if (!session) return tl::unexpected(session.error());
    if (chosen->resumed) say(fmt::format("resuming run {}", short_run(run_)));
    return take_part(**session, clock);
  }

 private:
  [[nodiscard]] Result<PartyRun> read_data() const {
    ProgressBar bar("reading");
    auto party = PartyRun::make(study_, self_, options_.data, bar.callback());
    if (!party) return tl::unexpected(Error(party.error()).at("--data"));
    return party;
  }

  [[nodiscard]] Result<std::string> take_part(Session& session, const SteadyClock& clock) {
    const std::string listen =
        options_.listen.empty() ? listen_address(study_, self_) : options_.listen;
    auto transport = Transport::open(identity_, listen, peers_of(study_, self_));
    if (!transport) return tl::unexpected(transport.error());
    say(fmt::format("{} in study {} ({}), {}", study_.parties[self_].name, study_.name,
                    study_.hash.substr(0, 12),
                    listen.empty() ? "dialling out only" : "listening at " + listen));
    std::vector<std::string> names;
    for (const PartyTerms& party : study_.parties) names.push_back(party.name);
    interrupted = false;
    catch_signals();
    const auto driven = drive(session, **transport, names, clock, hooks());
    if (!driven) return tl::unexpected(driven.error());
    if (failure_) return tl::unexpected(*failure_);
    const auto bytes = (*transport)->bytes();
    say(fmt::format("sent {} bytes, received {}", bytes.sent, bytes.received));
    return ended(session);
  }

  [[nodiscard]] DriverHooks hooks() {
    DriverHooks hooks;
    hooks.say = say;
    hooks.on_idle = [this](const Session& session) {
      if (const auto key = session.idle_key()) party_->prepare(*key);
    };
    hooks.interrupted = [this] { return interrupted || failure_.has_value(); };
    hooks.stop_wanted = [this]() -> std::optional<Error> {
      const auto asked = store_.abort_requested(run_);
      if (!asked || !*asked) return std::nullopt;
      return Error{.name = "E-aborted",
                   .what = "the run was given up with sotto abort",
                   .where = {},
                   .fix = "start another with sotto join",
                   .status = Status::kFailed};
    };
    hooks.on_progress = [this](const Session& session) { progress(session); };
    hooks.at_commit = kill_point();
    return hooks;
  }

  void progress(const Session& session) {
    const std::string now = session.describe();
    if (now == told_) return;
    told_ = now;
    say(now);
    // The result is kept as soon as it is there: neighbours may still need us for a while.
    if (session.run().phase() == Phase::kFinished && !model_) {
      if (auto kept = keep_result(session); !kept) failure_ = kept.error();
    }
    if (!session.run().over()) {
      if (auto set = store_.set_phase(run_, now); !set) failure_ = set.error();
    }
  }

  [[nodiscard]] Result<void> keep_result(const Session& session) {
    auto model = party_->conclude(session.run().members(), session.run().result(),
                                  session.run().transcript_hash());
    if (!model) return tl::unexpected(model.error());
    json_ =
        model_json(model->record, model->fit ? model->fit->explained : std::nullopt).dump(2) + "\n";
    if (auto written = write_files(files_, *model, json_); !written) return written;
    model_ = std::make_unique<PartyRun::Model>(std::move(*model));
    return {};
  }

  [[nodiscard]] Result<std::string> ended(const Session& session) {
    if (session.run().phase() == Phase::kStopped) {
      Error error = *session.run().error();
      error.what = fmt::format("{}; {}", error.what, session.statement());
      const auto closed = error.name == "E-aborted" ? store_.abort(run_, error.what)
                                                    : store_.fail(run_, error.what);
      if (!closed) return tl::unexpected(closed.error());
      return tl::unexpected(error);
    }
    if (auto closed = store_.finish(run_, files_.all()); !closed) {
      return tl::unexpected(closed.error());
    }
    if (options_.output.json()) return json_;
    return to_text(*model_) + fmt::format("\n  written: {}\n", files_.folder.string());
  }

  [[nodiscard]] Result<std::string> finished(const StoredRun& run) const {
    if (options_.output.json() && !run.files.empty()) {
      std::ifstream file(run.files.front());
      std::string model{std::istreambuf_iterator<char>(file), {}};
      if (!model.empty()) return model;
      return failed("E-model-file", "the result of that run is not where it was written",
                    fmt::format("look for {}, or run it --again", run.files.front()));
    }
    std::string text =
        fmt::format("this study was run to its end already ({})\n", short_run(run.run));
    for (const std::string& file : run.files) text += fmt::format("  {}\n", file);
    return text + "--again runs it once more, with everybody, and costs the budget once more\n";
  }

  const JoinOptions& options_;
  Study study_;
  PartyId self_;
  Identity identity_;
  IdentityNotary notary_;
  Store store_;
  std::string home_;
  std::unique_ptr<PartyRun> party_;
  std::string run_;
  RunFiles files_;
  std::string told_;
  std::optional<Error> failure_;
  std::unique_ptr<PartyRun::Model> model_;
  std::string json_;
};

Result<std::string> join(const JoinOptions& options) {
  auto study = read_study(options.study);
  if (!study) return tl::unexpected(study.error());
  if (auto fine = check_network(*study); !fine) {
    return tl::unexpected(Error(fine.error()).at(options.study));
  }
  const auto self = party_named(*study, options.name);
  if (!self) return tl::unexpected(Error(self.error()).at("--as"));
  const auto home = home_folder(options.home);
  if (!home) return tl::unexpected(home.error());
  auto identity = Identity::load(*home);
  if (!identity) return tl::unexpected(identity.error());
  if (identity->fingerprint() != study->parties[*self].fingerprint) {
    return tl::unexpected(
        bad_input("E-identity-differs",
                  fmt::format("the identity in {} is not the one that the study names for {}: {}",
                              *home, options.name, identity->fingerprint()),
                  "use the --home where that party's key is, or put this fingerprint into the "
                  "study, for everybody")
            .value()
            .at(options.study));
  }
  auto store = Store::open(*home, unix_seconds);
  if (!store) return tl::unexpected(store.error());
  return Join(options, std::move(*study), *self, std::move(*identity), std::move(*store), *home)
      .run();
}

}  // namespace

Verb add_join(CLI::App& app) {
  auto options = std::make_shared<JoinOptions>();
  CLI::App* command =
      add_command(app, "join", "take part in a study; resumes by itself after a crash",
                  "sotto join study.toml --as north --data north.csv", options->output);
  command->add_option("study", options->study, "study.toml, the same for all")->required();
  command->add_option("--as", options->name, "this party's name in the study")->required();
  command->add_option("--data", options->data,
                      "this party's table, or its {\"A\": …, \"B\": …}; stays here");
  command->add_option("--home", options->home,
                      "where this party's key, journal and ledger are (default: $SOTTO_HOME, or "
                      "~/.sotto)");
  command->add_option("--listen", options->listen,
                      "host:port to listen at (default: the port of its address in the study)");
  command->add_option("--out", options->out, "where the result goes (default: in the home)");
  command->add_option("--account", options->account, "what the ledger calls this data")
      ->capture_default_str();
  command->add_flag("--again", options->again,
                    "run a study that was finished once more; costs the budget once more");
  return {command, [options] { return join(*options); }};
}

}  // namespace sotto
