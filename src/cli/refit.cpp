// `sotto refit`: other models from what one study has released, and what else follows from it, at
// no further cost.
#include "run/refit/refit.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/files.h"
#include "base/json.h"
#include "cli/command_line.h"
#include "cli/text/refit_tables.h"
#include "run/home.h"
#include "run/kept_json.h"
#include "run/refit/combine.h"

namespace sotto {
namespace {

struct RefitOptions {
  std::string source;
  std::string target;
  std::string features;
  std::string without;
  std::string bases;
  std::string estimator;
  double ridge = 0;
  std::string instruments;
  Search search = Search::kBest;
  std::string compare;
  bool correlations = false;
  bool components = false;
  std::string out;
  std::string home;
};

RefitWords words_from(const RefitOptions& options, const Syntax& verb) {
  RefitWords words{.model = {.target = options.target,
                             .features = between_commas(options.features),
                             .without = between_commas(options.without)},
                   .bases = between_commas(options.bases),
                   .estimator = options.estimator,
                   .instruments = between_commas(options.instruments)};
  if (verb.given("--ridge")) words.ridge = options.ridge;
  return words;
}

// One of the models of --compare: features as a+b, or a model file of the same release.
Result<Selection> compared(const RunRecord& source, const Release& release,
                           const RefitOptions& options, const std::string& words) {
  ModelWords model{.target = options.target};
  std::error_code ignored;
  if (std::filesystem::is_regular_file(words, ignored)) {
    SOTTO_ASSIGN(const auto record, read_record(words));
    SOTTO_ASSIGN(const auto other, release_in(record).at(words));
    if (release_json(other) != release_json(release)) {
      return bad_input("E-refit-compare", "the model is not of the same release",
                       fmt::format("a refit of {}", source.study))
          .at(words);
    }
    return selection_of(release, record);
  }
  std::string list = words;
  std::ranges::replace(list, '+', ',');
  model.features = between_commas(list);
  return select(release, model);
}

Result<std::string> compare_models(const RunRecord& source, const Release& release,
                                   const RefitOptions& options, Output output) {
  const auto two = between_commas(options.compare);
  if (two.size() != 2) {
    return bad_input("E-refit-compare", "two models are compared, the smaller one first",
                     "write --compare area_m2,area_m2+people, or two model files")
        .at("--compare");
  }
  SOTTO_ASSIGN(const auto small, compared(source, release, options, two[0]).at("--compare"));
  SOTTO_ASSIGN(const auto large, compared(source, release, options, two[1]).at("--compare"));
  SOTTO_ASSIGN(const auto test, compare(release, small, large));
  const std::string& target = large.schema.target.column;
  return output.json() ? json_text(comparison_json(target, test)) : comparison_text(target, test);
}

// What there is to say beside models, or nothing.
Result<std::string> structure(const Release& release, const Selection& selection, bool principal,
                              Output output) {
  const auto columns = varying_columns(release, selection);
  if (principal) {
    SOTTO_ASSIGN(const auto found, components(release, columns));
    return output.json() ? json_text(components_json(release, found))
                         : components_text(release, found);
  }
  SOTTO_ASSIGN(const auto found, correlations(release, columns));
  return output.json() ? json_text(correlations_json(release, found))
                       : correlations_text(release, found);
}

Result<std::string> answer(const RefitOptions& options, const Syntax& verb, Output output) {
  SOTTO_ASSIGN(const auto file, find_run_file(options.source, options.home, kRecordFile));
  SOTTO_ASSIGN(const auto source, read_record(file));
  SOTTO_ASSIGN(const auto released, release_in(source).at(file));
  const RefitWords words = words_from(options, verb);
  SOTTO_ASSIGN(const auto release, combine_columns(released, words.model));
  const bool search = verb.given("--select");
  if (options.correlations + options.components + search + verb.given("--compare") > 1) {
    return bad_input("E-usage",
                     "--select, --correlations, --components and --compare exclude each other",
                     "one of them")
        .at("the command line");
  }
  if (verb.given("--compare")) return compare_models(source, release, options, output);
  SOTTO_ASSIGN(auto selection, select(release, words.model));
  if (options.correlations || options.components) {
    return structure(release, selection, options.components, output);
  }
  SOTTO_ASSIGN(const auto method, method_of(source, release, words).at("the command line"));
  SOTTO_ASSIGN(const auto bases, base_levels_from(words.bases));
  std::string text;
  Json tried;
  if (search) {
    SOTTO_ASSIGN(const auto chosen, choose_features(release, selection, options.search));
    text = search_text(chosen) + "\n";
    tried = search_json(chosen);
    selection = chosen.selection;
  }
  SOTTO_ASSIGN(auto model, refit(source, release, selection, method, bases).at("the command line"));
  if (search) {
    model.record.warnings.emplace_back(
        "The features were chosen by the same sums: the intervals do not count that in.");
  }
  Json json = to_json(model);
  if (search) json["selection"] = std::move(tried);
  const std::string model_file = json_text(search ? with_digest(std::move(json)) : json);
  text += to_text(model);
  if (!options.out.empty()) {
    SOTTO_TRY(write_file(options.out, model_file).at("--out"));
    text += fmt::format("\n  written: {}\n", options.out);
  }
  return output.json() ? model_file : text;
}

}  // namespace

Verb add_refit(const Syntax& program) {
  auto options = std::make_shared<RefitOptions>();
  const Syntax verb =
      program.verb("refit", "another model from what a run has released; costs nothing",
                   "sotto refit out/run/model.json --target people --features 'area*,heating' "
                   "--out people.json\n"
                   "  sotto refit out/run --select bic\n"
                   "  sotto refit out/run --compare area_m2+people,area_m2+people+heating");
  const Syntax model = verb.group("The model");
  verb.text("run", options->source, kRunHelp, Need::kRequired);
  verb.group(kWhoAndWhere).text("--home", options->home, kHomeHelp);
  model.text("--target", options->target,
             "the column to explain, or a sum as 'a - b'; the study's own");
  model.text(
      "--features", options->features,
      "columns, levels or patterns as area*,heating=electric, or sums as 'a + 2*b'; all but the "
      "target");
  model.text("--without", options->without,
             "columns to leave out of them; intercept: a model through the origin");
  model.text("--base", options->bases,
             "levels to compare the others with, as heating=gas; the study's first ones");
  model.text("--estimator", options->estimator,
             "noise-aware, exact, psd-ridge or adassp; the run's own");
  model.number("--ridge", options->ridge,
               "ridge regression with this λ, in units of rows; the intercept is not shrunk");
  model.text("--instruments", options->instruments,
             "two-stage least squares; features among them are their own instruments");
  model.choice("--select", options->search,
               {{"bic", Search::kBest},
                {"forward", Search::kForward},
                {"backward", Search::kBackward},
                {"all", Search::kAll}},
               "keep the features that a criterion with the noise in it asks for");
  const Syntax else_told = verb.group("What else the release tells");
  else_told.flag("--correlations", options->correlations,
                 "between the columns, with standard errors");
  else_told.flag("--components", options->components,
                 "principal components, and which are more than noise");
  else_told.text("--compare", options->compare,
                 "F-test of nested models, as a+b,a+b+c or two model files");
  verb.group(kOutput).text("--out", options->out, "write the model file here");
  return {verb, [options, verb](Output output) { return answer(*options, verb, output); }};
}

}  // namespace sotto
