#include "cli/progress_bar.h"

#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <utility>

namespace sotto {
namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

ProgressBar::ProgressBar(std::string label)
    : label_(std::move(label)),
      terminal_(isatty(STDERR_FILENO) == 1),
      start_seconds_(seconds_now()) {}

ProgressBar::~ProgressBar() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
}

void ProgressBar::show(std::size_t done, std::size_t all) {
  if (!terminal_ || all == 0) return;
  const double now = seconds_now();
  if (now - last_draw_seconds_ < 0.1 && done < all) return;
  last_draw_seconds_ = now;
  drawn_ = true;
  constexpr std::size_t kWidth = 30;
  const std::size_t full = done * kWidth / all;
  std::string bar;
  for (std::size_t k = 0; k < kWidth; ++k) bar += k < full ? "█" : "░";
  std::string left;
  if (done > 0 && now - start_seconds_ > 1) {
    const double rest =
        (now - start_seconds_) * static_cast<double>(all - done) / static_cast<double>(done);
    left = fmt::format("  {:.0f} s left", rest);
  }
  fmt::print(stderr, "\r\x1b[K{} {} {}/{}{}", label_, bar, done, all, left);
}

Progress ProgressBar::callback() {
  return [this](std::size_t done, std::size_t all) { show(done, all); };
}

}  // namespace sotto
