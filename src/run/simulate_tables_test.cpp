#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <random>
#include <sstream>

#include "data/generator.h"
#include "run/input.h"
#include "run/model.h"
#include "run/simulate.h"
#include "support/tables.h"

namespace sotto {
namespace {

Schema small_schema() {
  Schema schema;
  schema.target = {"y", {0, 1}};
  schema.features = {NumericFeature{"x", {0, 1}}};
  return schema;
}

std::vector<std::vector<double>> random_rows(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform;
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = uniform(random);
    rows.push_back({x, 0.2 + 0.5 * x + 0.1 * uniform(random)});
  }
  return rows;
}

TableOptions seeded(std::uint64_t trial) {
  TableOptions options;
  options.random_from = RandomFrom::kSeed;
  options.seed = 3;
  options.trial = trial;
  return options;
}

Outcome outcome_of(const Study& study, const Plan& plan, std::span<const PartyTable> tables,
                   const TableOptions& options = {}) {
  const PlannedStudy planned{study, plan};
  std::vector<Input> inputs;
  for (const PartyTable& table : tables) inputs.push_back(input_of(planned, table));
  return run_tables(planned, inputs, options).value();
}

// Every entry of the sums with the standard deviation that its weight in φ gives it:
// the guarantee rests on these, and the estimators on knowing them.
TEST(SimulatedTables, PutsTheNoiseOfThePlanOnEveryEntry) {
  constexpr int trials = 500;
  struct Case {
    Solver solver;
    Weighting weighting;
  };
  for (const auto& [solver, weighting] :
       {Case{Solver::kAc, Weighting::kNone}, Case{Solver::kDishuf, Weighting::kNone},
        Case{Solver::kPairwise, Weighting::kNone}, Case{Solver::kAc, Weighting::kBounded},
        Case{Solver::kPairwise, Weighting::kBounded}}) {
    Schema schema = small_schema();
    schema.weighting = weighting;
    const Study study = study_for(schema, 5, 1, 1e-6, to_string(solver));
    const Plan plan = make_plan(study, solver).value();
    const auto tables = deal_out(study, random_rows(100, 1));
    const auto truth = true_sums(tables);
    std::vector<double> square(truth.size(), 0.0);
    for (int trial = 0; trial < trials; ++trial) {
      const auto sums = release_sums(study, plan, tables, seeded(static_cast<unsigned>(trial)));
      for (std::size_t k = 0; k < truth.size(); ++k) {
        square[k] += std::pow((*sums)[k] - truth[k], 2) / trials;
      }
    }
    const double sigma = plan.sum_noise_sd;
    const auto weights =
        entry_weights(2, true, released_shares(*study.data, study.privacy.neighbours, study.solve));
    for (std::size_t k = 0; k < truth.size(); ++k) {
      // Four standard errors of a standard deviation.
      EXPECT_NEAR(std::sqrt(square[k]) * weights[k] / sigma, 1, 4 / std::sqrt(2.0 * trials))
          << to_string(solver) << ", " << kWeightings[weighting] << ", entry " << k;
    }
  }
}

// Counts the keys that are made with it.
class CountedCipher final : public Cipher {
 public:
  explicit CountedCipher(const Cipher& cipher) : cipher_(cipher) {}
  [[nodiscard]] std::unique_ptr<DecryptionKey> generate(RandomSource& random) const override {
    ++keys;
    return cipher_.generate(random);
  }
  [[nodiscard]] Result<std::unique_ptr<EncryptionKey>> read_key(
      std::string_view serialised) const override {
    return cipher_.read_key(serialised);
  }
  [[nodiscard]] std::optional<std::size_t> plaintext_bits() const override {
    return cipher_.plaintext_bits();
  }
  mutable std::atomic<int> keys = 0;

