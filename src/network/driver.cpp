// The loop: wait, take what came, commit, send.

#include "network/driver.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>

namespace sotto {
namespace {

using std::chrono::milliseconds;
using EventKind = JoinEvent::Kind;

constexpr milliseconds kTick{200};
// Events taken before a commit: one fsync for all of them, and answers are not kept waiting.
constexpr std::size_t kBatch = 256;
// Lines about one peer's refused messages: the first ones tell, more would fill a disk.
constexpr std::size_t kMaxComplaints = 20;
// How long a party may stay after its end without a word about it.
constexpr milliseconds kUnexplained{3000};
// A certificate that does not fit may be a moment's: somebody restarts with another home. So may
// another study: a neighbour that serves several may come with the wrong one first.
constexpr milliseconds kSure{3000};

class Driver {
 public:
  Driver(Session& session, Transport& transport, const std::vector<std::string>& names,
         const SteadyClock& clock, const DriverHooks& hooks)
      : session_(session), transport_(transport), names_(names), clock_(clock), hooks_(hooks) {}

  [[nodiscard]] Result<void> run() {
    SOTTO_TRY(flush());
    bool more_to_prepare = false;
    while (!session_.may_leave(clock_.now())) {
      auto event = transport_.wait(more_to_prepare ? milliseconds(0) : kTick);
      more_to_prepare = !event && hooks_.on_idle && hooks_.on_idle(session_);
      for (std::size_t taken = 0; event && taken < kBatch; ++taken) {
        handle(*event);
        event = transport_.wait(milliseconds(0));
      }
      if (event) handle(*event);
      if (final_ && session_.unbound()) return *final_;
      SOTTO_TRY(look_for_mistakes());
      session_.tick(clock_.now());
      SOTTO_TRY(look_outside());
      SOTTO_TRY(flush());
      explain_staying();
    }
    const Transport::Bytes bytes = transport_.bytes();
    tell({.kind = EventKind::kBytes,
          .text = fmt::format("sent {} bytes, received {}", bytes.sent, bytes.received),
          .bytes = bytes});
    return {};
  }

 private:
  void tell(const JoinEvent& event) const {
    if (hooks_.on_event) hooks_.on_event(event);
  }

  // Whoever wonders why a process that has its result is still there.
  void explain_staying() {
    if (stays_since_ && !session_.run().over()) stays_since_.reset();
    if (explained_ || !session_.run().over()) return;
    if (!stays_since_) stays_since_ = clock_.now();
    if (clock_.now() - *stays_since_ < kUnexplained) return;
    explained_ = true;
    tell({.kind = EventKind::kNote,
          .text = "this party's part is over; it stays until its neighbours have all that they "
                  "need from it, and then ends by itself"});
  }

  void handle(const TransportEvent& event) {
    const std::string peer = event.peer ? names_.at(*event.peer) : std::string();
    switch (event.kind) {
      case TransportEvent::Kind::kConnected:
        tell({.kind = EventKind::kConnected, .text = "connected to " + peer, .peer = peer});
        mistaken_.erase(*event.peer);
        other_study_.erase(*event.peer);
        session_.connected(*event.peer, clock_.now());
        break;
      case TransportEvent::Kind::kDisconnected:
        tell_of_loss(*event.peer, peer, event.text);
        other_study_.erase(*event.peer);
        session_.disconnected(*event.peer, clock_.now());
        break;
      case TransportEvent::Kind::kTrouble:
        hear_of_trouble(event, peer);
        break;
      case TransportEvent::Kind::kCard:
        take_card(*event.peer, event.card);
        break;
      case TransportEvent::Kind::kFrame:
        // Its card has said so, and what differs.
        if (other_study_.contains(*event.peer)) break;
        if (auto taken = session_.receive(*event.peer, event.frame, clock_.now()); !taken) {
          refuse(*event.peer, taken.error());
        }
        break;
    }
  }

  // Whoever leaves when all is over has what it wants, and nobody has to look after it.
  void tell_of_loss(PartyId id, const std::string& peer, const std::string& why) const {
    if (session_.run().over() && session_.run().said_farewell(id)) return;
    const bool over = session_.run().over();
    tell({.kind = EventKind::kLost,
          .text = over ? fmt::format("{} is away; the run is over here", peer)
                       : fmt::format("lost the connection to {}: {}", peer, why),
          .peer = peer});
  }

