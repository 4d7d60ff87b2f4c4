#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <fstream>
#include <random>

#include "data/csv/csv_source.h"
#include "moments/moments.h"
#include "support/temporary_folder.h"

// Several rows of one person, through the reader that runs use.
namespace sotto {
namespace {

class TableFile {
 public:
  explicit TableFile(const std::string& text) { std::ofstream(path_) << text; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  const TemporaryFolder folder_;
  const std::string path_ = folder_ / "table";
};

Schema person_schema(std::size_t features, std::int64_t rows) {
  Schema schema;
  schema.target = {"y", {-1, 1}};
  for (std::size_t k = 0; k < features; ++k) {
    schema.features.emplace_back(NumericFeature{"x" + std::to_string(k), {-1, 1}});
  }
  schema.person = PersonColumn{"id", rows};
  return schema;
}

struct PersonRow {
  std::string id;
  std::vector<double> values;  // features, then the target
};

std::string csv_of(std::span<const PersonRow> rows, std::size_t features) {
  std::string text = "id";
  for (std::size_t k = 0; k < features; ++k) text += ",x" + std::to_string(k);
  text += ",y\n";
  for (const PersonRow& row : rows) {
    text += row.id;
    for (const double v : row.values) text += "," + std::to_string(v);
    text += "\n";
  }
  return text;
}

TableMoments moments_of(std::span<const PersonRow> rows, const Schema& schema, int threads = 2) {
  const TableFile file(csv_of(rows, schema.features.size()));
  CsvOptions options;
  options.threads = threads;
  options.block_bytes = 300;
  return read_moments(CsvSource({file.path()}, options), schema).value();
}

// Σ_k (weight_k·(a − b)_k)², in units of 16^b.
double distance_squared(const Moments& a, const Moments& b, const EntryShares& shares) {
  const std::vector<double> factors = entry_weights(a.dimension, true, shares);
  double square = 0;
  for (std::size_t k = 0; k < factors.size(); ++k) {
    const double entry = factors[k] * moments_grid().value(Integer(a.sums[k] - b.sums[k]));
    square += entry * entry;
  }
  return square;
}

std::vector<PersonRow> draw_rows(std::mt19937_64& random, std::size_t features,
                                 std::size_t persons) {
  std::vector<PersonRow> rows;
  for (std::size_t p = 0; p < persons; ++p) {
    const bool alike = random() % 2 == 0;  // all rows in one corner move the sums most
    std::vector<double> corner(features + 1);
    for (double& v : corner) v = random() % 2 == 0 ? -1 : 1;
    for (std::size_t n = 1 + random() % 9; n > 0; --n) {
      PersonRow row{"p" + std::to_string(p), corner};
      for (double& v : row.values) {
        if (!alike && random() % 2 == 0) v = std::uniform_real_distribution<double>(-1, 1)(random);
      }
      rows.push_back(std::move(row));
    }
  }
  std::shuffle(rows.begin(), rows.end(), random);
  return rows;
}

// docs/proofs/person.md: a person who leaves, with all rows, moves the sums by k·Δ at most; one who
// is replaced by another, by k times what replacing a row does.
RC_GTEST_PROP(PersonMoments, OnePersonNeverMovesThemByMoreThanTheSensitivity,
              (std::uint64_t seed)) {
  std::mt19937_64 random(seed);
  const std::size_t features = random() % 5;
  const auto k = static_cast<std::int64_t>(1 + random() % 4);
  Schema schema = person_schema(features, k);
  const bool bounded = random() % 2 == 0;
  if (bounded) schema.weighting = Weighting::kBounded;
  const RecordWeights weights{.w2 = 1, .v2 = random() % 2 == 0 ? 0.25 : 1};
  const EntryShares shares = bounded ? bounded_shares(features, true, true) : ball_shares(weights);
  const auto one = [&](Neighbours neighbours) {
    return bounded ? bounded_sensitivity(neighbours, true, true)
                   : record_sensitivity(neighbours, weights).value();
  };
  const std::vector<PersonRow> rows = draw_rows(random, features, 4);
  const auto without = [&](const std::string& id) {
    std::vector<PersonRow> rest;
    for (const PersonRow& row : rows) {
      if (row.id != id) rest.push_back(row);
    }
    return moments_of(rest, schema).moments;
  };
  const double times = static_cast<double>(k);
  const double add = times * one(Neighbours::kAddRemove);
  const double replace = times * one(Neighbours::kReplace);
  const Moments all = moments_of(rows, schema).moments;
  RC_ASSERT(distance_squared(all, without("p0"), shares) <= add * add * (1 + 1e-14));
  RC_ASSERT(distance_squared(without("p1"), without("p0"), shares) <=
            replace * replace * (1 + 1e-14));
}

TEST(PersonMoments, ReachTheSensitivityWhereAllRowsOfAPersonAreOneCorner) {
  for (const std::int64_t k : {1, 3}) {
    for (const std::size_t n : {std::size_t{3}, std::size_t{4}, std::size_t{12}}) {
      const std::vector<PersonRow> rows(n, PersonRow{"p", {1}});
      const Moments sums = moments_of(rows, person_schema(0, k)).moments;
      const RecordWeights weights{.w2 = 1, .v2 = 0.25};
      const double add = static_cast<double>(k) * 1.5;
      const double reached = std::sqrt(distance_squared(sums, Moments(1), ball_shares(weights)));
      EXPECT_LE(reached, add);
      EXPECT_NEAR(reached, add, 1e-4);
      Schema bounded = person_schema(0, k);
      bounded.weighting = Weighting::kBounded;
      const double weighted = std::sqrt(distance_squared(
          moments_of(rows, bounded).moments, Moments(1), bounded_shares(0, true, true)));
      EXPECT_LE(weighted, static_cast<double>(k));
      EXPECT_NEAR(weighted, static_cast<double>(k), 1e-4);
    }
  }
}

TEST(PersonMoments, AreTheSameBitsInAnyOrderAndForAnyNumberOfThreads) {
  std::mt19937_64 random(3);
  const Schema schema = person_schema(2, 2);
  std::vector<PersonRow> rows = draw_rows(random, 2, 60);
  const TableMoments once = moments_of(rows, schema, 1);
  for (const int threads : {1, 2, 5}) {
    std::shuffle(rows.begin(), rows.end(), random);
    EXPECT_EQ(moments_of(rows, schema, threads).moments, once.moments);
  }
}

TEST(PersonMoments, OfPersonsWithFewRowsAreThoseWithoutPersons) {
  const std::vector<PersonRow> rows{{"a", {0.5, 1}}, {"b", {-0.25, 0}}, {"a", {1, -1}}};
  Schema plain = person_schema(1, 2);
  const Moments with = moments_of(rows, plain).moments;
  plain.person.reset();
  EXPECT_EQ(with, moments_of(rows, plain).moments);
}

// A row that is dropped for a missing value takes nothing from the person's others; a row of nobody
// is dropped.
TEST(PersonMoments, CountCompleteRowsOnly) {
  const Schema schema = person_schema(1, 1);
  const TableFile file("id,x0,y\na,0.5,1\na,,1\n\"a\",NA,0\n,0.5,1\nNA,0.5,1\n");
  const TableMoments found = read_moments(CsvSource({file.path()}), schema).value();
  EXPECT_EQ(found.rows, 1U);
  EXPECT_EQ(found.dropped, 4U);
  EXPECT_EQ(found.moments, moments_of(std::vector<PersonRow>{{"b", {0.5, 1}}}, schema).moments);
  Schema strict = schema;
  strict.missing = MissingRule::kError;
  const TableFile nobody("id,x0,y\na,0.5,1\n,0.5,1\n");
  const auto error = read_moments(CsvSource({nobody.path()}), strict).error();
  EXPECT_EQ(error.name, "E-csv-missing");
  EXPECT_NE(error.where.find("line 3, column \"id\""), std::string::npos) << error.where;
}

TEST(PersonMoments, OfADealtTableAreCountedForEachParty) {
  std::mt19937_64 random(8);
  const Schema schema = person_schema(1, 1);
  const std::vector<PersonRow> rows = draw_rows(random, 1, 30);
  const TableFile file(csv_of(rows, 1));
  CsvOptions options;
  options.threads = 3;
  options.block_bytes = 200;
  for (const auto kind : {TableSplit::Kind::kInterleaved, TableSplit::Kind::kContiguous}) {
    const auto split =
        read_split_moments(CsvSource({file.path()}, options), schema, {3, kind}).value();
    for (std::size_t party = 0; party < 3; ++party) {
      std::vector<PersonRow> own;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const bool interleaved = kind == TableSplit::Kind::kInterleaved;
        if ((interleaved ? i % 3 : i * 3 / rows.size()) == party) own.push_back(rows[i]);
      }
      EXPECT_EQ(split[party].moments, moments_of(own, schema).moments);
    }
  }
}

TEST(WeightedMoments, RefuseAWeightOutsideItsBoundsAndSayWhere) {
  Schema schema = person_schema(1, 1);
  schema.person.reset();
  schema.weight = WeightColumn{"w", {0.5, 2}};
  const auto error_of = [&](const std::string& rows) {
    const TableFile file("w,x0,y\n" + rows);
    const auto found = read_moments(CsvSource({file.path()}), schema);
    return found ? std::string() : found.error().name + " " + found.error().where;
  };
  EXPECT_EQ(error_of("1,0,0\n2,0,0\n0.5,1,1\n"), "");
  EXPECT_NE(error_of("1,0,0\n2.01,0,0\n").find("line 3, column \"w\""), std::string::npos);
  EXPECT_EQ(error_of("0.4,0,0\n").substr(0, 12), "E-csv-weight");
  EXPECT_EQ(error_of("1,0,0\n,0,0\n"), "") << "a missing weight is a missing value";
}

// Counting a row twice and giving it twice the weight of the others is one thing, but for rounding.
TEST(WeightedMoments, CountARowAsOftenAsItsWeightSays) {
  for (const Weighting weighting : {Weighting::kNone, Weighting::kBounded}) {
    Schema schema = person_schema(1, 1);
    schema.weighting = weighting;
    schema.person.reset();
    const TableFile twice("x0,y\n0.5,1\n0.5,1\n-1,0.25\n");
    const Moments plain = read_moments(CsvSource({twice.path()}), schema)->moments;
    schema.weight = WeightColumn{"w", {0, 2}};
    const TableFile weighted("x0,y,w\n0.5,1,2\n-1,0.25,1\n");
    const Moments once = read_moments(CsvSource({weighted.path()}), schema)->moments;
    for (std::size_t k = 0; k < plain.sums.size(); ++k) {
      EXPECT_NEAR(moments_grid().value(plain.sums[k]), 2 * moments_grid().value(once.sums[k]),
                  1e-5);
    }
  }
}

// A weight that leaves nothing of a row on the grid.
TEST(WeightedMoments, OfRowsThatHardlyCountAreNothing) {
  for (const Weighting weighting : {Weighting::kNone, Weighting::kBounded}) {
    Schema schema = person_schema(1, 1);
    schema.weighting = weighting;
    schema.person.reset();
    schema.weight = WeightColumn{"w", {0, 1}};
    for (const char* weight : {"0", "1e-15", "1e-12", "1e-11"}) {
      const TableFile file(std::string("x0,y,w\n1,1,") + weight + "\n");
      const Moments sums = read_moments(CsvSource({file.path()}), schema)->moments;
      for (const Integer& sum : sums.sums) {
        EXPECT_LE(std::abs(moments_grid().value(sum)), 2.2 * std::stod(weight) + 1e-18) << weight;
      }
    }
  }
}

}  // namespace
}  // namespace sotto
