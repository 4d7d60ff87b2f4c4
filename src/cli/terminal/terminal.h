#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

// What people see on standard error while something runs, and what must not reach their terminals.
namespace sotto {

// Names and messages come from others: a terminal must not obey them.
[[nodiscard]] std::string escape_for_terminal(const std::string& text);

// The beginning of a text, `width` letters at most.
[[nodiscard]] std::string shortened(const std::string& text, std::size_t width);

// A bar on standard error while something runs. Redraws at most ten times a second, and clears
// itself when it goes. Where that is not a terminal it is silent, or has a line for each tenth:
// launchers of several processes, and schedulers, give them a file.
class ProgressBar {
 public:
  enum class OffTerminal { kSilent, kTenths };
  explicit ProgressBar(std::string label, OffTerminal off_terminal = OffTerminal::kSilent);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar();

  void show(std::size_t done, std::size_t all);
  [[nodiscard]] std::function<void(std::size_t, std::size_t)> callback();

 private:
  std::string label_;
  OffTerminal off_terminal_;
  bool terminal_;
  bool drawn_ = false;
  std::size_t tenths_ = 0;
  double last_draw_seconds_ = -1;
  double start_seconds_;
};

// How far a party's row can come: it waits for the others, seals, is sealed, has released,
// compares, has finished.
inline constexpr std::size_t kRunSteps = 6;

// Where each of several parties stands, on standard error while they run: a table
// that is drawn again in place where that is a terminal, else a line for each change.
class ProgressTable {
 public:
  enum class Style { kTable, kLines, kSilent };
  // What suits standard error.
  [[nodiscard]] static Style usual_style();

  ProgressTable(std::vector<std::string> names, Style style);
  ProgressTable(const ProgressTable&) = delete;
  ProgressTable& operator=(const ProgressTable&) = delete;
  ~ProgressTable();

  // What a party says now, and which step it has come to if that is new.
  void tell(std::size_t party, const std::string& news,
            std::optional<std::size_t> step = std::nullopt);
  // Ten times a second at most.
  void draw();

 private:
  struct Row {
    std::string name;
    std::string news;
    std::size_t step = 0;
    double seconds = 0;
  };
  void draw_table();

  std::vector<Row> rows_;
  Style style_;
  std::size_t name_width_ = 0;
  bool drawn_ = false;
  double last_draw_ = -1;
  double start_seconds_;
};

}  // namespace sotto
