// What two ends show each other when a stream opens: do they mean the same study, and what time is
// it there?

#include <link.pb.h>

#include <algorithm>

#include "base/digest.h"
#include "network/transport_core.h"

namespace sotto::network {
namespace {

using std::chrono::milliseconds;

// Of one connection: ours is asked for once, and theirs answered once.
constexpr std::size_t kMostCards = 4;
// Clocks beyond this are made up.
constexpr std::int64_t kMostClockMs = std::int64_t{1} << 46;

std::int64_t system_ms() {
  return std::chrono::duration_cast<milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

bool believable(std::int64_t clock) {
  return clock >= 0 && clock < kMostClockMs;
}

}  // namespace

std::string TransportCore::study() const {
  return to_hex(greeting_.study);
}

std::string TransportCore::own_card(bool asks) const {
  Card card;
  card.set_protocol(greeting_.protocol);
  card.set_study(greeting_.study);
  card.set_waiting_ms(static_cast<std::uint64_t>(
      std::chrono::duration_cast<milliseconds>(Clock::now() - begun_).count()));
  card.set_looking(greeting_.looking);
  if (asks) card.set_asked_ms(system_ms());
  return card.SerializeAsString();
}

// Before anybody hears that the stream is open, and sends: a frame of another study that comes
// before its card is refused without a word of what differs.
void TransportCore::show_own_card(Stream& stream) const {
  if (!greeting_.study.empty()) stream.show(own_card(true));
}

// ahead = their clock − ½(asked + now), and neither leg of the way can be longer than all of it.
void TransportCore::stream_card(Stream& stream, const std::string& bytes) {
  const std::int64_t now = system_ms();
  Card card;
  {
    const std::lock_guard lock(mutex_);
    Line* line = line_of(stream);
    const bool heard = !closing_ && line != nullptr && !greeting_.study.empty();
    if (!heard || ++line->cards > kMostCards || !card.ParseFromString(bytes)) return;
    TransportEvent event;
    event.kind = TransportEvent::Kind::kCard;
    event.peer = line->peer.id;
    event.card.protocol = card.protocol();
    event.card.same_study = card.study() == greeting_.study;
    event.card.looking = card.looking();
    event.card.waiting = milliseconds(std::min<std::uint64_t>(card.waiting_ms(), kMostClockMs));
    event.card.own_waiting = std::chrono::duration_cast<milliseconds>(Clock::now() - begun_);
    const bool answer = card.echo_ms() > 0 && believable(card.echo_ms()) &&
                        believable(card.clock_ms()) && card.echo_ms() <= now;
    event.card.answer = answer;
    if (answer) {
      event.card.clock_ahead = milliseconds(card.clock_ms() - (card.echo_ms() + now) / 2);
      event.card.uncertainty = milliseconds((now - card.echo_ms() + 1) / 2 + 1);
      if (!event.card.same_study && card.lines().size() <= kMaxStudyLinesBytes) {
        event.card.study_lines = card.lines();
      }
    }
    // The newest says all: whoever shows one after the other while nobody looks fills no memory.
    std::erase_if(events_, [&](const TransportEvent& other) {
      return other.kind == event.kind && other.peer == event.peer &&
             other.card.answer == event.card.answer;
    });
    events_.push_back(std::move(event));
    happened_.notify_all();
  }
  if (card.asked_ms() == 0) return;
  Card reply;
  std::ignore = reply.ParseFromString(own_card(false));
  reply.set_echo_ms(card.asked_ms());
  reply.set_clock_ms(system_ms());
  if (card.study() != greeting_.study && greeting_.study_lines.size() <= kMaxStudyLinesBytes) {
    reply.set_lines(greeting_.study_lines);
  }
  stream.show(reply.SerializeAsString());
}

}  // namespace sotto::network
