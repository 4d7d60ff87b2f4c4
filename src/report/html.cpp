#include "report/html.h"

#include <fmt/core.h>

#include "base/check.h"
#include "report/svg.h"
#include "report/text.h"

// Markup for each part of a page. Whatever is text is escaped here.
namespace sotto {
namespace {

using report::escape;

// A row's name, which may break after the signs that join words in the names of
// columns: one long name must not push the numbers off a telephone.
std::string row_name(std::string_view text) {
  std::string html;
  std::size_t from = 0;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] != '_' && text[i] != '=') continue;
    html += escape(text.substr(from, i + 1 - from)) + "<wbr/>";
    from = i + 1;
  }
  return html + escape(text.substr(from));
}

// An enum's value as a class of the style sheet and in words, in the order of its values.
struct Badge {
  const char* kind;
  const char* words;
};
constexpr Badge kVerdicts[] = {
    {"holds", "✓ holds"}, {"differs", "✗ differs"}, {"corrected", "➜ corrected"}};
constexpr Badge kCallouts[] = {{"note", "Note"}, {"finding", "Finding"}, {"warning", "Warning"}};

// A wide table scrolls by itself, with the keyboard as well; the page never does.
std::string scrolling(std::string_view label, const std::string& table) {
  return fmt::format(
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">\n{}</div>\n",
      escape(label.empty() ? "Table" : label), table);
}

// Cells are markup already. A table with a kind becomes cards on a telephone (page_css), and
// its roles repeat what the elements are, because browsers forget it when CSS changes their
// display.
std::string table_html(std::string_view kind, std::string_view caption,
                       const std::vector<Column>& columns,
                       const std::vector<std::vector<std::string>>& rows) {
  const bool cards = !kind.empty();
  const auto role = [&](const char* name) {
    return cards ? fmt::format(" role=\"{}\"", name) : "";
  };
  const auto number = [&](std::size_t column) {
    return columns[column].align == Align::kNumber ? " class=\"number\"" : "";
  };
  std::string text = "<table" + (cards ? fmt::format(" class=\"{}\"", kind) : "") + role("table");
  text += caption.empty() ? ">\n" : fmt::format(">\n<caption>{}</caption>\n", escape(caption));
  text += fmt::format("<thead{}><tr{}>", role("rowgroup"), role("row"));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    text += fmt::format("<th scope=\"col\"{}{}>{}</th>", role("columnheader"), number(i),
                        escape(columns[i].heading));
  }
  text += fmt::format("</tr></thead>\n<tbody{}>\n", role("rowgroup"));
  for (const auto& row : rows) {
    check(row.size() == columns.size(), "a table row has one cell per column");
    text += fmt::format("<tr{}><th scope=\"row\"{}{}>{}</th>", role("row"), role("rowheader"),
                        number(0), row[0]);
    for (std::size_t i = 1; i < row.size(); ++i) {
      const std::string label =
          cards ? fmt::format(" data-label=\"{}\"", escape(columns[i].heading)) : "";
      text += fmt::format("<td{}{}{}>{}</td>", role("cell"), number(i), label, row[i]);
    }
    text += "</tr>\n";
  }
  return text + "</tbody>\n</table>\n";
}

}  // namespace

Section& Section::paragraph(std::string_view text) {
  html_ += fmt::format("<p>{}</p>\n", escape(text));
  return *this;
}

Section& Section::list(const std::vector<std::string>& items) {
  html_ += "<ul>\n";
  for (const std::string& item : items) html_ += fmt::format("<li>{}</li>\n", escape(item));
  html_ += "</ul>\n";
  return *this;
}

Section& Section::table(const Table& table) {
  std::vector<std::vector<std::string>> rows = table.rows;
  for (auto& row : rows) {
    for (std::size_t i = 0; i < row.size() && i < table.columns.size(); ++i) {
      // A hyphen is shorter than the digits it belongs to and breaks lines.
      row[i] = table.columns[i].align == Align::kNumber ? escape(report::with_minus_sign(row[i]))
               : i == 0                                 ? row_name(row[i])
                                                        : escape(row[i]);
    }
  }
  html_ += scrolling(table.caption,
                     table_html(table.cards ? "cards" : "", table.caption, table.columns, rows));
  return *this;
}

Section& Section::claims(std::string_view caption, const std::vector<Claim>& claims) {
  std::vector<std::vector<std::string>> rows;
  for (const Claim& claim : claims) {
    const Badge& verdict = kVerdicts[static_cast<std::size_t>(claim.verdict)];
    rows.push_back(
        {escape(claim.what), escape(claim.claimed), escape(claim.measured),
         fmt::format("<span class=\"verdict {}\">{}</span>", verdict.kind, verdict.words)});
  }
  html_ += table_html("claims", caption, {{"Claim"}, {"Claimed"}, {"Measured"}, {"Verdict"}}, rows);
  return *this;
}

Section& Section::figure(const InlineSvg& drawing, std::string_view caption,
                         const std::vector<FileLink>& files) {
  html_ += fmt::format(
      "<figure>\n<div class=\"wide\">{}</div>\n<div class=\"narrow\">{}</div>\n<figcaption>{}",
      drawing.wide, drawing.narrow, escape(caption));
  for (const FileLink& link : files) {
    // "./" keeps every name a relative one, even "javascript:…".
    html_ +=
        fmt::format(" <a href=\"./{}\" download>{}</a>", escape(link.file), escape(link.label));
  }
  html_ += "</figcaption>\n</figure>\n";
  return *this;
}

Section& Section::callout(Callout kind, std::string_view title, std::string_view text) {
  const Badge& words = kCallouts[static_cast<std::size_t>(kind)];
  html_ += fmt::format(
      "<aside class=\"callout {}\" role=\"note\"><p class=\"callout-title\"><span>{}.</span> {}</p>"
      "<p>{}</p></aside>\n",
      words.kind, words.words, escape(title), escape(text));
  return *this;
}

std::string HtmlPage::html() const {
  // The policy makes the browser enforce what the page promises: nothing is loaded, nothing runs.
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">\n<title>{}</title>\n<style>\n{}{}</style>\n</head>\n<body>\n<main>\n",
      escape(title_), report::chart_css(), report::page_css());
  text += fmt::format("<header>\n<h1>{}</h1>\n", escape(title_));
  if (!lead_.empty()) text += fmt::format("<p class=\"lead\">{}</p>\n", escape(lead_));
  text += top_.html();
  if (!facts_.empty()) {
    text += "<dl class=\"facts\">\n";
    for (const auto& [name, value] : facts_) {
      text += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escape(name), escape(value));
    }
    text += "</dl>\n";
  }
  if (sections_.size() >= 3) {
    text += "<nav aria-label=\"Contents\"><ol>\n";
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      text += fmt::format("<li><a href=\"#section-{}\">{}</a></li>\n", i + 1,
                          escape(sections_[i].title()));
    }
    text += "</ol></nav>\n";
  }
  text += "</header>\n";
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    text += fmt::format(
        "<section id=\"section-{0}\" aria-labelledby=\"heading-{0}\">\n<h2 "
        "id=\"heading-{0}\">{1}</h2>\n{2}</section>\n",
        i + 1, escape(sections_[i].title()), sections_[i].html());
  }
  return text + "</main>\n</body>\n</html>\n";
}

std::string HtmlPage::fragment() const {
  std::string text = top_.html();
  for (const Section& section : sections_) {
    text += fmt::format("<section>\n<h3>{}</h3>\n{}</section>\n", escape(section.title()),
                        section.html());
  }
  return text;
}

}  // namespace sotto
