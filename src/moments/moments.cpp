#include "moments/moments.h"

#include <fmt/core.h>

#include <cmath>
#include <memory>
#include <optional>

#include "base/check.h"
#include "moments/table_share.h"

// A table goes through encoder and sums in groups of rows; what is split among threads is added up
// at the end, in any order.
namespace sotto {
namespace {

// The largest double whose square is not above `value`.
double root_below(double value) {
  double root = std::sqrt(value);
  while (Rational(root) * Rational(root) > Rational(value)) root = std::nextafter(root, 0.0);
  return root;
}

}  // namespace

Moments::Moments(std::size_t d) : dimension(d), sums(moments_size(d)) {}

Moments& Moments::operator+=(const Moments& other) {
  check(dimension == other.dimension, "moments that are added have one dimension");
  for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += other.sums[k];
  return *this;
}

TableMoments& TableMoments::operator+=(const TableMoments& other) {
  moments += other.moments;
  rows += other.rows;
  dropped += other.dropped;
  clips += other.clips;
  return *this;
}

std::size_t moments_size(std::size_t d) {
  return d * (d + 1) / 2 + d + 1;
}

Grid moments_grid() {
  return {-2 * kGridBits};
}

std::vector<double> entry_weights(std::size_t d, bool intercept, const EntryShares& shares) {
  std::vector<double> result;
  result.reserve(moments_size(d));
  const auto constant = [&](std::size_t k) { return intercept && k == 0; };
  const double diagonal = root_below(shares.g);
  const double off_diagonal = root_below(2 * shares.g);
  const double sum = root_below(shares.s);
  for (std::size_t r = 0; r < d; ++r) {
    result.push_back(constant(r) ? root_below(shares.n) : diagonal);
    result.insert(result.end(), d - r - 1, constant(r) ? sum : off_diagonal);
  }
  for (std::size_t r = 0; r < d; ++r)
    result.push_back(root_below(constant(r) ? shares.t : shares.q));
  result.push_back(root_below(shares.c));
  return result;
}

Result<TableMoments> read_moments(const Source& source, const Schema& schema) {
  SOTTO_ASSIGN(const Encoding encoding, Encoding::make(schema));
  std::optional<Persons> persons;
  if (schema.person) {
    persons.emplace(schema.person->rows);
    SOTTO_TRY(source.read(schema, [&](std::size_t, const RawRows& rows) {
      for (std::size_t r = 0; r < rows.rows; ++r) {
        if (is_complete(rows, r)) persons->count(rows.persons[r]);
      }
    }));
  }
  std::vector<std::unique_ptr<TableShare>> shares;
  for (std::size_t w = 0; w < source.workers(); ++w) {
    shares.push_back(std::make_unique<TableShare>(encoding, persons ? &*persons : nullptr));
  }
  SOTTO_TRY(source.read(
      schema, [&](std::size_t worker, const RawRows& rows) { shares[worker]->add(rows); }));
  TableMoments result = shares.front()->result();
  std::uint64_t weights_outside = shares.front()->encoder.weights_outside();
  for (std::size_t w = 1; w < shares.size(); ++w) {
    result += shares[w]->result();
    weights_outside += shares[w]->encoder.weights_outside();
  }
  SOTTO_TRY(check_weights(schema, weights_outside));
  if (persons) SOTTO_TRY(persons->same_twice());
  return result;
}

Result<void> check_weights(const Schema& schema, std::uint64_t outside) {
  if (outside == 0) return {};
  return bad_input("E-csv-weight",
                   fmt::format("{} rows have a weight outside the study's bounds [{}, {}]", outside,
                               schema.weight->bounds.lo, schema.weight->bounds.hi),
                   "correct them, or agree on wider bounds with the others");
}

}  // namespace sotto
