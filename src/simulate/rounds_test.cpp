#include "simulate/rounds.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "simulate/row_memory.h"

// The kernels of the rounds against the formula, number by number, for every kind of rows that they
// have code of its own for: many parties (written past the caches) and few, one weight and a weight
// for each edge, a plain step and one that reads the round before.

namespace sotto {
namespace {

constexpr std::size_t kDegree = 4;
constexpr std::size_t kFew = 100;
constexpr std::size_t kMany = 530'000;  // lines of more than 32 MiB

// Everybody has kDegree neighbours all over the place: the kernels do not ask whether it is mutual.
struct Network {
  std::vector<std::uint64_t> first{0};
  std::vector<std::uint32_t> neighbour;
  std::vector<double> weight;

  Network(std::size_t parties, bool weighted) {
    std::uint64_t state = 1;
    for (std::size_t i = 0; i < parties; ++i) {
      for (std::size_t k = 0; k < kDegree; ++k) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        neighbour.push_back(static_cast<std::uint32_t>((state >> 33) % parties));
        if (weighted) weight.push_back(0.1 + 0.01 * static_cast<double>(neighbour.back() % 7));
      }
      first.push_back(neighbour.size());
    }
  }
  [[nodiscard]] RoundEdges edges() const {
    return {.first = first, .neighbour = neighbour, .weight = weight, .uniform = 0.2};
  }
  [[nodiscard]] std::size_t size() const { return first.size() - 1; }
  [[nodiscard]] double mixed(const RowMemory& rows, std::size_t lanes, std::size_t party,
                             std::size_t lane) const {
    const double own = rows.data()[party * lanes + lane];
    double sum = own;
    for (std::uint64_t e = first[party]; e < first[party + 1]; ++e) {
      const double w = weight.empty() ? 0.2 : weight[e];
      sum += w * (rows.data()[neighbour[e] * lanes + lane] - own);
    }
    return sum;
  }
};

RowMemory numbers(std::size_t count, std::uint64_t salt) {
  RowMemory rows(count);
  for (std::size_t k = 0; k < count; ++k) {
    rows.data()[k] = static_cast<double>((k * 2654435761U + salt) % 1000) / 7.0 - 60;
  }
  return rows;
}

void expect_mixed_as_the_formula_says(const Network& network, const MixingStep& step,
                                      const std::vector<std::size_t>& widths) {
  std::vector<RowMemory> y;
  std::vector<RowMemory> next;
  std::vector<RowMemory> before;
  std::vector<MixedRows> parts;
  for (const std::size_t lanes : widths) {
    const std::size_t count = network.size() * lanes;
    y.push_back(numbers(count, lanes));
    next.push_back(numbers(count, 500 + lanes));
    before.push_back(numbers(count, 500 + lanes));
  }
  for (std::size_t p = 0; p < widths.size(); ++p) {
    parts.push_back({widths[p], y[p].data(), next[p].data()});
  }
  // In two ranges, as two threads would.
  const std::size_t cut = network.size() / 3;
  mix_rows(network.edges(), step, parts, {.begin = cut, .end = network.size()});
  mix_rows(network.edges(), step, parts, {.begin = 0, .end = cut});
  std::size_t wrong = 0;
  for (std::size_t p = 0; p < widths.size(); ++p) {
    const std::size_t lanes = widths[p];
    for (std::size_t at = 0; at < network.size() * lanes; ++at) {
      const double mixed = network.mixed(y[p], lanes, at / lanes, at % lanes);
      const double expected = step.mixed * mixed + step.current * y[p].data()[at] +
                              step.previous * before[p].data()[at];
      wrong += next[p].data()[at] == expected ? 0 : 1;
    }
  }
  EXPECT_EQ(wrong, 0U) << network.size() << " parties, first part of " << widths[0] << " lanes";
}

const MixingStep kPlain{};
const MixingStep kChebyshev{.mixed = 1.75, .current = 0.125, .previous = -0.875};

TEST(MixRows, AreTheFormulaForFewParties) {
  for (const bool weighted : {false, true}) {
    const Network network(kFew, weighted);
    for (const MixingStep& step : {kPlain, kChebyshev}) {
      for (const std::size_t lanes : {1U, 2U, 5U, 8U, 9U, 13U, 24U}) {
        expect_mixed_as_the_formula_says(network, step, {lanes});
      }
      expect_mixed_as_the_formula_says(network, step, {8, 1});
    }
  }
}

TEST(MixRows, AreTheFormulaForMoreThanTheCachesHold) {
  const Network network(kMany, false);
  expect_mixed_as_the_formula_says(network, kPlain, {8, 1});
  expect_mixed_as_the_formula_says(network, kChebyshev, {8, 1});
  expect_mixed_as_the_formula_says(Network(kMany, true), kPlain, {8});
}

void expect_tracked_as_the_formula_says(const Network& network, std::size_t dimension) {
  const TrackingRows rows = TrackingRows::of(dimension, 1);
  const std::size_t lanes = rows.lanes();
  constexpr double kStep = 1e-3;
  RowMemory state = numbers(network.size() * lanes, 1);
  const RowMemory g = numbers(network.size() * dimension * dimension, 2);
  RowMemory next(network.size() * lanes);
  for (std::size_t i = 0; i < network.size(); ++i) {  // lanes without a number are 0
    for (std::size_t k = 2 * dimension; k < lanes; ++k) state.data()[i * lanes + k] = 0;
  }
  RowMemory scratch(2 * lanes);
  track_rows(network.edges(), kStep, rows, state.data(), g.data(), next.data(), scratch.data(),
             {.begin = 0, .end = network.size()});
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < network.size(); ++i) {
    const double* own = state.data() + i * lanes;
    const double* found = next.data() + i * lanes;
    std::vector<double> moved(dimension);
    for (std::size_t r = 0; r < dimension; ++r) {
      const double x = network.mixed(state, lanes, i, r) - kStep * own[dimension + r];
      moved[r] = x - own[r];
      wrong += found[r] == x ? 0 : 1;
    }
    for (std::size_t r = 0; r < dimension; ++r) {
      double gradient = 0;
      for (std::size_t c = 0; c < dimension; ++c) {
        gradient += g.data()[(i * dimension + r) * dimension + c] * moved[c];
      }
      wrong +=
          found[dimension + r] == network.mixed(state, lanes, i, dimension + r) + gradient ? 0 : 1;
    }
    for (std::size_t k = 2 * dimension; k < lanes; ++k) wrong += found[k] == 0 ? 0 : 1;
  }
  EXPECT_EQ(wrong, 0U) << network.size() << " parties, m = " << dimension;
}

TEST(TrackRows, AreTheFormulaForFewPartiesAndMany) {
  for (const std::size_t dimension : {1U, 2U, 3U, 4U, 5U}) {
    expect_tracked_as_the_formula_says(Network(kFew, true), dimension);
    expect_tracked_as_the_formula_says(Network(kFew, false), dimension);
  }
  expect_tracked_as_the_formula_says(Network(kMany, false), 3);
}

}  // namespace
}  // namespace sotto
