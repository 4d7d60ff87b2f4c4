// Each promise of docs/proofs/session.md as a check of what left the parties and what they kept.

#include "support/invariant_checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/digest.h"
#include "session/wire.h"

namespace sotto {
namespace {

// Who has said Ready for an attempt, as far as a journal knows.
std::set<PartyId> readies_in(const MemoryJournal& journal, const std::string& attempt) {
  std::set<PartyId> authors;
  const auto records = journal.records();
  for (const std::string& bytes : *records) {
    wire::JournalEvent record;
    wire::Body body;
    wire::Text text;
    const bool heard = record.ParseFromString(bytes) && record.has_heard() &&
                       body.ParseFromString(record.heard().body()) && body.has_statement() &&
                       text.ParseFromString(body.statement().text());
    if (heard && text.has_ready() && text.ready().attempt() == attempt) {
      authors.insert(body.statement().author());
    }
  }
  return authors;
}

}  // namespace

InvariantChecker::InvariantChecker(const SimulatedStudy& study)
    : ends(study.graph.size()),
      study_(study),
      rounds_(study.graph.size()),
      attempts_(study.graph.size()),
      released_with_(study.graph.size()),
      runs_(study.graph.size()),
      shown_(study.graph.size()),
      offers_(study.graph.size()),
      said_ready_(study.graph.size()),
      booked_(study.graph.size()),
      spent_(study.graph.size()) {
  for (PartyEnd& end : ends) end.dead = true;
}

PartyFactory InvariantChecker::factory(PartyId self) {
  return [this, self, inner = study_.factory(self)](std::span<const PartyId> members,
                                                    const AttemptKeys& keys) {
    const auto [known, fresh] = keys_.try_emplace({self, {members.begin(), members.end()}}, keys);
    if (!fresh && known->second != keys) {
      if (!begun_anew && liars.empty()) violated(self, "drew from two keys for one set of parties");
      known->second = keys;  // the last attempt is the one that can finish
    }
    return inner(members, keys);
  };
}

void InvariantChecker::violated(PartyId party, const std::string& what) {
  violations.push_back(fmt::format("party {}: {}", party + 1, what));
}

bool InvariantChecker::with_liars(const Members& members) const {
  return std::ranges::any_of(members, [&](PartyId p) { return liars.contains(p); });
}

// Whoever is named has done it.
void InvariantChecker::look_at_blame(PartyId at, const wire::Stopped& stopped) {
  if (stopped.why() != wire::Stopped::PEER_FAULT) return;
  // Whose fault it is that results differ after linear rounds only the liar's neighbours can tell.
  const bool cannot_tell = stopped.party() == 0 && stopped.error() == "E-outcome-differs";
  if (!cannot_tell && !liars.contains(stopped.party() - 1)) {
    violated(at, fmt::format("blames party {}, who is honest", stopped.party()));
  }
}

// A blame begins with the name of who is blamed; so do a few things that happen to honest parties.
void InvariantChecker::told(PartyId at, const std::vector<std::string>& notes) {
  for (const std::string& note : notes) {
    for (PartyId p = 0; p < ends.size(); ++p) {
      const std::string name = fmt::format("party-{} ", p + 1);
      if (liars.contains(p) || !note.starts_with(name)) continue;
      const std::string_view rest = std::string_view(note).substr(name.size());
      const bool happens = rest.starts_with("is lost: ") || rest.starts_with("may come back: ") ||
                           rest == "has begun anew" || rest.starts_with("speaks for another run");
      if (!happens) violated(at, "says of an honest party: " + note);
    }
  }
}

// What a run keeps is bounded by numbers of the study, whatever it is told.
void InvariantChecker::look_at_memory(PartyId party, const MemoryJournal& journal) {
  const std::size_t parties = study_.graph.size();
  const MessageLimits limits = study_.limits(parties, 1000);
  constexpr std::size_t kRecord = 400;  // what stands around a body, and an idle word's digest
  const std::size_t starts = 1 + parties * 5;
  const std::size_t said =
      session::most_statement_bytes(parties, limits) + kRecord * session::most_statements(parties);
  const std::size_t steps = (parties + starts) * limits.steps +
                            session::most_early_steps(parties) * limits.sealing +
                            kRecord * session::most_idle_words(parties) * starts;
  if (journal.bytes() > starts * parties * said + study_.graph.degree(party) * steps) {
    violated(party, "its journal has grown without bound");
  }
}

void InvariantChecker::refused(PartyId at, PartyId from, const Error& error) {
  const std::string name = fmt::format("party-{}", from + 1);
  if (error.to_string().find(name) == std::string::npos) {
    violated(at, "does not say whose word it refused: " + error.to_string());
  }
  if (liars.contains(from)) return;
  // Words of a start that is over, or of one that came too late.
  if (begun_anew && error.name == "E-begun-anew") return;
  violated(at, "refused an honest party's word: " + error.to_string());
}

// Everything readable of one party is of one attempt, and each round has one text: a second
// draw of noise, or a release of a second attempt, would show here.
void InvariantChecker::sent(PartyId from, const std::string& frame, const Session& session,
                            const MemoryJournal& journal) {
  const auto parsed = session::parse<wire::Frame>(frame);
  if (!parsed) return violated(from, "sent what cannot be read");
  if (parsed->number() == 0) return;
  auto body = session::parse<wire::Body>(parsed->body());
  if (!body) return violated(from, "sent what cannot be read");
  if (body->has_statement() && body->statement().author() == from) {
    wire::Text text;
    (void)text.ParseFromString(body->statement().text());
    if (text.has_ready()) said_ready_[from].insert(text.ready().attempt());
    if (text.has_stopped()) look_at_blame(from, text.stopped());
  }
  if (!body->has_step()) return;
  const wire::Step& step = body->step();
  const bool readable = step.has_round_values() || step.has_round_releases();
  const bool masked = step.has_shuffle_offer() || step.has_shuffle_reply();
  if (masked) shown_[from].insert(step.attempt());
  if (step.has_shuffle_offer()) look_at_offer(from, step.shuffle_offer());
  if (masked || readable) look_at_reserve(from, step.attempt(), session, journal);
  if (!readable) return;
  const Round round =
      step.has_round_values() ? step.round_values().round() : step.round_releases().round();
  if (!attempts_[from]) look_at_release(from, step.attempt(), session, journal);
  if (*attempts_[from] != step.attempt()) violated(from, "released two attempts");
  const std::string text = step.SerializeAsString();
  const auto [known, fresh] = rounds_[from].try_emplace(round, text);
  if (!fresh && known->second != text) violated(from, fmt::format("sent two rounds {}", round));
}

// A public key is for one neighbour and one attempt. After a crash the same offer leaves again;
// another one under the same key would be another neighbour's, or another attempt's.
void InvariantChecker::look_at_offer(PartyId from, const wire::ShuffleOffer& offer) {
  const std::string text = offer.SerializeAsString();
  const auto [known, fresh] = offers_[from].try_emplace(offer.public_key(), text);
  if (!fresh && known->second != text) violated(from, "offered twice under one public key");
}

// Nothing that depends on data leaves before its cost is held back, on the disk and within the
// account's limit.
void InvariantChecker::look_at_reserve(PartyId from, const std::string& attempt,
                                       const Session& session, const MemoryJournal& journal) {
  runs_[from] = session.run_id();
  if (journal.moves(session.run_id(), to_hex(attempt)).reserved == 0) {
    violated(from, "showed what depends on data before its cost was held back");
  }
  if (!journal.within_limit()) violated(from, "went on beyond its account's limit");
}

// Whatever offers have left is booked, as a release or as looks, and never free again.
void InvariantChecker::look_at_ledger(PartyId party, const MemoryJournal& journal, bool over) {
  for (const std::string& attempt : shown_[party]) {
    const auto moves = journal.moves(runs_[party], to_hex(attempt));
    if (moves.restored != 0) violated(party, "freed the cost of what it had shown");
    if (moves.reserved == 0) violated(party, "has shown what its ledger does not know");
    if (over && moves.spent + moves.given_up == 0) violated(party, "has not booked what it showed");
    if (moves.spent > 0) spent_[party].insert(attempt);
    booked_[party][attempt] = journal.booked(runs_[party], to_hex(attempt));
  }
  if (!journal.within_limit()) violated(party, "ended beyond its account's limit");
}

// A neighbour that released what this party gave up has shown something of it. Who has passed the
// barrier has paid for a release, and so for all that others' releases show, even if its own never
// left it.
void InvariantChecker::look_at_neighbours_releases() {
  for (PartyId p = 0; p < ends.size(); ++p) {
    if (liars.contains(p)) continue;
    for (const std::string& attempt : shown_[p]) {
      if (attempts_[p] == attempt || spent_[p].contains(attempt)) continue;
      for (const PartyId neighbour : study_.graph.neighbours(p)) {
        if (attempts_[neighbour] != attempt) continue;
        const std::string tag = fmt::format("released-by-{}", neighbour + 1);
        if (!said_ready_[p].contains(attempt)) violated(p, "others released without its Ready");
        // A liar that gave the attempt up, and says that it has released it, brings it back for
        // some: docs/proofs/session.md, "What is not".
        if (liars.empty() && !booked_[p][attempt].contains(tag)) {
          violated(p, fmt::format("has not booked that party {} released", neighbour + 1));
        }
      }
    }
  }
}

// Its operator ends the run that no process is in any more.
void InvariantChecker::died(PartyId party, MemoryJournal& journal) {
  look_at_ledger(party, journal, false);
  journal.end_from_outside(runs_[party]);
  look_at_ledger(party, journal, true);
}

// Nothing readable leaves before all members' Ready and the party's own debit are on its disk.
void InvariantChecker::look_at_release(PartyId from, const std::string& attempt,
                                       const Session& session, const MemoryJournal& journal) {
  attempts_[from] = attempt;
  if (journal.moves(session.run_id(), to_hex(attempt)).spent != 1) {
    violated(from, "released before its debit");
  }
  const std::set<PartyId> ready = readies_in(journal, attempt);
  const Members members = session.run().members();
  for (const PartyId member : members) {
    if (member != from && !ready.contains(member)) violated(from, "released before all were ready");
  }
  if (members.empty()) violated(from, "released what it had given up");
  released_with_[from] = members;
}

void InvariantChecker::left(PartyId party, const Session& session, const MemoryJournal& journal) {
  const session::RunCore& run = session.run();
  PartyEnd& end = ends[party];
  end = {.dead = false,
         .phase = run.phase(),
         .released = run.released(),
         .error = run.error() ? run.error()->name : "",
         .statement = session.statement(),
         .members = run.members(),
         .result = {},
         .transcript = {}};
  if (run.phase() == Phase::kFinished) {
    end.result = run.result();
    end.transcript = run.transcript_hash();
  }
  const auto moves = journal.moves(session.run_id());
  if (moves.spent != (end.released ? 1 : 0)) violated(party, "its ledger does not say what left");
  if (moves.reserved != moves.restored + moves.given_up + moves.spent ||
      journal.held(session.run_id()) != 0) {
    violated(party, "something is held back for an attempt that is over");
  }
  look_at_ledger(party, journal, true);
  look_at_memory(party, journal);
  if (released(party) && !end.released) violated(party, "does not know what has left it");
  const bool says_nothing = end.statement.find("nothing was spent") != std::string::npos;
  if (says_nothing != (moves.spent + moves.given_up == 0)) {
    violated(party, "does not say what was booked");
  }
  const bool says_so = end.statement.find("released once") != std::string::npos;
  if (says_so != end.released) violated(party, "does not say what has left it");
  if (end.phase == Phase::kStopped && end.error.empty()) violated(party, "stopped without a word");
}

const std::vector<std::vector<double>>& InvariantChecker::undisturbed(const Members& members) {
  const auto found = undisturbed_.find(members);
  if (found != undisturbed_.end()) return found->second;
  std::vector<std::unique_ptr<StagedParty>> parties;
  for (const PartyId member : members) {
    const auto key = keys_.find({member, members});
    if (key == keys_.end()) {
      violated(member, "is in somebody's result, and never took part");
      return undisturbed_[members];
    }
    parties.push_back(std::move(study_.factory(member)(members, key->second)->party));
  }
  return undisturbed_[members] = *run_undisturbed(parties);
}

// The bits of a run that nothing disturbed; and not far from the truth, lest both be wrong.
void InvariantChecker::look_at_result(PartyId party) {
  const PartyEnd& end = ends[party];
  if (with_liars(end.members)) return;  // its value is what it likes
  const auto& expected = undisturbed(end.members);
  if (expected.size() != end.members.size()) return;
  const auto place = std::ranges::lower_bound(end.members, party) - end.members.begin();
  if (expected[static_cast<std::size_t>(place)] != end.result) {
    violated(party, "its result is not that of an undisturbed run");
  }
  if (study_.solver == SimulatedSolver::kTracking || study_.method != ConsensusMethod::kExact) {
    return;
  }
  for (std::size_t k = 0; k < end.result.size(); ++k) {
    double truth = 0;
    for (const PartyId member : end.members) truth += study_.thetas[member][k];
    if (!(std::abs(end.result[k] - truth) <= study_.noise_limit(end.members.size()))) {
      violated(party, "its result is far from the sum");
    }
  }
}

// If an attempt begins anywhere, none of its members releases one that was sealed with others.
void InvariantChecker::look_at_attempts() {
  for (const auto& [begun, key] : keys_) {
    const Members& members = begun.second;
    if (with_liars(members)) continue;
    for (const PartyId member : members) {
      if (!std::ranges::includes(members, released_with_[member])) {
        violated(member, "released what others had given up with its consent");
      }
    }
  }
}

void InvariantChecker::look_at_finished(FaultKind kind, std::optional<PartyId> victim) {
  std::size_t finished = 0;
  std::size_t survivors = 0;
  Members expected;
  for (PartyId p = 0; p < ends.size(); ++p) {
    if (p != victim) expected.push_back(p);
    survivors += p != victim ? 1U : 0U;
    finished += p != victim && ends[p].phase == Phase::kFinished ? 1U : 0U;
  }
  const bool must_finish = kind == FaultKind::kNone || kind == FaultKind::kBenign ||
                           kind == FaultKind::kLostEarly || kind == FaultKind::kBegunAnew;
  for (const PartyId p : expected) {
    if (must_finish && ends[p].phase != Phase::kFinished) {
      violated(p, fmt::format("did not finish: {}", ends[p].error));
    }
    if (must_finish && ends[p].members != expected) violated(p, "finished with other parties");
  }
  if (kind == FaultKind::kLostLate && finished != 0 && finished != survivors) {
    violations.emplace_back("some finished without the lost party, and some did not");
  }
}

void InvariantChecker::verify(FaultKind kind, std::optional<PartyId> victim) {
  if (!violations.empty()) return;
  look_at_finished(kind, victim);
  look_at_attempts();
  look_at_neighbours_releases();
  for (PartyId p = 0; p < ends.size(); ++p) {
    if (ends[p].phase != Phase::kFinished) continue;
    look_at_result(p);
    for (PartyId q = 0; q < p; ++q) {
      if (ends[q].phase == Phase::kFinished) compare_ends(p, q);
    }
  }
}

void InvariantChecker::compare_ends(PartyId p, PartyId q) {
  if (ends[p].members == ends[q].members) {
    // Without a liar all have the same words; with one, `exact` has the same result all the same,
    // and the others come close (docs/proofs/session.md, Claim 7).
    const bool exact =
        study_.solver != SimulatedSolver::kTracking && study_.method == ConsensusMethod::kExact;
    const bool same = ends[p].transcript == ends[q].transcript;
    if (!same && (exact || !with_liars(ends[p].members))) {
      violated(p, fmt::format("has another transcript than party {}", q + 1));
    }
    if (exact && ends[p].result != ends[q].result) {
      violated(p, fmt::format("has another model than party {}", q + 1));
    }
    return;
  }
  Members common;
  std::ranges::set_intersection(ends[p].members, ends[q].members, std::back_inserter(common));
  std::erase_if(common, [&](PartyId member) { return liars.contains(member); });
  // Two results of one study are two halves that lost each other, and both are large enough; a liar
  // may be in both.
  const bool halves =
      common.empty() && 2 * study_.min_parties <= study_.graph.size() + liars.size();
  if (!halves) violated(p, fmt::format("finished with others than party {}", q + 1));
}

}  // namespace sotto
