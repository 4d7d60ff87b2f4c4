// A study in the usual shape. Works on lines, because comments must stay where they are.
#include <fmt/format.h>

#include <algorithm>

#include "study/sections.h"
#include "study/study_draft.h"

namespace sotto {
namespace formatting {

std::string stripped(std::string_view line) {
  const auto from = line.find_first_not_of(" \t\r");
  if (from == std::string_view::npos) return {};
  return std::string(line.substr(from, line.find_last_not_of(" \t\r") - from + 1));
}

bool complete(const std::string& text) {
  return parse_toml(text, "", "E-study-syntax").has_value();
}

// One statement, comment or empty line; several lines where a value goes on over them.
struct Item {
  enum class Kind { kEmpty, kComment, kHeader, kKey, kLines } kind = Kind::kEmpty;
  std::string text{};     // of a key: its name
  std::string value{};    // of a key
  std::string comment{};  // behind the value, with its #
};

// Where `sign` first stands outside of strings.
std::size_t outside_strings(const std::string& line, char sign) {
  char quote = '\0';
  for (std::size_t k = 0; k < line.size(); ++k) {
    const char c = line[k];
    if (quote == '"' && c == '\\') {
      ++k;
    } else if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == sign) {
      return k;
    } else if (c == '"' || c == '\'') {
      quote = c;
    }
  }
  return std::string::npos;
}

Item item_of(const std::string& line) {
  if (line.empty()) return {};
  if (line[0] == '#') return {.kind = Item::Kind::kComment, .text = line};
  if (line[0] == '[') return {.kind = Item::Kind::kHeader, .text = line};
  const std::size_t equals = outside_strings(line, '=');
  Item item{.kind = Item::Kind::kKey, .text = stripped(line.substr(0, equals))};
  std::string rest = line.substr(equals + 1);
  if (const std::size_t hash = outside_strings(rest, '#'); hash != std::string::npos) {
    item.comment = stripped(rest.substr(hash));
    rest.resize(hash);
  }
  item.value = stripped(rest);
  return item;
}

std::vector<Item> items_of(const std::string& text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  std::vector<Item> items;
  std::string open;  // lines of a value that is not at its end
  std::size_t at = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.ends_with('\r')) line.pop_back();
    const bool alone = open.empty();
    open += (alone ? "" : "\n") + line;
    if (!complete(open)) continue;
    if (alone) {
      items.push_back(item_of(stripped(line)));
    } else {
      items.push_back({.kind = Item::Kind::kLines, .text = open});
    }
    open.clear();
  }
  return items;
}

// Letters, not bytes.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string padded(const std::string& text, std::size_t wanted) {
  return text + std::string(wanted - std::min(wanted, width(text)), ' ');
}

// Keys that follow each other without a line between them, in columns.
std::string run_of_keys(const std::vector<Item>& items, std::size_t from, std::size_t to) {
  constexpr std::size_t kWidestValue = 40;  // beyond, comments of others are not pushed aside
  std::size_t names = 0;
  std::size_t values = 0;
  for (std::size_t k = from; k < to; ++k) {
    names = std::max(names, width(items[k].text));
    if (!items[k].comment.empty() && width(items[k].value) <= kWidestValue) {
      values = std::max(values, width(items[k].value));
    }
  }
  std::string text;
  for (std::size_t k = from; k < to; ++k) {
    const Item& item = items[k];
    text += fmt::format("{} = {}", padded(item.text, names),
                        item.comment.empty() ? item.value : padded(item.value, values));
    text += item.comment.empty() ? "\n" : fmt::format("  {}\n", item.comment);
  }
  return text;
}

// Comments right above a header belong to it.
bool leads_to_header(const std::vector<Item>& items, std::size_t k) {
  while (k < items.size() && items[k].kind == Item::Kind::kComment) ++k;
  return k < items.size() && items[k].kind == Item::Kind::kHeader;
}

std::string joined(const std::vector<Item>& items) {
  using Kind = Item::Kind;
  std::string text;
  const auto separate = [&] {
    if (!text.empty() && !text.ends_with("\n\n")) text += '\n';
  };
  for (std::size_t k = 0; k < items.size(); ++k) {
    const Item& item = items[k];
    const bool after_comment = k > 0 && items[k - 1].kind == Kind::kComment;
    if (item.kind == Kind::kEmpty) {
      separate();
    } else if (item.kind == Kind::kKey) {
      std::size_t end = k;
      while (end < items.size() && items[end].kind == Kind::kKey) ++end;
      text += run_of_keys(items, k, end);
      k = end - 1;
    } else {
      if (!after_comment && leads_to_header(items, k)) separate();
      text += item.text + "\n";
    }
  }
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

}  // namespace formatting

Result<std::string> formatted_study(const std::string& text, const std::string& file) {
  SOTTO_TRY(parse_study(text, file));
  std::string formatted = formatting::joined(formatting::items_of(text));
  // Lines of a text that goes over several may end in other ways.
  if (*parse_toml(text, file, "E-study-syntax") != *parse_toml(formatted, file, "E-study-syntax")) {
    return failed("E-study-format", "the usual shape would change what the study means",
                  "leave it as it is; ends of lines inside a text are most often why")
        .at(file);
  }
  return formatted;
}

}  // namespace sotto
