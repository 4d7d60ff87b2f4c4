#include "run/refit/refit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/digest.h"
#include "data/levels.h"
#include "run/kept_json.h"
#include "solve/inference.h"
#include "study/policy.h"
#include "study/sections.h"

// Names to columns, and a fit to a model file.
namespace sotto {
namespace {

// A column of the study and its columns in the release: one, or one for each level but the base.
struct Named {
  std::string name;
  std::vector<Eigen::Index> columns;
  std::string base;  // "heating=gas"; empty for numbers
};

class Names {
 public:
  explicit Names(const Release& release) : columns_(release.columns()) {
    for (const Feature& feature : release.schema.features) {
      const auto* category = std::get_if<CategoricalFeature>(&feature);
      if (category != nullptr && !category->by_party) categories_.push_back(*category);
    }
    Eigen::Index at = 0;
    const auto add = [&](const std::string& name, std::size_t count, const std::string& base) {
      Named& named = all_.emplace_back(Named{.name = name, .columns = {}, .base = base});
      for (std::size_t k = 0; k < count; ++k) named.columns.push_back(at++);
    };
    if (release.schema.intercept) add(columns_.front(), 1, "");
    for (const Feature& feature : release.schema.features) {
      const auto* levels = std::get_if<CategoricalFeature>(&feature);
      add(name_of(feature), entries_of(feature),
          levels == nullptr ? "" : fmt::format("{}={}", levels->column, levels->levels.front()));
    }
    add(release.schema.target.column, 1, "");
  }

  // A column, a level, or what a pattern stands for.
  [[nodiscard]] Result<std::vector<Eigen::Index>> find(const std::string& word) const {
    std::vector<Eigen::Index> found;
    for (const Named& named : all_) {
      if (named.name == word) return named.columns;
      if (stands_for(word, named.name)) {
        found.insert(found.end(), named.columns.begin(), named.columns.end());
      }
    }
    const auto level = std::ranges::find(columns_, word);
    if (level != columns_.end()) return std::vector{level - columns_.begin()};
    if (found.empty()) {
      for (std::size_t k = 0; k < columns_.size(); ++k) {
        if (stands_for(word, columns_[k])) found.push_back(static_cast<Eigen::Index>(k));
      }
    }
    if (!found.empty()) return found;
    // A term by another way of writing it: square(x) for x^2.
    const auto term = Expression::parse(word);
    if (term && term->text() != word) return find(term->text());
    if (term) return by_levels_of(*term, word);
    return unknown(word);
  }

  // All columns of the study's column that this one is of.
  [[nodiscard]] const std::vector<Eigen::Index>& together(Eigen::Index column) const {
    const auto named = std::ranges::find_if(all_, [&](const Named& each) {
      return std::ranges::find(each.columns, column) != each.columns.end();
    });
    return named->columns;
  }

  // All columns of features that share a column of the table with this one: x^2 says what x is.
  [[nodiscard]] std::vector<Eigen::Index> made_of(const Release& release,
                                                  Eigen::Index column) const {
    const Schema& schema = release.schema;
    std::vector<std::vector<std::string>> parts;  // of each in all_
    if (schema.intercept) parts.emplace_back();
    const auto add = [&](const Feature& f) { parts.push_back(table_columns_of(schema, f)); };
    for (const Feature& feature : schema.features) add(feature);
    const Target& target = schema.target;
    add(NumericFeature{target.column, target.bounds, target.term});
    const auto has = [&](std::size_t k, Eigen::Index c) {
      return std::ranges::find(all_[k].columns, c) != all_[k].columns.end();
    };
    std::size_t own = 0;
    while (!has(own, column)) ++own;
    std::vector<Eigen::Index> found;
    for (std::size_t k = 0; k < all_.size(); ++k) {
      const bool shares = std::ranges::any_of(parts[k], [&](const std::string& part) {
        return std::ranges::find(parts[own], part) != parts[own].end();
      });
      if (shares) found.insert(found.end(), all_[k].columns.begin(), all_[k].columns.end());
    }
    return found;
  }

  [[nodiscard]] const std::vector<Named>& all() const { return all_; }

  [[nodiscard]] const std::string& operator[](Eigen::Index column) const {
    return columns_[static_cast<std::size_t>(column)];
  }

 private:
  // age:smoker is age times each level of smoker but the base.
  [[nodiscard]] Result<std::vector<Eigen::Index>> by_levels_of(const Expression& term,
                                                               const std::string& word) const {
    SOTTO_ASSIGN(const auto each, by_levels(term, categories_));
    std::vector<Eigen::Index> found;
    for (const Expression& one : each) {
      const auto column = std::ranges::find(columns_, one.text());
      if (column == columns_.end()) return unknown(word);
      found.push_back(column - columns_.begin());
    }
    return found;
  }

