#include "run/refit/combine.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "data/levels.h"

namespace sotto {
namespace {

// A new column as Σ a·(a released one).
using Parts = std::vector<std::pair<Eigen::Index, double>>;

// Beyond it, variances may be larger than any double: a model that nobody could read.
constexpr double kMostNumber = 1e100;

// What a word asks for: constant + Σ factor·column, in own units.
struct LinearForm {
  std::string text;
  double constant = 0;
  Parts parts;
};

std::optional<double> number_from(std::string_view text) {
  text = trimmed(text);
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool all = problem == std::errc() && end == text.data() + text.size();
  return all && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// Where one of these signs stands outside of parentheses and backticks; the last one.
std::size_t last_outside(std::string_view text, std::string_view signs) {
  int depth = 0;
  bool quoted = false;
  std::size_t found = std::string_view::npos;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '`') quoted = !quoted;
    if (quoted) continue;
    if (text[at] == '(') ++depth;
    if (text[at] == ')') --depth;
    if (depth == 0 && signs.find(text[at]) != std::string_view::npos) found = at;
  }
  return found;
}

class Combiner {
 public:
  explicit Combiner(const Release& release)
      : release_(release), encoding_(Encoding::make(release.schema).value()) {
    Eigen::Index at = release.schema.intercept ? 1 : 0;
    const auto& features = release.schema.features;
    for (std::size_t k = 0; k < features.size(); ++k) {
      if (std::holds_alternative<NumericFeature>(features[k])) {
        halves_[at] = encoding_.feature_scale(k).half;
      }
      at += static_cast<Eigen::Index>(entries_of(features[k]));
    }
    halves_[release.target()] = encoding_.target_scale().half;
  }

  // Nothing for a word that names columns as they are.
  Result<std::optional<LinearForm>> form_of(const std::string& word,
                                            const std::string& where) const {
    auto plain = find_columns(release_, {word}, where);
    const auto expression = Expression::parse(word);
    // What is neither is no column either, and select() says so.
    if (plain || !expression || last_outside(word, "+-*/") == std::string::npos) {
      return std::optional<LinearForm>{};
    }
    LinearForm form{.text = expression->text(), .constant = 0, .parts = {}};
    SOTTO_TRY(add_sum(word, 1, where, form));
    const bool small = std::ranges::all_of(
        form.parts, [](const auto& part) { return std::abs(part.second) <= kMostNumber; });
    if (!small || !(std::abs(form.constant) <= kMostNumber)) {
      return bad_input("E-refit-combine",
                       fmt::format("\"{}\" has a number beyond {:g}", form.text, kMostNumber),
                       "smaller numbers: variances are their squares")
          .at(where);
    }
    std::set<Eigen::Index> seen;
    for (const auto& [column, factor] : form.parts) {
      if (!seen.insert(column).second) return twice(column).at(where);
    }
    if (form.constant != 0 && !release_.schema.intercept) {
      return bad_input("E-refit-combine", "a constant needs an intercept, and the release has none",
                       "leave the constant out")
          .at(where);
    }
    return std::optional(std::move(form));
  }

  [[nodiscard]] Error twice(Eigen::Index column) const {
    return bad_input("E-refit-combine",
                     fmt::format("\"{}\" would be part of two columns",
                                 release_.columns()[static_cast<std::size_t>(column)]),
                     "use every released column once: their noise is counted once");
  }

  // The term that `predict` computes: of columns of the table, with the study's bounds.
  [[nodiscard]] Result<NumericFeature> feature_of(const LinearForm& form) const {
    Term term;
    SOTTO_ASSIGN(term.expression, Expression::parse(form.text));
    const std::vector<TableColumn> table = release_.schema.table_columns();
    const std::vector<LevelColumn> levels = level_columns(release_.schema);
    for (const std::string& name : term.expression.columns()) {
      if (std::ranges::find(levels, name, &LevelColumn::name) != levels.end()) {
        term.columns.push_back({.name = name, .bounds = kLevelAsNumber});
        continue;
      }
      const auto found = std::ranges::find(table, name, &TableColumn::name);
      if (found == table.end()) {
        return bad_input("E-refit-column",
                         fmt::format("\"{}\" uses \"{}\", which is no column", form.text, name),
                         "name the columns of a sum as the release has them");
      }
      term.columns.push_back({.name = name, .bounds = found->bounds});
    }
    SOTTO_ASSIGN(const Bounds bounds, term.bounds());
    return NumericFeature{form.text, bounds, std::move(term)};
  }

