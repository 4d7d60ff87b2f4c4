// Streams come, bring frames and go: what each of that does to the lines.

#include "network/transport_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/check.h"
#include "network/transport_messages.h"

namespace sotto::network {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Kind = TransportEvent::Kind;

constexpr seconds kPauseAfterHangUp{5};
constexpr milliseconds kPauseBetweenStreams{50};  // of one peer: so often it may come back
constexpr std::size_t kStrangersTold = 32;

grpc::Status hung_up(const std::string& why) {
  return {grpc::StatusCode::ABORTED, why};
}

}  // namespace

TransportCore::TransportCore(std::vector<Peer> peers, const TransportLimits& limits,
                             Greeting greeting, std::string own_fingerprint)
    : limits_(limits),
      greeting_(std::move(greeting)),
      own_fingerprint_(std::move(own_fingerprint)) {
  for (Peer& peer : peers) {
    by_fingerprint_.emplace(peer.fingerprint, peer.id);
    if (!peer.other_fingerprint.empty()) by_fingerprint_.emplace(peer.other_fingerprint, peer.id);
    lines_[peer.id].peer = std::move(peer);
  }
}

void TransportCore::send(PartyId to, std::string frame) {
  std::shared_ptr<Stream> stream;
  {
    const std::lock_guard lock(mutex_);
    const auto line = lines_.find(to);
    check(line != lines_.end(), "frames go to neighbours");
    if (!line->second.open) return;
    if (frame.size() > limits_.frame_bytes) {
      tell(line->second, fmt::format("a frame of {} bytes for {} was not sent: {} is the limit",
                                     frame.size(), line->second.peer.name, limits_.frame_bytes));
      return;
    }
    stream = line->second.stream;
  }
  if (stream->send(std::move(frame))) return;
  {
    const std::lock_guard lock(mutex_);
    Line* line = line_of(*stream);
    if (line == nullptr) return;
    stream = detach(*line, fmt::format("{} does not take what is sent to it: more than {} bytes "
                                       "are waiting",
                                       line->peer.name, limits_.queued_bytes));
  }
  stream->cancel(hung_up("too much is waiting for you"));
}

void TransportCore::hang_up(PartyId peer) {
  std::shared_ptr<Stream> stream;
  {
    const std::lock_guard lock(mutex_);
    const auto found = lines_.find(peer);
    check(found != lines_.end(), "connections are to neighbours");
    Line& line = found->second;
    std::erase_if(events_, [&](const TransportEvent& event) {
      return event.kind == Kind::kFrame && event.peer == peer;
    });
    line.untaken_bytes = 0;
    line.admit_from = Clock::now() + kPauseAfterHangUp;
    if (line.open) stream = detach(line, fmt::format("we hung up on {}", line.peer.name));
    line.due = line.admit_from;
  }
  if (stream) stream->cancel(hung_up("what you said was not right"));
}

std::optional<TransportEvent> TransportCore::wait(milliseconds at_most) {
  TransportEvent event;
  std::shared_ptr<Stream> stalled;
  {
    std::unique_lock lock(mutex_);
    // Who dials nobody has no other thread that would.
    bury_ended(lock);
    if (!happened_.wait_for(lock, at_most, [&] { return !events_.empty(); })) return std::nullopt;
    event = std::move(events_.front());
    events_.pop_front();
    if (event.kind == Kind::kFrame) {
      Line& line = lines_.at(*event.peer);
      line.untaken_bytes -= frame_cost(event.frame);
      if (line.open && line.untaken_bytes <= limits_.frame_bytes) stalled = line.stream;
    }
  }
  if (stalled) stalled->resume();
  return event;
}

Transport::Bytes TransportCore::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

TransportCore::Admission TransportCore::admit(const std::string& fingerprint,
                                              const std::string& meant) {
  const std::lock_guard lock(mutex_);
  const auto known = by_fingerprint_.find(fingerprint);
  if (known == by_fingerprint_.end()) {
    return {.refusal = {grpc::StatusCode::UNAUTHENTICATED, "the study does not name you"}};
  }
  Line& line = lines_.at(known->second);
  if (line.peer.dial) {
    tell(line, fmt::format("{} dials us, and the study has us dial it", line.peer.name));
    return {.refusal = {grpc::StatusCode::FAILED_PRECONDITION, "the study has us dial you"}};
  }
  const auto now = Clock::now();
  // One of another study of its may be told what differs, and takes nobody's place.
  const bool another = !greeting_.study.empty() && !meant.empty() && meant != study();
  if (closing_ || now < line.admit_from || (another && line.open)) {
    return {.refusal = {grpc::StatusCode::UNAVAILABLE, kComeBackLater}};
  }
  line.admit_from = now + kPauseBetweenStreams;
  return {.peer = known->second, .refusal = {}};
}