  [[nodiscard]] Error unknown(const std::string& word) const {
    std::vector<std::string> names;
    for (const Named& named : all_) {
      if (named.base == word) {
        return bad_input("E-refit-column",
                         fmt::format("\"{}\" is the base level: others are compared with it", word),
                         fmt::format("choose {} or its other levels", named.name));
      }
      names.push_back(named.name);
    }
    const std::string listed = fmt::format("the columns are {}", fmt::join(names, ", "));
    names.insert(names.end(), columns_.begin(), columns_.end());
    const auto near = nearest_word(word, names);
    return bad_input("E-refit-column", fmt::format("the release has no column \"{}\"", word),
                     near ? fmt::format("did you mean {}? {}", *near, listed) : listed);
  }

  std::vector<std::string> columns_;
  std::vector<Named> all_;
  std::vector<CategoricalFeature> categories_;
};

Result<Eigen::Index> find_target(const Release& release, const Names& names,
                                 const std::string& word) {
  if (word.empty()) return release.target();
  SOTTO_ASSIGN(const auto found, names.find(word));
  const bool constant = release.schema.intercept && found.front() == 0;
  if (found.size() == 1 && !constant) return found.front();
  std::vector<std::string> choices;
  for (const Eigen::Index column : found) choices.push_back(names[column]);
  return bad_input("E-refit-target",
                   fmt::format("\"{}\" cannot be a target: it is {}", word,
                               constant ? "the same in every row" : "several columns"),
                   constant ? "name another column"
                            : fmt::format("name one of them: {}", fmt::join(choices, ", ")));
}

}  // namespace

Result<Selection> select(const Release& release, const ModelWords& words) {
  const Names names(release);
  SOTTO_ASSIGN(const auto target, find_target(release, names, words.target).at("--target"));
  std::vector<bool> chosen(static_cast<std::size_t>(release.size()), words.features.empty());
  const auto set = [&](const std::vector<Eigen::Index>& columns, bool value) {
    for (const Eigen::Index column : columns) chosen[static_cast<std::size_t>(column)] = value;
  };
  if (words.features.empty()) {
    set(names.together(target), false);
    set(names.made_of(release, target), false);
    if (!release.squares_released()) set({release.target()}, false);
  }
  for (const std::string& word : words.features) {
    SOTTO_ASSIGN(const auto columns, names.find(word).at("--features"));
    const bool was = chosen[static_cast<std::size_t>(target)];
    set(columns, true);
    const bool pattern = word.find_first_of("*?") != std::string::npos;
    if (pattern) set({target}, was);
  }
  bool through_origin = false;
  for (const std::string& word : words.without) {
    SOTTO_ASSIGN(const auto columns, names.find(word).at("--without"));
    const bool intercept = release.schema.intercept && columns.front() == 0;
    through_origin = through_origin || intercept;
    set(columns, false);
  }
  SOTTO_ASSIGN(auto selection, select(release, target, chosen));
  selection.through_origin = through_origin;
  return selection;
}

Result<std::vector<Eigen::Index>> find_columns(const Release& release,
                                               const std::vector<std::string>& words,
                                               const std::string& where) {
  const Names names(release);
  std::vector<Eigen::Index> all;
  for (const std::string& word : words) {
    SOTTO_ASSIGN(const auto columns, names.find(word).at(where));
    for (const Eigen::Index column : columns) {
      if (std::ranges::find(all, column) == all.end()) all.push_back(column);
    }
  }
  return all;
}

std::vector<Eigen::Index> varying_columns(const Release& release, const Selection& selection) {
  std::vector<Eigen::Index> columns = selection.columns;
  if (release.schema.intercept) columns.erase(columns.begin());
  const bool known = selection.target != release.target() || release.squares_released();
  if (known) columns.push_back(selection.target);
  return columns;
}

Result<Chosen> choose_features(const Release& release, const Selection& selection, Search search) {
  if (selection.through_origin) {
    return bad_input("E-refit-features", "features are chosen among models with an intercept",
                     "leave the intercept in");
  }
  SOTTO_ASSIGN(const auto errors, model_errors(release, selection));
  SOTTO_ASSIGN(const auto rows, rows_for_errors(release));
  Chosen chosen;
  const Names names(release);
  std::vector<FeatureGroup> groups;
  for (const Named& named : names.all()) {
    FeatureGroup group;
    for (std::size_t k = release.schema.intercept ? 1 : 0; k < selection.columns.size(); ++k) {
      const auto found = std::ranges::find(named.columns, selection.columns[k]);
      if (found != named.columns.end()) group.push_back(static_cast<Eigen::Index>(k));
    }
    if (group.empty()) continue;
    groups.push_back(std::move(group));
    chosen.names.push_back(named.name);
  }
  SOTTO_ASSIGN(chosen.search, search_features(errors, rows, groups, search));
  std::vector<bool> kept(static_cast<std::size_t>(release.size()), false);
  for (const std::size_t group : chosen.search.best.groups) {
    for (const Eigen::Index k : groups[group]) {
      kept[static_cast<std::size_t>(selection.columns[static_cast<std::size_t>(k)])] = true;
    }
  }
  SOTTO_ASSIGN(chosen.selection, select(release, selection.target, kept));
  return chosen;
}

Result<NestedTest> compare(const Release& release, const Selection& small, const Selection& large) {
  const bool nested = small.target == large.target && small.columns.size() < large.columns.size() &&
                      std::ranges::includes(large.columns, small.columns);
  if (!nested) {
    return bad_input("E-refit-compare",
                     "the first model's features are not a part of the second's, with one target",
                     "name the smaller model first, as --compare area_m2,area_m2+people");
  }
  if (small.through_origin || large.through_origin) {
    return bad_input("E-refit-compare", "models without an intercept are not compared",
                     "leave the intercept in");
  }
  std::vector<Eigen::Index> left_out;
  for (std::size_t k = 0; k < large.columns.size(); ++k) {
    if (!std::ranges::binary_search(small.columns, large.columns[k])) {
      left_out.push_back(static_cast<Eigen::Index>(k));
    }
  }
  return nested_test(release, large, left_out);
}

Result<Selection> selection_of(const Release& release, const RunRecord& record) {
  // A column of levels by its levels, but those that are its base: in the study's own words where
  // it has another one.
  const Names names(release);
  ModelWords words{.target = record.target};
  std::vector<std::string> bases;
  for (const ModelSummary::Base& base :
       record.summary ? record.summary->bases : std::vector<ModelSummary::Base>{}) {
    for (const std::string& level : base.levels) {
      bases.push_back(fmt::format("{}={}", base.column, level));
    }
  }
  bool intercept = !release.schema.intercept;
  for (const RunRecord::Coefficient& c : record.coefficients) {
    intercept = intercept || c.name == names[0];
    const bool left_out =
        record.summary ? std::ranges::find(bases, c.name) != bases.end() : c.value == 0;
    if (left_out) continue;
    const auto named = std::ranges::find(names.all(), c.name, &Named::base);
    words.features.push_back(named == names.all().end() ? c.name : named->name);
  }
  if (!intercept) words.without.push_back(names[0]);
  return select(release, words);
}

Result<Release> release_in(const RunRecord& record) {
  if (record.release) return *record.release;
  return bad_input("E-refit-release", "the file has no release to fit another model to",
                   record.unit == Unit::kEntry
                       ? "only studies over tables have columns to choose from"
                       : "sotto keeps it since 0.3: older runs have only their one model");
}

Result<std::optional<NestedTest>> party_test(const Release& release) {
  if (!release.schema.has_party_effect()) return std::optional<NestedTest>{};
  std::vector<bool> chosen(static_cast<std::size_t>(release.size()), true);
  chosen.back() = false;  // the target
  std::size_t at = release.schema.intercept ? 1 : 0;
  for (const Feature& feature : release.schema.features) {
    const auto* levels = std::get_if<CategoricalFeature>(&feature);
    for (std::size_t n = entries_of(feature); n > 0; --n, ++at) {
      if (levels != nullptr && levels->by_party) chosen[at] = false;
    }
  }
  SOTTO_ASSIGN(const auto without, select(release, release.target(), chosen));
  SOTTO_ASSIGN(const auto test, compare(release, without, own_selection(release)));
  return std::optional(test);
}

Result<Model> refit(const RunRecord& source, const Selection& selection, const FitMethod& method,
                    const std::vector<BaseLevel>& bases) {
  SOTTO_ASSIGN(const auto release, release_in(source));
  return refit(source, release, selection, method, bases);
}

Result<Model> refit(const RunRecord& source, const Release& release, const Selection& selection,
                    const FitMethod& method, const std::vector<BaseLevel>& bases) {
  SOTTO_ASSIGN(auto fit, infer_fit(release, selection, method));
  if (fit.fit.singular) {
    return bad_input("E-refit-singular",
                     fmt::format("the model of {} is singular: the sums do not tell its {} "
                                 "columns apart",
                                 selection.schema.target.column, selection.columns.size()),
                     "leave features out, or take --ridge or --estimator noise-aware");
  }
  for (const BaseLevel& base : bases) {
    SOTTO_ASSIGN(fit, with_base(std::move(fit), base));
  }
  RunRecord record = source;
  record.estimator = method.estimator;
  record.estimator_settings = method.settings;
  record.ridge = method.ridge;
  record.instruments.clear();
  const std::vector<std::string> columns = release.columns();
  for (const Eigen::Index k : method.instruments) {
    record.instruments.push_back(columns[static_cast<std::size_t>(k)]);
  }
  record.target = selection.schema.target.column;
  record.encoding = schema_json(fit.schema);
  record.refit_of = to_hex(sha256(json_line(release_json(*source.release))));
  record.coefficients.clear();
  record.warnings.clear();
  record.own.clear();
  return model_of(std::move(record), std::move(fit));
}

}  // namespace sotto