 private:
  const Cipher& cipher_;
};

TEST(SimulatedTables, GivesTheSameBitsWithRealCiphertexts) {
  Study study = study_for(small_schema(), 5, 1, 1e-6);
  study.dishuf.key_bits = 2048;
  const Plan plan = make_plan(study, Solver::kDishuf).value();
  const auto tables = deal_out(study, random_rows(500, 2));
  const auto cipher = cipher_for(study, CipherChoice::kPaillier).value();
  const CountedCipher counted(*cipher);
  TableOptions real = seeded(0);
  real.cipher = &counted;
  EXPECT_EQ(release_sums(study, plan, tables, real).value(),
            release_sums(study, plan, tables, seeded(0)).value());
  EXPECT_EQ(counted.keys, 10) << "every party of the cycle has a pair for each neighbour";
}

TEST(SimulatedTables, GivesTheSameBitsForTheSameSeedAndOthersForTheNextTrial) {
  const Study study = study_for(small_schema(), 5, 1, 1e-6);
  const Plan plan = make_plan(study, Solver::kDishuf).value();
  const auto tables = deal_out(study, random_rows(500, 2));
  const Outcome first = outcome_of(study, plan, tables, seeded(0));
  const Outcome again = outcome_of(study, plan, tables, seeded(0));
  const Outcome next = outcome_of(study, plan, tables, seeded(1));
  EXPECT_EQ(first.result, again.result);
  EXPECT_EQ(first.transcript_hash, again.transcript_hash);
  EXPECT_NE(first.result, next.result);
  EXPECT_NE(first.transcript_hash, next.transcript_hash);
}

TEST(SimulatedTables, DrawsFromTheOperatingSystemUnlessToldOtherwise) {
  EXPECT_EQ(TableOptions{}.random_from, RandomFrom::kOperatingSystem);
  for (const Solver solver : {Solver::kAc, Solver::kDishuf, Solver::kPairwise}) {
    const Study study = study_for(small_schema(), 5, 1, 1e-6, to_string(solver));
    const Plan plan = make_plan(study, solver).value();
    const auto tables = deal_out(study, random_rows(500, 2));
    const Outcome one = outcome_of(study, plan, tables);
    const Outcome two = outcome_of(study, plan, tables);
    EXPECT_NE(one.transcript_hash, two.transcript_hash);
    for (std::size_t k = 0; k < one.result.size(); ++k) EXPECT_NE(one.result[k], two.result[k]);
    const auto truth = true_sums(tables);
    for (std::size_t k = 0; k < truth.size(); ++k) {
      EXPECT_LT(std::abs(one.result[k] - truth[k]), 8 * plan.sum_noise_sd);
    }
  }
}

TEST(SimulatedTables, HandsEveryConsensusTheSameSumsUpToItsTolerance) {
  Study study = study_for(small_schema(), 5, 1, 1e-6);
  const auto tables = deal_out(study, random_rows(500, 2));
  const auto exact =
      release_sums(study, make_plan(study, Solver::kDishuf).value(), tables, seeded(0)).value();
  for (const auto method : {ConsensusMethod::kPlain, ConsensusMethod::kChebyshev}) {
    study.consensus.method = method;
    const auto sums =
        release_sums(study, make_plan(study, Solver::kDishuf).value(), tables, seeded(0)).value();
    for (std::size_t k = 0; k < sums.size(); ++k) EXPECT_NEAR(sums[k], exact[k], 1e-3);
  }
}

TEST(SimulatedTables, FindsAModelOfManyHouseholdsWithErrorBarsAboutIt) {
  const Study study = study_for(household_schema(), 5, 1, 1e-6);
  const Plan plan = make_plan(study, Solver::kDishuf).value();
  std::vector<std::vector<double>> rows;
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform;
  for (int i = 0; i < 40'000; ++i) {
    std::vector<double> row{20 + 200 * uniform(random), 1 + 5 * uniform(random),
                            -10 + 35 * uniform(random), 1950 + 75 * uniform(random)};
    for (const std::size_t levels : {3U, 4U, 2U}) {
      row.push_back(static_cast<double>(random() % levels));
    }
    row.push_back(200 + 2 * row[0] - 8 * row[2] + (row[6] > 0 ? -60 : 0) +
                  50 * (uniform(random) - 0.5));
    rows.push_back(row);
  }
  const auto tables = deal_out(study, rows);
  const Model run = simulate_tables({study, plan}, tables, seeded(0)).value();
  ASSERT_EQ(run.fit.errors_refused, "");
  const auto& area = run.fit.coefficients[1];
  EXPECT_EQ(area.name, "area_m2");
  EXPECT_NEAR(area.value, 2, 0.3);
  EXPECT_NEAR(*area.unshrunk, 2, 4 * *area.standard_error);
  EXPECT_GT(*area.standard_error, 0);
  EXPECT_NEAR(*run.fit.rows, 40'000, 3000);
  EXPECT_GT(run.fit.explained->low, 0.5);
}

TEST(RecordOfARun, HoldsAllThatWasPromisedAndFound) {
  const Study study = study_for(small_schema(), 5, 1, 1e-6);
  const Plan plan = make_plan(study, Solver::kDishuf).value();
  const auto tables = deal_out(study, random_rows(5000, 2));
  const RunRecord record = simulate_tables({study, plan}, tables, seeded(0)).value().record;
  EXPECT_EQ(record.study_hash, study.hash);
  EXPECT_EQ(record.solver, Solver::kDishuf);
  EXPECT_EQ(record.estimator, Estimator::kNoiseAware);
  EXPECT_EQ(record.unit, Unit::kRecord);
  EXPECT_EQ(record.neighbours, Neighbours::kAddRemove);
  EXPECT_EQ(record.sensitivity, 1.5);  // √(1 + w² + v²), w = 1, v = 1/2
  EXPECT_EQ(record.adversaries.size(), plan.adversaries.size());
  EXPECT_EQ(record.parties.size(), 5U);
  EXPECT_EQ(record.edges.size(), 5U);
  EXPECT_EQ(record.own.size(), 5U);
  EXPECT_EQ(record.own[0].rows, 1000U);
  EXPECT_EQ(record.target, "y");
  EXPECT_EQ(record.seed, 3U);
  ASSERT_EQ(record.coefficients.size(), 2U);
  const auto& c = record.coefficients[1];
  ASSERT_TRUE(c.interval.has_value());
  EXPECT_DOUBLE_EQ((c.interval->first + c.interval->second) / 2, *c.unshrunk);
  EXPECT_NEAR(c.interval->second - c.interval->first, 2 * 1.96 * *c.standard_error,
              0.02 * *c.standard_error);
  EXPECT_EQ(*c.t, *c.unshrunk / *c.standard_error);
  EXPECT_GT(*c.noise_share, 0);
  ASSERT_TRUE(record.summary.has_value());
  EXPECT_NEAR(record.summary->covariance(1, 1), std::pow(*c.standard_error, 2),
              1e-12 * record.summary->covariance(1, 1));
  EXPECT_TRUE(record.summary->residual_sd && record.summary->r_squared && record.summary->f);
  EXPECT_FALSE(record.summary->words.empty());
  EXPECT_EQ(record.convergence.back().round, plan.consensus.rounds);
  const auto back = record_from_json(to_json(record), "record.json");
  ASSERT_TRUE(back.has_value()) << back.error().to_string();
  EXPECT_EQ(to_json(*back), to_json(record));
}

TEST(RecordOfARun, KeepsNoSeedWhereTheOperatingSystemDrew) {
  const Study study = study_for(small_schema(), 5, 1, 1e-6);
  const Plan plan = make_plan(study, Solver::kAc).value();
  const auto tables = deal_out(study, random_rows(50, 2));
  EXPECT_EQ(simulate_tables({study, plan}, tables, {.seed = 9}).value().record.seed, 0U);
}

TEST(TextOfARun, ShowsCoefficientsIntervalsPrivacyAndWarnings) {
  const Study study = study_for(small_schema(), 5, 1, 1e-6);
  const Plan plan = make_plan(study, Solver::kDishuf).value();
  const auto tables = deal_out(study, random_rows(5000, 2));
  const std::string text = to_text(simulate_tables({study, plan}, tables, seeded(0)).value());
  for (const char* word : {"intercept", "95 % interval", "ε = 1, δ = 1e-06 for one row", "party-3",
                           "explains", "! against neighbour", "std. error", "R²",
                           "degrees of freedom, p", "bounds       y 0 … 1", "told apart from 0"}) {
    EXPECT_NE(text.find(word), std::string::npos) << word << " in\n" << text;
  }
}

// Without error bars Σy² stays at home: a row moves less, so there is less noise, and
// what rests on Σy² is refused with that reason.
TEST(SimulatedTables, WithoutErrorBarsReleasesNoSumOfSquaresAndAddsLessNoise) {
  Study with = study_for(small_schema(), 5, 1, 1e-6);
  Study without = with;
  without.solve.error_bars = false;
  without.privacy.sensitivity =
      row_sensitivity(*without.data, without.privacy.neighbours, without.solve);
  const Plan full = make_plan(with, Solver::kDishuf).value();
  const Plan lean = make_plan(without, Solver::kDishuf).value();
  EXPECT_EQ(full.entries, 6U);
  EXPECT_EQ(lean.entries, 5U);
  EXPECT_NEAR(lean.sum_noise_sd / full.sum_noise_sd, std::sqrt(2.0) / 1.5, 1e-9);

  const auto tables = deal_out(without, random_rows(4000, 1));
  const auto run = simulate_tables({without, lean}, tables, seeded(0));
  ASSERT_TRUE(run.has_value()) << run.error().to_string();
  EXPECT_EQ(release_sums(without, lean, tables, seeded(0))->size(), 5U);
  EXPECT_NE(run->fit.errors_refused.find("error_bars"), std::string::npos);
  EXPECT_FALSE(run->fit.explained.has_value());
  EXPECT_FALSE(run->fit.coefficients[0].standard_error.has_value());
  EXPECT_NEAR(run->fit.coefficients[1].value, 0.5, 0.2);
  EXPECT_NEAR(run->record.sensitivity, std::sqrt(2.0), 1e-12);
  EXPECT_NE(run->record.errors_refused.find("error_bars"), std::string::npos);
  EXPECT_EQ(run->record.summary->f_refused, run->record.errors_refused);
  EXPECT_EQ(run->record.summary->covariance.size(), 0);
  EXPECT_NE(to_text(*run).find("F            none, for the same reason"), std::string::npos)
      << to_text(*run);
}

}  // namespace
}  // namespace sotto