  // a_k = s'·c_k·h_k/(s_k·h), s' the new column's scale and h half the width of its bounds.
  [[nodiscard]] Parts scaled(const LinearForm& form, double half, double scale) const {
    const Eigen::VectorXd scales = release_.scales();
    Parts parts = form.parts;
    for (auto& [column, factor] : parts) {
      factor *= scale * halves_.at(column) / (scales(column) * half);
    }
    return parts;
  }

 private:
  Result<void> add_sum(std::string_view text, double sign, const std::string& where,
                       LinearForm& form) const {
    const std::size_t at = last_outside(text, "+-");
    if (at == std::string_view::npos) return add_part(trimmed(text), sign, where, form);
    const std::string_view left = trimmed(text.substr(0, at));
    SOTTO_TRY(add_part(trimmed(text.substr(at + 1)), text[at] == '-' ? -sign : sign, where, form));
    return left.empty() ? Result<void>() : add_sum(left, sign, where, form);
  }

  Result<void> add_part(std::string_view text, double factor, const std::string& where,
                        LinearForm& form) const {
    if (const auto constant = number_from(text)) {
      form.constant += factor * *constant;
      return {};
    }
    auto columns = find_columns(release_, {std::string(text)}, where);
    if (!columns) {
      const std::size_t at = last_outside(text, "*/");
      if (at == std::string_view::npos) return std::move(columns).error();
      const std::string_view left = text.substr(0, at);
      const std::string_view right = text.substr(at + 1);
      const auto number = number_from(right);
      if (number && *number != 0) {
        return add_part(trimmed(left), text[at] == '/' ? factor / *number : factor * *number, where,
                        form);
      }
      const auto first = number_from(left);
      if (!first || text[at] == '/') return std::move(columns).error();
      return add_part(trimmed(right), factor * *first, where, form);
    }
    if (is_pattern(text, *columns)) {
      return bad_input("E-refit-column",
                       fmt::format("\"{}\" in a sum would be a pattern of names", text),
                       "name each column of a sum; a product needs both of its sides")
          .at(where);
    }
    if (columns->size() != 1 || !halves_.contains(columns->front())) {
      return bad_input("E-refit-column", fmt::format("\"{}\" is not one number", text),
                       "sums are of numbers; levels and splines stand by themselves")
          .at(where);
    }
    form.parts.emplace_back(columns->front(), factor);
    return {};
  }

  // Whether these columns were found by a * or ? for other letters. The term that the sum becomes
  // reads the same * as a product.
  [[nodiscard]] bool is_pattern(std::string_view text,
                                const std::vector<Eigen::Index>& columns) const {
    if (text.find_first_of("*?") == std::string_view::npos) return false;
    const auto expression = Expression::parse(text);
    return !expression || columns.size() != 1 ||
           release_.columns()[static_cast<std::size_t>(columns.front())] != expression->text();
  }

  const Release& release_;
  Encoding encoding_;
  std::map<Eigen::Index, double> halves_;  // of the columns that are numbers
};

// Mᵢⱼ and its noise for columns that are sums of released ones.
Release moments_of(const Release& release, Schema schema, const std::vector<Parts>& columns) {
  const auto size = static_cast<Eigen::Index>(columns.size());
  Release made{std::move(schema), Eigen::MatrixXd::Zero(size, size),
               Eigen::MatrixXd::Zero(size, size)};
  for (Eigen::Index i = 0; i < size; ++i) {
    for (Eigen::Index j = i; j < size; ++j) {
      double moment = 0;
      double variance = 0;
      for (const auto& [k, a] : columns[static_cast<std::size_t>(i)]) {
        for (const auto& [l, b] : columns[static_cast<std::size_t>(j)]) {
          moment += a * b * release.moments(k, l);
          // Both orders of k and l are the same entry of the release.
          if (i == j && l < k) continue;
          const double times = (i == j && k != l ? 2 : 1) * a * b;
          variance += std::pow(times * release.noise_sd(k, l), 2);
        }
      }
      made.moments(i, j) = made.moments(j, i) = moment;
      made.noise_sd(i, j) = made.noise_sd(j, i) = std::sqrt(variance);
    }
  }
  return made;
}

}  // namespace

