#pragma once

#include <grpcpp/grpcpp.h>
#include <link.grpc.pb.h>

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>

#include "network/transport_core.h"

namespace sotto::network {

// Of a call: which study the caller means.
inline constexpr const char* kStudyMetadata = "sotto-study";

// What both ends have in common: the queue, and when the call may be given up.
//
// gRPC wants no operation after the last one (RemoveHold at the end that dialled,
// Finish at the other). Whoever is about to start one holds a pin; the call is given
// up when it is closed and the last pin has gone. No lock is held while gRPC or the
// owner is called.
template <class Reactor>
class ReactorStream : public Stream, public Reactor {
 public:
  ReactorStream(PartyId to, std::shared_ptr<TransportCore> owner, std::size_t queue_limit_bytes)
      : Stream(to), owner_(std::move(owner)), queue_limit_bytes_(queue_limit_bytes) {}

  bool send(std::string frame) final {
    Packet packet;
    packet.set_frame(std::move(frame));
    return enqueue(std::move(packet));
  }

  void show(std::string card) final {
    Packet packet;
    packet.set_card(std::move(card));
    std::ignore = enqueue(std::move(packet));
  }

  void resume() final {
    {
      const std::lock_guard lock(mutex_);
      if (closed_ || !paused_) return;
      paused_ = false;
      ++pins_;
    }
    Reactor::StartRead(&incoming_);
    unpin();
  }

  void finish() final {
    {
      const std::lock_guard lock(mutex_);
      finishing_ = true;
    }
    resume();
    write_next();
  }

  void cancel(const grpc::Status& why) final {
    bool now = false;
    {
      const std::lock_guard lock(mutex_);
      if (closed_) return;
      closed_ = true;
      status_ = why;
      ++pins_;
      now = writing_ || !says_goodbye();
    }
    if (now) try_cancel();
    unpin();
  }

  void OnReadDone(bool ok) final {
    if (!ok) {
      shut();
      return;
    }
    if (incoming_.card().empty()) {
      owner_->stream_frame(*this, std::move(*incoming_.mutable_frame()));
    } else {
      owner_->stream_card(*this, incoming_.card());
    }
    // In this order: only now may somebody else resume() and start the next read, and
    // whoever made room before now has found nothing to resume.
    {
      const std::lock_guard lock(mutex_);
      paused_ = true;
    }
    if (owner_->has_room(*this)) resume();
  }

  void OnWriteDone(bool ok) final {
    std::size_t sent_bytes = 0;
    {
      const std::lock_guard lock(mutex_);
      writing_ = false;
      sent_bytes = outgoing_.frame().size();
      queued_bytes_ -= packet_cost(outgoing_);
      outgoing_.Clear();
    }
    if (ok) {
      owner_->stream_sent(sent_bytes);
      write_next();
    } else {
      // The other end has ended the call, or is gone. The end that dialled hears of it only when
      // all that was said before has been read: reading goes on until there is no more.
      {
        const std::lock_guard lock(mutex_);
        half_closed_ = true;
      }
      resume();
    }
    unpin();
  }

 protected:
  [[nodiscard]] bool enqueue(Packet packet) {
    {
      const std::lock_guard lock(mutex_);
      if (closed_ || finishing_ || half_closed_) return true;
      if (queued_bytes_ + packet_cost(packet) > queue_limit_bytes_) return false;
      queued_bytes_ += packet_cost(packet);
      queue_.push_back(std::move(packet));
    }
    write_next();
    return true;
  }
  [[nodiscard]] static std::size_t packet_cost(const Packet& packet) {
    return frame_cost(packet.frame()) + packet.card().size();
  }

  // Whether the last operation tells the other end why (and must come after the writes).
  [[nodiscard]] virtual bool says_goodbye() const = 0;
  virtual void try_cancel() = 0;
  // Nothing more will be sent, everything before it has been. With a pin, which the
  // callee gives back.
  virtual void end_writing() = 0;
  // The last operation.
  virtual void give_up(const grpc::Status& status) = 0;

  // Before gRPC knows of it; started() afterwards.
  void keep_alive() { self_ = shared_from_this(); }
  void started() { unpin(); }

