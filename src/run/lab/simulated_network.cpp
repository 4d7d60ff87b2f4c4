// Processes that die and come back, frames that are late, lost or doubled, and a clock.
#include "run/lab/simulated_network.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "run/account.h"
#include "run/join/join.h"
#include "session/wire.h"

namespace sotto {
namespace {

constexpr std::int64_t kMicrosPerMs = 1000;
constexpr std::int64_t kTick = 100 * kMicrosPerMs;
constexpr std::int64_t kLongestRun = std::int64_t{40} * 86'400 * 1'000'000;  // forty days
// Streams of the seed: one for faults, one each for what parties draw.
constexpr std::uint64_t kFaultStream = 0;
constexpr std::uint64_t kFirstPartyStream = 1;
constexpr std::uint64_t kFrameOverheadBytes = 60;  // of HTTP/2, TLS and TCP, about

// The ideal cipher, with as many entries in a plaintext as Paillier's has.
class IdealPaillier final : public Cipher {
 public:
  explicit IdealPaillier(std::size_t key_bits) : key_bits_(key_bits) {}
  [[nodiscard]] std::unique_ptr<DecryptionKey> generate(RandomSource& random) const override {
    return ideal_cipher().generate(random);
  }
  [[nodiscard]] Result<std::unique_ptr<EncryptionKey>> read_key(
      std::string_view serialised) const override {
    return ideal_cipher().read_key(serialised);
  }
  [[nodiscard]] std::optional<std::size_t> plaintext_bits() const override {
    return paillier_plaintext_bits(key_bits_);
  }

