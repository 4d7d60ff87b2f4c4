// When a peer is dialled, and how everything ends.

#include <algorithm>
#include <cmath>

#include "network/transport_core.h"

namespace sotto::network {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Pause = std::chrono::duration<double>;

constexpr Pause kFirstPause{0.2};
constexpr Pause kLongestPause{2.5};
constexpr double kLeastPart = 0.5;   // of a pause, by chance
constexpr seconds kSteady{2};        // a connection that lasted this long was a good one
constexpr seconds kDialTimeout{12};  // gRPC's own, for each address, is 10 s
constexpr seconds kLinger{2};
constexpr seconds kLastWait{5};

}  // namespace

// The k-th pause in a row is min(0.2·2ᵏ, 2.5) seconds, less up to a half by chance, so
// that parties that lost each other together do not come back in step.
void TransportCore::schedule_redial(Line& line) {
  const auto now = Clock::now();
  if (line.open && now - line.since >= kSteady) line.failures = 0;
  const Pause longest = std::min(kLongestPause, kFirstPause * std::pow(2.0, line.failures));
  line.failures = std::min(line.failures + 1, 10);
  const double part =
      kLeastPart + (1 - kLeastPart) * static_cast<double>(jitter_.below(1024)) / 1024;
  line.due = now + std::chrono::duration_cast<Clock::duration>(longest * part);
  // Whoever dials us has pauses like ours. One that has not comes in no more often for it.
  line.admit_from = std::max(
      line.admit_from, now + std::chrono::duration_cast<Clock::duration>(longest * kLeastPart / 2));
  dials_.notify_all();
}

std::vector<Peer> TransportCore::wait_for_dials(milliseconds at_most) {
  std::unique_lock lock(mutex_);
  cancel_overdue(lock);
  bury_ended(lock);
  const auto now = Clock::now();
  auto next = now + at_most;
  std::vector<Peer> due;
  for (auto& [id, line] : lines_) {
    if (!line.peer.dial || line.stream) continue;
    if (line.due > now) {
      next = std::min(next, line.due);
      continue;
    }
    line.seen = {};
    due.push_back(line.peer);
  }
  if (due.empty() && !closing_) dials_.wait_until(lock, next);
  return due;
}

void TransportCore::cancel_overdue(std::unique_lock<std::mutex>& lock) {
  std::vector<std::shared_ptr<Stream>> overdue;
  for (const auto& [id, line] : lines_) {
    if (line.stream && !line.open && Clock::now() - line.since > kDialTimeout) {
      overdue.push_back(line.stream);
    }
  }
  lock.unlock();
  for (const auto& stream : overdue) {
    stream->cancel({grpc::StatusCode::DEADLINE_EXCEEDED, "no answer in time"});
  }
  overdue.clear();
  lock.lock();
}

void TransportCore::bury_ended(std::unique_lock<std::mutex>& lock) {
  std::vector<std::shared_ptr<Stream>> ended;
  ended.swap(ended_);
  lock.unlock();
  ended.clear();
  lock.lock();
}

void TransportCore::saw_dialled(PartyId peer, const Sighting& seen) {
  const std::lock_guard lock(mutex_);
  lines_.at(peer).seen = seen;
}

void TransportCore::close() {
  std::vector<std::shared_ptr<Stream>> open;
  std::vector<std::shared_ptr<Stream>> dialled;
  std::unique_lock lock(mutex_);
  closing_ = true;
  dials_.notify_all();
  for (const auto& [id, line] : lines_) {
    if (line.stream) (line.open ? open : dialled).push_back(line.stream);
  }
  const auto all_ended = [&] { return streams_ == 0; };
  const grpc::Status closed(grpc::StatusCode::CANCELLED, "closed");
  lock.unlock();
  for (const auto& stream : dialled) stream->cancel(closed);
  for (const auto& stream : open) stream->finish();
  lock.lock();
  if (!happened_.wait_for(lock, kLinger, all_ended)) {
    lock.unlock();
    for (const auto& stream : open) stream->cancel(closed);
    lock.lock();
    happened_.wait_for(lock, kLastWait, all_ended);
  }
  bury_ended(lock);
}

}  // namespace sotto::network
