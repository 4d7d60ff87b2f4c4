// Puts the rooms together for one party: data, store, session and transport, and keeps the result.
#include "run/join.h"

#include <fmt/format.h>

#include <charconv>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "base/digest.h"
#include "base/files.h"
#include "base/json.h"
#include "base/version.h"
#include "network/driver.h"
#include "run/account.h"
#include "run/consent/own_side.h"
#include "run/home.h"

namespace sotto {
namespace {

std::vector<std::string> fingerprints_of(const Study& study) {
  std::vector<std::string> fingerprints;
  for (const PartyTerms& party : study.parties) fingerprints.push_back(party.fingerprint);
  return fingerprints;
}

// The files a finished run leaves with the party.
struct RunFiles {
  std::filesystem::path folder;
  [[nodiscard]] std::string model() const { return (folder / "model.json").string(); }
  [[nodiscard]] std::string record() const { return (folder / kRecordFile).string(); }
  [[nodiscard]] std::string report() const { return (folder / "report.html").string(); }
  [[nodiscard]] std::vector<std::string> all() const { return {model(), record(), report()}; }
};

// Which run this is: one that was left unfinished, or a new one.
struct ChosenRun {
  std::string id;
  RunKey key;
  bool resumed = false;
};

Result<ChosenRun> choose_run(Store& store, const Study& study) {
  SOTTO_ASSIGN(const auto runs, store.runs_of_study(study.hash));
  OsRandom random;
  const RunKey fresh = RunKey::draw(random);
  if (runs.unfinished) {
    SOTTO_ASSIGN(const auto journal, store.journal(runs.unfinished->run));
    SOTTO_ASSIGN(const auto records, journal->records());
    if (!records.empty()) return ChosenRun{runs.unfinished->run, fresh, true};
    // Ended between its name and its key: there is nothing to resume.
    SOTTO_TRY(store.abort(runs.unfinished->run, "ended before it began"));
  }
  const std::string id = to_hex(fresh.nonce());
  SOTTO_TRY(store.begin_run(id, study.name, study.hash));
  return ChosenRun{id, fresh, false};
}

// For tests of crashes: SOTTO_TEST_KILL="17:after" ends the process, as a power cut would, at its
// 17th commit: `before` it, `after` it, or when its frames are `sent`. Empty without it.
std::function<void(CommitPoint)> kill_point() {
  const char* kill = std::getenv("SOTTO_TEST_KILL");
  const std::string_view wanted = kill == nullptr ? "" : kill;
  const std::size_t colon = wanted.find(':');
  if (colon == std::string_view::npos) return {};
  std::uint64_t number = 0;
  std::from_chars(wanted.data(), wanted.data() + colon, number);
  const std::string_view word = wanted.substr(colon + 1);
  const CommitPoint there = word == "before"  ? CommitPoint::kBefore
                            : word == "after" ? CommitPoint::kAfter
                                              : CommitPoint::kSent;
  return [=, commits = std::uint64_t{0}](CommitPoint point) mutable {
    if (point == CommitPoint::kBefore) ++commits;
    if (commits == number && point == there) std::raise(SIGKILL);
  };
}

// What a run that was finished before has left.
Joined finished(const StoredRun& run) {
  Joined joined{.run = run.run, .files = run.files, .json = {}, .model = std::nullopt};
  if (!run.files.empty()) {
    std::ifstream file(run.files.front());
    joined.json.assign(std::istreambuf_iterator<char>(file), {});
  }
  return joined;
}

class Join {
 public:
  // Precondition: nothing of `own` is a problem.
  Join(const Study& study, const JoinRequest& request, const JoinHooks& hooks, OwnSide own)
      : study_(study),
        request_(request),
        hooks_(hooks),
        own_(std::move(own)),
        identity_(*own_.identity),
        store_(*own_.store),
        party_(*own_.party),
        signer_(identity_, fingerprints_of(study)) {}

  [[nodiscard]] Result<Joined> run() {
    SOTTO_ASSIGN(const auto chosen, choose_run(store_, study_));
    run_ = chosen.id;
    files_.folder = request_.out.empty()
                        ? (std::filesystem::path(request_.home) / "runs" / short_run(run_)).string()
                        : request_.out;
    SOTTO_ASSIGN(const auto journal, store_.journal(run_));
    const SteadyClock clock;
    SessionTerms terms = session_terms(study_, request_.self,
                                       debit_of(study_, party_.plan(), own_.consent.cost->account));
    terms.data_digest = party_.data_digest();
    terms.limits = party_.limits();
    SOTTO_ASSIGN(const auto session,
                 Session::open(
                     std::move(terms), signer_, *journal,
                     [this](std::span<const PartyId> members, const AttemptKeys& keys) {
                       return party_.take_part(members, keys);
                     },
                     chosen.key, clock.now()));
    if (chosen.resumed) {
      tell({.kind = JoinEvent::Kind::kResumed,
            .text = fmt::format("resuming run {}", short_run(run_)),
            .run = run_});
    }
    return take_part(*session, clock);
  }

 private:
  void tell(const JoinEvent& event) const {
    if (hooks_.on_event) hooks_.on_event(event);
  }

