#include "run/refit/refit.h"

#include <gmock/gmock.h>

#include <random>

#include "base/json.h"
#include "run/kept_json.h"
#include "run/predict.h"
#include "support/tables.h"

namespace sotto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Schema flats() {
  Schema schema;
  schema.target = {"rent", {0, 50}};
  schema.features = {NumericFeature{"income", {10, 90}}, NumericFeature{"rooms", {1, 7}},
                     CategoricalFeature{"place", {"village", "suburb", "town"}},
                     CategoricalFeature{"balcony", {"no", "yes"}}};
  return schema;
}

// A run over made-up flats, with noise from a seed.
Model model_of_flats(bool error_bars = true) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<std::vector<double>> rows;
  for (int i = 0; i < 3000; ++i) {
    const double income = 50 + 40 * uniform(random);
    const double rooms = 4 + 2 * uniform(random);
    const auto place = static_cast<double>(random() % 3);
    const auto balcony = static_cast<double>(random() % 2);
    rows.push_back({income, rooms, place, balcony,
                    3 + 0.2 * income + 3 * rooms + (place == 2 ? 6 : 0) + uniform(random)});
  }
  Study study = study_for(flats(), 3, 5, 1e-6);
  study.solve = {.estimator = Estimator::kNoiseAware, .error_bars = error_bars};
  study.privacy.sensitivity = row_sensitivity(*study.data, study.privacy.neighbours, study.solve);
  const PlannedStudy planned = plan_study(study, Solver::kPairwise).value();
  return simulate_tables(planned, deal_out(study, rows),
                         {.random_from = RandomFrom::kSeed, .seed = 17})
      .value();
}

std::vector<std::string> names_of(const Release& release, const Selection& selection) {
  std::vector<std::string> names{release.columns()[static_cast<std::size_t>(selection.target)]};
  for (const Eigen::Index k : selection.columns) {
    names.push_back(release.columns()[static_cast<std::size_t>(k)]);
  }
  return names;
}

TEST(Refit, OfTheSameTargetAndFeaturesIsTheModelToTheBit) {
  const Model model = model_of_flats();
  // By way of the file, as `sotto refit` goes.
  const auto file = parse_json(json_text(to_json(model)));
  const RunRecord source = record_from_model_json(file, "model.json").value();
  const Selection same =
      select(*source.release, {.target = "rent", .features = {"balcony", "income", "p*", "rooms"}})
          .value();
  const Model again = refit(source, same, {.estimator = source.estimator}).value();
  EXPECT_EQ(to_json(again)["coefficients"], file["coefficients"]);
  EXPECT_EQ(to_json(again)["encoding"], file["encoding"]);
  EXPECT_EQ(to_json(again)["rows"], file["rows"]);
  EXPECT_EQ(to_json(again)["explained"], file["explained"]);
  EXPECT_EQ(to_json(again)["summary"], file["summary"]);
  EXPECT_EQ(again.record.refit_of.size(), 64U);
}

TEST(Refit, IsAModelFileThatOthersTakeAndThatCanBeRefittedAgain) {
  const Model model = model_of_flats();
  const Selection selection =
      select(*model.record.release, {.target = "income", .without = {"place"}}).value();
  const auto json = to_json(refit(model.record, selection, {}).value());
  const auto file = model_file_from_json(json, "income.json");
  ASSERT_TRUE(file.has_value()) << file.error().to_string();
  EXPECT_EQ(file->schema.target.column, "income");
  EXPECT_EQ(file->schema.target.bounds.hi, 90);
  const RunRecord record = record_from_model_json(json, "income.json").value();
  EXPECT_EQ(record.target, "income");
  const Model back = refit(record, own_selection(*record.release), {}).value();
  EXPECT_EQ(to_json(back)["coefficients"], to_json(model)["coefficients"]);
  EXPECT_EQ(back.record.refit_of, record.refit_of);
}

TEST(Refit, ChoosesColumnsByNameByLevelAndByPattern) {
  const Release release = *model_of_flats().record.release;
  const auto chosen = [&](const ModelWords& words) {
    return names_of(release, select(release, words).value());
  };
  EXPECT_THAT(chosen({.features = {"place", "rooms"}}),
              ElementsAre("rent", "intercept", "rooms", "place=suburb", "place=town"));
  EXPECT_THAT(chosen({.features = {"place=town"}}), ElementsAre("rent", "intercept", "place=town"));
  EXPECT_THAT(chosen({.features = {"*o*"}}),
              ElementsAre("rent", "intercept", "income", "rooms", "balcony=yes"));
  EXPECT_THAT(chosen({.features = {"place=*"}}),
              ElementsAre("rent", "intercept", "place=suburb", "place=town"));
  EXPECT_THAT(chosen({.features = {"*"}, .without = {"place", "income"}}),
              ElementsAre("rent", "intercept", "rooms", "balcony=yes"));
  EXPECT_THAT(chosen({.target = "balcony", .features = {"rent"}}),
              ElementsAre("balcony=yes", "intercept", "rent"));
  EXPECT_THAT(chosen({.target = "place=town"}),
              ElementsAre("place=town", "intercept", "income", "rooms", "balcony=yes", "rent"));
}

