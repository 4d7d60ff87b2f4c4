// Draws with the few escape sequences that every terminal knows: up, and clear the line.
#include "cli/terminal/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace sotto {
namespace {

constexpr double kBetweenDraws = 0.1;  // seconds

std::size_t terminal_width() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

bool begins_letter(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

std::string escape_for_terminal(const std::string& text) {
  std::string shown;
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    shown += code < 0x20 || code == 0x7f ? '?' : letter;
  }
  return shown;
}

std::string shortened(const std::string& text, std::size_t width) {
  const auto letters = static_cast<std::size_t>(std::ranges::count_if(text, begins_letter));
  if (letters <= width) return text;
  std::string beginning;
  std::size_t taken = 0;
  for (const char byte : text) {
    if (begins_letter(byte) && ++taken == width) break;
    beginning += byte;
  }
  return beginning + "…";
}

ProgressBar::ProgressBar(std::string label, OffTerminal off_terminal)
    : label_(std::move(label)),
      off_terminal_(off_terminal),
      terminal_(isatty(STDERR_FILENO) == 1),
      start_seconds_(seconds_now()) {}

ProgressBar::~ProgressBar() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
}

void ProgressBar::show(std::size_t done, std::size_t all) {
  if (all == 0 || (!terminal_ && off_terminal_ == OffTerminal::kSilent)) return;
  if (!terminal_ && 10 * done / all <= tenths_) return;
  const double now = seconds_now();
  if (terminal_ && now - last_draw_seconds_ < kBetweenDraws && done < all) return;
  last_draw_seconds_ = now;
  tenths_ = 10 * done / all;
  drawn_ = terminal_;
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
  const std::string line = fmt::format("{} {} {}/{}{}", label_, bar, done, all, left);
  fmt::print(stderr, "{}", terminal_ ? "\r\x1b[K" + line : line + "\n");
}

std::function<void(std::size_t, std::size_t)> ProgressBar::callback() {
  return [this](std::size_t done, std::size_t all) { show(done, all); };
}

ProgressTable::Style ProgressTable::usual_style() {
  return isatty(STDERR_FILENO) == 1 ? Style::kTable : Style::kLines;
}

ProgressTable::ProgressTable(std::vector<std::string> names, Style style)
    : style_(style), start_seconds_(seconds_now()) {
  for (std::string& name : names) {
    name_width_ = std::max(name_width_, name.size());
    rows_.push_back({.name = std::move(name), .news = "starting", .step = 0, .seconds = 0});
  }
}

ProgressTable::~ProgressTable() {
  if (style_ == Style::kTable) draw_table();
}

void ProgressTable::tell(std::size_t party, const std::string& news,
                         std::optional<std::size_t> step) {
  Row& row = rows_.at(party);
  row.news = news;
  row.seconds = seconds_now() - start_seconds_;
  row.step = step.value_or(row.step);
  if (style_ == Style::kLines) {
    fmt::print(stderr, "{:5.1f} s  {:<{}}  {}\n", row.seconds, row.name, name_width_, row.news);
  }
  draw();
}

void ProgressTable::draw() {
  if (style_ != Style::kTable || seconds_now() - start_seconds_ - last_draw_ < kBetweenDraws)
    return;
  draw_table();
}

void ProgressTable::draw_table() {
  last_draw_ = seconds_now() - start_seconds_;
  std::string text;
  if (drawn_) text += fmt::format("\x1b[{}A", rows_.size());
  drawn_ = true;
  constexpr std::size_t kAroundNews = 2 + 2 + kRunSteps + 2 + 9;
  const std::size_t width = terminal_width();
  const std::size_t room =
      width > name_width_ + kAroundNews + 10 ? width - name_width_ - kAroundNews : 10;
  for (const Row& row : rows_) {
    std::string bar;
    for (std::size_t k = 0; k < kRunSteps; ++k) bar += k < row.step ? "█" : "░";
    const double at = row.step == kRunSteps ? row.seconds : last_draw_;
    text += fmt::format("\r\x1b[K  {:<{}}  {} {:5.1f} s  {}\n", row.name, name_width_, bar, at,
                        shortened(row.news, room));
  }
  fmt::print(stderr, "{}", text);
  std::fflush(stderr);
}

}  // namespace sotto
