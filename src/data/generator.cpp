#include "data/generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numbers>

#include "base/random.h"

// Households are drawn one number after the other, each from those before it.
namespace sotto {
namespace {

// Numbers of one household, in the order in which they are drawn.
struct Household {
  double area = 0;  // m²
  int people = 0;
  double outdoor = 0;  // mean temperature of the month, °C
  double built = 0;    // year
  std::size_t insulation = 0;
  std::size_t heating = 0;
  bool solar = false;
  double energy = 0;  // kWh of the month
};

constexpr std::array kInsulation{"old", "renovated", "new"};
constexpr std::array kHeating{"gas", "district", "heat-pump", "electric"};
// Where a meter reading is garbage: swapped digits, a wrong unit.
constexpr double kBrokenMeter = 0.002;

class Draw {
 public:
  explicit Draw(std::uint64_t seed, std::uint64_t stream) : random_(seed, stream) {}

  // In (0, 1): never 0, so that its logarithm is finite.
  double uniform() { return (static_cast<double>(random_.bits64() >> 11) + 0.5) * 0x1p-53; }
  bool chance(double probability) { return uniform() < probability; }
  // Box and Muller.
  double normal() {
    return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform());
  }
  // Student's t with 4 degrees of freedom, scaled to variance 1: rare large errors.
  double heavy() {
    const double chi = std::pow(normal(), 2) + std::pow(normal(), 2) + std::pow(normal(), 2) +
                       std::pow(normal(), 2);
    return normal() / std::sqrt(chi / 4) / std::numbers::sqrt2;
  }
  // The place of a value drawn with these weights.
  template <std::size_t N>
  std::size_t one_of(const std::array<double, N>& weights) {
    double total = 0;
    for (const double weight : weights) total += weight;
    double rest = uniform() * total;
    for (std::size_t k = 0; k + 1 < N; ++k) {
      rest -= weights[k];
      if (rest < 0) return k;
    }
    return N - 1;
  }

 private:
  SeededRandom random_;
};

// What the households of one party have in common.
struct Town {
  double climate = 8;  // °C, mean over the year
  double city = 0.5;   // 0 rural, 1 urban
};

Town town_of(std::uint64_t seed, std::uint64_t party) {
  Draw draw(seed, 2 * party + 1);
  return {.climate = 8 + 2.5 * draw.normal(), .city = draw.uniform()};
}

Household draw_household(Draw& draw, const Town& town) {
  Household h;
  h.people = 1 + static_cast<int>(draw.one_of(std::array{0.38, 0.33, 0.14, 0.10, 0.035, 0.015}));
  h.area = (48 + 19 * h.people - 22 * town.city) * std::exp(0.33 * draw.normal());
  h.built = std::round(2022 - 62 * std::pow(draw.uniform(), 0.8) + 12 * (0.5 - town.city));
  const double age = (2022 - h.built) / 60;
  h.insulation = draw.one_of(std::array{0.1 + 0.8 * age, 0.35, std::max(0.02, 0.75 - age)});
  h.heating =
      draw.one_of(std::array{0.45, 0.1 + 0.5 * town.city, h.insulation == 2 ? 0.45 : 0.08, 0.12});
  h.solar = draw.chance(0.05 + 0.25 * (1 - town.city) * (h.area > 90 ? 1 : 0.3));
  // A month of the year at random.
  h.outdoor =
      town.climate - 9.5 * std::cos(2 * std::numbers::pi * draw.uniform()) + 1.8 * draw.normal();

  // Heat leaks in proportion to area and to the degrees below 17 °C.
  constexpr std::array kLeak{1.0, 0.66, 0.38};         // by insulation
  constexpr std::array kPerHeat{1.1, 1.0, 0.33, 1.0};  // kWh bought per kWh of heat
  const double heat = 0.62 * h.area * std::max(0.0, 17 - h.outdoor) / 6 * kLeak[h.insulation];
  const double everyday = 70 + 62 * std::pow(h.people, 0.8) + 0.45 * h.area;
  const double sun = h.solar ? 6.5 * std::max(0.0, h.outdoor + 4) : 0;
  const double mean = heat * kPerHeat[h.heating] + everyday - sun;
  h.energy = mean * std::exp(0.22 * draw.heavy()) + 18 * draw.normal();
  if (draw.chance(kBrokenMeter)) h.energy *= draw.chance(0.5) ? 10 : -1;
  return h;
}

}  // namespace

Schema household_schema() {
  Schema schema;
  schema.target = {"kwh", {0, 1000}};
  schema.features = {
      NumericFeature{"area_m2", {20, 220}},
      NumericFeature{"people", {1, 6}},
      NumericFeature{"outdoor_c", {-10, 25}},
      NumericFeature{"built", {1950, 2025}},
      CategoricalFeature{"insulation", {kInsulation.begin(), kInsulation.end()}},
      CategoricalFeature{"heating", {kHeating.begin(), kHeating.end()}},
      CategoricalFeature{"solar", {"no", "yes"}},
  };
  return schema;
}

Result<void> write_households(const GeneratedTable& table, std::ostream& out) {
  if (table.rows == 0 || table.rows > GeneratedTable::kMaxRows) {
    return bad_input("E-generate-rows", fmt::format("a table of {} rows", table.rows),
                     fmt::format("from 1 to {}", GeneratedTable::kMaxRows));
  }
  if (!(table.missing >= 0 && table.missing <= GeneratedTable::kMostMissing)) {
    return bad_input("E-generate-missing",
                     fmt::format("{} is no probability of a missing answer", table.missing),
                     fmt::format("from 0 to {}", GeneratedTable::kMostMissing));
  }
  const Town town = town_of(table.seed, table.party);
  Draw draw(table.seed, 2 * table.party + 2);
  out << "household,kwh,area_m2,people,outdoor_c,built,insulation,heating,solar\n";
  fmt::memory_buffer line;
  for (std::uint64_t row = 0; row < table.rows && out; ++row) {
    const Household h = draw_household(draw, town);
    const bool area_missing = draw.chance(table.missing);
    const bool insulation_missing = draw.chance(table.missing);
    line.clear();
    auto to = std::back_inserter(line);
    fmt::format_to(to, "H{}-{},{:.1f},", table.party + 1, row + 1, h.energy);
    if (!area_missing) fmt::format_to(to, "{:.0f}", h.area);
    fmt::format_to(to, ",{},{:.1f},{:.0f},{},{},{}\n", h.people, h.outdoor, h.built,
                   insulation_missing ? "NA" : kInsulation[h.insulation], kHeating[h.heating],
                   h.solar ? "yes" : "no");
    out.write(line.data(), static_cast<std::streamsize>(line.size()));
  }
  return {};
}

}  // namespace sotto
