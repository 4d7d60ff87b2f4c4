#pragma once

#include <grpcpp/support/status.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "network/tls.h"
#include "network/transport.h"

namespace sotto::network {

// What a frame costs besides its bytes, so that empty frames are not free.
inline constexpr std::size_t kFrameOverheadBytes = 256;
[[nodiscard]] inline std::size_t frame_cost(const std::string& frame) {
  return frame.size() + kFrameOverheadBytes;
}

// One gRPC stream, at either end. Keeps itself alive until it has ended. All
// members may be called from any thread at any time.
class Stream : public std::enable_shared_from_this<Stream> {
 public:
  explicit Stream(PartyId to) : peer(to) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  virtual ~Stream() = default;

  // False if too much is waiting already.
  [[nodiscard]] virtual bool send(std::string frame) = 0;
  // A card, before or between frames.
  virtual void show(std::string card) = 0;
  // Reads on, if reading was stopped.
  virtual void resume() = 0;
  // Ends in peace, after what is queued. What still comes in is heard of.
  virtual void finish() = 0;
  // Ends now. The other end is told why, where that is possible.
  virtual void cancel(const grpc::Status& why) = 0;

  const PartyId peer;
};

// What the transport knows: who is connected, what happened, whom to dial when.
// Outlives the transport for as long as gRPC holds a stream of it.
class TransportCore {
 public:
  using Clock = std::chrono::steady_clock;

  TransportCore(std::vector<Peer> peers, const TransportLimits& limits, Greeting greeting,
                std::string own_fingerprint);

  // The transport's own members.
  void send(PartyId to, std::string frame);
  void hang_up(PartyId peer);
  [[nodiscard]] std::optional<TransportEvent> wait(std::chrono::milliseconds at_most);
  [[nodiscard]] Transport::Bytes bytes() const;

  // Somebody with this certificate opened a stream to us, and means this study (in hexadecimal;
  // empty if it does not say): its peer, unless there is a reason to refuse it. Then attach()
  // follows.
  struct Admission {
    PartyId peer = 0;
    grpc::Status refusal;
  };
  [[nodiscard]] Admission admit(const std::string& fingerprint, const std::string& meant);
  // The stream of its peer from now on; an older one is ended. False when closing.
  [[nodiscard]] bool attach(const std::shared_ptr<Stream>& stream, bool open);

  // Peers whose time to be dialled has come; attach() must follow for each. Waits a
  // while if there are none, and may return none.
  [[nodiscard]] std::vector<Peer> wait_for_dials(std::chrono::milliseconds at_most);

  [[nodiscard]] bool knows(const std::string& fingerprint) const;
  [[nodiscard]] std::string study() const;  // hexadecimal
  void saw_stranger(const Sighting& seen);
  void saw_dialled(PartyId peer, const Sighting& seen);

  // No new streams; those there are end in peace, then by force.
  void close();

  // Hears of streams, from gRPC's threads; of one stream never twice at the same time.
  // The other end has taken the call that we dialled.
  void stream_open(Stream& stream);
  void stream_frame(Stream& stream, std::string frame);
  void stream_card(Stream& stream, const std::string& bytes);
  // Whether to read on; if not, somebody will resume() when there is room.
  [[nodiscard]] bool has_room(const Stream& stream);
  void stream_sent(std::size_t bytes);
  // The last that is heard of it. OK: the other end left in peace. Not to be destroyed
  // in here: the last channel must not go in one of gRPC's threads, which would then
  // wait for itself.
  void stream_ended(std::shared_ptr<Stream> stream, const grpc::Status& status);

 private:
  // The edge to one neighbour.
  struct Line {
    Peer peer;
    std::shared_ptr<Stream> stream;  // open, or being dialled
    bool open = false;
    Clock::time_point since;       // opened, or dialled
    Clock::time_point due;         // dialled again
    Clock::time_point admit_from;  // not let in before
    int failures = 0;              // in a row
    std::size_t untaken_bytes = 0;
    std::size_t cards = 0;  // of this connection
    Sighting seen;          // in this attempt's handshake
    std::string told;       // the last trouble, so as not to repeat it
  };

  // These without the lock.
  [[nodiscard]] std::string own_card(bool asks) const;
  void show_own_card(Stream& stream) const;
  // All of these with the lock held.
  [[nodiscard]] Line* line_of(const Stream& stream);  // null if another has replaced it
  void push(TransportEvent::Kind kind, std::optional<PartyId> peer, std::string text,
            bool lasting = false, bool mistaken = false);
  void tell(Line& line, std::string text, bool lasting = false, bool mistaken = false);
  void schedule_redial(Line& line);
  void opened(Line& line);  // after show_own_card()
  // Takes the stream from its line and says so; the caller cancels what it gets, when
  // the lock is gone.
  [[nodiscard]] std::shared_ptr<Stream> detach(Line& line, std::string text);
  // These let go of the lock for a while.
  void cancel_overdue(std::unique_lock<std::mutex>& lock);
  void bury_ended(std::unique_lock<std::mutex>& lock);

  const TransportLimits limits_;
  const Greeting greeting_;
  const std::string own_fingerprint_;
  const Clock::time_point begun_ = Clock::now();
  std::map<std::string, PartyId> by_fingerprint_;

  mutable std::mutex mutex_;
  std::condition_variable happened_;  // an event, a stream's end
  std::condition_variable dials_;
  std::map<PartyId, Line> lines_;
  std::deque<TransportEvent> events_;
  std::set<std::string> strangers_;
  std::size_t streams_ = 0;  // that have not ended
  std::vector<std::shared_ptr<Stream>> ended_;
  bool closing_ = false;
  Transport::Bytes bytes_;
  OsRandom jitter_;  // of pauses; nothing depends on its being unguessable
};

}  // namespace sotto::network
