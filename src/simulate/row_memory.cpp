// Where the rounds' numbers stand, and how much room there is for them.
#include "simulate/row_memory.h"

#include <cstring>
#include <fstream>
#include <string>

#include "base/machine/large_pages.h"

namespace sotto {

RowMemory::RowMemory(std::size_t doubles)
    : doubles_(static_cast<double*>(allocate_large_pages(doubles * sizeof(double)))),
      size_(doubles) {
  std::memset(doubles_.get(), 0, doubles * sizeof(double));
}

void RowMemory::Free::operator()(double* doubles) const {
  free_large_pages(doubles);
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
