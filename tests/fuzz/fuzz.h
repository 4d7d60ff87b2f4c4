#pragma once

// What all fuzzers have in common. A file of this folder is one fuzzer: one function over any
// bytes,
//
//     SOTTO_FUZZER(policy) { … bytes … }
//
// that returns, whatever they are, and calls require() for what must hold whatever they are. With
// the preset `fuzz` libFuzzer drives it (libfuzzer.cpp); in every build corpus_fuzz_test.cpp plays
// it the inputs that are kept. docs/FUZZING.md

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sotto::fuzz {

struct Fuzzer {
  std::string name;
  void (*play)(std::string_view bytes);
};

// All that this program has.
inline std::vector<Fuzzer>& fuzzers() {
  static std::vector<Fuzzer> list;
  return list;
}

inline void play(std::string_view name, std::string_view bytes) {
  std::ranges::find(fuzzers(), name, &Fuzzer::name)->play(bytes);
}

// Ends a fuzzer's program, and fails a test.
inline void require(bool holds, std::string_view what) {
  if (!holds) throw std::logic_error("it must hold that " + std::string(what));
}

// The same with words that are made only where they are needed: what is asked of every entry of
// every row takes longer to say than to look at.
template <std::invocable Say>
void require(bool holds, const Say& say) {
  if (!holds) require(false, std::string_view(say()));
}

// Says what is wrong, under a name that docs/errors.md has.
inline void require_error(const Error& error) {
  require(error.name.starts_with("E-"), "an error has a name: " + error.to_string());
  require(!error.what.empty(), "an error says what is wrong: " + error.to_string());
}

template <class T>
bool fine_or_error(const Result<T>& result) {
  if (!result) require_error(result.error());
  return result.has_value();
}

// Decisions, taken from an input's bytes as long as there are some; then all are 0.
class Choices {
 public:
  explicit Choices(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] bool empty() const { return rest_.empty(); }
  [[nodiscard]] bool at(char c) const { return rest_.starts_with(c); }
  std::uint8_t byte() {
    const std::string_view one = take(1);
    return one.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(one[0]);
  }
  bool flag() { return (byte() & 1U) != 0; }
  // In [0, limit), limit ≤ 2^24: as many bytes as that needs.
  std::size_t below(std::size_t limit) {
    std::size_t value = byte();
    if (limit > 256) value = value << 8U | byte();
    if (limit > 65536) value = value << 8U | byte();
    return value % std::max<std::size_t>(limit, 1);
  }
  std::uint64_t word() {
    std::uint64_t value = 0;
    for (int k = 0; k < 8; ++k) value = value << 8U | byte();
    return value;
  }
  // At most so many bytes.
  std::string_view take(std::size_t most) {
    const std::string_view taken = rest_.substr(0, most);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  // A length, and what follows it.
  std::string_view text() { return take(byte()); }
  std::string_view rest() { return take(rest_.size()); }

 private:
  std::string_view rest_;
};

// A few bytes of `text` changed, removed or put in, as the choices say.
inline void damage(Choices& choices, std::string& text) {
  const std::size_t at =
      choices.below(std::min<std::size_t>(text.size() + 1, std::size_t{1} << 24U));
  switch (choices.below(4)) {
    case 0:
      if (at < text.size()) text[at] = static_cast<char>(text[at] ^ choices.byte());
      break;
    case 1:
      text.erase(at, 1 + choices.byte());
      break;
    case 2:
      text.insert(at, choices.text());
      break;
    default: {
      const std::string_view put = choices.text();
      text.replace(at, put.size(), put);
    }
  }
}

// A folder of this process's own, in memory where that can be had; it goes away with it.
inline const std::string& own_folder() {
  struct Folder {
    Folder() {
      const bool memory = ::access("/dev/shm", W_OK) == 0 && ::getenv("TMPDIR") == nullptr;
      path =
          ((memory ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path()) /
           "sotto-fuzz-XXXXXX")
              .string();
      require(::mkdtemp(path.data()) != nullptr, "a folder can be made");
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
    std::string path;
  };
  static const Folder folder;
  return folder.path;
}

// A file in it with this content, in the place of an earlier one of that name.
inline std::string file_with(const std::string& name, std::string_view content) {
  std::string path = own_folder() + "/" + name;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  require(bool(file.flush()), "a file can be written");
  return path;
}

inline std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace sotto::fuzz

// At namespace scope inside sotto.
#define SOTTO_FUZZER(id)                                                    \
  static void fuzz_##id(std::string_view bytes);                            \
  [[maybe_unused]] static const bool kListed_##id =                         \
      (fuzz::fuzzers().push_back({.name = #id, .play = &fuzz_##id}), true); \
  static void fuzz_##id(std::string_view bytes)
