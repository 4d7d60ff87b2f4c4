// Words of `sotto refit` over a good run: another model that is shown, written and read back, or an
// error that says which word is wrong.

#include <limits>

#include "cli/text/refit_tables.h"
#include "fuzz/good_files.h"
#include "fuzz/model_checks.h"
#include "run/refit/combine.h"

namespace sotto {
namespace {

// Columns, levels and patterns that the runs have, and some that they have not.
constexpr const char* kColumnWords[] = {"a",
                                        "log(d)",
                                        "a:c=blue",
                                        "a:c",
                                        "a*c",
                                        "bs(b)",
                                        "bs(b)1",
                                        "c",
                                        "c=blue",
                                        "c=red",
                                        "y",
                                        "d",
                                        "w",
                                        "who",
                                        "b",
                                        "party",
                                        "intercept",
                                        "*",
                                        "b*",
                                        "?",
                                        "party=party-2",
                                        "party=party-1",
                                        "`a`",
                                        "a^2",
                                        "exp(a)",
                                        "nobody",
                                        "c=",
                                        "=blue",
                                        "1",
                                        ""};
constexpr const char* kSigns[] = {" + ", " - ", "*", "/", ":", "^", "=", ","};
constexpr const char* kFactors[] = {"2", "-0.5", "0", "1e308", "1e-308", "1e999", "nan", "3*2"};
constexpr double kRidges[] = {0,
                              1,
                              -1,
                              1e-300,
                              5e-324,
                              1e15,
                              1e154,
                              1e308,
                              std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::quiet_NaN()};

template <std::size_t N>
std::string one_of(fuzz::Choices& choices, const char* const (&words)[N]) {
  return words[choices.below(N)];
}

// A column, a sum or product of some, or any text.
std::string column_word(fuzz::Choices& choices) {
  const std::size_t kind = choices.below(8);
  if (kind == 7) return std::string(choices.text());
  std::string word = one_of(choices, kColumnWords);
  if (kind < 3) return word;
  if (kind < 5) word = one_of(choices, kFactors) + one_of(choices, kSigns) + word;
  const std::size_t more = choices.below(3);
  for (std::size_t k = 0; k < more; ++k) {
    word += one_of(choices, kSigns) + one_of(choices, kColumnWords);
  }
  return word;
}

std::vector<std::string> column_words(fuzz::Choices& choices) {
  std::vector<std::string> words;
  for (std::size_t k = choices.below(5); k > 0; --k) words.push_back(column_word(choices));
  return words;
}

ModelWords model_words(fuzz::Choices& choices) {
  ModelWords words;
  if (choices.flag()) words.target = column_word(choices);
  words.features = column_words(choices);
  words.without = column_words(choices);
  return words;
}

RefitWords refit_words(fuzz::Choices& choices) {
  RefitWords words{.model = model_words(choices)};
  words.bases = column_words(choices);
  switch (choices.below(6)) {
    case 0:
      words.estimator = one_of(choices, {"noise-aware", "exact", "psd-ridge", "adassp", "ridge",
                                         "two-stage", "none of them"});
      break;
    case 1:
      words.ridge = kRidges[choices.below(std::size(kRidges))];
      break;
    case 2:
      words.instruments = column_words(choices);
      break;
    default:
      break;
  }
  return words;
}

// What else the release tells of these columns, and for whom.
void tell_structure(const Release& release, const Selection& selection) {
  const auto columns = varying_columns(release, selection);
  if (const auto found = correlations(release, columns); fuzz::fine_or_error(found)) {
    for (const auto& row : found->entries) {
      for (const Correlation& entry : row) {
        fuzz::require(!entry.known || (entry.value >= -1 && entry.value <= 1),
                      "a correlation is one");
      }
    }
    (void)correlations_text(release, *found);
    (void)json_line(correlations_json(release, *found));
  }
  if (const auto found = components(release, columns); fuzz::fine_or_error(found)) {
    (void)components_text(release, *found);
    (void)json_line(components_json(release, *found));
  }
}

void compare_models(const Release& release, const Selection& selection, const ModelWords& words) {
  const auto other = select(release, words);
  if (!fuzz::fine_or_error(other)) return;
  const std::string& target = selection.schema.target.column;
  for (const auto& test :
       {compare(release, *other, selection), compare(release, selection, *other)}) {
    if (!fuzz::fine_or_error(test)) continue;
    fuzz::require(test->p >= 0 && test->p <= 1, "p is a probability");
    (void)comparison_text(target, *test);
    (void)json_line(comparison_json(target, *test));
  }
}

}  // namespace

// Which run, the words, how features are searched for, and the words of a model to compare with.
SOTTO_FUZZER(refit) {
  fuzz::Choices choices(bytes);
  const RunRecord& source = fuzz::good_runs()[choices.below(fuzz::good_runs().size())].record;
  const RefitWords words = refit_words(choices);
  const auto search = static_cast<Search>(choices.below(4));
  const auto all = refit(source, words);
  const bool made = fuzz::fine_or_error(all);
  if (made) fuzz::require_model(*all);
  // The same step by step, as the program does it.
  const auto released = release_in(source);
  if (!fuzz::fine_or_error(released)) return;
  const auto release = combine_columns(*released, words.model);
  if (!fuzz::fine_or_error(release)) return;
  const auto selection = select(*release, words.model);
  if (!fuzz::fine_or_error(selection)) return;
  tell_structure(*release, *selection);
  compare_models(*release, *selection, model_words(choices));
  const auto method = method_of(source, *release, words);
  const auto bases = base_levels_from(words.bases);
  if (!fuzz::fine_or_error(method) || !fuzz::fine_or_error(bases)) return;
  const auto step_by_step = refit(source, *release, *selection, *method, *bases);
  fuzz::require(step_by_step.has_value() == made &&
                    (!made || json_line(to_json(*step_by_step)) == json_line(to_json(*all))),
                "a refit is the same, however it is asked for");
  const auto chosen = choose_features(*release, *selection, search);
  if (!fuzz::fine_or_error(chosen)) return;
  (void)search_text(*chosen);
  (void)json_line(search_json(*chosen));
  if (const auto best = refit(source, *release, chosen->selection, *method, *bases);
      fuzz::fine_or_error(best)) {
    fuzz::require_model(*best);
  }
}

}  // namespace sotto