  void hear_of_trouble(const TransportEvent& event, const std::string& peer) {
    if (session_.run().over()) return;
    tell({.kind = EventKind::kTrouble, .text = event.text, .peer = peer});
    if (!event.peer) return;
    session_.trouble(*event.peer, event.text);
    if (event.mistaken) {
      mistaken_.try_emplace(*event.peer, event.text);
      if (mistaken_.size() == 1) mistaken_since_ = clock_.now();
    } else {
      mistaken_.erase(*event.peer);
    }
  }

  // Where no neighbour at all is, or takes us for, whom the study names, no patience helps.
  [[nodiscard]] Result<void> look_for_mistakes() const {
    for (const auto& [peer, difference] : differing_) {
      if (session_.unbound() && clock_.now() - difference.since >= kSure) return difference.error;
    }
    const bool all = !mistaken_.empty() && mistaken_.size() == session_.neighbours().size();
    if (!all || !session_.unbound() || clock_.now() - mistaken_since_ < kSure) return {};
    return bad_input("E-mistaken", mistaken_.begin()->second,
                     "compare fingerprints with the others ('sotto keys show'); a change of the "
                     "study is for everybody");
  }

  void take_card(PartyId peer, const PeerCard& card) {
    if (!card.same_study && !card.looking) other_study_.insert(peer);
    if (!card.same_study) session_.trouble(peer, "its study differs from ours");
    const auto error = hooks_.on_card ? hooks_.on_card(peer, card) : std::nullopt;
    if (error) {
      differing_.try_emplace(peer, Difference{*error, clock_.now()});
    } else if (card.same_study) {
      // Whoever has met one who agrees waits for the others.
      differing_.clear();
    }
  }

  void refuse(PartyId peer, const Refusal& refusal) {
    if (refusal.later_start > 0 && !final_) {
      final_ = refusal;
      final_->reason = std::to_string(refusal.later_start);
    }
    const std::size_t complaints = ++complaints_[peer];
    if (complaints <= kMaxComplaints) {
      tell({.kind = EventKind::kRefused,
            .text = fmt::format("refused from {}: [{}] {}; {}", names_.at(peer), refusal.name,
                                refusal.what, refusal.fix),
            .peer = names_.at(peer),
            .error = refusal});
    }
    if (refusal.knows_us_better && complaints == 1) return;
    transport_.hang_up(peer);
  }

  [[nodiscard]] Result<void> look_outside() {
    if (hooks_.interrupted && hooks_.interrupted()) {
      return failed("E-interrupted", "interrupted; nothing is lost",
                    "the same command resumes the run; sotto abort gives it up");
    }
    if (clock_.now() - last_look_ < milliseconds(1000)) return {};
    last_look_ = clock_.now();
    if (hooks_.abort_wanted && !session_.run().over() && hooks_.abort_wanted()) session_.abort();
    return {};
  }

  [[nodiscard]] Result<void> flush() {
    const bool commits = hooks_.at_commit && session_.has_staged();
    if (commits) hooks_.at_commit(CommitPoint::kBefore);
    SOTTO_ASSIGN(auto out, session_.flush(clock_.now()));
    if (commits) hooks_.at_commit(CommitPoint::kAfter);
    for (Outgoing& outgoing : out) {
      if (hooks_.on_frame) hooks_.on_frame(outgoing);
      transport_.send(outgoing.to, std::move(outgoing.frame));
    }
    if (commits) hooks_.at_commit(CommitPoint::kSent);
    for (const std::string& note : session_.take_notes()) {
      tell({.kind = EventKind::kNote, .text = note});
    }
    if (hooks_.on_progress) hooks_.on_progress(session_);
    return {};
  }

  Session& session_;
  Transport& transport_;
  const std::vector<std::string>& names_;
  const SteadyClock& clock_;
  const DriverHooks& hooks_;
  std::map<PartyId, std::size_t> complaints_;
  std::set<PartyId> other_study_;
  std::map<PartyId, std::string> mistaken_;  // neighbours: as it was said
  Time mistaken_since_{};
  struct Difference {
    Error error;
    Time since;
  };
  std::map<PartyId, Difference> differing_;  // who came with another study, and has not with ours
  std::optional<Error> final_;               // what no waiting mends
  Time last_look_{};
  std::optional<Time> stays_since_;
  bool explained_ = false;
};

}  // namespace

Result<void> drive(Session& session, Transport& transport, const std::vector<std::string>& names,
                   const SteadyClock& clock, const DriverHooks& hooks) {
  return Driver(session, transport, names, clock, hooks).run();
}

}  // namespace sotto
