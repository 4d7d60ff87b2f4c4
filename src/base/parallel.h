#pragma once

#include <cstddef>
#include <functional>

namespace sotto {

// Those that this process may use: a launcher, taskset or a container may have bound it to some.
[[nodiscard]] std::size_t core_count();

// Calls work(0), …, work(count − 1), each once and in no order, on `threads` threads (0: one for
// each core), this one among them. Inside of another such call it stays on its thread: the cores
// are busy already, or `threads` is 1 and one thread is what was asked for. An exception ends it
// early and goes to the caller.
void parallel_for(std::size_t count, std::size_t threads,
                  const std::function<void(std::size_t)>& work);

}  // namespace sotto
