// What several processes do together, in terms of messages; and one process by itself.
#include "base/ranks.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/check.h"

namespace sotto {
namespace {

class Alone : public Ranks {
 public:
  [[nodiscard]] std::size_t rank() const override { return 0; }
  [[nodiscard]] std::size_t count() const override { return 1; }
  [[nodiscard]] std::size_t here() const override { return 1; }
  void post_send(std::size_t, std::span<const std::byte>) override {
    check(false, "nobody writes to itself");
  }
  void post_receive(std::size_t, std::span<std::byte>) override {
    check(false, "nobody writes to itself");
  }
  void progress() override {}
  void wait() override {}
  void broadcast(std::size_t, std::span<std::byte>) override {}
  [[noreturn]] void abandon(int status) override { std::exit(status); }
};

}  // namespace

Ranks& alone() {
  static Alone one;
  return one;
}

Share share_of(std::size_t count, std::size_t rank, std::size_t ranks) {
  return {.begin = count * rank / ranks, .end = count * (rank + 1) / ranks};
}

std::size_t sharer_of(std::size_t thing, std::size_t count, std::size_t ranks) {
  // ⌊count·r/ranks⌋ ≤ thing, r as large as possible.
  return ((thing + 1) * ranks - 1) / count;
}

void broadcast_text(Ranks& ranks, std::size_t from, std::string& text) {
  std::uint64_t size = text.size();
  ranks.broadcast(from, std::as_writable_bytes(std::span(&size, 1)));
  text.resize(size);
  ranks.broadcast(from, std::as_writable_bytes(std::span(text)));
}

Result<void> agree(Ranks& ranks, const Result<void>& own) {
  const auto fine = all_gather(ranks, static_cast<std::uint8_t>(own.has_value() ? 1 : 0));
  for (std::size_t rank = 0; rank < fine.size(); ++rank) {
    if (fine[rank] == 1) continue;
    Error error = own ? Error{} : own.error();
    for (std::string* words : {&error.name, &error.what, &error.where, &error.fix}) {
      broadcast_text(ranks, rank, *words);
    }
    ranks.broadcast(rank, std::as_writable_bytes(std::span(&error.status, 1)));
    bool all = true;
    for (const std::uint8_t one : fine) all = all && one == 0;
    if (!all) return std::move(error).at(fmt::format("rank {} of {}", rank, ranks.count()));
    return error;
  }
  return {};
}

void relay(Ranks& ranks, std::span<double> running, const std::function<void()>& add) {
  const auto bytes = std::as_writable_bytes(running);
  if (ranks.rank() > 0) {
    ranks.post_receive(ranks.rank() - 1, bytes);
    ranks.wait();
  }
  add();
  if (ranks.rank() + 1 < ranks.count()) {
    ranks.post_send(ranks.rank() + 1, bytes);
    ranks.wait();
  }
  ranks.broadcast(ranks.count() - 1, bytes);
}

Parcels swap_parcels(Ranks& ranks, Parcels out) {
  check(out.size() == ranks.count(), "a parcel for each rank");
  const std::size_t self = ranks.rank();
  std::vector<std::uint64_t> leaving(out.size());
  std::vector<std::uint64_t> coming(out.size());
  const auto word = [](std::uint64_t& size) { return std::as_writable_bytes(std::span(&size, 1)); };
  for (std::size_t other = 0; other < out.size(); ++other) {
    if (other == self) continue;
    leaving[other] = out[other].size();
    ranks.post_receive(other, word(coming[other]));
    ranks.post_send(other, word(leaving[other]));
  }
  ranks.wait();
  Parcels in(out.size());
  in[self] = std::move(out[self]);
  for (std::size_t other = 0; other < out.size(); ++other) {
    if (other == self) continue;
    in[other].resize(coming[other]);
    ranks.post_receive(other, in[other]);
    ranks.post_send(other, out[other]);
  }
  ranks.wait();
  return in;
}

void RowExchange::begin(void* rows, std::size_t row_bytes) {
  auto* bytes = static_cast<std::byte*>(rows);
  packed_.resize(peers_.size());
  for (std::size_t k = 0; k < peers_.size(); ++k) {
    const Peer& peer = peers_[k];
    ranks_->post_receive(peer.rank, {bytes + peer.first * row_bytes, peer.count * row_bytes});
    packed_[k].resize(peer.send.size() * row_bytes);
    std::byte* out = packed_[k].data();
    for (const std::uint32_t row : peer.send) {
      std::memcpy(out, bytes + row * row_bytes, row_bytes);
      out += row_bytes;
    }
    ranks_->post_send(peer.rank, packed_[k]);
  }
}

}  // namespace sotto
