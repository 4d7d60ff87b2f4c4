#pragma once

#include <chrono>
#include <string>

#include "base/result.h"

namespace sotto {

// Held by at most one open file at a time, on this machine. The kernel frees it
// when the process ends, however it ends, so none is ever stale.
class StoreLock {
 public:
  // Waits up to `patience`. failed[E-store-busy] names the process that has it.
  [[nodiscard]] static Result<StoreLock> take(const std::string& path,
                                              std::chrono::milliseconds patience);
  StoreLock(StoreLock&& other) noexcept;
  StoreLock& operator=(StoreLock&& other) noexcept;
  ~StoreLock();

 private:
  explicit StoreLock(int file) : file_(file) {}
  int file_ = -1;
};

// A folder that only its owner may enter (mode 0700 if it is made here). Refuses one
// that others may write to: they could put another file in a secret one's place.
[[nodiscard]] Result<void> make_private_folder(const std::string& folder);

// An empty file of mode 0600, whatever the umask, unless there is a file already; that
// one is refused if others may read or write it.
[[nodiscard]] Result<void> make_private_file(const std::string& path);

}  // namespace sotto
