#include "data/persons.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <cmath>

#include "data/encoding.h"

namespace sotto {

Persons::~Persons() {
  for (Shard& shard : shards_) {
    while (!shard.rows.empty()) {
      auto person = shard.rows.extract(shard.rows.begin());
      OPENSSL_cleanse(person.key().data(), person.key().capacity());
    }
  }
}

void Persons::count(std::string_view person) {
  Shard& shard = shard_of(person);
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.rows.find(person);
  ++(found != shard.rows.end() ? found->second : shard.rows[std::string(person)]).first;
}

Persons::Share Persons::take(std::string_view person) {
  // Nothing is added any more, so nothing has to be locked.
  Shard& shard = shard_of(person);
  const auto found = shard.rows.find(person);
  if (found == shard.rows.end() ||
      found->second.second.fetch_add(1, std::memory_order_relaxed) >= found->second.first) {
    changed_ = true;
    return {.factor = 0, .longest = 0};
  }
  const Rows& rows = found->second;
  const auto k = static_cast<std::uint64_t>(most_rows_);
  if (rows.first <= k) return {.factor = 1, .longest = kGridOne * kGridOne};
  // k·4^b < 2^50, so the quotient is exact in both types.
  const std::uint64_t longest = (k << (2 * kGridBits)) / rows.first;
  return {.factor = std::sqrt(static_cast<double>(k) / static_cast<double>(rows.first)),
          .longest = static_cast<double>(longest)};
}

Result<void> Persons::same_twice() const {
  bool same = !changed_;
  for (const Shard& shard : shards_) {
    same = same && std::ranges::all_of(shard.rows, [](const auto& person) {
             return person.second.first == person.second.second;
           });
  }
  if (same) return {};
  return failed("E-person-changed", "the table changed while it was read",
                "persons' rows are counted first and read then: let nobody write meanwhile");
}

}  // namespace sotto