 private:
  std::size_t key_bits_;
};

}  // namespace

Result<void> SimulatedJournal::commit() {
  kept_.insert(kept_.end(), std::make_move_iterator(staged_.begin()),
               std::make_move_iterator(staged_.end()));
  staged_.clear();
  return {};
}

FaultNetwork::FaultNetwork(const PlannedStudy& planned, const Costs& costs,
                           const FaultTerms& faults)
    : planned_(planned),
      faults_(faults),
      cost_(cipher_cost(planned.study)),
      cipher_(std::make_shared<IdealPaillier>(planned.study.dishuf.key_bits)),
      random_(faults.seed, kFaultStream) {
  const std::size_t parties = planned.study.graph().size();
  check(costs.size() == parties, "one cost per party");
  ends_.resize(parties);
  if (faults.rushing) rushing_.emplace(*faults.rushing, parties);
  for (PartyId p = 0; p < parties; ++p) {
    auto made = PartyRun::simulated(planned, p, costs[p], cipher_);
    if (!made) {
      unmade_ = made.error();
      return;
    }
    machines_.push_back(std::make_unique<Machine>(p, std::move(*made)));
    SeededRandom own(faults.seed, kFirstPartyStream + p);
    machines_.back()->key = simulated_key(own);
    at(static_cast<Micros>(uniform() * faults.start_seconds * 1e6),
       {.what = What::kStart, .party = p});
  }
  // Spread over the frames of a run without trouble.
  const double frames =
      static_cast<double>(planned.plan.traffic.messages) * static_cast<double>(parties);
  for (std::size_t k = 0; k < faults.crashes; ++k) {
    crash_at_.insert(static_cast<std::uint64_t>(uniform() * 0.8 * frames));
  }
}

Result<void> FaultNetwork::run() {
  if (unmade_) return *unmade_;
  const auto all_gone = [&] {
    return std::ranges::all_of(machines_, [](const auto& machine) { return machine->gone; });
  };
  while (!all_gone()) {
    if (events_.empty() || now_ > kLongestRun ||
        static_cast<double>(counts_.frames) > 20 * kMaxFaultFrames) {
      return bad_input("E-faults-long", "the simulated run does not come to an end",
                       "fewer losses or crashes, or shorter delays")
          .at("[faults]");
    }
    auto next = events_.extract(events_.begin());
    now_ = next.key().first;
    SOTTO_TRY(happen(next.mapped()));
  }
  return {};
}

FaultReport FaultNetwork::counts() const {
  FaultReport report = counts_;
  report.parties = machines_.size();
  for (const auto& machine : machines_) {
    report.attempts = std::max<std::uint64_t>(report.attempts, machine->attempts.size());
    report.most_bytes = std::max(report.most_bytes, machine->bytes);
    report.bytes += machine->bytes;
    report.cipher_seconds = std::max(report.cipher_seconds, machine->computed_ms / 1e3);
  }
  return report;
}

double FaultNetwork::uniform() {
  return static_cast<double>((random_.bits64() >> 11) + 1) * 0x1p-53;
}

FaultNetwork::Micros FaultNetwork::travel() {
  const double beyond = faults_.jitter_ms > 0 ? -faults_.jitter_ms * std::log(uniform()) : 0;
  return static_cast<Micros>((faults_.latency_ms + beyond) * kMicrosPerMs) + 1;
}

FaultNetwork::Connection& FaultNetwork::between(PartyId a, PartyId b) {
  return connections_[std::minmax(a, b)];
}

void FaultNetwork::at(Micros when, Event event) {
  event.order = order_++;
  put_off(when, std::move(event));
}

void FaultNetwork::put_off(Micros until, Event event) {
  const std::pair key{until, event.order};
  check(events_.emplace(key, std::move(event)).second, "an event happens once");
}

Result<void> FaultNetwork::happen(Event& event) {
  Machine& machine = *machines_[event.party];
  const bool of_this_life = machine.session != nullptr && machine.life == event.life;
  switch (event.what) {
    case What::kStart:
      return start(event.party);
    case What::kConnect:
      connect(event.party, event.peer);
      return {};
    case What::kEndUp:
      end_up(event);
      return {};
    case What::kEndDown:
      end_down(event);
      return {};
    case What::kDeliver:
      deliver(event);
      return {};
    case What::kFlush:
      return of_this_life ? flush(event.party) : Result<void>{};
    case What::kTick:
      if (of_this_life) {
        machine.session->tick(now_ms());
        flush_soon(event.party);
        at(now_ + kTick, std::move(event));
      }
      return {};
  }
  return {};
}

Result<void> FaultNetwork::start(PartyId p) {
  Machine& machine = *machines_[p];
  if (machine.gone || machine.session != nullptr) return {};
  SessionTerms terms = session_terms(planned_.study, planned_.plan, p,
                                     debit_of(planned_.study, planned_.plan, "simulated"));
  terms.data_digest = machine.run.data_digest();
  terms.limits = machine.run.limits();
  if (faults_.transport == FaultTransport::kFrames) terms.resend = kResendFrames;
  SOTTO_ASSIGN(machine.session,
               Session::open(
                   std::move(terms), machine.signer, machine.journal,
                   [&machine](std::span<const PartyId> members, const AttemptKeys& keys) {
                     machine.attempts.insert(keys.draws);
                     return machine.run.take_part(members, keys);
                   },
                   *machine.key, now_ms()));
  machine.flush_due = false;
  flush_soon(p);
  at(now_ + kTick, {.what = What::kTick, .party = p, .life = machine.life});
  for (const PartyId neighbour : planned_.study.graph().neighbours(p)) {
    at(now_ + travel(), {.what = What::kConnect, .party = p, .peer = neighbour});
  }
  return {};
}

void FaultNetwork::crash(PartyId p) {
  Machine& machine = *machines_[p];
  ++counts_.crashes;
  machine.session.reset();
  machine.journal.crash();
  ++machine.life;
  machine.busy_until = 0;
  for (const PartyId neighbour : planned_.study.graph().neighbours(p)) {
    break_connection(p, neighbour);
  }
  at(now_ + static_cast<Micros>(faults_.restart_seconds * 1e6) + 1,
     {.what = What::kStart, .party = p});
}

// Notes how the party's run has ended; it may still be needed by others.
void FaultNetwork::finish(PartyId p) {
  const session::RunCore& run = machines_[p]->session->run();
  End& end = ends_[p];
  if (end.over || !run.over()) return;
  end = {.over = true,
         .error = run.error() ? run.error()->name : "",
         .members = run.members(),
         .result = {},
         .transcript = {},
         .seconds = static_cast<double>(now_) / 1e6};
  if (run.phase() == Phase::kFinished) {
    end.result = run.result();
    end.transcript = run.transcript_hash();
  }
}

void FaultNetwork::flush_soon(PartyId p) {
  Machine& machine = *machines_[p];
  if (std::exchange(machine.flush_due, true)) return;
  at(now_, {.what = What::kFlush, .party = p, .life = machine.life});
}

Result<void> FaultNetwork::flush(PartyId p) {
  Machine& machine = *machines_[p];
  machine.flush_due = false;
  SOTTO_ASSIGN(const auto out, machine.session->flush(now_ms()));
  for (const Outgoing& outgoing : out) {
    if (!rushing_ || p != *faults_.rushing) {
      send(p, outgoing);
    } else if (const auto said = rushing_->say(outgoing.frame)) {
      send(p, {.to = outgoing.to, .frame = *said});
    }
  }
  finish(p);
  if (!machine.session->may_leave(now_ms())) return {};
  machine.session.reset();
  machine.gone = true;
  for (const PartyId neighbour : planned_.study.graph().neighbours(p)) {
    break_connection(p, neighbour);
  }
  return {};
}

void FaultNetwork::connect(PartyId a, PartyId b) {
  Connection& connection = between(a, b);
  const bool both = machines_[a]->session != nullptr && machines_[b]->session != nullptr;
  if (connection.up || !both) return;  // whoever comes back dials again
  connection.up = true;
  connection.last_arrival.clear();
  ++connection.life;
  for (const auto& [end, other] : {std::pair{a, b}, std::pair{b, a}}) {
    at(now_ + travel(),
       {.what = What::kEndUp, .party = end, .peer = other, .life = connection.life});
  }
}

void FaultNetwork::end_up(const Event& event) {
  Connection& connection = between(event.party, event.peer);
  Machine& machine = *machines_[event.party];
  if (!connection.up || connection.life != event.life || machine.session == nullptr) return;
  if (connection.noticed[event.party]) machine.session->disconnected(event.peer, now_ms());
  connection.noticed[event.party] = true;
  machine.session->connected(event.peer, now_ms());
  flush_soon(event.party);
}

void FaultNetwork::end_down(const Event& event) {
  Connection& connection = between(event.party, event.peer);
  Machine& machine = *machines_[event.party];
  if (connection.life != event.life || machine.session == nullptr) return;
  if (std::exchange(connection.noticed[event.party], false)) {
    machine.session->disconnected(event.peer, now_ms());
  }
}

void FaultNetwork::break_connection(PartyId a, PartyId b) {
  Connection& connection = between(a, b);
  for (const PartyId end : {a, b}) {
    if (machines_[end]->session == nullptr) connection.noticed[end] = false;
  }
  if (!std::exchange(connection.up, false)) return;
  for (const auto& [end, other] : {std::pair{a, b}, std::pair{b, a}}) {
    at(now_ + travel(),
       {.what = What::kEndDown, .party = end, .peer = other, .life = connection.life});
  }
}

FaultNetwork::Weight FaultNetwork::weigh(const std::string& frame) const {
  Weight weight{.bytes = frame.size() + kFrameOverheadBytes};
  const auto read = session::parse<wire::Frame>(frame);
  if (!read) return weight;
  weight.number = read->number();
  const auto body = session::parse<wire::Body>(read->body());
  if (!body || !body->has_step()) return weight;
  const std::size_t key_bytes = planned_.study.dishuf.key_bits / 8;
  const auto stretch = [&](const auto& ciphertexts) {
    for (const std::string& each : ciphertexts) {
      weight.bytes += 2 * key_bytes - std::min(each.size(), 2 * key_bytes);
    }
    return static_cast<std::size_t>(ciphertexts.size());
  };
  if (body->step().has_shuffle_offer()) {
    weight.made = stretch(body->step().shuffle_offer().negated());
    weight.bytes += key_bytes;
  } else if (body->step().has_shuffle_reply()) {
    weight.answered = stretch(body->step().shuffle_reply().scaled());
  }
  return weight;
}

void FaultNetwork::send(PartyId from, const Outgoing& outgoing) {
  Machine& machine = *machines_[from];
  Connection& connection = between(from, outgoing.to);
  const Weight weight = weigh(outgoing.frame);
  ++counts_.frames;
  machine.bytes += weight.bytes;
  std::uint64_t& last = machine.numbered[outgoing.to];
  const bool again = weight.number > 0 && weight.number <= last;
  counts_.resent += again ? 1U : 0U;
  last = std::max(last, weight.number);
  if (!again) {
    double computed = static_cast<double>(weight.made) * cost_.make_ms +
                      static_cast<double>(weight.answered) * cost_.answer_ms;
    if (weight.made > 0) computed += cost_.key_pair_ms;
    machine.computed_ms += computed;
    machine.busy_until =
        std::max(machine.busy_until, now_) + static_cast<Micros>(computed * kMicrosPerMs);
  }
  // The line takes one frame after another, once it has been computed.
  const auto sending =
      static_cast<Micros>(static_cast<double>(weight.bytes) * 8 / faults_.bandwidth_mbit);
  machine.sending_until =
      std::max({machine.sending_until, again ? now_ : machine.busy_until, now_}) + sending;
  if (!connection.up) return lose(from, outgoing.to);
  const auto arrive = [&](Micros when) {
    at(when, {.what = What::kDeliver,
              .party = outgoing.to,
              .peer = from,
              .life = connection.life,
              .frame = outgoing.frame});
  };
  if (faults_.transport == FaultTransport::kStream) {
    return arrive(arrival(machine, connection, outgoing.to, weight.bytes, machine.sending_until));
  }
  if (uniform() <= faults_.loss) return lose(from, outgoing.to);
  const bool twice = uniform() <= faults_.repeats;
  counts_.repeated += twice ? 1U : 0U;
  for (int copy = 0; copy < (twice ? 2 : 1); ++copy) arrive(machine.sending_until + travel());
}

FaultNetwork::Micros FaultNetwork::arrival(Machine& sender, Connection& connection, PartyId to,
                                           std::uint64_t bytes, Micros leaves) {
  double timeout_ms = kFirstTimeoutMs + 2 * (2 * faults_.latency_ms + 2 * faults_.jitter_ms);
  while (uniform() <= faults_.loss) {
    ++counts_.lost_frames;
    ++counts_.resent;
    ++counts_.frames;
    sender.bytes += bytes;
    leaves += static_cast<Micros>(timeout_ms * kMicrosPerMs);
    timeout_ms = std::max(timeout_ms, std::min(2 * timeout_ms, kLastTimeoutMs));
  }
  Micros& last = connection.last_arrival[to];
  last = std::max(last, leaves + travel());
  return last;
}

// What goes to or from somebody whose run is over misses nobody.
void FaultNetwork::lose(PartyId from, PartyId to) {
  if (!machines_[from]->gone && !machines_[to]->gone) ++counts_.lost_frames;
}

void FaultNetwork::deliver(Event& event) {
  Machine& machine = *machines_[event.party];
  const Connection& connection = between(event.party, event.peer);
  if (machine.session == nullptr || !connection.up || connection.life != event.life) {
    return lose(event.peer, event.party);
  }
  if (now_ < machine.busy_until) return put_off(machine.busy_until, std::move(event));
  if (rushing_ && event.party == *faults_.rushing) rushing_->hear(event.frame);
  const std::uint64_t before = machine.session->run().steps();
  // A refusal is of a frame that came too late to matter; the links repeat what does.
  if (const auto taken = machine.session->receive(event.peer, event.frame, now_ms()); !taken) {
    return flush_soon(event.party);
  }
  if (const Weight weight = weigh(event.frame);
      weight.answered > 0 && machine.session->run().steps() > before) {
    const double computed = static_cast<double>(weight.answered) * cost_.read_ms;
    machine.computed_ms += computed;
    machine.busy_until = now_ + static_cast<Micros>(computed * kMicrosPerMs);
  }
  flush_soon(event.party);
  ++delivered_;
  if (!crash_at_.empty() && delivered_ > *crash_at_.begin()) {
    crash_at_.erase(crash_at_.begin());
    crash(event.party);
  }
}

}  // namespace sotto
