// The journal around a run: every event is recorded before it has an effect, and replayed after a
// crash.

#include "session/session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace sotto {
namespace {

// How the journal tells a run that a person gave up.
constexpr std::string_view kAborted = "E-aborted";

// An end that the ledger brought about: on replay it must happen at the same place.
bool by_ledger(const wire::Ended& ended) {
  return !ended.attempt().empty();
}

wire::JournalEvent record_of(const Error& error, wire::Stopped::Why why) {
  wire::JournalEvent event;
  event.mutable_ended()->set_name(error.name);
  event.mutable_ended()->set_what(error.what);
  event.mutable_ended()->set_fix(error.fix);
  event.mutable_ended()->set_status(static_cast<int>(error.status));
  event.mutable_ended()->set_why(why);
  return event;
}

bool can_have_ended(const wire::Ended& ended) {
  return ended.status() >= static_cast<int>(Status::kFailed) &&
         ended.status() <= static_cast<int>(Status::kRefused) &&
         wire::Stopped::Why_IsValid(ended.why());
}

Error error_from(const wire::Ended& ended) {
  return {.name = ended.name(),
          .what = ended.what(),
          .where = {},
          .fix = ended.fix(),
          .status = static_cast<Status>(ended.status())};
}

// What a run is about. Stands behind the key in the journal's first record.
std::string digest_of_terms(const SessionTerms& terms, const std::string& certificate) {
  const Debit& debit = terms.debit;
  const std::array<double, 5> amounts{debit.epsilon, debit.delta, debit.laplace_epsilon,
                                      debit.laplace_delta, debit.excess_delta};
  Digest charges("sotto charges");
  for (const ObserverCharge& charge : debit.charges) {
    const std::array<double, 2> squares{charge.released, charge.looks};
    charges.add(charge.observer).add(std::span<const double>(squares));
  }
  return Digest("sotto terms")
      .add(std::uint64_t{kProtocol})
      .add(terms.study_hash)
      .add(std::uint64_t{terms.self})
      .add(debit.data)
      .add(debit.unit)
      .add(terms.data_digest)
      .add(terms.draws_digest)
      .add(certificate)
      .add(std::span<const double>(amounts))
      .add(debit.guaranteed)
      .add(std::uint64_t{debit.colluders})
      .add(charges.value())
      .value();
}

SessionTerms of_run(SessionTerms terms, const RunKey& key) {
  terms.debit.run = to_hex(key.nonce());
  terms.start = std::max<std::uint64_t>(terms.start, 1);
  return terms;
}

Error damaged_journal() {
  return failed("E-journal", "the journal holds a record that this run cannot have written",
                "the file was changed by something else than sotto; restore it from a backup");
}

}  // namespace

Session::Session(SessionTerms terms, const Signer& signer, Journal& journal, PartyFactory factory,
                 const RunKey& key, Time now)
    : terms_(of_run(std::move(terms), key)),
      journal_(journal),
      ledger_(journal, terms_.debit),
      core_(terms_, signer, std::move(factory), key, ledger_),
      links_(terms_.study_hash, key.nonce(), terms_.start, terms_.graph.neighbours(terms_.self),
             terms_.resend),
      meeting_since_(now),
      last_progress_(now),
      phase_since_(now) {
  for (const PartyId neighbour : terms_.graph.neighbours(terms_.self)) away_since_[neighbour] = now;
}

