#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/named_settings.h"
#include "base/result.h"

namespace sotto {

// A table of named things to which a program may add until somebody looks into it: from then on it
// stays as it is, because within one process a study means one thing. An Entry has a name.
template <class Entry>
class OpenTable {
 public:
  // What an entry is, "estimator", and what it is called that it cannot be added.
  struct Words {
    const char* what;
    const char* bad_name;
    const char* too_late;
  };

  OpenTable(Words words, std::vector<Entry> built_in)
      : words_(words), entries_(std::move(built_in)) {}

  [[nodiscard]] std::span<const Entry> all() {
    if (!closed_.load(std::memory_order_acquire)) {
      const std::scoped_lock lock(mutex_);
      closed_.store(true, std::memory_order_release);
    }
    return entries_;
  }

  // Without closing it.
  [[nodiscard]] bool has(std::string_view name) {
    const std::scoped_lock lock(mutex_);
    return std::ranges::find(entries_, name, &Entry::name) != entries_.end();
  }

  // The place that it gets: make(place) is the entry.
  template <class Make>
  [[nodiscard]] Result<std::size_t> add(const std::string& name, const Make& make) {
    const std::scoped_lock lock(mutex_);
    if (closed_.load(std::memory_order_acquire)) {
      return bad_input(words_.too_late,
                       fmt::format("{} was added after a study had been read", name),
                       fmt::format("register every {} first: before any study, plan or simulation",
                                   words_.what));
    }
    const bool taken = std::ranges::find(entries_, name, &Entry::name) != entries_.end();
    if (taken || !is_plain_name(name)) {
      return bad_input(words_.bad_name,
                       fmt::format("no {} can be added under the name \"{}\"{}", words_.what, name,
                                   taken ? ": there is one" : ""),
                       "choose a name of its own, of a-z, 0-9 and -");
    }
    entries_.push_back(make(entries_.size()));
    return entries_.size() - 1;
  }

 private:
  Words words_;
  std::mutex mutex_;
  std::atomic<bool> closed_ = false;
  std::vector<Entry> entries_;
};

}  // namespace sotto
