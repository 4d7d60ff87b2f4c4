#pragma once

#include <cstddef>
#include <mutex>

#include "base/integer.h"

namespace sotto {

// Randomisers of one's own key, made in idle time: N-th powers modulo N². Whoever knows the
// randomiser of a ciphertext can read it, so each is handed out once, and what is left is wiped in
// the end.
class RandomiserPool {
 public:
  RandomiserPool() = default;
  ~RandomiserPool();
  RandomiserPool(const RandomiserPool&) = delete;
  RandomiserPool& operator=(const RandomiserPool&) = delete;

  void put(IntegerVector randomisers);
  // Up to `count`, in the order in which they were made. The caller wipes them.
  [[nodiscard]] IntegerVector take(std::size_t count);

 private:
  std::mutex mutex_;
  IntegerVector randomisers_;
  std::size_t taken_ = 0;  // of these, wiped already
};

}  // namespace sotto