Result<std::unique_ptr<Session>> Session::open(SessionTerms terms, const Signer& signer,
                                               Journal& journal, PartyFactory factory,
                                               const RunKey& fresh, Time now) {
  SOTTO_ASSIGN(auto records, journal.records());
  RunKey key = fresh;
  if (!records.empty()) {
    wire::JournalEvent first;
    if (!first.ParseFromString(records.front()) || !first.has_begun()) return damaged_journal();
    SOTTO_ASSIGN(auto kept, RunKey::restore(first.begun().key()));
    key = kept;
    terms.start = first.begun().start();
    if (first.begun().terms() != digest_of_terms(terms, signer.certificate())) {
      return refused("E-run-differs",
                     "this run began with another study, with other data, with another key or, "
                     "by another version of sotto, with other noise",
                     "resume it with what it began with, or abort it and start a new one");
    }
  }
  std::unique_ptr<Session> session(
      new Session(std::move(terms), signer, journal, std::move(factory), key, now));
  if (records.empty()) {
    wire::JournalEvent begun;
    begun.mutable_begun()->set_key(key.bytes());
    begun.mutable_begun()->set_terms(digest_of_terms(session->terms_, signer.certificate()));
    begun.mutable_begun()->set_start(session->terms_.start);
    session->record(begun);
    // The key is kept before anything is drawn from it.
    SOTTO_TRY(journal.commit());
    session->staged_ = false;
    session->core_.begin();
  } else {
    SOTTO_TRY(session->replay(records));
  }
  session->settle(now);
  return session;
}

Result<void> Session::replay(std::span<const std::string> records) {
  ledger_.replaying = true;
  core_.begin();
  std::vector<wire::JournalEvent> events;
  for (const std::string& bytes : records.subspan(1)) {
    if (!events.emplace_back().ParseFromString(bytes)) return damaged_journal();
  }
  for (std::size_t k = 0; k < events.size(); ++k) {
    const wire::JournalEvent& event = events[k];
    ledger_.refusal.reset();
    if (k + 1 < events.size() && events[k + 1].has_ended() && by_ledger(events[k + 1].ended())) {
      const wire::Ended& ended = events[k + 1].ended();
      ledger_.refusal = {error_from(ended), ended.attempt()};
    }
    if (event.has_heard()) {
      SOTTO_TRY(hear_again(event.heard()));
    } else if (event.has_lost() && event.lost().party() < terms_.graph.size() &&
               event.lost().party() != terms_.self) {
      core_.lose(event.lost().party(), event.lost().reason());
    } else if (event.has_renewed()) {
      SOTTO_TRY(renew_again(event.renewed()));
    } else if (event.has_ended() && can_have_ended(event.ended())) {
      aborted_ = aborted_ || (!core_.over() && event.ended().name() == kAborted);
      core_.end(error_from(event.ended()), event.ended().why());
    } else {
      return damaged_journal();
    }
    post();
  }
  ledger_.replaying = false;
  ledger_.refusal.reset();
  (void)core_.take_notes();  // they were told when they happened
  return {};
}

// What a neighbour said is inspected as it was when it came: a journal is believed no more than the
// one who spoke.
Result<void> Session::hear_again(const wire::Heard& heard) {
  const auto neighbours = terms_.graph.neighbours(terms_.self);
  if (!std::ranges::binary_search(neighbours, heard.from())) return damaged_journal();
  // Which start it is stands with the first body of a conversation, and there alone.
  const bool names_start = !heard.nonce().empty();
  if (names_start == known_.contains(heard.from())) return damaged_journal();
  if (names_start) {
    if (heard.nonce().size() != kNonceBytes || heard.start() == 0) return damaged_journal();
    links_.know(heard.from(), {heard.nonce(), heard.start()});
    known_.insert(heard.from());
  }
  if (!heard.idle_digest().empty()) {
    if (heard.idle_digest().size() != kDigestBytes) return damaged_journal();
    links_.accept_digest(heard.from(), heard.idle_digest());
    core_.hear_idle(heard.from(), {});
    core_.spoke(heard.from(), links_.start_of(heard.from()).nonce);
    return {};
  }
  const auto body = session::parse<wire::Body>(heard.body());
  if (!body || !core_.inspect(heard.from(), *body) || !core_.is_news(heard.from(), *body)) {
    return damaged_journal();
  }
  links_.accept(heard.from(), heard.body());
  core_.hear(heard.from(), *body);
  core_.spoke(heard.from(), links_.start_of(heard.from()).nonce);
  return {};
}

