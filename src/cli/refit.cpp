// `sotto refit`: other models from what one study has released, at no further cost.
#include "run/refit/refit.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "base/files.h"
#include "base/json.h"
#include "cli/command_line.h"

namespace sotto {
namespace {

struct RefitOptions {
  std::string source;
  std::string target;
  std::string features;
  std::string without;
  std::string estimator;
  double ridge = 0;
  std::string out;
};

// The run's own, if no other is asked for.
Result<FitMethod> method_from(const RefitOptions& options, bool ridge, FitMethod own) {
  if (ridge) {
    if (!std::isfinite(options.ridge) || options.ridge < 0) {
      return bad_input("E-refit-ridge", fmt::format("a ridge of {}", options.ridge),
                       "a number, 0 or more: what is added to the sums of squares")
          .at("--ridge");
    }
    return FitMethod{.estimator = Estimator::kRidge, .ridge = options.ridge};
  }
  if (options.estimator.empty()) return own;
  SOTTO_ASSIGN(const auto estimator, estimator_from_name(options.estimator).at("--estimator"));
  if (estimator != Estimator::kRidge) return FitMethod{.estimator = estimator};
  return bad_input("E-refit-ridge", "the estimator \"ridge\" needs its λ", "write --ridge 10")
      .at("--estimator");
}

}  // namespace

Verb add_refit(const Syntax& program) {
  auto options = std::make_shared<RefitOptions>();
  const Syntax verb =
      program.verb("refit", "another model from what a run has released; costs nothing",
                   "sotto refit out/run/model.json --target people --features 'area*,heating' "
                   "--out people.json");
  verb.text("run", options->source,
            "a run's record.json, the folder that holds it, or a model.json", Need::kRequired);
  verb.text("--target", options->target, "the column to explain; the study's own");
  verb.text("--features", options->features,
            "columns, levels or patterns as area*,heating=gas; all but the target");
  verb.text("--without", options->without, "columns to leave out of them");
  verb.text("--estimator", options->estimator,
            "noise-aware, exact, psd-ridge or adassp; the run's own");
  verb.number("--ridge", options->ridge,
              "ridge regression with this λ, in units of rows; the intercept is not shrunk");
  verb.text("--out", options->out, "write the model file here");
  auto run = [options, verb](Output output) -> Result<std::string> {
    SOTTO_ASSIGN(const auto source, read_record(options->source));
    SOTTO_ASSIGN(const auto release, release_in(source).at(options->source));
    SOTTO_ASSIGN(const auto selection,
                 select(release, {.target = options->target,
                                  .features = between_commas(options->features),
                                  .without = between_commas(options->without)}));
    SOTTO_ASSIGN(const auto method,
                 method_from(*options, verb.given("--ridge"),
                             {.estimator = source.estimator, .ridge = source.ridge}));
    SOTTO_ASSIGN(const auto model, refit(source, selection, method));
    const std::string json = json_text(to_json(model));
    std::string where;
    if (!options->out.empty()) {
      SOTTO_TRY(write_file(options->out, json).at("--out"));
      where = fmt::format("\n  written: {}\n", options->out);
    }
    return output.json() ? json : to_text(model) + where;
  };
  return {verb, run};
}

}  // namespace sotto
