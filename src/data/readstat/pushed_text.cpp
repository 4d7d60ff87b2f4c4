#include "data/readstat/pushed_text.h"

#include <utility>

// A queue with room for a few pieces.
namespace sotto {

PushedText::PushedText(Maker maker, bool digest) : WrittenText(digest) {
  thread_ = std::thread([this, maker = std::move(maker)] {
    Result<void> outcome = maker([this](std::string piece) { return push(std::move(piece)); });
    const std::lock_guard lock(mutex_);
    outcome_ = std::move(outcome);
    made_ = true;
    changed_.notify_all();
  });
}

PushedText::~PushedText() {
  {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

bool PushedText::push(std::string piece) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return abandoned_ || pieces_.size() < kPiecesAhead; });
  if (abandoned_) return false;
  pieces_.push_back(std::move(piece));
  changed_.notify_all();
  return true;
}

Result<bool> PushedText::more(std::string& text) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return made_ || !pieces_.empty(); });
  if (pieces_.empty()) {
    SOTTO_TRY(outcome_);
    return false;
  }
  text = std::move(pieces_.front());
  pieces_.pop_front();
  changed_.notify_all();
  return true;
}

}  // namespace sotto