TEST(Refit, SaysWhichWordIsWrongAndWhatIsNear) {
  const Release release = *model_of_flats().record.release;
  const auto complaint = [&](const ModelWords& words) {
    const auto selection = select(release, words);
    EXPECT_FALSE(selection.has_value());
    return selection ? "" : selection.error().to_string();
  };
  EXPECT_THAT(
      complaint({.features = {"romos"}}),
      AllOf(HasSubstr("E-refit-column"), HasSubstr("--features"), HasSubstr("mean rooms?")));
  EXPECT_THAT(complaint({.target = "rant"}),
              AllOf(HasSubstr("E-refit-column"), HasSubstr("--target"), HasSubstr("mean rent?")));
  EXPECT_THAT(complaint({.features = {"place=twon"}}), HasSubstr("mean place=town?"));
  EXPECT_THAT(complaint({.features = {"place=village"}}), HasSubstr("base level"));
  EXPECT_THAT(complaint({.without = {"z*"}}),
              AllOf(HasSubstr("E-refit-column"), HasSubstr("--without")));
  EXPECT_THAT(complaint({.target = "place"}),
              AllOf(HasSubstr("E-refit-target"), HasSubstr("place=suburb, place=town")));
  EXPECT_THAT(complaint({.target = "intercept"}), HasSubstr("E-refit-target"));
  EXPECT_THAT(complaint({.features = {"rent"}}), HasSubstr("E-refit-features"));
}

TEST(Refit, LeavesOutATargetWhoseSquareStayedAtHome) {
  const Release release = *model_of_flats(false).record.release;
  EXPECT_FALSE(release.squares_released());
  EXPECT_THAT(
      names_of(release, select(release, {.target = "rooms"}).value()),
      ElementsAre("rooms", "intercept", "income", "place=suburb", "place=town", "balcony=yes"));
  EXPECT_EQ(select(release, {.target = "rooms", .features = {"rent"}}).error().name,
            "E-refit-squares");
}

TEST(Refit, ChoosesColumnsOfTheStudyAsAWhole) {
  const Release release = *model_of_flats().record.release;
  const Chosen chosen = choose_features(release, own_selection(release), Search::kBest).value();
  EXPECT_THAT(chosen.names, ElementsAre("income", "rooms", "place", "balcony"));
  EXPECT_THAT(chosen.search.best.groups, ElementsAre(0, 1, 2)) << "a balcony costs nothing here";
  EXPECT_THAT(names_of(release, chosen.selection),
              ElementsAre("rent", "intercept", "income", "rooms", "place=suburb", "place=town"));
  EXPECT_EQ(chosen.search.subsets, 16U);
  EXPECT_LT(chosen.search.effective_rows, 3000);
  const Release lean = *model_of_flats(false).record.release;
  EXPECT_EQ(choose_features(lean, own_selection(lean), Search::kAll).error().name,
            "E-refit-squares");
}

TEST(Refit, ComparesNestedModelsAndNoOthers) {
  const Release release = *model_of_flats().record.release;
  const auto of = [&](std::vector<std::string> features) {
    return select(release, {.features = std::move(features)}).value();
  };
  EXPECT_LT(compare(release, of({"rooms"}), of({"rooms", "place"}))->p, 1e-3);
  const NestedTest balcony = compare(release, of({"rooms", "income", "place"}),
                                     of({"rooms", "income", "place", "balcony"}))
                                 .value();
  EXPECT_GT(balcony.p, 1e-3);
  EXPECT_EQ(balcony.left_out, 1);
  EXPECT_EQ(compare(release, of({"rooms"}), of({"income", "place"})).error().name,
            "E-refit-compare");
  EXPECT_EQ(compare(release, of({"rooms"}), of({"rooms"})).error().name, "E-refit-compare");
}

TEST(Refit, KeepsItsInstrumentsInTheFile) {
  const RunRecord source = model_of_flats().record;
  const Selection selection = select(*source.release, {.features = {"income"}}).value();
  const auto instruments = find_columns(*source.release, {"rooms", "place"}, "--instruments");
  const Model model =
      refit(source, selection, {.estimator = Estimator::kTwoStage, .instruments = *instruments})
          .value();
  const RunRecord back = record_from_model_json(to_json(model), "model.json").value();
  EXPECT_EQ(back.estimator, Estimator::kTwoStage);
  EXPECT_THAT(back.instruments, ElementsAre("rooms", "place=suburb", "place=town"));
  EXPECT_EQ(find_columns(*source.release, {"rom"}, "--instruments").error().name, "E-refit-column");
}

TEST(Refit, RefusesWhatHasNoReleaseAndWhatIsSingular) {
  RunRecord record = model_of_flats().record;
  RunRecord old = record;
  old.release.reset();
  EXPECT_EQ(release_in(old).error().name, "E-refit-release");
  // Without noise, a level that every row has.
  record.release->noise_sd.setZero();
  record.release->moments.row(3) = record.release->moments.row(0);
  record.release->moments.col(3) = record.release->moments.col(0);
  record.release->moments(3, 3) = record.release->moments(0, 0);
  const Selection own = own_selection(*record.release);
  EXPECT_EQ(refit(record, own, {.estimator = Estimator::kExact}).error().name, "E-refit-singular");
  EXPECT_TRUE(refit(record, own, {.estimator = Estimator::kRidge, .ridge = 1}).has_value());
}