Result<void> Session::renew_again(const wire::Renewed& renewed) {
  const auto neighbours = terms_.graph.neighbours(terms_.self);
  if (!std::ranges::binary_search(neighbours, renewed.from())) return damaged_journal();
  const session::Links::Start start{.nonce = renewed.nonce(), .number = renewed.start()};
  if (!links_.is_later(renewed.from(), start) ||
      !core_.may_renew(renewed.from(), renewed.nonce())) {
    return damaged_journal();
  }
  known_.insert(renewed.from());
  links_.renew(renewed.from(), start);
  core_.renew(renewed.from(), renewed.nonce());
  return {};
}

// A neighbour that began anew knows nothing of what was said: it is told all of it again. What was
// queued for its earlier start must not reach it.
void Session::take_up(PartyId from, std::string_view frame) {
  const auto later = links_.later_start(from, frame);
  if (!later || !core_.may_renew(from, later->nonce)) return;
  wire::JournalEvent event;
  event.mutable_renewed()->set_from(from);
  event.mutable_renewed()->set_nonce(later->nonce);
  event.mutable_renewed()->set_start(later->number);
  known_.insert(from);
  record(event);
  post();
  links_.renew(from, *later);
  core_.renew(from, later->nonce);
  post();
}

void Session::record(const wire::JournalEvent& event) {
  journal_.append(event.SerializeAsString());
  staged_ = true;
}

void Session::post() {
  for (auto& [to, body] : core_.take_outgoing()) links_.post(to, std::move(body));
}

void Session::settle(Time now) {
  if (const auto refusal = std::exchange(ledger_.refusal, std::nullopt)) {
    // A ledger that says no is part of the run; one that cannot be asked is a broken machine,
    // and the same event will be tried again.
    if (refusal->error.status == Status::kRefused) {
      wire::JournalEvent event = record_of(refusal->error, wire::Stopped::PRIVACY_REFUSED);
      event.mutable_ended()->set_attempt(refusal->attempt);
      record(event);
    } else {
      broken_ = refusal->error;
    }
  }
  post();
  if (core_.moves() != last_moves_ || core_.phase() != last_phase_) last_progress_ = now;
  last_moves_ = core_.moves();
  if (core_.phase() != last_phase_) phase_since_ = now;
  last_phase_ = core_.phase();
  // Another limit holds from here on, and it counts from here on.
  const bool begins = was_meeting_ && !meeting();
  if (begins) last_progress_ = now;
  const bool first_released = !released_ && core_.released();
  if (begins || first_released) {
    for (auto& [neighbour, since] : away_since_) since = now;
  }
  // Whoever has to be waited for again has the whole time again, once: however often somebody comes
  // and goes, it is no more than that.
  if (was_meeting_ && !meeting() && met_before_) met_again_for_ += now - meeting_since_;
  if (!was_meeting_ && meeting()) {
    met_before_ = true;
    meeting_since_ = now;
  }
  was_meeting_ = meeting();
  released_ = core_.released();
}

void Session::connected(PartyId neighbour, Time now) {
  away_since_.erase(neighbour);
  troubles_.erase(neighbour);
  links_.connected(neighbour, now);
}

void Session::disconnected(PartyId neighbour, Time now) {
  away_since_.try_emplace(neighbour, now);
  links_.disconnected(neighbour);
}

