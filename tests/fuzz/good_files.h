#pragma once

// Files as sotto writes them, made here once: of a study that has something of everything (terms,
// splines, categories, weights, persons, party effects), of one with bounded weights and more noise
// than it can bear, and of gt, which has entries and no table.

#include <fmt/format.h>

#include "fuzz/kept_json.h"
#include "run/model.h"
#include "run/refit/refit.h"
#include "run/simulate.h"
#include "run/sums/sums.h"
#include "run/tables.h"

namespace sotto::fuzz {

// The smallest that can be planned and saved.
constexpr const char* kSmallStudy =
    "[study]\nname = \"s\"\nsolver = \"ac\"\n"
    "[privacy]\nepsilon = 1\ndelta = 0.1\nunit = \"entry\"\nmu = 1\n"
    "[graph]\ntopology = \"path\"\nparties = 2\nweight = 0.3\n"
    "[problem]\nfamily = \"paper\"\nm = 1\nseed = 1\n";

constexpr const char* kTwoParties =
    "[graph]\ntopology = \"path\"\nparties = 2\nweight = 0.3\n"
    "[data]\ntarget = { column = \"y\", bounds = [0, 10] }\n";

inline Study study_of_everything() {
  return parse_study(
             "[study]\nname = \"all\"\nsolver = \"ac\"\n"
             "[privacy]\nepsilon = 1e6\ndelta = 1e-3\nunit = \"record\"\nneighbours = "
             "\"add-remove\"\n"
             "person = { column = \"who\", rows = 2 }\n" +
                 std::string(kTwoParties) +
                 "weight = { column = \"w\", bounds = [0, 2] }\nparty = \"effect\"\n"
                 "[[data.column]]\ncolumn = \"d\"\nbounds = [1, 100]\n"
                 "[[data.feature]]\ncolumn = \"a\"\nbounds = [-2, 2]\n"
                 "[[data.feature]]\nterm = \"log(d)\"\n"
                 "[[data.feature]]\nterm = \"a * c\"\n"
                 "[[data.feature]]\ncolumn = \"b\"\nbounds = [0, 9]\nknots = [2, 5]\ndegree = 2\n"
                 "[[data.feature]]\ncolumn = \"c\"\nlevels = [\"red\", \"blue\", \"other\"]\n",
             "study.toml")
      .value();
}

inline Study study_of_few() {
  return parse_study(
             "[study]\nname = \"few\"\nsolver = \"ac\"\n"
             "[privacy]\nepsilon = 4\ndelta = 1e-3\nunit = \"record\"\nneighbours = \"replace\"\n" +
                 std::string(kTwoParties) +
                 "weighting = \"bounded\"\n"
                 "[[data.feature]]\ncolumn = \"a\"\nbounds = [-2, 2]\n"
                 "[[data.feature]]\ncolumn = \"b\"\nbounds = [0, 9]\nknots = [5]\n"
                 "[[data.feature]]\ncolumn = \"c\"\nlevels = [\"red\", \"blue\", \"other\"]\n"
                 "[solve]\nestimator = \"exact\"\n",
             "study.toml")
      .value();
}

inline Study study_of_entries() {
  return parse_study(
             "[study]\nname = \"gt\"\nsolver = \"gt\"\n"
             "[privacy]\nepsilon = 1\ndelta = 0.1\nunit = \"entry\"\nmu = 1\n"
             "[graph]\ntopology = \"cycle\"\nparties = 3\nweight = 0.3\n"
             "[gt]\nlambda_min = 200.0\n"
             "[problem]\nfamily = \"paper\"\nm = 2\nseed = 1\n",
             "study.toml")
      .value();
}

// Rows for both studies over tables, three of each person.
inline std::string good_table() {
  std::string text = "who,w,a,b,c,d,y\n";
  constexpr const char* kLevels[] = {"red", "blue", "other"};
  for (int r = 0; r < 300; ++r) {
    const double a = (r * 7 % 41) / 10.0 - 2;
    const double b = (r * 5 % 19) / 2.0;
    const int c = r * 11 % 3;
    text += fmt::format("{},{},{},{},{},{},{}\n", r / 3, (r % 5) / 2.0, a, b, kLevels[c],
                        1 + r * 13 % 97, 2 + a + c + b / 4 + (r * 17 % 7) / 5.0);
  }
  return file_with("good.csv", text);
}

inline Model model_of_tables(const Study& study) {
  const auto tables = read_tables(study, TableFiles{.files = {good_table()}});
  require(tables.has_value(), "a good table is read");
  auto model = simulate_tables(plan_study(study, study.solver).value(), *tables,
                               {.random_from = RandomFrom::kSeed, .seed = 7});
  require(model.has_value(), "a good study runs");
  return *std::move(model);
}

// Of a run of gt all that counts is its x.
inline Model model_of_entries() {
  auto model = conclude(
      plan_study(study_of_entries(), Solver::kGt).value(),
      {.result = {0.5, -0.25},
       .transcript_hash = std::string(64, 'a'),
       .convergence = {{.round = 0, .disagreement = 1}, {.round = 9, .disagreement = 0.1}}});
  require(model.has_value(), "a run of gt ends with a model");
  return *std::move(model);
}

inline const std::vector<Model>& good_runs() {
  static const std::vector<Model> runs{model_of_tables(study_of_everything()),
                                       model_of_tables(study_of_few()), model_of_entries()};
  return runs;
}

// record.json of each run.
inline const std::vector<Json>& good_records() {
  static const std::vector<Json> records = [] {
    std::vector<Json> made;
    for (const Model& run : good_runs()) made.push_back(to_json(run.record));
    return made;
  }();
  return records;
}

// model.json of each run, and of two refits.
inline const std::vector<Json>& good_models() {
  static const std::vector<Json> models = [] {
    std::vector<Json> made;
    for (const Model& run : good_runs()) made.push_back(to_json(run));
    for (const RefitWords& words :
         {RefitWords{.model = {.target = "a", .features = {"y", "c", "bs(b)"}}, .ridge = 3.0},
          RefitWords{.model = {.features = {"a", "c"}},
          .bases = {"c=blue"},
          .instruments = {"log(d)", "c", "bs(b)"}}}) {
      const auto model = refit(good_runs().front().record, words);
      require(model.has_value(), "a good run has other models");
      made.push_back(to_json(*model));
    }
    return made;
  }();
  return models;
}

// Files of sums of both tables. Sums of persons cannot be added; the others can.
inline const std::vector<Json>& good_sums() {
  static const std::vector<Json> sums = [] {
    std::vector<Json> made;
    for (const Study& study : {study_of_few(), study_of_everything()}) {
      const auto file = make_sums(study, {.parts = {good_table()}, .party = PartyId{1}});
      require(file.has_value(), "a good table has sums");
      const std::string path = own_folder() + "/good.sums";
      require(write_sums(path, *file).has_value(), "which are written");
      made.push_back(parse_json(content_of(path)));
    }
    return made;
  }();
  return sums;
}

}  // namespace sotto::fuzz
