// Processes that die and come back, connections that break: what happens next, and to whom.

#include "support/fault_schedule.h"

#include <algorithm>

#include "base/check.h"

namespace sotto {
namespace {

// Longer than any run can take that ends by itself.
constexpr Time kHang{4 * 3'600'000};
constexpr std::uint64_t kTickMs = 1000;

}  // namespace

FaultSchedule::FaultSchedule(std::uint64_t seed, FaultKind kind, const SimulatedStudy& study)
    : kind_(kind), study_(study), random_(seed, 1), checker_(study) {
  character_ = draw_character();
  for (PartyId p = 0; p < study.graph.size(); ++p) {
    machines_.push_back(std::make_unique<Machine>(p));
    machines_.back()->limit = draw_limit();
    machines_.back()->journal->set_limit(machines_.back()->limit);
    at(up_to(20'000), {.what = What::kStart, .party = p});
  }
  if (kind_ == FaultKind::kLiars) draw_liars();
}

void FaultSchedule::run() {
  const auto all_gone = [&] {
    return std::ranges::all_of(
        machines_, [](const auto& machine) { return machine->gone || machine->liar != nullptr; });
  };
  while (!all_gone()) {
    if (events_.empty() || now_ > kHang) {
      checker_.violations.emplace_back("it hangs");
      return;
    }
    auto next = events_.extract(events_.begin());
    now_ = next.key().first;
    happen(next.mapped());
  }
}

Time FaultSchedule::up_to(std::uint64_t milliseconds) {
  return Time(static_cast<Time::rep>(random_.below(milliseconds + 1)));
}

FaultSchedule::Connection& FaultSchedule::between(PartyId a, PartyId b) {
  return connections_[std::minmax(a, b)];
}

void FaultSchedule::at(Time when, Event event) {
  events_.emplace(std::pair{when, order_++}, std::move(event));
}

void FaultSchedule::happen(Event& event) {
  Machine& machine = *machines_[event.party];
  const bool of_this_life = machine.session != nullptr && machine.life == event.life;
  switch (event.what) {
    case What::kStart:
      return start(event.party);
    case What::kConnect:
      return connect(event.party, event.peer);
    case What::kEndUp:
      return end_up(event);
    case What::kEndDown:
      return end_down(event);
    case What::kDeliver:
      return deliver(event);
    case What::kFlush:
      if (of_this_life) flush(event.party);
      return;
    case What::kTick:
      if (of_this_life) tick(event.party);
      return;
  }
}

void FaultSchedule::start(PartyId p) {
  Machine& machine = *machines_[p];
  if (machine.gone || machine.session != nullptr) return;
  counts_.restarts += machine.life > 0 ? 1U : 0U;
  const RunKey fresh = simulated_key(random_);
  SessionTerms terms = study_.terms(p);
  terms.start = machine.start;
  auto session = Session::open(std::move(terms), machine.signer, *machine.journal,
                               machine.liar ? study_.factory(p) : checker_.factory(p), fresh, now_);
  check(session.has_value(), "a journal that was not touched opens again");
  machine.session = std::move(*session);
  machine.flush_due = false;
  flush_soon(p);
  at(now_ + up_to(kTickMs), {.what = What::kTick, .party = p, .life = machine.life});
  for (const PartyId neighbour : study_.graph.neighbours(p)) {
    at(now_ + up_to(2000), {.what = What::kConnect, .party = p, .peer = neighbour});
  }
}

void FaultSchedule::crash(PartyId p, std::optional<Time> back_after) {
  Machine& machine = *machines_[p];
  if (machine.gone || machine.liar) return;
  counts_.crashes += machine.session != nullptr ? 1U : 0U;
  machine.session.reset();
  machine.journal->crash();
  machine.journal->fail_commits(false);
  if (chance(500)) machine.journal->refuse_reserves(false);
  ++machine.life;
  for (const PartyId neighbour : study_.graph.neighbours(p)) break_connection(p, neighbour);
  if (back_after) {
    at(now_ + *back_after, {.what = What::kStart, .party = p});
  } else {
    machine.gone = true;
    checker_.died(p, *machine.journal);
    ++counts_.deaths;
  }
}

void FaultSchedule::leave(PartyId p) {
  Machine& machine = *machines_[p];
  if (!machine.liar) checker_.left(p, *machine.session, *machine.journal);
  machine.session.reset();
  machine.gone = true;
  for (const PartyId neighbour : study_.graph.neighbours(p)) break_connection(p, neighbour);
}

void FaultSchedule::flush_soon(PartyId p) {
  Machine& machine = *machines_[p];
  if (std::exchange(machine.flush_due, true)) return;
  at(now_ + up_to(chance(700) ? 0 : 20), {.what = What::kFlush, .party = p, .life = machine.life});
}

void FaultSchedule::flush(PartyId p) {
  Machine& machine = *machines_[p];
  machine.flush_due = false;
  auto out = machine.session->flush(now_);
  if (!out) {
    ++counts_.failed_commits;
    crash(p, outage());
    return;
  }
  if (!machine.liar) checker_.told(p, machine.session->take_notes());
  // A process may die when half of its frames are on their way.
  const bool dies =
      character_.faults_left > 0 && kind_ != FaultKind::kNone && !machine.liar && chance(3);
  const std::size_t sent = dies ? random_.below(out->size() + 1) : out->size();
  for (std::size_t k = 0; k < sent; ++k) send(p, (*out)[k]);
  if (dies) {
    --character_.faults_left;
    crash(p, outage());
    return;
  }
  if (machine.session->may_leave(now_)) leave(p);
}

void FaultSchedule::tick(PartyId p) {
  Machine& machine = *machines_[p];
  machine.session->tick(now_);
  flush_soon(p);
  at(now_ + Time(kTickMs), {.what = What::kTick, .party = p, .life = machine.life});
}

void FaultSchedule::connect(PartyId a, PartyId b) {
  Connection& connection = between(a, b);
  const bool both = machines_[a]->session != nullptr && machines_[b]->session != nullptr;
  if (connection.up || !both) return;  // whoever comes back dials again
  if (now_ < connection.blocked_until) {
    at(connection.blocked_until + up_to(1000), {.what = What::kConnect, .party = a, .peer = b});
    return;
  }
  connection.up = true;
  ++connection.life;
  for (const auto& [end, other] : {std::pair{a, b}, std::pair{b, a}}) {
    at(now_ + up_to(50),
       {.what = What::kEndUp, .party = end, .peer = other, .life = connection.life});
  }
}

void FaultSchedule::end_up(const Event& event) {
  Connection& connection = between(event.party, event.peer);
  Machine& machine = *machines_[event.party];
  if (!connection.up || connection.life != event.life || machine.session == nullptr) return;
  if (connection.noticed[event.party]) machine.session->disconnected(event.peer, now_);
  connection.noticed[event.party] = true;
  machine.session->connected(event.peer, now_);
  flush_soon(event.party);
}

void FaultSchedule::end_down(const Event& event) {
  Connection& connection = between(event.party, event.peer);
  Machine& machine = *machines_[event.party];
  if (connection.life != event.life || machine.session == nullptr) return;
  if (std::exchange(connection.noticed[event.party], false)) {
    machine.session->disconnected(event.peer, now_);
  }
}

// Both ends notice, sooner or later.
void FaultSchedule::break_connection(PartyId a, PartyId b) {
  Connection& connection = between(a, b);
  for (const PartyId end : {a, b}) {
    if (machines_[end]->session == nullptr) connection.noticed[end] = false;
  }
  if (!std::exchange(connection.up, false)) return;
  for (const auto& [end, other] : {std::pair{a, b}, std::pair{b, a}}) {
    at(now_ + up_to(chance(800) ? 100 : 3000),
       {.what = What::kEndDown, .party = end, .peer = other, .life = connection.life});
  }
}

void FaultSchedule::cut(PartyId a, PartyId b, Time duration) {
  Connection& connection = between(a, b);
  ++counts_.cuts;
  break_connection(a, b);
  connection.blocked_until = std::max(connection.blocked_until, now_ + duration);
  at(connection.blocked_until + up_to(1000), {.what = What::kConnect, .party = a, .peer = b});
}

void FaultSchedule::send(PartyId from, Outgoing& outgoing) {
  const Machine& machine = *machines_[from];
  if (machine.liar) {
    const std::uint64_t before = machine.liar->lies();
    for (const Outgoing& changed : machine.liar->send(outgoing)) transmit(from, changed);
    counts_.lies += machine.liar->lies() - before;
    return;
  }
  checker_.sent(from, outgoing.frame, *machine.session, *machine.journal);
  transmit(from, outgoing);
}

void FaultSchedule::transmit(PartyId from, const Outgoing& outgoing) {
  Connection& connection = between(from, outgoing.to);
  ++counts_.frames;
  if (!connection.up) {
    ++counts_.lost;
    return;
  }
  if (character_.losses_left > 0 && chance(character_.loss)) {
    --character_.losses_left;
    ++counts_.lost;
    return;
  }
  const bool twice = chance(character_.repeat);
  counts_.repeated += twice ? 1U : 0U;
  for (int copy = 0; copy < (twice ? 2 : 1); ++copy) {
    at(now_ + Time(1) + up_to(character_.slow_ms), {.what = What::kDeliver,
                                                    .party = outgoing.to,
                                                    .peer = from,
                                                    .life = connection.life,
                                                    .frame = outgoing.frame});
  }
}

void FaultSchedule::deliver(Event& event) {
  Machine& machine = *machines_[event.party];
  const Connection& connection = between(event.party, event.peer);
  const bool broken = !connection.up || connection.life != event.life;
  if (machine.session == nullptr || (broken && !chance(character_.survive))) {
    ++counts_.lost;
    return;
  }
  if (machine.liar) event.frame = machine.liar->hear(event.peer, event.frame);
  auto taken = machine.session->receive(event.peer, event.frame, now_);
  flush_soon(event.party);
  if (!taken && !machine.liar) {
    checker_.refused(event.party, event.peer, taken.error());
    // As a driver does; the other end dials again.
    if (machines_[event.peer]->liar && chance(500)) cut(event.party, event.peer, up_to(2000));
  }
  maybe_kill_victim(event.party);
  if (machine.session != nullptr) maybe_fault(event.party);
}

}  // namespace sotto
