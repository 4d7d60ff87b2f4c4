#include "data/levels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace sotto {
namespace {

std::optional<LevelColumn> find_level(const Schema& schema, const std::string& name) {
  for (const Feature& feature : schema.features) {
    const auto* category = std::get_if<CategoricalFeature>(&feature);
    if (category == nullptr || category->by_party || !name.starts_with(category->column)) continue;
    for (std::size_t level = 0; level < category->levels.size(); ++level) {
      if (level_name(*category, level) == name) return LevelColumn{name, category->column, level};
    }
  }
  return std::nullopt;
}

// A part of an expression's text: a name, with or without backticks, or what stands between names.
struct Token {
  std::string_view text;
  bool name = false;
};

bool in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '=' || static_cast<unsigned char>(c) >= 0x80;
}

// Of the text that Expression has made: names are well formed, and functions stand before "(".
std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (text[at] == '`') {
      end = text.find('`', at + 1) + 1;
      tokens.push_back({text.substr(at, end - at), true});
    } else if (in_name(text[at])) {
      while (end < text.size() && in_name(text[end])) ++end;
      const bool digit = text[at] >= '0' && text[at] <= '9';
      const bool function = end < text.size() && text[end] == '(';
      tokens.push_back({text.substr(at, end - at), !digit && !function && text[at] != '.'});
    } else {
      tokens.push_back({text.substr(at, 1), false});
    }
    at = end;
  }
  return tokens;
}

// The expression with some of its columns under other names. E-term-category: a name with a
// backtick would end the one that it stands in, and what follows it would be part of the term.
// E-term-syntax: with the names it is longer than any term.
Result<Expression> renamed(const Expression& expression,
                           const std::map<std::string, std::string>& names) {
  for (const auto& [column, name] : names) {
    if (name.find('`') == std::string::npos) continue;
    return bad_input(
        "E-term-category",
        fmt::format("the term \"{}\" would name the level \"{}\", and a name in a term "
                    "cannot hold a backtick",
                    expression.text(), name),
        fmt::format("call the level otherwise, or leave \"{}\" out of terms", column));
  }
  std::string text;
  for (const Token& token : tokens_of(expression.text())) {
    std::string_view name = token.text;
    if (name.starts_with('`')) name = name.substr(1, name.size() - 2);
    const auto found = token.name ? names.find(std::string(name)) : names.end();
    text += found == names.end() ? std::string(token.text) : "`" + found->second + "`";
  }
  return Expression::parse(text);
}

// Whether the expression is 0 wherever this column is: then it is multiplied with the rest. Tried
// on numbers of many sizes, for some of which a logarithm or root may not be defined.
bool is_factor(const Expression& expression, const std::string& column) {
  bool defined = false;
  for (const double size : {-1e4, -50.0, -0.5, 0.5, 3.0, 50.0, 1e3, 1e6}) {
    std::vector<double> values;
    for (const std::string& each : expression.columns()) {
      values.push_back(each == column ? 0 : size * (1 + 0.37 * static_cast<double>(values.size())));
    }
    std::vector<const double*> inputs;
    for (const double& value : values) inputs.push_back(&value);
    std::vector<double> scratch;
    double found = 0;
    expression.evaluate(inputs, 1, scratch, &found);
    if (!std::isfinite(found)) continue;
    if (found != 0) return false;
    defined = true;
  }
  return defined;
}

}  // namespace

std::string level_name(const CategoricalFeature& category, std::size_t level) {
  return fmt::format("{}={}", category.column, category.levels[level]);
}

std::vector<LevelColumn> level_columns(const Schema& schema) {
  std::vector<LevelColumn> found;
  const auto look = [&](const std::optional<Term>& term) {
    if (!term) return;
    for (const Term::Column& column : term->columns) {
      const bool there = std::ranges::find(found, column.name, &LevelColumn::name) != found.end();
      if (const auto level = find_level(schema, column.name); level && !there) {
        found.push_back(*level);
      }
    }
  };
  for (const Feature& feature : schema.features) {
    if (const auto* number = std::get_if<NumericFeature>(&feature)) look(number->term);
  }
  look(schema.target.term);
  return found;
}

std::vector<std::string> table_columns_of(const Schema& schema, const Feature& feature) {
  std::vector<std::string> names = table_columns_of(feature);
  const auto* number = std::get_if<NumericFeature>(&feature);
  if (number == nullptr || !number->term) return names;
  for (std::string& name : names) {
    if (const auto level = find_level(schema, name)) name = level->column;
  }
  return names;
}

Result<std::vector<Expression>> by_levels(const Expression& expression,
                                          const std::vector<CategoricalFeature>& categories) {
  std::vector<const CategoricalFeature*> named;
  std::size_t count = 1;
  for (const std::string& column : expression.columns()) {
    const auto found = std::ranges::find(categories, column, &CategoricalFeature::column);
    if (found == categories.end() || found->levels.size() < 2) continue;
    if (!is_factor(expression, column)) {
      return bad_input(
          "E-term-category",
          fmt::format("the term \"{}\" does more with the category \"{}\" than "
                      "multiply by it",
                      expression.text(), column),
          fmt::format("write age:{}, or one level as a number: {}", column, level_name(*found, 1)));
    }
    named.push_back(&*found);
    count *= found->levels.size() - 1;
    if (count > Schema::kMaxEntries) {
      return bad_input("E-schema-size",
                       fmt::format("the term \"{}\" has more than {} coefficients",
                                   expression.text(), Schema::kMaxEntries),
                       "use fewer levels");
    }
  }
  if (named.empty()) return std::vector{expression};
  std::vector<Expression> all;
  for (std::size_t k = 0; k < count; ++k) {
    std::map<std::string, std::string> names;
    std::size_t rest = k;
    for (auto category = named.rbegin(); category != named.rend(); ++category) {
      const std::size_t others = (*category)->levels.size() - 1;
      names[(*category)->column] = level_name(**category, 1 + rest % others);
      rest /= others;
    }
    SOTTO_ASSIGN(auto term, renamed(expression, names));
    all.push_back(std::move(term));
  }
  return all;
}

}  // namespace sotto
