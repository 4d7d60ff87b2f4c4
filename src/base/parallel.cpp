#include "base/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

// A crew of threads for one loop: each takes the next index until none is left. They are started
// anew each time, some 20 µs of a processor for two of them: nothing here divides less than
// milliseconds, so a pool would bring nothing but state (rounds, which are shorter, have a team of
// their own: simulate/engine.cpp).
namespace sotto {
namespace {

thread_local bool inside = false;

// For a scope.
class Inside {
 public:
  Inside() : before_(inside) { inside = true; }
  ~Inside() { inside = before_; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  bool before_;
};

}  // namespace

std::size_t core_count() {
  cpu_set_t ours;
  // Fails on a machine of more than 1,024: then all of them.
  if (::sched_getaffinity(0, sizeof(ours), &ours) == 0) {
    return static_cast<std::size_t>(CPU_COUNT(&ours));
  }
  return std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

void parallel_for(std::size_t count, std::size_t threads,
                  const std::function<void(std::size_t)>& work) {
  const std::size_t wanted = inside ? 1 : std::min(count, threads == 0 ? core_count() : threads);
  if (wanted <= 1) {
    std::optional<Inside> alone;
    if (threads == 1) alone.emplace();
    for (std::size_t k = 0; k < count; ++k) work(k);
    return;
  }
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr thrown;
  const auto take = [&] {
    const Inside here;
    try {
      for (std::size_t k = next++; k < count; k = next++) work(k);
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (!thrown) thrown = std::current_exception();
      next = count;
    }
  };
  {
    std::vector<std::jthread> crew;
    for (std::size_t k = 1; k < wanted; ++k) crew.emplace_back(take);
    take();
  }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace sotto
