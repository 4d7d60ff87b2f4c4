#include "data/generator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "data/csv/csv_source.h"
#include "support/temporary_folder.h"

namespace sotto {
namespace {

std::string text_of(const GeneratedTable& table) {
  std::ostringstream out;
  EXPECT_TRUE(write_households(table, out).has_value());
  return out.str();
}

// Columns of the schema, read back through the CSV room.
std::vector<std::vector<double>> rows_of(const GeneratedTable& table) {
  const TemporaryFolder folder;
  const std::string path = folder / "table.csv";
  std::ofstream(path) << text_of(table);
  std::vector<std::vector<double>> rows;
  CsvOptions in_order;
  in_order.threads = 1;
  const auto read =
      CsvSource({path}, in_order).read(household_schema(), [&](std::size_t, const RawRows& raw) {
        for (std::size_t r = 0; r < raw.rows; ++r) {
          auto& row = rows.emplace_back();
          for (std::size_t c = 0; c < raw.columns(); ++c) {
            row.push_back(raw.column(c)[r]);
          }
        }
      });
  EXPECT_TRUE(read.has_value()) << read.error().to_string();
  return rows;
}

TEST(Generator, GivesTheSameTableForTheSameSeedAndAnotherForAnother) {
  const GeneratedTable table{.rows = 200, .seed = 7};
  EXPECT_EQ(text_of(table), text_of(table));
  EXPECT_NE(text_of(table), text_of({.rows = 200, .seed = 8}));
  EXPECT_NE(text_of(table), text_of({.rows = 200, .seed = 7, .party = 1}));
}

TEST(Generator, StartsALongTableLikeAShortOne) {
  const std::string few = text_of({.rows = 50, .seed = 7});
  EXPECT_EQ(text_of({.rows = 500, .seed = 7}).substr(0, few.size()), few);
}

TEST(Generator, WritesTablesThatItsOwnSchemaReads) {
  ASSERT_TRUE(household_schema().validate().has_value());
  EXPECT_EQ(rows_of({.rows = 3000, .seed = 11}).size(), 3000U);
}

TEST(Generator, LeavesOutAnswersAndBreaksMetersAsOftenAsItSays) {
  const auto rows = rows_of({.rows = 20'000, .seed = 12, .party = 0, .missing = 0.05});
  const Schema schema = household_schema();
  double missing = 0;
  double outside = 0;
  for (const auto& row : rows) {
    missing += std::isnan(row[0]) ? 1 : 0;
    const double energy = row.back();
    outside += energy < schema.target.bounds.lo || energy > schema.target.bounds.hi ? 1 : 0;
  }
  EXPECT_NEAR(missing / 20'000, 0.05, 0.008);  // five standard deviations
  EXPECT_GT(outside / 20'000, 0.001);
  EXPECT_LT(outside / 20'000, 0.02) << "the bounds are where nearly all households are";
}

TEST(Generator, MakesHouseholdsWhoseNumbersBelongTogether) {
  const auto rows = rows_of({.rows = 20'000, .seed = 13, .party = 0, .missing = 0});
  const auto correlation = [&](std::size_t a, std::size_t b) {
    double sa = 0;
    double sb = 0;
    double saa = 0;
    double sbb = 0;
    double sab = 0;
    double n = 0;
    for (const auto& row : rows) {
      const double y = std::clamp(row[b], -1e4, 1000.0);
      sa += row[a];
      sb += y;
      saa += row[a] * row[a];
      sbb += y * y;
      sab += row[a] * y;
      n += 1;
    }
    return (sab - sa * sb / n) / std::sqrt((saa - sa * sa / n) * (sbb - sb * sb / n));
  };
  const std::size_t kwh = household_schema().features.size();
  EXPECT_GT(correlation(0, 1), 0.3) << "more people, more area";
  EXPECT_GT(correlation(0, kwh), 0.2);
  EXPECT_LT(correlation(2, kwh), -0.2) << "warmer months need less";
  EXPECT_LT(correlation(3, kwh), 0) << "newer houses need less";
  EXPECT_GT(correlation(3, 4), 0.2) << "newer houses are better insulated";
}

TEST(Generator, MakesTownsThatDiffer) {
  const auto mean_temperature = [](std::uint64_t party) {
    double sum = 0;
    const auto rows = rows_of({.rows = 4000, .seed = 14, .party = party, .missing = 0});
    for (const auto& row : rows) sum += row[2] / 4000;
    return sum;
  };
  double low = mean_temperature(0);
  double high = low;
  for (std::uint64_t party = 1; party < 5; ++party) {
    low = std::min(low, mean_temperature(party));
    high = std::max(high, mean_temperature(party));
  }
  EXPECT_GT(high - low, 1.0);
}

TEST(Generator, RefusesWhatIsNoTable) {
  std::ostringstream out;
  EXPECT_EQ(write_households({.rows = 0}, out).error().name, "E-generate-rows");
  EXPECT_EQ(write_households({.rows = GeneratedTable::kMaxRows + 1}, out).error().name,
            "E-generate-rows");
  for (const double missing : {-0.1, 0.6, std::nan("")}) {
    const auto written =
        write_households({.rows = 1, .seed = 1, .party = 0, .missing = missing}, out);
    EXPECT_EQ(written.error().name, "E-generate-missing") << missing;
  }
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace sotto