TEST(Refit, RefusesSumsAndNoiseThatNoRunReleases) {
  const Json fine = to_json(model_of_flats());
  for (const auto& [list, value] :
       {std::pair("sums", 1e200), std::pair("noise_sd", 1e200), std::pair("noise_sd", 1e-300)}) {
    Json json = fine;
    json["release"][list].back() = value;
    json.erase("digest");
    const auto record = record_from_model_json(with_digest(json), "model.json");
    ASSERT_FALSE(record.has_value()) << list;
    EXPECT_THAT(record.error().what, HasSubstr(list));
  }
}

TEST(Refit, LeavesOutTheInterceptExactly) {
  const RunRecord source = model_of_flats().record;
  const Model model = refit(source, {.model = {.without = {"intercept"}}}).value();
  EXPECT_EQ(model.record.estimator, Estimator::kExact) << "the one that there is";
  EXPECT_EQ(model.record.coefficients.front().name, "income");
  EXPECT_EQ(model.record.coefficients.front().value, *model.record.coefficients.front().unshrunk);
  const auto json = to_json(model);
  EXPECT_FALSE(json["encoding"]["intercept"].get<bool>());
  EXPECT_TRUE(model_file_from_json(json, "model.json").has_value());
  EXPECT_EQ(
      refit(source, {.model = {.without = {"intercept"}}, .estimator = "adassp"}).error().name,
      "E-refit-features");
  const Selection none =
      select(*source.release, {.features = {"rooms"}, .without = {"intercept"}}).value();
  const Selection all = select(*source.release, {.features = {"rooms", "income"}}).value();
  EXPECT_EQ(compare(*source.release, none, all).error().name, "E-refit-compare");
  EXPECT_EQ(choose_features(*source.release, none, Search::kAll).error().name, "E-refit-features");
}

TEST(Refit, TakesAnotherBaseLevelAndPredictsTheSame) {
  const RunRecord source = model_of_flats().record;
  const Model model = refit(source, {.bases = {"place=town", "balcony=yes"}}).value();
  std::vector<std::string> names;
  for (const auto& c : model.record.coefficients) names.push_back(c.name);
  EXPECT_THAT(names, ElementsAre("intercept", "income", "rooms", "place=village", "place=suburb",
                                 "balcony=no"));
  const auto& old = source.coefficients;
  EXPECT_NEAR(model.record.coefficients[0].value, old[0].value + old[4].value + old[5].value, 1e-9);
  EXPECT_NEAR(model.record.coefficients[3].value, -old[4].value, 1e-9);
  EXPECT_NEAR(*model.record.coefficients[3].standard_error, *old[4].standard_error, 1e-9);
  EXPECT_EQ(model.record.summary->bases[0].levels, std::vector<std::string>{"town"});
  EXPECT_EQ(refit(source, {.bases = {"place=city"}}).error().name, "E-refit-base");
  EXPECT_EQ(refit(source, {.bases = {"place"}}).error().name, "E-refit-base");
  EXPECT_EQ(
      refit(source, {.model = {.features = {"place=town"}}, .bases = {"place=town"}}).error().name,
      "E-refit-base");
  // By way of the file, the study's own columns again.
  const RunRecord back = record_from_model_json(to_json(model), "model.json").value();
  EXPECT_EQ(selection_of(*source.release, back).value(), own_selection(*source.release));
}

TEST(Refit, FindsTheSelectionOfAModelFile) {
  const RunRecord source = model_of_flats().record;
  for (const ModelWords& words :
       {ModelWords{.features = {"place=town", "rooms"}}, ModelWords{.target = "rooms"},
        ModelWords{.target = "place=town", .features = {"income"}},
        ModelWords{.without = {"intercept", "balcony"}}}) {
    const Selection selection = select(*source.release, words).value();
    const Model model = refit(source, selection, {.estimator = Estimator::kExact}).value();
    EXPECT_EQ(selection_of(*source.release, model.record).value(), selection);
  }
}

TEST(Refit, SaysWhichWordsExcludeEachOther) {
  const RunRecord source = model_of_flats().record;
  EXPECT_EQ(refit(source, {.estimator = "exact", .ridge = 1}).error().name, "E-usage");
  EXPECT_EQ(refit(source, {.ridge = -1}).error().name, "E-refit-ridge");
  EXPECT_EQ(refit(source, {.estimator = "magic"}).error().name, "E-solve-estimator");
  EXPECT_EQ(refit(source, {.instruments = {"nothing"}}).error().name, "E-refit-column");
  EXPECT_EQ(refit(source, {.model = {.features = {"income", "place"}}, .instruments = {"rooms"}})
                .error()
                .name,
            "E-refit-instruments");
}

}  // namespace
}  // namespace sotto
