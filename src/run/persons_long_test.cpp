#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include "plan/plan.h"
#include "support/tables.h"

// How many rows a person should count as: every row of n is divided by max(1, n/k), and the noise
// is k times a row's. Measured on drawn tables in which persons repeat.
namespace sotto {
namespace {

struct PersonTable {
  std::vector<std::vector<double>> rows;  // features, then the target
  std::vector<std::string> persons;
};

class PersonSource final : public Source {
 public:
  explicit PersonSource(const PersonTable& table) : table_(table) {}
  [[nodiscard]] std::size_t workers() const override { return 1; }
  [[nodiscard]] Result<void> read(const Schema& schema, const RowSink& sink) const override {
    return MemorySource(table_.rows).read(schema, [&](std::size_t worker, const RawRows& raw) {
      RawRows with = raw;
      const auto from = table_.persons.begin() + static_cast<std::ptrdiff_t>(raw.first_record);
      with.persons.assign(from, from + static_cast<std::ptrdiff_t>(raw.rows));
      sink(worker, with);
    });
  }

 private:
  const PersonTable& table_;
};

struct Drawn {
  std::size_t persons;
  double mean_rows;  // 1 + geometric
  double alike;      // share of a row, and of its error, that all rows of a person have
};

PersonTable draw_table(const Drawn& drawn, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::normal_distribution<double> normal;
  std::geometric_distribution<int> more(1 / drawn.mean_rows);
  PersonTable table;
  for (std::size_t p = 0; p < drawn.persons; ++p) {
    std::vector<double> mean(4);
    for (double& v : mean) v = uniform(random);
    const double own_error = normal(random);
    for (int n = 1 + more(random); n > 0; --n) {
      std::vector<double> row;
      for (const double v : mean)
        row.push_back(drawn.alike * v + (1 - drawn.alike) * uniform(random));
      const double error =
          std::sqrt(drawn.alike) * own_error + std::sqrt(1 - drawn.alike) * normal(random);
      const double y = 0.1 + 0.4 * row[0] - 0.3 * row[1] + 0.2 * row[2] + 0.2 * error;
      row.push_back(std::clamp(y, -1.0, 1.0));
      table.rows.push_back(std::move(row));
      table.persons.push_back(std::to_string(p));
    }
  }
  return table;
}

Schema drawn_schema() {
  Schema schema;
  schema.target = {"y", {-1, 1}};
  for (const char* name : {"a", "b", "c", "d"}) {
    schema.features.emplace_back(NumericFeature{name, {-1, 1}});
  }
  return schema;
}

// Median of what the model misses beyond the best model of all rows, over their variance.
double missed(const Drawn& drawn, double epsilon, std::int64_t k, int draws) {
  std::vector<double> errors;
  for (int draw = 0; draw < draws; ++draw) {
    std::mt19937_64 random(static_cast<unsigned>(1000 + draw));
    const PersonTable table = draw_table(drawn, random);
    Study study = study_for(drawn_schema(), 1 + 2, epsilon, 1e-6, "pairwise");
    study.solve.estimator = Estimator::kNoiseAware;
    const TableSums truth = table_sums(fit_terms(study, 0), true_sums(deal_out(study, table.rows)));
    study.data->person = PersonColumn{"id", k};
    study.privacy.sensitivity =
        Sensitivity::make(study.privacy.sensitivity.value() * static_cast<double>(k)).value();
    const Plan plan = make_plan(study, Solver::kPairwise).value();
    // All rows at one party: whose they are makes no difference to the sum.
    PersonTable none;
    std::vector<TableMoments> moments;
    for (const PersonTable* own :
         {&table, static_cast<const PersonTable*>(&none), static_cast<const PersonTable*>(&none)}) {
      moments.push_back(read_moments(PersonSource(*own), *study.data).value());
    }
    TableOptions options;
    options.random_from = RandomFrom::kSeed;
    options.seed = static_cast<unsigned>(draw);
    const auto sums =
        release_sums(study, plan, tables_of(study, std::move(moments)), options).value();
    const TableSums noisy = table_sums(fit_terms(study, plan.sum_noise_sd), sums);
    const auto solved = estimate(Estimator::kNoiseAware, noisy.sums).value();
    const Eigen::VectorXd best = truth.sums.a.ldlt().solve(truth.sums.b);
    errors.push_back((squared_error(truth, solved.theta) - squared_error(truth, best)) /
                     error_of_the_mean(truth));
  }
  std::nth_element(errors.begin(), errors.begin() + draws / 2, errors.end());
  return errors[static_cast<std::size_t>(draws) / 2];
}

// docs/FINDINGS.md, 21: one row a person is best or close to it, unless ε is large enough that
// the rows' own errors are what is left.
TEST(Persons, CountBestAsOneRowWhereTheNoiseIsWhatMatters) {
  std::printf("%28s %6s  error of k = 1, then of k = 2, 3, 5, 10 over it\n", "persons, rows, alike",
              "eps");
  for (const Drawn& drawn : {Drawn{1000, 2, 0}, Drawn{1000, 5, 0}, Drawn{1000, 5, 0.7},
                             Drawn{8000, 5, 0}, Drawn{8000, 5, 0.7}}) {
    for (const double epsilon : {0.1, 1.0, 10.0}) {
      const double one = missed(drawn, epsilon, 1, 21);
      std::printf("%12zu %7.0f %7.1f %6.1f  %.2e", drawn.persons, drawn.mean_rows, drawn.alike,
                  epsilon, one);
      for (const std::int64_t k : {2, 3, 5, 10}) {
        const double other = missed(drawn, epsilon, k, 21);
        std::printf(" %6.2f", other / one);
        if (epsilon <= 1) {
          EXPECT_GT(other, 0.9 * one) << k;
        }
      }
      std::printf("\n");
    }
  }
}

}  // namespace
}  // namespace sotto
