#pragma once

#include <chrono>
#include <string>
#include <variant>

#include "base/result.h"

// Files that only their owner may read, and locks that no crash leaves behind.
namespace sotto {

// Who has a lock: "process 4242", or "another process" where the lock's file does not say.
struct LockHolder {
  std::string name;
};

// Held by at most one open file at a time, on this machine. The kernel frees it
// when the process ends, however it ends, so none is ever stale.
class StoreLock {
 public:
  // Waits up to `patience`: the lock, or who has it.
  [[nodiscard]] static Result<std::variant<StoreLock, LockHolder>> try_take(
      const std::string& path, std::chrono::milliseconds patience);
  // failed[E-store-busy] names the process that has it.
  [[nodiscard]] static Result<StoreLock> take(const std::string& path,
                                              std::chrono::milliseconds patience);
  StoreLock(StoreLock&& other) noexcept;
  ~StoreLock();

 private:
  explicit StoreLock(int file) : file_(file) {}
  int file_ = -1;
};

namespace store {

// A folder that only its owner may enter (mode 0700 if it is made here). Refuses one
// that others may write to: they could put another file in a secret one's place.
[[nodiscard]] Result<void> make_private_folder(const std::string& folder);

// An empty file of mode 0600, whatever the umask, unless there is a file already; that
// one is refused if others may read or write it.
[[nodiscard]] Result<void> make_private_file(const std::string& path);

}  // namespace store
}  // namespace sotto