Result<Release> combine_columns(const Release& release, const ModelWords& words) {
  const Combiner combiner(release);
  std::optional<LinearForm> target;
  if (!words.target.empty()) {
    SOTTO_ASSIGN(target, combiner.form_of(words.target, "--target"));
  }
  std::vector<LinearForm> forms;
  std::set<Eigen::Index> used;
  const auto use = [&](const LinearForm& form) -> Result<void> {
    for (const auto& [column, factor] : form.parts) {
      if (!used.insert(column).second) return combiner.twice(column);
    }
    return {};
  };
  if (target) SOTTO_TRY(use(*target).at("--target"));
  for (const std::string& word : words.features) {
    SOTTO_ASSIGN(auto form, combiner.form_of(word, "--features"));
    if (!form) continue;
    SOTTO_TRY(use(*form).at("--features"));
    forms.push_back(*std::move(form));
  }
  if (!target && forms.empty()) return release;
  for (const std::string& word : words.features) {
    const auto columns = find_columns(release, {word}, "--features");
    if (!columns || word.find_first_of("*?") != std::string::npos) continue;
    for (const Eigen::Index column : *columns) {
      if (used.contains(column)) return combiner.twice(column).at("--features");
    }
  }
  if (!target && used.contains(release.target())) {
    return bad_input("E-refit-combine",
                     fmt::format("\"{}\" is the study's target, and part of a feature",
                                 release.schema.target.column),
                     "make it a part of --target, or leave it out")
        .at("--features");
  }

  const Schema& study = release.schema;
  Schema schema = study;
  schema.radius = 0;  // rows were shortened by all of the study's columns
  schema.features.clear();
  std::vector<LinearForm> columns;  // in the new order, without scales yet
  const auto keep = [&](const Feature& feature, Eigen::Index first) {
    if (used.contains(first)) return;
    schema.features.push_back(feature);
    for (std::size_t n = 0; n < entries_of(feature); ++n) {
      columns.push_back({.text = {}, .parts = {{first + static_cast<Eigen::Index>(n), 1}}});
    }
  };
  Eigen::Index at = 0;
  if (study.intercept) columns.push_back({.text = {}, .parts = {{at++, 1}}});
  for (const Feature& feature : study.features) {
    keep(feature, at);
    at += static_cast<Eigen::Index>(entries_of(feature));
  }
  if (target && release.squares_released()) {
    keep(NumericFeature{study.target.column, study.target.bounds, study.target.term},
         release.target());
  }
  for (const LinearForm& form : forms) {
    SOTTO_ASSIGN(const NumericFeature feature, combiner.feature_of(form));
    schema.features.emplace_back(feature);
    columns.push_back(form);
  }
  if (target) {
    SOTTO_ASSIGN(const NumericFeature feature, combiner.feature_of(*target));
    schema.target = {feature.column, feature.bounds, feature.term};
    columns.push_back(*target);
  } else {
    columns.push_back({.text = {}, .parts = {{release.target(), 1}}});
  }

  SOTTO_ASSIGN(const Encoding encoding, Encoding::make(schema));
  const Eigen::VectorXd scales = release.scales();
  const double scale = encoding.grid_scale() / kGridOne;
  std::vector<Parts> made;
  std::size_t feature = schema.features.size() - forms.size();
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const bool last = k + 1 == columns.size();
    const double own = last ? 1 : scale;
    if (columns[k].text.empty()) {
      const Eigen::Index column = columns[k].parts.front().first;
      made.push_back({{column, own / scales(column)}});
    } else {
      const double half =
          last ? encoding.target_scale().half : encoding.feature_scale(feature++).half;
      made.push_back(combiner.scaled(columns[k], half, own));
    }
  }
  return moments_of(release, std::move(schema), made);
}

}  // namespace sotto
