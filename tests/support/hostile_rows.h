#pragma once

// Rows that try to make a database count otherwise than sotto: edges of bounds, halves on the grid,
// zeros with a sign, numbers beyond every bound or next to nothing, blanks, missing values, columns
// of every type. And studies of every kind to add them up with.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "data/encoding.h"
#include "data/table.h"
#include "support/postgres_server.h"

namespace sotto::hostile_rows {

inline constexpr const char* kCreate =
    "drop table if exists hostile; create table hostile(y double precision, a double precision, "
    "b real, n numeric, t text, c text, k double precision, f boolean, s char(5), "
    "w double precision, p text)";

struct Named {
  std::string name;
  Schema schema;
  std::string rows = "hostile";
};

inline Schema all_columns() {
  Schema schema;
  schema.target = {"y", {-50, 50}};
  schema.features = {NumericFeature{"a", {-1, 1}},
                     NumericFeature{"b", {0, 0.3}},
                     NumericFeature{"n", {-1e6, 3e6}},
                     NumericFeature{"t", {10, 200}},
                     CategoricalFeature{"c", {"red", "light, \"sky\" blue", "it's", "a\\b"}},
                     CategoricalFeature{"k", {"0", "1", "2.50", "other"}, true, true},
                     CategoricalFeature{"f", {"f", "t"}},
                     CategoricalFeature{"s", {"ab", "cd", "other"}, false, true}};
  return schema;
}

inline Term term(const std::string& text, std::vector<Term::Column> columns) {
  return {Expression::parse(text).value(), std::move(columns)};
}

inline std::vector<Named> studies() {
  std::vector<Named> found;
  const auto add = [&](const std::string& name, auto change) {
    Schema schema = all_columns();
    change(schema);
    found.push_back({.name = name, .schema = std::move(schema)});
  };
  add("plain", [](Schema&) {});
  add("without an intercept", [](Schema& s) { s.intercept = false; });
  add("shortened", [](Schema& s) { s.radius = 1.3; });
  add("missing numbers", [](Schema& s) {
    s.missing_values = {"", "NA", "NaN", ".", "-1", "red"};
    std::get<CategoricalFeature>(s.features[4]).levels = {"light, \"sky\" blue", "it's", "a\\b"};
  });
  add("weighted", [](Schema& s) { s.weighting = Weighting::kBounded; });
  add("weighted, without an intercept", [](Schema& s) {
    s.weighting = Weighting::kBounded;
    s.intercept = false;
  });
  add("with weights", [](Schema& s) { s.weight = WeightColumn{"w", {0, 3}}; });
  add("shortened, with weights", [](Schema& s) {
    s.weight = WeightColumn{"w", {0, 3}};
    s.radius = 1.7;
  });
  add("weighted, with weights", [](Schema& s) {
    s.weight = WeightColumn{"w", {0, 3}};
    s.weighting = Weighting::kBounded;
  });
  add("persons", [](Schema& s) { s.person = PersonColumn{"p", 2}; });
  add("persons, shortened, with weights", [](Schema& s) {
    s.person = PersonColumn{"p", 1};
    s.weight = WeightColumn{"w", {0, 3}};
    s.radius = 1.1;
  });
  add("persons, weighted", [](Schema& s) {
    s.person = PersonColumn{"p", 3};
    s.weighting = Weighting::kBounded;
  });
  add("a party's", [](Schema& s) {
    CategoricalFeature party{"party", {"north", "south", "east"}};
    party.by_party = true;
    s.features.emplace_back(party);
    s.party = 2;
  });
  add("terms", [](Schema& s) {
    const auto feature = [&](const std::string& text, std::vector<Term::Column> columns) {
      const Term made = term(text, std::move(columns));
      return NumericFeature{made.expression.text(), made.bounds().value(), made};
    };
    s.features.emplace_back(feature("a^2", {{"a", {-1, 1}}}));
    s.features.emplace_back(feature("a*b", {{"a", {-1, 1}}, {"b", {0, 0.3}}}));
    s.features.emplace_back(feature("(t - 40)/7", {{"t", {10, 200}}}));
    s.features.emplace_back(feature("sqrt(b) - a^3", {{"b", {0, 0.3}}, {"a", {-1, 1}}}));
  });
  // Products of less than these are below every double, and PostgreSQL refuses them.
  found.back().rows = "select * from hostile where a is null or a = 0 or abs(a) > 1e-100";
  return found;
}

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}

  // A line of CSV for COPY; an empty field is NULL.
  std::string line() {
    const auto pick = [&](const std::vector<std::string>& words) {
      return words[random_() % words.size()];
    };
    return fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{}\n", number({-50, 50}), number({-1, 1}), small({0, 0.3}),
        number({-1e6, 3e6}), text_number(),
        pick({"red", "red", "\"light, \"\"sky\"\" blue\"", "it's", "a\\b", "  it's ", "NA", ""}),
        pick({"0", "-0", "1", "2.5", "7", "-1", "1e0", ""}), pick({"t", "f", "f", ""}),
        pick({"ab", "cd", "ef", ""}), weight(),
        pick({"ann", " ann", "bob", fmt::format("p{}", random_() % 400), "\" x,y\"", "\"x,y\"",
              "NA"}));
  }

 private:
  std::string number(Bounds bounds) {
    if (random_() % 40 == 0) return random_() % 2 == 0 ? "" : "NaN";
    return fmt::format("{}", value(bounds));
  }

  double value(Bounds bounds) {
    const double middle = bounds.lo / 2 + bounds.hi / 2;
    const double half = bounds.hi / 2 - bounds.lo / 2;
    const double infinity = std::numeric_limits<double>::infinity();
    switch (random_() % 12) {
      case 0:
        return bounds.lo;
      case 1:
        return bounds.hi;
      case 2:
        return std::nextafter(bounds.lo, random_() % 2 == 0 ? infinity : -infinity);
      case 3:
        return std::nextafter(bounds.hi, random_() % 2 == 0 ? infinity : -infinity);
      case 4:
        return random_() % 2 == 0 ? 0.0 : -0.0;
      case 5:  // a half on the grid of some scale, and its neighbours
      case 6: {
        const double scale = random_() % 2 == 0 ? 1048576.0 : 349525.0;
        const double tie =
            (static_cast<double>(random_() % 600000) - 300000 + 0.5) / scale * half + middle;
        return random_() % 2 == 0 ? tie : std::nextafter(tie, random_() % 2 == 0 ? 1e9 : -1e9);
      }
      case 7:
        return (random_() % 2 == 0 ? 1 : -1) * std::pow(10.0, static_cast<double>(random_() % 300));
      case 8:
        return (random_() % 2 == 0 ? 1 : -1) *
               std::pow(10.0, -static_cast<double>(random_() % 323));
      case 9:
        return middle;
      default:
        return std::normal_distribution<double>(middle, half)(random_);
    }
  }

  // What a `real` can hold.
  std::string small(Bounds bounds) {
    double v = value(bounds);
    if (std::abs(v) > 1e30) v = 1e30;
    if (std::abs(v) < 1e-30) v = 0;
    return random_() % 40 == 0 ? "" : fmt::format("{}", static_cast<float>(v));
  }

  std::string text_number() {
    const double v = value({10, 200});
    switch (random_() % 8) {
      case 0:
        return fmt::format("  {} ", v);
      case 1:
        return fmt::format("{}{:.3f}", std::signbit(v) ? "" : "+", std::abs(v) > 1e15 ? 1e15 : v);
      case 2:
        return fmt::format("{:e}", v);
      case 3:
        return random_() % 3 == 0 ? "NA" : "12.";
      case 4:
        return random_() % 3 == 0 ? "\t." : ".5e2";
      default:
        return fmt::format("{}", v);
    }
  }

  std::string weight() {
    switch (random_() % 8) {
      case 0:
        return "0";
      case 1:
        return "3";
      case 2:
        return "1e-300";
      case 3:
        return "1e-18";
      case 4:
        return random_() % 4 == 0 ? "" : "2.9999999999999996";
      default:
        return fmt::format("{}", std::uniform_real_distribution<double>(0, 3)(random_));
    }
  }

  std::mt19937_64 random_;
};

// Fills the server's table `hostile`.
inline void fill(const PostgresServer& server, std::uint64_t seed, std::size_t rows) {
  const std::string file = server.folder() / "hostile.csv";
  {
    std::ofstream out(file);
    Maker maker(seed);
    for (std::size_t k = 0; k < rows; ++k) out << maker.line();
  }
  ASSERT_TRUE(server.run(kCreate));
  ASSERT_TRUE(server.run("\\copy hostile from " + file + " csv"));
  std::filesystem::remove(file);
}

inline TableRequest request(const PostgresServer& server, const std::string& query = "hostile") {
  TableRequest asked(server.address());
  asked.query = query;
  return asked;
}

}  // namespace sotto::hostile_rows
