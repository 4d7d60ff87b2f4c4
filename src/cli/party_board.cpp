#include "cli/party_board.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace sotto {
namespace {

constexpr double kBetweenDraws = 0.1;

std::size_t terminal_width() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

bool begins_letter(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

}  // namespace

std::size_t run_step(const std::string& news) {
  static constexpr std::array<std::string_view, kRunSteps> kBeginnings{
      "waiting for", "sealing", "sealed", "released", "comparing", "finished"};
  for (std::size_t k = 0; k < kRunSteps; ++k) {
    if (news.starts_with(kBeginnings[k])) return k + 1;
  }
  return 0;
}

std::string without_time(const std::string& line) {
  constexpr std::string_view kTime = "00:00:00 ";
  if (line.size() < kTime.size()) return line;
  for (std::size_t k = 0; k < kTime.size(); ++k) {
    const bool digit = std::isdigit(static_cast<unsigned char>(line[k])) != 0;
    if (kTime[k] == '0' ? !digit : line[k] != kTime[k]) return line;
  }
  return line.substr(kTime.size());
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

PartyBoard::Style PartyBoard::usual_style() {
  return isatty(STDERR_FILENO) == 1 ? Style::kTable : Style::kLines;
}

PartyBoard::PartyBoard(std::vector<std::string> names, Style style) : style_(style) {
  for (std::string& name : names) {
    name_width_ = std::max(name_width_, name.size());
    rows_.push_back({.name = std::move(name), .news = "starting", .step = 0, .seconds = 0});
  }
}

PartyBoard::~PartyBoard() {
  if (style_ == Style::kTable) draw_table();
}

double PartyBoard::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void PartyBoard::tell(std::size_t party, const std::string& line) {
  Row& row = rows_.at(party);
  row.news = without_time(line);
  row.seconds = seconds();
  if (const std::size_t step = run_step(row.news); step > 0) row.step = step;
  if (style_ == Style::kLines) {
    fmt::print(stderr, "{:5.1f} s  {:<{}}  {}\n", row.seconds, row.name, name_width_, row.news);
  }
  draw();
}

void PartyBoard::draw() {
  if (style_ != Style::kTable || seconds() - last_draw_ < kBetweenDraws) return;
  draw_table();
}

void PartyBoard::draw_table() {
  last_draw_ = seconds();
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
