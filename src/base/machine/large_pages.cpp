// One way to the allocator for all long arrays.
#include "base/machine/large_pages.h"

#include <cstdlib>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace sotto {
namespace {

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kLargePage = std::size_t{1} << 21;

}  // namespace

void* allocate_large_pages(std::size_t bytes) {
  const std::size_t unit = bytes >= 2 * kLargePage ? kLargePage : kCacheLine;
  const std::size_t whole = (bytes / unit + 1) * unit;
  void* memory = std::aligned_alloc(unit, whole);
  if (memory == nullptr) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
  if (unit == kLargePage) (void)madvise(memory, whole, MADV_HUGEPAGE);  // a wish; refusing is fine
#endif
  return memory;
}

void free_large_pages(void* memory) noexcept {
  std::free(memory);  // NOLINT(cppcoreguidelines-no-malloc): aligned_alloc's
}

}  // namespace sotto
