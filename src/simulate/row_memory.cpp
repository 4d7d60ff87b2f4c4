#include "simulate/row_memory.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <string>

#if defined(__linux__)
#include <sys/mman.h>
#endif

// Where the rounds' numbers stand, and how much room there is for them.
namespace sotto {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kLargePage = std::size_t{1} << 21;

}  // namespace

RowMemory::RowMemory(std::size_t doubles) : size_(doubles) {
  const std::size_t wanted = doubles * sizeof(double);
  const std::size_t unit = wanted >= 2 * kLargePage ? kLargePage : kLine;
  const std::size_t bytes = (wanted / unit + 1) * unit;
  void* memory = std::aligned_alloc(unit, bytes);
  if (memory == nullptr) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
  if (unit == kLargePage) (void)madvise(memory, bytes, MADV_HUGEPAGE);  // a wish; refusing is fine
#endif
  std::memset(memory, 0, bytes);
  doubles_.reset(static_cast<double*>(memory));
}

void RowMemory::Free::operator()(double* doubles) const {
  std::free(doubles);  // NOLINT(cppcoreguidelines-no-malloc): aligned_alloc's
}

std::size_t available_memory() {
  std::ifstream meminfo("/proc/meminfo");
  for (std::string word; meminfo >> word;) {
    std::size_t kilobytes = 0;
    if (word == "MemAvailable:" && meminfo >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

}  // namespace sotto
