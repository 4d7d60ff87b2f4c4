#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace sotto {

// Where each of several parties stands, on standard error while they run: a table
// that is drawn again in place where that is a terminal, else a line for each change.
class PartyBoard {
 public:
  enum class Style { kTable, kLines, kSilent };
  // What suits standard error.
  [[nodiscard]] static Style usual_style();

  PartyBoard(std::vector<std::string> names, Style style);
  PartyBoard(const PartyBoard&) = delete;
  PartyBoard& operator=(const PartyBoard&) = delete;
  ~PartyBoard();

  // A line of a party's own, as `sotto join` prints it.
  void tell(std::size_t party, const std::string& line);
  // Ten times a second at most.
  void draw();

 private:
  struct Row {
    std::string name;
    std::string news;
    std::size_t step = 0;
    double seconds = 0;
  };
  [[nodiscard]] double seconds() const;
  void draw_table();

  std::vector<Row> rows_;
  Style style_;
  std::size_t name_width_ = 0;
  bool drawn_ = false;
  double last_draw_ = -1;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// How far a party is that says so, from 1 (waits for the others) to kRunSteps (finished);
// 0 for a line that says nothing about it.
inline constexpr std::size_t kRunSteps = 6;
[[nodiscard]] std::size_t run_step(const std::string& news);

// Without the time of day at its beginning.
[[nodiscard]] std::string without_time(const std::string& line);

// The beginning of a text, `width` letters at most.
[[nodiscard]] std::string shortened(const std::string& text, std::size_t width);

}  // namespace sotto
