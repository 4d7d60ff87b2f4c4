#include "paillier/pool.h"

#include <algorithm>
#include <iterator>

#include "paillier/limbs.h"

namespace sotto {

RandomiserPool::~RandomiserPool() {
  wipe(randomisers_);
}

void RandomiserPool::put(IntegerVector randomisers) {
  const std::scoped_lock lock(mutex_);
  randomisers_.erase(randomisers_.begin(), randomisers_.begin() + static_cast<long>(taken_));
  taken_ = 0;
  std::ranges::move(randomisers, std::back_inserter(randomisers_));
}

IntegerVector RandomiserPool::take(std::size_t count) {
  const std::scoped_lock lock(mutex_);
  const std::size_t given = std::min(count, randomisers_.size() - taken_);
  IntegerVector result(given);
  // Swapped, not copied: the number's memory changes hands, and none is left behind.
  for (std::size_t k = 0; k < given; ++k) swap(result[k], randomisers_[taken_ + k]);
  taken_ += given;
  return result;
}

}  // namespace sotto
