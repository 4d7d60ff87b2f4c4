#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/ranks.h"

namespace sotto {

// Ranks that are threads of one process: what a machine without MPI can test, and a sanitizer see.
class ThreadRanks {
 public:
  explicit ThreadRanks(std::size_t count) : count_(count), under_way_(count * count) {}

  // Every rank runs `work`; all must return.
  void run(const std::function<void(Ranks&)>& work) {
    std::vector<std::jthread> threads;
    for (std::size_t rank = 0; rank < count_; ++rank) {
      threads.emplace_back([this, rank, &work] {
        One one(*this, rank);
        work(one);
      });
    }
  }

 private:
  class One final : public Ranks {
   public:
    One(ThreadRanks& all, std::size_t rank) : all_(all), rank_(rank) {}
    [[nodiscard]] std::size_t rank() const override { return rank_; }
    [[nodiscard]] std::size_t count() const override { return all_.count_; }
    [[nodiscard]] std::size_t here() const override { return all_.count_; }
    void post_send(std::size_t to, std::span<const std::byte> bytes) override {
      const std::scoped_lock lock(all_.mutex_);
      all_.queue(rank_, to).emplace_back(bytes.begin(), bytes.end());
      all_.arrived_.notify_all();
    }
    void post_receive(std::size_t from, std::span<std::byte> bytes) override {
      expected_.emplace_back(from, bytes);
    }
    void progress() override {}
    void wait() override {
      for (const auto& [from, bytes] : expected_) {
        std::unique_lock lock(all_.mutex_);
        auto& queue = all_.queue(from, rank_);
        all_.arrived_.wait(lock, [&] { return !queue.empty(); });
        EXPECT_EQ(queue.front().size(), bytes.size()) << "both ends know a message's size";
        std::copy_n(queue.front().begin(), std::min(bytes.size(), queue.front().size()),
                    bytes.begin());
        queue.pop_front();
      }
      expected_.clear();
    }
    void broadcast(std::size_t from, std::span<std::byte> bytes) override {
      EXPECT_TRUE(expected_.empty());
      if (from == rank_) {
        for (std::size_t to = 0; to < count(); ++to) {
          if (to != rank_) post_send(to, bytes);
        }
      } else {
        post_receive(from, bytes);
        wait();
      }
    }
    [[noreturn]] void abandon(int) override { std::abort(); }

   private:
    ThreadRanks& all_;
    std::size_t rank_;
    std::vector<std::pair<std::size_t, std::span<std::byte>>> expected_;
  };

  std::deque<std::vector<std::byte>>& queue(std::size_t from, std::size_t to) {
    return under_way_[from * count_ + to];
  }

  std::size_t count_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<std::deque<std::vector<std::byte>>> under_way_;
};

}  // namespace sotto
