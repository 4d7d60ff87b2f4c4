#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/chart.h"

// A report's page: sections of text, tables and drawings in one file.
namespace sotto {

enum class Align { kText, kNumber };

struct Column {
  std::string heading{};
  Align align = Align::kText;
};

// The first column names its row. One cell per column.
struct Table {
  std::string caption{};
  std::vector<Column> columns{};
  std::vector<std::vector<std::string>> rows{};
  bool cards = false;  // on a telephone each row becomes a card, instead of scrolling
};

enum class Verdict { kHolds, kDiffers, kCorrected };

// A statement beside what was measured about it.
struct Claim {
  std::string what{};
  std::string claimed{};
  std::string measured{};
  Verdict verdict = Verdict::kHolds;
};

// A file that lies beside the page, such as the numbers behind a figure.
struct FileLink {
  std::string label{};
  std::string file{};  // relative to the page
};

enum class Callout { kNote, kFinding, kWarning };

// Everything given as text is plain text and is escaped; only the drawings of
// inline_svg() go in as they are.
class Section {
 public:
  explicit Section(std::string title) : title_(std::move(title)) {}

  Section& paragraph(std::string_view text);
  Section& list(const std::vector<std::string>& items);
  Section& table(const Table& table);
  Section& claims(std::string_view caption, const std::vector<Claim>& claims);
  Section& figure(const InlineSvg& drawing, std::string_view caption,
                  const std::vector<FileLink>& files = {});
  Section& callout(Callout kind, std::string_view title, std::string_view text);

  [[nodiscard]] const std::string& title() const { return title_; }
  [[nodiscard]] const std::string& html() const { return html_; }

 private:
  std::string title_;
  std::string html_;
};

// One HTML file that needs nothing else: no network, no script. Light, dark,
// print, and screens from 320 pixels up.
//
//     HtmlPage page("Case studies", "What the paper shows, computed again.");
//     page.section("Figure 1").paragraph("…").figure(inline_svg(chart), "…");
//     write_file("index.html", page.html());
class HtmlPage {
 public:
  explicit HtmlPage(std::string title, std::string lead = "")
      : title_(std::move(title)), lead_(std::move(lead)) {}

  // A line of the summary under the title: "seed", "42".
  void fact(std::string name, std::string value) {
    facts_.emplace_back(std::move(name), std::move(value));
  }

  // What stands above the summary, without a heading: warnings.
  Section& top() { return top_; }

  // The reference stays valid as more sections are added.
  Section& section(std::string title) { return sections_.emplace_back(std::move(title)); }

  [[nodiscard]] std::string html() const;

  // Its sections alone, headings one level lower and without names to jump to: for a page that has
  // several of them, and its own style.
  [[nodiscard]] std::string fragment() const;

 private:
  std::string title_;
  std::string lead_;
  Section top_{""};
  std::vector<std::pair<std::string, std::string>> facts_;
  std::deque<Section> sections_;
};

namespace report {

// The page's style sheet, without the colours of chart_css().
[[nodiscard]] std::string_view page_css();

}  // namespace report
}  // namespace sotto
