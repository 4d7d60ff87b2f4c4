// Puts the rooms together for one party: data, store, session and transport, and keeps the result.
#include "run/join/join.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <thread>

#include "base/digest.h"
#include "base/json.h"
#include "base/version.h"
#include "network/driver.h"
#include "run/account.h"
#include "run/consent/own_side.h"
#include "run/home.h"
#include "run/join/live_notes.h"
#include "run/join/result_files.h"
#include "session/wire.h"

namespace sotto {
namespace {

std::vector<std::vector<std::string>> fingerprints_of(const Study& study) {
  std::vector<std::vector<std::string>> fingerprints;
  for (const PartyTerms& party : study.parties) {
    fingerprints.push_back({party.fingerprint});
    if (!party.other_fingerprint.empty()) fingerprints.back().push_back(party.other_fingerprint);
  }
  return fingerprints;
}

// So often a start that is too early for the others is made later: a clock was set back. Two
// processes of one party would go on for ever.
constexpr int kMostOutruns = 2;
// Twenty years, in milliseconds.
constexpr std::uint64_t kMostSetBack = 20ULL * 365 * 24 * 3600 * 1000;
// Lines about what one neighbour shows: the first ones tell, more would fill a disk.
constexpr std::size_t kMostCardsTold = 20;
// How often a party that waits for the study's start looks up.
constexpr Time kLookUp{200};
// Parties that came so close to each other came together: then the study's order decides.
constexpr std::chrono::milliseconds kTogether{2000};

// Any later start has a larger number, unless the clock was set back: then neighbours say so.
std::uint64_t start_number() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(
                                        std::chrono::system_clock::now().time_since_epoch())
                                        .count());
}

// Whether anything of a run can have reached the ledger, and so the others.
Result<bool> has_entries(const Store& store, const std::string& run) {
  SOTTO_ASSIGN(const auto entries, store.ledger());
  return std::ranges::any_of(entries,
                             [&](const LedgerEntry& entry) { return entry.debit.run == run; });
}

// What ends a run that has not begun, however long one waits.
const std::set<std::string, std::less<>> kFinalErrors{"E-study-differs", "E-protocol",
                                                      "E-mistaken"};

// Which run this is: one that was left unfinished, or a new one.
struct ChosenRun {
  std::string id;
  RunKey key;
  bool resumed = false;
  std::string shared = {};
};

