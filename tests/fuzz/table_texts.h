#pragma once

// Tables as fuzzers read them: one schema of every kind of column, text from memory, and what all
// readers must agree on.

#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <optional>

#include "data/csv/csv_source.h"
#include "data/rows.h"
#include "fuzz/fuzz.h"

namespace sotto::fuzz {

// The number that a term computes from columns of these bounds.
inline NumericFeature term_of(const std::string& text, std::vector<Term::Column> columns) {
  Term term{.expression = Expression::parse(text).value(), .columns = std::move(columns)};
  const Bounds bounds = term.bounds().value();
  return {term.expression.text(), bounds, term};
}

// The columns a, b, c, w, who and y, as so many studies use them.
constexpr std::size_t kSchemas = 5;
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
  } else if (kind == 4) {
    schema.features = {NumericFeature{"b", {-5, 5}}, CategoricalFeature{"c", {"red", "blue", "0"}},
                       term_of("log(a)", {{"a", {0.5, 10}}}),
                       term_of("b * c=blue", {{"b", {-5, 5}}, {"c=blue", {0, 1}}})};
    const NumericFeature target = term_of("sqrt(y)", {{"y", {0, 10}}});
    schema.target = {target.column, target.bounds, target.term};
    schema.person = PersonColumn{"who", 3};
    schema.weight = WeightColumn{"w", {0, 2}};
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

// What came of reading: values by their bits, rows on the grid, and the error in words.
struct ReadTable {
  std::vector<std::uint64_t> bits;
  std::vector<std::string> persons;
  std::vector<double> grid;
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
      require(entry == std::nearbyint(entry), [&] {
        return fmt::format("rows stand on the grid: {} in row {} of {}, entry {}", entry, r,
                           rows.rows, c);
      });
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

// A person's rows, together: no more than so many rows may have.
class PersonsSquares {
 public:
  void add(const Rows& rows, const RawRows& raw, const Encoding& encoding) {
    for (std::size_t r = 0; r < rows.rows; ++r) {
      auto& [x, y] = of_[raw.persons[rows.source[r]]];
      const double h = rows.column(encoding.dimension())[r];
      for (std::size_t c = 0; c < encoding.dimension(); ++c) {
        x += rows.column(c)[r] * rows.column(c)[r];
      }
      y += h * h;
    }
  }
  void require_at_most(std::int64_t rows) const {
    const double most = static_cast<double>(rows) * kGridOne * kGridOne;
    for (const auto& [person, squares] : of_) {
      require(squares.first <= most && squares.second <= most,
              "all rows of a person count as so many");
    }
  }

 private:
  std::map<std::string, std::pair<double, double>> of_;
};

// Larger than what a fuzzer plays, and small enough that nobody waits for its memory.
constexpr std::size_t kBlockBytes = std::size_t{1} << 15U;

// kEachAlone: what a group of rows becomes is also held against an encoder that has never seen
// another. Whoever reads the same in smaller groups compares the grids, which says that too.
enum class Care { kEachAlone, kOneEncoder };

// Reads it all; every value is a number, a level or missing, and every row ends inside the ball.
inline ReadTable read_table(const TableText& text, const Schema& schema, CsvOptions options,
                            Care care = Care::kEachAlone) {
  options.threads = 1;
  options.block_bytes = std::min(options.block_bytes, kBlockBytes);
  const CsvSource source({text}, options);
  ReadTable table;
  const auto encoding = Encoding::make(schema);
  require(encoding.has_value(), "the schema is one");
  // Persons are counted first, once for each encoder. Rows before a fault come every time.
  std::optional<Persons> persons;
  std::optional<Persons> again;
  if (schema.person) {
    persons.emplace(schema.person->rows);
    again.emplace(schema.person->rows);
    (void)source.read(schema, [&](std::size_t, const RawRows& raw) {
      for (std::size_t r = 0; r < raw.rows; ++r) {
        if (!is_complete(raw, r)) continue;
        persons->count(raw.persons[r]);
        again->count(raw.persons[r]);
      }
    });
  }
  RowEncoder encoder(*encoding, persons ? &*persons : nullptr);
  PersonsSquares squares;
  const auto& columns = encoding->table();
  const auto sink = [&](std::size_t, const RawRows& raw) {
    for (std::size_t r = 0; r < raw.rows; ++r) {
      for (std::size_t c = 0; c < raw.columns(); ++c) {
        const double value = raw.column(c)[r];
        table.bits.push_back(std::bit_cast<std::uint64_t>(value));
        const std::size_t levels = columns[c].levels.size();
        const bool level = value >= 0 && value < static_cast<double>(levels);
        require(std::isnan(value) || (levels == 0 ? std::isfinite(value) : level),
                [&] { return fmt::format("a value is a finite number or a level: {}", value); });
      }
      if (persons) table.persons.push_back(raw.persons[r]);
    }
    const Rows& rows = encoder.encode(raw);
    for (std::size_t r = 0; r < rows.rows; ++r) {
      for (std::size_t c = 0; c <= encoding->dimension(); ++c) {
        table.grid.push_back(rows.column(c)[r]);
      }
    }
    if (persons) squares.add(rows, raw, *encoding);
    if (care == Care::kOneEncoder) return;
    require_in_ball(rows, *encoding);
    // Fewer rows after more, by another kernel: what a row becomes depends on the row alone. (Of a
    // person on its other rows, too, and each may be taken once.)
    RawRows fewer = raw;
    if (!persons) fewer.rows = raw.rows / 2;
    const Rows& after = persons ? rows : encoder.encode(fewer);
    RowEncoder other(*encoding, again ? &*again : nullptr, RowKernel::kPortable);
    const Rows& alone = other.encode(fewer);
    for (std::size_t c = 0; c <= encoding->dimension(); ++c) {
      require(std::equal(after.column(c), after.column(c) + kGroupRows, alone.column(c)),
              "a row is encoded to the same bits");
    }
  };
  const auto read = source.read(schema, sink);
  if (!read) {
    require_error(read.error());
    table.error = read.error().to_string();
    for (const Error& more : read.error().others) table.error += "\n" + more.to_string();
  }
  if (persons) {
    require(persons->same_twice().has_value(), "a table is the same when it is read again");
    squares.require_at_most(schema.person->rows);
  }
  return table;
}

}  // namespace sotto::fuzz