Received<void> Session::receive(PartyId from, std::string_view frame, Time now) {
  const auto named = [&](Refusal refusal) {
    const std::string who = from < terms_.names.size() ? terms_.names[from] : "somebody unknown";
    if (refusal.where.empty()) refusal.where = fmt::format("in a message from {}", who);
    return tl::unexpected(std::move(refusal));
  };
  // Before anything is parsed.
  if (frame.size() > terms_.limits.frame(terms_.graph.size())) {
    return named({failed("E-frame", "a message that is longer than any of the study",
                         "it was refused, and nothing has changed")});
  }
  take_up(from, frame);
  auto bytes = links_.receive(from, frame, now);
  if (!bytes) return named(bytes.error());
  if (!*bytes) return {};
  const auto body = session::parse<wire::Body>(**bytes);
  if (!body) return named({failed("E-frame", "a malformed message", "it was refused")});
  if (auto fine = core_.inspect(from, *body); !fine) return named({fine.error()});
  const bool news = core_.is_news(from, *body);
  wire::JournalEvent event;
  event.mutable_heard()->set_from(from);
  // Whose words these are: a later start must not be taken for it after a crash.
  if (known_.insert(from).second) {
    const auto start = links_.start_of(from);
    event.mutable_heard()->set_nonce(start.nonce);
    event.mutable_heard()->set_start(start.number);
  }
  if (news) {
    event.mutable_heard()->set_body(**bytes);
  } else {
    event.mutable_heard()->set_idle_digest(session::Links::digest_of(**bytes));
  }
  record(event);
  links_.accept(from, **bytes);
  if (news) {
    core_.hear(from, *body);
  } else {
    core_.hear_idle(from, *body);
  }
  core_.spoke(from, links_.start_of(from).nonce);
  settle(now);
  return {};
}

void Session::stop(const Error& error, wire::Stopped::Why why) {
  if (core_.over()) return;
  record(record_of(error, why));
  core_.end(error, why);
  post();
}

void Session::abort() {
  aborted_ = aborted_ || !core_.over();
  stop(failed(std::string(kAborted), "the run was given up with sotto abort",
              "start another with sotto join"),
       wire::Stopped::GAVE_UP);
}

std::optional<KeyedRandom::Key> Session::idle_key() const {
  if (!unbound()) return std::nullopt;
  return core_.first_cipher_key();
}

Result<std::vector<Outgoing>> Session::flush(Time now) {
  settle(now);
  if (broken_) return *broken_;
  if (staged_) {
    SOTTO_TRY(journal_.commit());
    staged_ = false;
  }
  return links_.collect(now, core_.over());
}

RunState Session::state() const {
  if (core_.phase() == Phase::kFinished) return RunState::kFinished;
  if (core_.phase() != Phase::kStopped) return RunState::kRunning;
  return aborted_ ? RunState::kAborted : RunState::kFailed;
}

std::vector<std::string> Session::names_of(const std::vector<PartyId>& parties) const {
  std::vector<std::string> names;
  for (const PartyId party : parties) names.push_back(terms_.names[party]);
  return names;
}

SessionProgress Session::progress() const {
  return {.phase = core_.phase(),
          .state = state(),
          .waiting_for = names_of(core_.waiting_for()),
          .without = names_of({core_.excluded().begin(), core_.excluded().end()}),
          .released = core_.released()};
}

std::vector<std::string> Session::take_notes() {
  return core_.take_notes();
}

std::string Session::describe() const {
  const std::string names = fmt::format("{}", fmt::join(names_of(core_.waiting_for()), ", "));
  switch (core_.phase()) {
    case Phase::kMeeting:
      return fmt::format("waiting for {}", names);
    case Phase::kSealing:
      return "sealing with neighbours";
    case Phase::kReady:
      return fmt::format("sealed; waiting until {} {} ready", names,
                         core_.waiting_for().size() == 1 ? "is" : "are");
    case Phase::kReleasing:
      return "released; averaging";
    case Phase::kComparing:
      return fmt::format("comparing results; waiting for {}", names);
    case Phase::kFinished:
      return in_need().empty()
                 ? "finished"
                 : fmt::format("finished; staying a while for {}, who may still need this party",
                               fmt::join(names_of(in_need()), ", "));
    case Phase::kStopped:
      return "stopped: " + core_.error()->what;
  }
  return {};
}

std::string Session::statement() const {
  if (!core_.released()) return core_.what_left();
  return fmt::format(
      "this party's noisy value was released once; ε = {:g}, δ = {:g} per {} are spent",
      terms_.debit.epsilon, terms_.debit.delta, terms_.debit.unit);
}

}  // namespace sotto