Result<ChosenRun> choose_run(Store& store, const Study& study) {
  SOTTO_ASSIGN(const auto runs, store.runs_of_study(study.hash));
  OsRandom random;
  const RunKey fresh = RunKey::draw(random);
  if (runs.unfinished) {
    SOTTO_ASSIGN(const auto journal, store.journal(runs.unfinished->run));
    SOTTO_ASSIGN(const auto records, journal->records());
    if (!records.empty())
      return ChosenRun{runs.unfinished->run, fresh, true, runs.unfinished->shared};
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

// For tests of what an onlooker sees: SOTTO_TEST_FRAMES=FILE has to whom each message went, its
// number and how long it was, a line each. Empty without it.
std::function<void(const Outgoing&)> frame_log() {
  const char* path = std::getenv("SOTTO_TEST_FRAMES");
  if (path == nullptr) return {};
  return [file = std::make_shared<std::ofstream>(path, std::ios::app)](const Outgoing& outgoing) {
    const auto frame = session::parse<wire::Frame>(outgoing.frame);
    // Acknowledgements go when there was time for them.
    if (!frame || frame->number() == 0) return;
    *file << fmt::format("{} {} {}\n", outgoing.to + 1, frame->number(), frame->body().size())
          << std::flush;
  };
}

// What a run that was finished before has left.
Joined finished(const StoredRun& run) {
  Joined joined{.run = public_id(run), .files = run.files, .json = {}, .model = std::nullopt};
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
    for (int outruns = 0;;) {
      auto joined = once();
      if (joined) return joined;
      const Error& error = joined.error();
      if (error.name == "E-run-differs") {
        // What it began with is not what there is now. Nothing of it has left, so there is nothing
        // that the same noise could be compared with.
        SOTTO_ASSIGN(const bool bound, has_entries(store_, run_));
        if (bound) return joined;
        SOTTO_TRY(store_.abort(
            run_,
            "begun anew with other data, another key or other noise, before anything had left"));
        tell({.kind = JoinEvent::Kind::kNote,
              .text = "an unfinished run had begun with other data, another key or, by another "
                      "version, other noise, and nothing of it had left: beginning anew"});
        continue;
      }
      if (error.name == "E-outrun" && ++outruns <= kMostOutruns) {
        std::uint64_t known = 0;
        std::from_chars(error.reason.data(), error.reason.data() + error.reason.size(), known);
        SOTTO_ASSIGN(const bool bound, has_entries(store_, run_));
        // A neighbour says so, and may lie: no clock was ever set so far back.
        if (bound || known > start_number() + kMostSetBack) return joined;
        least_start_ = known + 1;
        SOTTO_TRY(store_.abort(run_, "begun anew: the others knew a later start of this party"));
        continue;
      }
      // What no waiting mends has ended the run too.
      if (session_ended_) SOTTO_TRY(store_.fail(run_, error.what));
      return joined;
    }
  }

 private:
  [[nodiscard]] Result<Joined> once() {
    SOTTO_ASSIGN(const auto chosen, choose_run(store_, study_));
    run_ = chosen.id;
    shared_ = chosen.shared;
    session_ended_ = false;
    told_.clear();
    phase_.reset();
    agreeing_.clear();
    notes_.emplace(request_.home, run_, study_, request_.self, unix_milliseconds());
    SOTTO_ASSIGN(const auto journal, store_.journal(run_));
    SessionTerms terms = session_terms(study_, party_.plan(), request_.self,
                                       debit_of(study_, party_.plan(), own_.consent.cost->account));
    terms.data_digest = party_.data_digest();
    terms.limits = party_.limits();
    terms.start = std::max(start_number(), least_start_);
    // Noise is drawn here, before anybody could see how long it takes.
    SOTTO_ASSIGN(const auto session,
                 Session::open(
                     std::move(terms), signer_, *journal,
                     [this](std::span<const PartyId> members, const AttemptKeys& keys) {
                       return party_.take_part(members, keys);
                     },
                     chosen.key, Time(0)));
    if (chosen.resumed) {
      tell({.kind = JoinEvent::Kind::kResumed,
            .text = fmt::format("resuming run {}", short_run(name())),
            .run = name()});
    }
    SOTTO_ASSIGN(const bool given_up, wait_for_start(*session));
    if (given_up) return ended(*session);
    // The meeting's time counts from here, whatever the wall clock was set to meanwhile.
    const SteadyClock clock;
    return take_part(*session, clock);
  }

  // How long it is until the study's meeting begins; 0 not a moment before it does.
  [[nodiscard]] Time until_start() const {
    if (!study_.network.start) return Time(0);
    const auto start = std::chrono::sys_seconds(std::chrono::seconds(*study_.network.start));
    return std::max(std::chrono::ceil<Time>(start - std::chrono::system_clock::now()), Time(0));
  }

  // Nothing is dialled and no port is open. What the cipher needs can be made by then. Whether the
  // run was given up meanwhile: then nobody has heard of it, and nobody has to. The wall clock
  // alone says when it ends: it may be set while one waits, and a steady clock read in whole
  // milliseconds can be one early.
  [[nodiscard]] Result<bool> wait_for_start(Session& session) {
    if (until_start() == Time(0)) return false;
    tell({.kind = JoinEvent::Kind::kNote,
          .text = fmt::format("ready; the study's meeting begins at {}",
                              utc_text(*study_.network.start))});
    bool more_to_prepare = true;
    for (Time left = until_start(); left > Time(0); left = until_start()) {
      if (hooks_.interrupted && hooks_.interrupted()) {
        return failed("E-interrupted", "interrupted; nothing is lost",
                      "the same command resumes the run; sotto abort gives it up");
      }
      const auto key = session.idle_key();
      more_to_prepare = more_to_prepare && key && party_.prepare(*key);
      if (more_to_prepare) continue;
      SOTTO_ASSIGN(const bool given_up, store_.abort_requested(run_));
      if (given_up) {
        session.abort();
        return true;
      }
      std::this_thread::sleep_for(std::min(kLookUp, left));
    }
    return false;
  }

  [[nodiscard]] const std::string& name() const { return shared_.empty() ? run_ : shared_; }

  void tell(const JoinEvent& event) {
    if (notes_) notes_->hear(event, unix_milliseconds());
    if (hooks_.on_event) hooks_.on_event(event);
  }

  [[nodiscard]] Result<Joined> take_part(Session& session, const SteadyClock& clock) {
    const std::string listen =
        request_.listen.empty() ? listen_address(study_, request_.self) : request_.listen;
    const Greeting greeting = greeting_of(study_, false);
    const std::vector<Peer> peers = peers_of(study_, request_.self);
    SOTTO_ASSIGN(const auto transport,
                 request_.port != nullptr
                     ? Transport::open(identity_, *request_.port, peers, limits(), greeting)
                     : Transport::open(identity_, listen, peers, limits(), greeting));
    tell({.kind = JoinEvent::Kind::kBegun,
          .text = fmt::format("{} in study {} ({}), {}", study_.parties[request_.self].name,
                              study_.name, study_.hash.substr(0, 12),
                              listen.empty() ? "dialling out only" : "listening at " + listen)});
    std::vector<std::string> names;
    for (const PartyTerms& party : study_.parties) names.push_back(party.name);
    const auto driven = drive(session, *transport, names, clock, driver_hooks(*transport));
    // It has ended the loop, as an interruption.
    if (failure_) return *failure_;
    if (!driven) {
      session_ended_ = kFinalErrors.contains(driven.error().name);
      return driven.error();
    }
    return ended(session);
  }

  // A neighbour sends nothing larger than the study's own messages.
  [[nodiscard]] TransportLimits limits() const {
    TransportLimits limits;
    limits.frame_bytes = std::min(limits.frame_bytes, party_.limits().frame(study_.graph().size()));
    return limits;
  }

  [[nodiscard]] DriverHooks driver_hooks(const Transport& transport) {
    DriverHooks hooks;
    hooks.on_event = [this](const JoinEvent& event) { tell(event); };
    hooks.on_idle = [this](const Session& session) {
      const auto key = session.idle_key();
      return key && party_.prepare(*key);
    };
    hooks.interrupted = [this] {
      return failure_.has_value() || (hooks_.interrupted && hooks_.interrupted());
    };
    hooks.on_card = [this](PartyId peer, const PeerCard& card) { return take_card(peer, card); };
    hooks.abort_wanted = [this] { return store_.abort_requested(run_).value_or(false); };
    hooks.on_progress = [this, &transport](const Session& session) {
      notes_->count(transport.bytes(), unix_milliseconds());
      progress(session);
    };
    hooks.at_commit = kill_point();
    hooks.on_frame = frame_log();
    return hooks;
  }

  // Of two that cannot come together the one that came later ends, with the cause: the other may
  // be right, and others wait for it. Whoever has met somebody who agrees stays.
  [[nodiscard]] std::optional<Error> take_card(PartyId peer, const PeerCard& card) {
    const std::string& neighbour = study_.parties[peer].name;
    const bool told = card.answer && ++cards_told_[peer] <= kMostCardsTold;
    if (told && clocks_differ(card)) {
      tell({.kind = JoinEvent::Kind::kNote,
            .text = fmt::format("{}: {}", neighbour, clock_text(card))});
    }
    if (card.same_study && card.protocol == kProtocol) {
      agreeing_.insert(peer);
      return std::nullopt;
    }
    if (!card.answer) return std::nullopt;  // its study's lines come with its answer
    auto error = differs(study_, neighbour, card);
    if (!error) return std::nullopt;
    if (told) {
      tell({.kind = JoinEvent::Kind::kRefused,
            .text = fmt::format("[{}] {}; {}", error->name, error->what, error->fix),
            .peer = neighbour,
            .error = *error});
    }
    if (card.looking || !agreeing_.empty()) return std::nullopt;
    if (card.protocol != kProtocol) {
      return card.protocol > kProtocol ? error : std::nullopt;
    }
    const auto later = card.own_waiting - card.waiting;
    const bool together = std::chrono::abs(later) < kTogether;
    const bool ours_to_end = together ? request_.self > peer : later < std::chrono::milliseconds(0);
    return ours_to_end ? error : std::nullopt;
  }

  void progress(const Session& session) {
    if (const std::string shared = session.run().shared_id();
        !shared.empty() && shared != shared_ && !failure_) {
      shared_ = shared;
      if (auto kept = store_.share_name(run_, shared); !kept) failure_ = kept.error();
    }
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
    const std::filesystem::path folder =
        request_.out.empty() ? std::filesystem::path(request_.home) / "runs" / short_run(name())
                             : std::filesystem::path(request_.out);
    SOTTO_ASSIGN(const auto kept,
                 keep_result_files(folder, model.record, joined_.json, hooks_.report));
    joined_.files = kept.all;
    if (kept.no_report) {
      const Error& why = *kept.no_report;
      tell({.kind = JoinEvent::Kind::kNote,
            .text = fmt::format("no report: [{}] {}; {}", why.name, why.what, why.fix)});
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
    joined_.run = name();
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
  std::string run_;     // this party's own name for it
  std::string shared_;  // every party's
  std::uint64_t least_start_ = 0;
  bool session_ended_ = false;  // by what no waiting mends
  std::set<PartyId> agreeing_;  // neighbours with the same study
  std::map<PartyId, std::size_t> cards_told_;
  std::optional<LiveNotes> notes_;
  std::string told_;  // what was said last of where the run stands
  std::optional<Phase> phase_;
  std::optional<Error> failure_;
  Joined joined_;
};

}  // namespace

Result<Joined> join_study(const Study& study, const JoinRequest& request, const JoinHooks& hooks) {
  OwnSide own = examine_own_side(study, request, Purpose::kJoin, hooks.reading);
  if (own.over) return finished(*own.runs.finished);
  // Whoever has left while the table was read has no more to agree to.
  if (own.problem && own.problem->name == "E-interrupted") return *own.problem;
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