bool TransportCore::attach(const std::shared_ptr<Stream>& stream, bool open) {
  if (open) show_own_card(*stream);
  std::shared_ptr<Stream> replaced;
  {
    const std::lock_guard lock(mutex_);
    if (closing_) return false;
    Line& line = lines_.at(stream->peer);
    if (line.open) replaced = detach(line, fmt::format("{} dialled again", line.peer.name));
    ++streams_;
    line.stream = stream;
    line.since = Clock::now();
    if (open) opened(line);
  }
  if (replaced) replaced->cancel(hung_up("you dialled again"));
  return true;
}

bool TransportCore::knows(const std::string& fingerprint) const {
  return by_fingerprint_.contains(fingerprint);
}

void TransportCore::saw_stranger(const Sighting& seen) {
  const std::lock_guard lock(mutex_);
  // Whoever makes up certificates by the thousand fills neither memory nor screen.
  if (strangers_.size() >= kStrangersTold || !strangers_.insert(seen.fingerprint).second) return;
  std::string text = stranger(seen);
  if (strangers_.size() == kStrangersTold) text += " (further strangers will not be told of)";
  push(Kind::kTrouble, std::nullopt, std::move(text));
}

void TransportCore::stream_open(Stream& stream) {
  show_own_card(stream);
  const std::lock_guard lock(mutex_);
  Line* line = line_of(stream);
  if (line != nullptr && !closing_) opened(*line);
}

void TransportCore::stream_frame(Stream& stream, std::string frame) {
  std::shared_ptr<Stream> dropped;
  {
    const std::lock_guard lock(mutex_);
    Line* line = line_of(stream);
    if (closing_ || line == nullptr) return;
    if (frame.size() <= limits_.frame_bytes) {
      bytes_.received += frame.size();
      line->untaken_bytes += frame_cost(frame);
      events_.push_back(
          {.kind = Kind::kFrame, .peer = line->peer.id, .frame = std::move(frame), .text = {}});
      happened_.notify_all();
      return;
    }
    dropped = detach(*line, fmt::format("{} sent a frame of {} bytes: {} is the limit",
                                        line->peer.name, frame.size(), limits_.frame_bytes));
  }
  dropped->cancel({grpc::StatusCode::RESOURCE_EXHAUSTED, "your frame is too large"});
}

bool TransportCore::has_room(const Stream& stream) {
  const std::lock_guard lock(mutex_);
  return closing_ || lines_.at(stream.peer).untaken_bytes <= limits_.frame_bytes;
}

void TransportCore::stream_sent(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  bytes_.sent += bytes;
}

void TransportCore::stream_ended(std::shared_ptr<Stream> stream, const grpc::Status& status) {
  const std::lock_guard lock(mutex_);
  if (Line* line = line_of(*stream); line != nullptr && line->open) {
    std::ignore = detach(*line, lost_connection(line->peer, status));
  } else if (line != nullptr) {
    line->stream.reset();
    schedule_redial(*line);
    if (!closing_) {
      DialFailure failure = dial_failure(line->peer, status, line->seen, own_fingerprint_);
      tell(*line, std::move(failure.text), failure.lasting, failure.mistaken);
    }
  }
  ended_.push_back(std::move(stream));
  --streams_;
  happened_.notify_all();
  dials_.notify_all();
}

TransportCore::Line* TransportCore::line_of(const Stream& stream) {
  Line& line = lines_.at(stream.peer);
  return line.stream.get() == &stream ? &line : nullptr;
}

void TransportCore::push(Kind kind, std::optional<PartyId> peer, std::string text, bool lasting,
                         bool mistaken) {
  events_.push_back({.kind = kind,
                     .peer = peer,
                     .frame = {},
                     .text = std::move(text),
                     .lasting = lasting,
                     .mistaken = mistaken});
  happened_.notify_all();
}

void TransportCore::opened(Line& line) {
  line.open = true;
  line.since = Clock::now();
  line.cards = 0;
  line.told.clear();
  push(Kind::kConnected, line.peer.id, fmt::format("{} is connected", line.peer.name));
}

void TransportCore::tell(Line& line, std::string text, bool lasting, bool mistaken) {
  if (line.told == text) return;
  line.told = text;
  push(Kind::kTrouble, line.peer.id, std::move(text), lasting, mistaken);
}

std::shared_ptr<Stream> TransportCore::detach(Line& line, std::string text) {
  push(Kind::kDisconnected, line.peer.id, std::move(text));
  schedule_redial(line);
  line.open = false;
  return std::exchange(line.stream, nullptr);
}

}  // namespace sotto::network