  [[nodiscard]] Result<Joined> take_part(Session& session, const SteadyClock& clock) {
    const std::string listen =
        request_.listen.empty() ? listen_address(study_, request_.self) : request_.listen;
    SOTTO_ASSIGN(const auto transport,
                 Transport::open(identity_, listen, peers_of(study_, request_.self), limits()));
    tell({.kind = JoinEvent::Kind::kBegun,
          .text = fmt::format("{} in study {} ({}), {}", study_.parties[request_.self].name,
                              study_.name, study_.hash.substr(0, 12),
                              listen.empty() ? "dialling out only" : "listening at " + listen)});
    std::vector<std::string> names;
    for (const PartyTerms& party : study_.parties) names.push_back(party.name);
    SOTTO_TRY(drive(session, *transport, names, clock, driver_hooks()));
    if (failure_) return *failure_;
    return ended(session);
  }

  // A neighbour sends nothing larger than the study's own messages.
  [[nodiscard]] TransportLimits limits() const {
    TransportLimits limits;
    limits.frame_bytes = std::min(limits.frame_bytes, party_.limits().frame(study_.graph().size()));
    return limits;
  }

  [[nodiscard]] DriverHooks driver_hooks() {
    DriverHooks hooks;
    hooks.on_event = hooks_.on_event;
    hooks.on_idle = [this](const Session& session) {
      const auto key = session.idle_key();
      return key && party_.prepare(*key);
    };
    hooks.interrupted = [this] {
      return failure_.has_value() || (hooks_.interrupted && hooks_.interrupted());
    };
    hooks.abort_wanted = [this] { return store_.abort_requested(run_).value_or(false); };
    hooks.on_progress = [this](const Session& session) { progress(session); };
    hooks.at_commit = kill_point();
    return hooks;
  }

  void progress(const Session& session) {
    const std::string now = session.describe();
    if (now == told_) return;
    told_ = now;
    const SessionProgress progress = session.progress();
    tell({.kind = phase_ == progress.phase ? JoinEvent::Kind::kWaiting : JoinEvent::Kind::kPhase,
          .text = now,
          .progress = progress});
    phase_ = progress.phase;
    // The result is kept as soon as it is there: neighbours may still need us for a while.
    if (session.run().phase() == Phase::kFinished && !joined_.model) {
      if (auto kept = keep_result(session); !kept) failure_ = kept.error();
    }
    if (!session.run().over()) {
      if (auto set = store_.set_phase(run_, now); !set) failure_ = set.error();
    }
  }

  [[nodiscard]] Result<void> keep_result(const Session& session) {
    SOTTO_ASSIGN(auto model, party_.conclude(session.run().members(),
                                             {.result = session.run().result(),
                                              .transcript_hash = session.run().transcript_hash(),
                                              .convergence = {}}));
    model.record.finished = utc_text(unix_seconds());
    model.record.version = sotto_version();
    joined_.json = json_text(to_json(model));
    // The record first: it makes the folder, if there is none, for the owner alone. All parties
    // have the same model, and may show it; record and report count this party's own rows.
    SOTTO_TRY(write_record(files_.record(), model.record));
    SOTTO_TRY(write_file(files_.model(), joined_.json));
    if (hooks_.report) {
      SOTTO_TRY(write_file(files_.report(), hooks_.report(model.record), Readers::kOwnerOnly));
    }
    joined_.model = std::move(model);
    return {};
  }

  [[nodiscard]] Result<Joined> ended(const Session& session) {
    if (session.run().phase() == Phase::kStopped) {
      Error error = *session.run().error();
      error.what = fmt::format("{}; {}", error.what, session.statement());
      SOTTO_TRY(session.state() == RunState::kAborted ? store_.abort(run_, error.what)
                                                      : store_.fail(run_, error.what));
      return error;
    }
    joined_.run = run_;
    joined_.files = files_.all();
    SOTTO_TRY(store_.finish(run_, joined_.files));
    return std::move(joined_);
  }

  const Study& study_;
  const JoinRequest& request_;
  const JoinHooks& hooks_;
  OwnSide own_;
  const Identity& identity_;
  Store& store_;
  PartyRun& party_;
  IdentitySigner signer_;
  std::string run_;
  RunFiles files_;
  std::string told_;  // what was said last of where the run stands
  std::optional<Phase> phase_;
  std::optional<Error> failure_;
  Joined joined_;
};

}  // namespace

Result<Joined> join_study(const Study& study, const JoinRequest& request, const JoinHooks& hooks) {
  OwnSide own = examine_own_side(study, request, Purpose::kJoin, hooks.reading);
  if (own.over) return finished(*own.runs.finished);
  // Without a plan there is nothing to agree to, and the error says why.
  if (hooks.on_consent && !own.consent.observers.empty()) hooks.on_consent(own.consent);
  if (own.problem) return Error(*own.problem).at(request.study_file);
  if (hooks.agreed && !hooks.agreed()) {
    return failed("E-declined", "this party did not agree, and nothing has left it",
                  "answer yes to take part, or leave --ask away where nobody can answer");
  }
  return Join(study, request, hooks, std::move(own)).run();
}

}  // namespace sotto
