#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "data/csv/written_text.h"

namespace sotto {

// Text of somebody who calls and will not be called: it is made in a thread of its own, a few
// pieces ahead of whoever reads it.
class PushedText : public WrittenText {
 public:
  // Takes a piece; false if nobody reads any more, and the maker should stop.
  using Push = std::function<bool(std::string piece)>;
  using Maker = std::function<Result<void>(const Push& push)>;

  PushedText(Maker maker, bool digest);
  PushedText(const PushedText&) = delete;
  PushedText& operator=(const PushedText&) = delete;
  ~PushedText() override;

 private:
  static constexpr std::size_t kPiecesAhead = 4;

  [[nodiscard]] Result<bool> more(std::string& text) override;
  [[nodiscard]] bool push(std::string piece);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> pieces_;
  bool made_ = false;       // all of it
  bool abandoned_ = false;  // by the reader
  Result<void> outcome_;
  std::thread thread_;
};

}  // namespace sotto
