#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "base/result.h"

// Processes that work on one simulation together. Everything else of sotto knows them through this
// file alone; one process by itself is the usual case, and src/mpi/ has the other.
namespace sotto {

// What follows is called by all ranks, in the same order, from the thread that the program began
// with. A rank that cannot go on says so where all compare (agree), or ends all (abandon).
class Ranks {
 public:
  virtual ~Ranks() = default;

  [[nodiscard]] virtual std::size_t rank() const = 0;
  [[nodiscard]] virtual std::size_t count() const = 0;
  [[nodiscard]] virtual std::size_t here() const = 0;  // of them, on this machine

  // Without blocking: memory is the messages' until wait() returns. Those from one rank to another
  // arrive in their order; both ends know how long each is. Nobody writes to itself.
  virtual void post_send(std::size_t to, std::span<const std::byte> bytes) = 0;
  virtual void post_receive(std::size_t from, std::span<std::byte> bytes) = 0;
  virtual void progress() = 0;  // what is under way goes on, also between posting and waiting
  virtual void wait() = 0;

  virtual void broadcast(std::size_t from, std::span<std::byte> bytes) = 0;

  // Ends every rank, whatever it is doing.
  [[noreturn]] virtual void abandon(int status) = 0;
};

// One process by itself.
[[nodiscard]] Ranks& alone();

// [begin, end) of `count` things in a row: a rank's equal share.
struct Share {
  std::size_t begin = 0;
  std::size_t end = 0;
  [[nodiscard]] std::size_t size() const { return end - begin; }
};
[[nodiscard]] Share share_of(std::size_t count, std::size_t rank, std::size_t ranks);
// Whose share it is.
[[nodiscard]] std::size_t sharer_of(std::size_t thing, std::size_t count, std::size_t ranks);

// The same on every rank: the error of the lowest one that has one, with its number where there are
// several.
[[nodiscard]] Result<void> agree(Ranks& ranks, const Result<void>& own);
template <class T>
[[nodiscard]] Result<T> agree(Ranks& ranks, Result<T> own) {
  SOTTO_TRY(agree(ranks, own ? Result<void>() : Result<void>(own.error())));
  return own;
}

// A sum over things in a row, in their order, whoever has them: `running` is handed from rank to
// rank, each adds its share, and all have the last one's. So it has the bits that one process gets.
void relay(Ranks& ranks, std::span<double> running, const std::function<void()>& add);

// One rank's text to all.
void broadcast_text(Ranks& ranks, std::size_t from, std::string& text);

// What each rank has for each other one.
using Parcels = std::vector<std::vector<std::byte>>;
[[nodiscard]] Parcels swap_parcels(Ranks& ranks, Parcels out);

// Everybody's value, by rank.
template <class T>
[[nodiscard]] std::vector<T> all_gather(Ranks& ranks, const T& own) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> all(ranks.count(), own);
  for (std::size_t from = 0; from < ranks.count(); ++from) {
    ranks.broadcast(from, std::as_writable_bytes(std::span(&all[from], 1)));
  }
  return all;
}

// Rows of an array that ranks need of each other, over and over: own ones are packed and sent,
// theirs come to rows that are kept for them.
class RowExchange {
 public:
  struct Peer {
    std::size_t rank = 0;
    std::vector<std::uint32_t> send;  // rows that it needs
    std::size_t first = 0;            // where its own come, one after the other
    std::size_t count = 0;
  };
  RowExchange(Ranks& ranks, std::vector<Peer> peers) : ranks_(&ranks), peers_(std::move(peers)) {}

  // Posts everything; rows that are to come may not be touched, and own ones not be changed, before
  // finish().
  void begin(void* rows, std::size_t row_bytes);
  void progress() { ranks_->progress(); }
  void finish() { ranks_->wait(); }

  [[nodiscard]] std::span<const Peer> peers() const { return peers_; }

 private:
  Ranks* ranks_;
  std::vector<Peer> peers_;
  std::vector<std::vector<std::byte>> packed_;
};

}  // namespace sotto
