#pragma once

// Tables as fuzzers read them: one schema of every kind of column, text from memory, and what all
// readers must agree on.

#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>

#include "data/csv/csv_source.h"
#include "data/rows.h"
#include "fuzz/fuzz.h"

namespace sotto::fuzz {

// The columns a, b, c, w, who and y, as four studies use them.
inline Schema schema_of(std::size_t kind) {
  Schema schema;
  schema.target = {"y", {0, 10}};
  schema.features = {NumericFeature{"a", {-1, 10}},
                     CategoricalFeature{"c", {"red", "light, \"sky\" blue", "two\nlines", "0"}}};
  if (kind == 1) {
    schema.features = {NumericFeature{"a", {0, 1e300}},
                       CategoricalFeature{"c", {"0", "1", "2.5", "other"}, true, true},
                       SplineFeature{"b", {0, 9}, {2, 5}}};
    schema.missing = MissingRule::kError;
    schema.weight = WeightColumn{"w", {0, 2}};
  } else if (kind == 2) {
    schema.features = {NumericFeature{"a", {-1e-300, 1e-3}}, NumericFeature{"b", {-5, 5}}};
    schema.missing_values = {"", "-", "a,b"};
    schema.person = PersonColumn{"who", 2};
    schema.intercept = false;
  } else if (kind == 3) {
    schema.features.emplace_back(SplineFeature{"b", {0, 9}, {2, 5}});
    schema.weighting = Weighting::kBounded;
  }
  return schema;
}

// A table's text, piece by piece.
class MemoryText final : public TextStream {
 public:
  MemoryText(std::string_view text, std::size_t piece) : text_(text), piece_(piece) {}
  [[nodiscard]] Result<std::size_t> read(char* to, std::size_t wanted) override {
    const std::size_t size = std::min({wanted, piece_, text_.size() - done_});
    std::memcpy(to, text_.data() + done_, size);
    done_ += size;
    return size;
  }
  [[nodiscard]] std::uint64_t done() const override { return done_; }
  [[nodiscard]] std::uint64_t total() const override { return text_.size(); }
  [[nodiscard]] std::string sha256() const override { return {}; }

 private:
  std::string_view text_;
  std::size_t piece_;
  std::size_t done_ = 0;
};

inline TableText text_in_memory(std::string_view text, std::size_t piece) {
  TableText table;
  table.facts.kind = "csv";
  table.name = "table.csv";
  table.open = [text, piece](const Schema&, bool) -> Result<std::unique_ptr<TextStream>> {
    return std::make_unique<MemoryText>(text, piece);
  };
  return table;
}

// What came of reading: values by their bits, and the error in words.
struct ReadTable {
  std::vector<std::uint64_t> bits;
  std::vector<std::string> persons;
  std::string error;
  bool operator==(const ReadTable&) const = default;
};

// What the sensitivity rests on (data/rows.h): integers, and inside the ball, or with bounded
// weights inside what takes its place.
inline void require_in_ball(const Rows& rows, const Encoding& encoding) {
  const std::size_t entries = encoding.dimension();
  const std::size_t first = encoding.schema().intercept ? 1 : 0;
  const bool bounded = encoding.schema().weighting == Weighting::kBounded;
  const double radius = static_cast<double>(encoding.schema().feature_columns()) / 2;  // R²
  for (std::size_t r = 0; r < kGroupRows; ++r) {
    double squares = 0;
    for (std::size_t c = 0; c <= entries; ++c) {
      const double entry = rows.column(c)[r];
      require(entry == std::nearbyint(entry),
              fmt::format("rows stand on the grid: {} in row {} of {}, entry {}", entry, r,
                          rows.rows, c));
      if (c >= first && c < entries) squares += entry * entry;
    }
    const double target = std::abs(rows.column(entries)[r]) / kGridOne;
    const double intercept = first == 1 ? rows.column(0)[r] / kGridOne : target;
    const double x = squares / (kGridOne * kGridOne);
    const double g = intercept * intercept;
    const double weighed = 0.21 * g * g + 0.54 * g * x / radius + 0.25 * x * x / (radius * radius);
    const bool inside = bounded ? weighed <= 1 && (first == 0 || target <= intercept)
                                : x + (first == 1 ? g : 0) <= 1 && target <= 1;
    require(inside, "no row is longer than its sensitivity says");
  }
}

// Reads it all; every value is a number, a level or missing, and every row ends inside the ball.
inline ReadTable read_table(TableText text, const Schema& schema, CsvOptions options) {
  options.threads = 1;
  ReadTable table;
  const auto encoding = Encoding::make(schema);
  require(encoding.has_value(), "the schema is one");
  std::optional<RowEncoder> encoder;
  if (!schema.person) encoder.emplace(*encoding);
  const auto& columns = encoding->table();
  const auto sink = [&](std::size_t, const RawRows& raw) {
    for (std::size_t r = 0; r < raw.rows; ++r) {
      for (std::size_t c = 0; c < raw.columns(); ++c) {
        const double value = raw.column(c)[r];
        table.bits.push_back(std::bit_cast<std::uint64_t>(value));
        const std::size_t levels = columns[c].levels.size();
        const bool level = value >= 0 && value < static_cast<double>(levels);
        require(std::isnan(value) || (levels == 0 ? std::isfinite(value) : level),
                fmt::format("a value is a finite number or a level: {}", value));
      }
    }
    table.persons.insert(table.persons.end(), raw.persons.begin(), raw.persons.end());
    if (!encoder) return;
    require_in_ball(encoder->encode(raw), *encoding);
    // Fewer rows after more, by another kernel: what a row becomes depends on the row alone.
    RawRows fewer = raw;
    fewer.rows = raw.rows / 2;
    const Rows& after = encoder->encode(fewer);
    const Rows alone = RowEncoder(*encoding, nullptr, RowKernel::kPortable).encode(fewer);
    for (std::size_t c = 0; c <= encoding->dimension(); ++c) {
      require(std::equal(after.column(c), after.column(c) + kGroupRows, alone.column(c)),
              "a row is encoded to the same bits");
    }
  };
  if (const auto read = CsvSource({std::move(text)}, options).read(schema, sink); !read) {
    require_error(read.error());
    table.error = read.error().to_string();
    for (const Error& more : read.error().others) table.error += "\n" + more.to_string();
  }
  return table;
}

}  // namespace sotto::fuzz
