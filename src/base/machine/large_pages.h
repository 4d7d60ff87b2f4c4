#pragma once

#include <cstddef>

// Memory for long arrays that are walked all over: pages of 2 MiB where the system has them,
// because most of such a walk would otherwise go into finding pages; and always at a cache line's
// edge.
namespace sotto {

// As much as that, not initialised. Throws std::bad_alloc.
[[nodiscard]] void* allocate_large_pages(std::size_t bytes);
void free_large_pages(void* memory) noexcept;

// For containers.
template <class T>
struct LargePages {
  using value_type = T;

  LargePages() = default;
  template <class U>
  LargePages(const LargePages<U>& /*same*/) {}  // NOLINT(google-explicit-constructor): allocators'

  [[nodiscard]] T* allocate(std::size_t count) {
    return static_cast<T*>(allocate_large_pages(count * sizeof(T)));
  }
  void deallocate(T* memory, std::size_t /*count*/) noexcept { free_large_pages(memory); }
  friend bool operator==(const LargePages&, const LargePages&) { return true; }
};

}  // namespace sotto