  void shut() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
      ++pins_;
    }
    unpin();
  }

  void unpin() {
    grpc::Status status;
    {
      const std::lock_guard lock(mutex_);
      --pins_;
      if (pins_ > 0 || !closed_ || given_up_) return;
      given_up_ = true;
      status = status_;
    }
    give_up(status);
  }

  // The end that both OnDone()s come to. The stream may be gone afterwards.
  void ended(const grpc::Status& heard) {
    const auto owner = owner_;
    grpc::Status own;
    {
      const std::lock_guard lock(mutex_);
      own = status_;
      queue_.clear();
    }
    // It is buried when the owner has time.
    incoming_ = Packet();
    outgoing_ = Packet();
    owner->stream_ended(std::move(self_), own.ok() ? heard : own);
  }

  [[nodiscard]] TransportCore& owner() { return *owner_; }

 private:
  void write_next() {
    bool last = false;
    {
      const std::lock_guard lock(mutex_);
      if (closed_ || writing_ || half_closed_) return;
      last = queue_.empty();
      if (last && !finishing_) return;
      ++pins_;
      if (last) {
        half_closed_ = true;
      } else {
        writing_ = true;
        outgoing_ = std::move(queue_.front());
        queue_.pop_front();
      }
    }
    if (last) {
      end_writing();
    } else {
      Reactor::StartWrite(&outgoing_);
    }
  }

  const std::shared_ptr<TransportCore> owner_;
  const std::size_t queue_limit_bytes_;
  std::shared_ptr<Stream> self_;
  Packet incoming_;
  Packet outgoing_;

  std::mutex mutex_;
  std::deque<Packet> queue_;
  std::size_t queued_bytes_ = 0;  // with what is being written
  int pins_ = 1;                  // the first goes with started()
  bool paused_ = true;
  bool writing_ = false;
  bool finishing_ = false;
  bool half_closed_ = false;  // nothing more is written
  bool closed_ = false;
  bool given_up_ = false;
  grpc::Status status_;  // why we ended it, if we did
};

// The end that dials.
class DialledStream final : public ReactorStream<grpc::ClientBidiReactor<Packet, Packet>> {
 public:
  DialledStream(PartyId to, std::shared_ptr<TransportCore> owner, std::size_t queue_limit_bytes,
                const std::shared_ptr<grpc::Channel>& channel)
      : ReactorStream(to, std::move(owner), queue_limit_bytes), stub_(Link::NewStub(channel)) {}

  // Once, right after it was made. `study` says, in hexadecimal, whom to ask for at a shared port.
  void start(const std::string& study) {
    keep_alive();
    if (!study.empty()) context_.AddMetadata(kStudyMetadata, study);
    stub_->async()->Open(&context_, this);
    AddHold();
    StartCall();
    started();
  }

  void OnReadInitialMetadataDone(bool ok) override {
    if (!ok) {
      shut();
      return;
    }
    owner().stream_open(*this);
    resume();
  }
  void OnWritesDoneDone(bool /*ok*/) override { unpin(); }
  void OnDone(const grpc::Status& status) override { ended(status); }

 private:
  [[nodiscard]] bool says_goodbye() const override { return false; }
  void try_cancel() override { context_.TryCancel(); }
  void end_writing() override { StartWritesDone(); }
  void give_up(const grpc::Status& /*status*/) override { RemoveHold(); }

  const std::unique_ptr<Link::Stub> stub_;
  grpc::ClientContext context_;
};

// The end that listens.
class AcceptedStream final : public ReactorStream<grpc::ServerBidiReactor<Packet, Packet>> {
 public:
  AcceptedStream(PartyId from, std::shared_ptr<TransportCore> owner, std::size_t queue_limit_bytes,
                 grpc::CallbackServerContext* context)
      : ReactorStream(from, std::move(owner), queue_limit_bytes), context_(context) {}

  // Once, right after it was made.
  void start() {
    keep_alive();
    StartSendInitialMetadata();
    resume();
    started();
  }

  void OnCancel() override {
    cancelled_ = true;
    shut();
  }
  void OnDone() override {
    ended(cancelled_ ? grpc::Status(grpc::StatusCode::UNAVAILABLE, "") : grpc::Status::OK);
  }

 private:
  [[nodiscard]] bool says_goodbye() const override { return true; }
  void try_cancel() override { context_->TryCancel(); }
  void end_writing() override {
    shut();
    unpin();
  }
  void give_up(const grpc::Status& status) override { Finish(status); }

  grpc::CallbackServerContext* const context_;
  std::atomic<bool> cancelled_ = false;
};

}  // namespace sotto::network
