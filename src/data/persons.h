#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.h"

namespace sotto {

// How many rows each person has in one table, and how much each of them counts.
//
// With n rows of a person and k = rows that a person may count as, every one of them is multiplied
// by √min(1, k/n): what it adds to the sums of products is divided by n/k where n > k. All of them
// together then move the sums by at most k times what one row may, exactly (docs/proofs/person.md).
// Nothing is chosen, so the order of the rows and the number of threads do not matter; how much a
// row counts depends on the same person's rows alone.
//
// The table is read twice: count() in the first reading, take() in the second. Persons are told
// apart by their text, byte by byte; the texts stay in here and are overwritten at the end.
// Memory: a text and two numbers for each person. Both functions may be called by many threads.
class Persons {
 public:
  explicit Persons(std::int64_t most_rows) : most_rows_(most_rows) {}
  Persons(const Persons&) = delete;
  Persons& operator=(const Persons&) = delete;
  ~Persons();

  void count(std::string_view person);

  // √min(1, k/n), at most 1, and the largest ‖g‖² and h² that a row of this person may have on the
  // grid: ⌊k·4^b/n⌋, at most 4^b. Both 0 for a row that was not there in the first reading.
  struct Share {
    double factor = 1;
    double longest = 0;
  };
  [[nodiscard]] Share take(std::string_view person);

  // E-person-changed where the second reading did not have the same rows of the same persons.
  [[nodiscard]] Result<void> same_twice() const;

 private:
  struct Rows {
    std::uint64_t first = 0;
    std::atomic<std::uint64_t> second = 0;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  struct Shard {
    std::mutex mutex;
    std::unordered_map<std::string, Rows, Hash, std::equal_to<>> rows;
  };
  static constexpr std::size_t kShards = 64;

  Shard& shard_of(std::string_view person) { return shards_[(Hash{}(person) >> 7) % kShards]; }

  std::int64_t most_rows_;
  std::array<Shard, kShards> shards_;
  std::atomic<bool> changed_ = false;
};

}  // namespace sotto
