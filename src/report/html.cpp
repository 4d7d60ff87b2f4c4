#include "report/html.h"

#include <fmt/core.h>

#include "base/check.h"
#include "report/escape.h"
#include "report/svg.h"

namespace sotto {
namespace {

// A hyphen is shorter than the digits it belongs to and breaks lines.
std::string number_cell(const std::string& text) {
  return text.starts_with('-') ? fmt::format("−{}", text.substr(1)) : text;
}

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

struct VerdictText {
  const char* kind;
  const char* words;
};

VerdictText text_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kHolds:
      return {"holds", "✓ holds"};
    case Verdict::kDiffers:
      return {"differs", "✗ differs"};
    case Verdict::kCorrected:
      return {"corrected", "➜ corrected"};
  }
  check(false, "a verdict is one of its values");
  return {};
}

VerdictText text_of(Callout kind) {
  switch (kind) {
    case Callout::kNote:
      return {"note", "Note"};
    case Callout::kFinding:
      return {"finding", "Finding"};
    case Callout::kWarning:
      return {"warning", "Warning"};
  }
  check(false, "a callout is one of its kinds");
  return {};
}

// A wide table scrolls by itself, with the keyboard as well; the page never does.
std::string scrolling(std::string_view label, const std::string& table) {
  return fmt::format(
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">\n{}</div>\n",
      escape(label.empty() ? "Table" : label), table);
}

std::string caption_of(std::string_view caption) {
  return caption.empty() ? "" : fmt::format("<caption>{}</caption>\n", escape(caption));
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

Section& Section::code(std::string_view text) {
  html_ += fmt::format("<pre tabindex=\"0\"><code>{}</code></pre>\n", escape(text));
  return *this;
}

// As cards (page_css), the roles repeat what the elements are, because browsers
// forget it when CSS changes their display.
Section& Section::table(const Table& table) {
  const auto role = [&](const char* name) {
    return table.cards ? fmt::format(" role=\"{}\"", name) : "";
  };
  const auto number = [&](std::size_t column) {
    return table.columns[column].align == Align::kNumber ? " class=\"number\"" : "";
  };
  std::string text = fmt::format("<table{}>\n{}<thead{}><tr{}>",
                                 table.cards ? " class=\"cards\" role=\"table\"" : "",
                                 caption_of(table.caption), role("rowgroup"), role("row"));
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    text += fmt::format("<th scope=\"col\"{}{}>{}</th>", role("columnheader"), number(i),
                        escape(table.columns[i].heading));
  }
  text += fmt::format("</tr></thead>\n<tbody{}>\n", role("rowgroup"));
  for (const auto& row : table.rows) {
    check(row.size() == table.columns.size(), "a table row has one cell per column");
    text += fmt::format("<tr{}>", role("row"));
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool is_number = table.columns[i].align == Align::kNumber;
      const std::string cell = is_number ? escape(number_cell(row[i]))
                               : i == 0  ? row_name(row[i])
                                         : escape(row[i]);
      const std::string label =
          table.cards ? fmt::format(" data-label=\"{}\"", escape(table.columns[i].heading)) : "";
      text += i == 0
                  ? fmt::format("<th scope=\"row\"{}{}>{}</th>", role("rowheader"), number(i), cell)
                  : fmt::format("<td{}{}{}>{}</td>", role("cell"), number(i), label, cell);
    }
    text += "</tr>\n";
  }
  html_ += scrolling(table.caption, text + "</tbody>\n</table>\n");
  return *this;
}

// On a telephone each row becomes a card, as in a table of cards.
Section& Section::claims(std::string_view caption, const std::vector<Claim>& claims) {
  constexpr const char* kHeadings[] = {"Claim", "Claimed", "Measured", "Verdict"};
  html_ += "<table class=\"claims\" role=\"table\">\n" + caption_of(caption) +
           "<thead role=\"rowgroup\"><tr role=\"row\">";
  for (const char* heading : kHeadings) {
    html_ += fmt::format("<th scope=\"col\" role=\"columnheader\">{}</th>", heading);
  }
  html_ += "</tr></thead>\n<tbody role=\"rowgroup\">\n";
  for (const Claim& claim : claims) {
    const VerdictText verdict = text_of(claim.verdict);
    html_ += fmt::format(
        "<tr role=\"row\"><th scope=\"row\" role=\"rowheader\">{}</th>"
        "<td role=\"cell\" data-label=\"Claimed\">{}</td>"
        "<td role=\"cell\" data-label=\"Measured\">{}</td>"
        "<td role=\"cell\" data-label=\"Verdict\"><span class=\"verdict {}\">{}</span></td></tr>\n",
        escape(claim.what), escape(claim.claimed), escape(claim.measured), verdict.kind,
        verdict.words);
  }
  html_ += "</tbody>\n</table>\n";
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
  const VerdictText words = text_of(kind);
  html_ += fmt::format(
      "<aside class=\"callout {}\" role=\"note\"><p class=\"callout-title\"><span>{}.</span> {}</p>"
      "<p>{}</p></aside>\n",
      words.kind, words.words, escape(title), escape(text));
  return *this;
}

HtmlPage::HtmlPage(std::string title, std::string lead, std::string language)
    : title_(std::move(title)), lead_(std::move(lead)), language_(std::move(language)) {}

void HtmlPage::fact(std::string name, std::string value) {
  facts_.push_back({std::move(name), std::move(value)});
}

Section& HtmlPage::section(std::string title) {
  return sections_.emplace_back(std::move(title));
}

std::string HtmlPage::html() const {
  // The policy makes the browser enforce what the page promises: nothing is loaded, nothing runs.
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">\n<title>{}</title>\n<style>\n{}{}</style>\n</head>\n<body>\n<main>\n",
      escape(language_), escape(title_), chart_css(), page_css());
  text += fmt::format("<header>\n<h1>{}</h1>\n", escape(title_));
  if (!lead_.empty()) text += fmt::format("<p class=\"lead\">{}</p>\n", escape(lead_));
  text += top_.html();
  if (!facts_.empty()) {
    text += "<dl class=\"facts\">\n";
    for (const Fact& fact : facts_) {
      text +=
          fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escape(fact.name), escape(fact.value));
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

}  // namespace sotto
