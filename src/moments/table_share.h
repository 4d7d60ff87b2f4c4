#pragma once

#include "moments/moments_sum.h"

namespace sotto {

// One worker's share of a table: raw rows in, sums out.
struct TableShare {
  RowEncoder encoder;
  MomentSum sum;

  explicit TableShare(const Encoding& encoding, Persons* persons = nullptr)
      : encoder(encoding, persons), sum(encoding.dimension()) {}

  void add(const RawRows& raw) { sum.add(encoder.encode(raw)); }

  TableMoments result() {
    return {sum.moments(), encoder.kept(), encoder.dropped(), encoder.clips()};
  }
};

// E-csv-weight, if there are any: of sources that did not say where.
[[nodiscard]] Result<void> check_weights(const Schema& schema, std::uint64_t outside);

}  // namespace sotto
