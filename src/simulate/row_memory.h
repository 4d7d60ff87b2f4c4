#pragma once

#include <cstddef>
#include <memory>

namespace sotto {

// Rows of doubles, all 0 at first. Large ones ask for pages of 2 MiB: where neighbours stand all
// over memory, most of a round would go into finding pages.
class RowMemory {
 public:
  RowMemory() = default;
  explicit RowMemory(std::size_t doubles);

  [[nodiscard]] double* data() { return doubles_.get(); }
  [[nodiscard]] const double* data() const { return doubles_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(double* doubles) const;
  };
  std::unique_ptr<double, Free> doubles_;
  std::size_t size_ = 0;
};

// Bytes that a program may still take without pushing others out; 0 where the system does not say.
[[nodiscard]] std::size_t available_memory();

}  // namespace sotto
