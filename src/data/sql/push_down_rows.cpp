// From values to rows on the grid, as rows.cpp, rows_terms.cpp and rows_weighting.cpp make them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "data/row_weight.h"
#include "data/sql/push_down_steps.h"

namespace sotto {
namespace pushed_rows {
namespace {

// What is below it in [−1, 1] is 0 on the grid, and so are its products with anything.
constexpr double kNothing = 1e-100;
constexpr double kNoFraction = 6755399441055744.0;  // 1.5·2^52, as in rows.cpp
constexpr double kLargestQ = 0.7;                   // as in rows_weighting.cpp
constexpr double kSmallestShare = 0x1p-60;
constexpr double kDown = 1 - 0x1p-48;

}  // namespace
}  // namespace pushed_rows

std::string PushDownSteps::inside(const std::string& value, Bounds bounds) const {
  return fmt::format("case when {0} < {1} then {1} when {0} > {2} then {2} else {0} end", value,
                     number(bounds.lo), number(bounds.hi));
}

std::vector<std::string> PushDownSteps::kept_with(const char* letter, std::size_t first,
                                                  std::size_t last) const {
  std::vector<std::string> kept = keep_;
  for (std::size_t k = first; k < last; ++k) kept.push_back(at(letter, k));
  return kept;
}

// Entries in [−1, 1].
Result<void> PushDownSteps::scale() {
  std::vector<Made> clipped;
  for (std::size_t c = 0; c < columns_; ++c) {
    if (!is_level(c)) clipped.push_back({at("x", c), inside(at("v", c), column(c).bounds)});
  }
  step(keep_, clipped);
  if (schema_.weight) keep_.push_back(at("x", columns_ - 1));

  std::vector<Made> from_middle;
  std::vector<Made> scaled;
  std::vector<Made> values;
  const auto add_number = [&](std::size_t entry, const std::vector<std::size_t>& inputs,
                              const std::optional<Term>& term,
                              const ColumnScale& to) -> Result<void> {
    const double inverse_half = 1 / to.half;
    if (!std::isfinite(inverse_half))
      return cannot_push_down("a column's bounds are too near each other");
    std::string value = at("x", inputs[0]);
    if (term) {
      std::vector<std::string> names;
      for (const std::size_t c : inputs) names.push_back(at("x", c));
      SOTTO_ASSIGN(value, term->expression.formula(names, [&](double v) { return number(v); }));
    }
    values.push_back({at("w", entry), value});
    const std::string w = at("w", entry);
    from_middle.push_back({at("d", entry), fmt::format("({} - {})", term ? inside(w, to.bounds) : w,
                                                       number(to.middle))});
    scaled.push_back(
        {at("u", entry), fmt::format("case when abs({0}) < {1} then {2} else greatest(least({0} * "
                                     "{3}, {4}), {5}) end",
                                     at("d", entry), number(pushed_rows::kNothing * to.half),
                                     number(0), number(inverse_half), number(1), number(-1))});
    return {};
  };
  std::size_t entry = 0;
  if (schema_.intercept) scaled.push_back({at("u", entry++), number(1)});
  for (std::size_t k = 0; k < schema_.features.size(); ++k) {
    const Feature& feature = schema_.features[k];
    const auto& inputs = encoding_.inputs(k);
    if (const auto* levels = std::get_if<CategoricalFeature>(&feature)) {
      for (std::size_t level = 1; level < levels->levels.size(); ++level) {
        const std::string here = levels->by_party
                                     ? fmt::format("{} = {}", schema_.party.value(), level)
                                     : fmt::format("{} = {}", at("v", inputs[0]), level);
        scaled.push_back(
            {at("u", entry + level - 1),
             fmt::format("case when {} then {} else {} end", here, number(1), number(0))});
      }
    } else if (const auto* numeric = std::get_if<NumericFeature>(&feature)) {
      SOTTO_TRY(add_number(entry, inputs, numeric->term, encoding_.feature_scale(k)));
    } else {
      return cannot_push_down(fmt::format("no query is written for \"{}\"", name_of(feature)));
    }
    entry += entries_of(feature);
  }
  check(entry == entries_, "an entry for every name");
  SOTTO_TRY(add_number(entries_, encoding_.target_inputs(), schema_.target.term,
                       encoding_.target_scale()));
  step(keep_, values);
  step(keep_, from_middle);
  step(keep_, scaled);
  return {};
}

// f = √(w/hi)·√min(1, k/n), and what a person's row may be at most.
void PushDownSteps::find_shares() {
  std::vector<Made> made;
  std::string share;
  if (schema_.weight) {
    const double hi = schema_.weight->bounds.hi;
    const std::string w = at("x", columns_ - 1);
    share = fmt::format("case when {0} < {1} then {2} else sqrt({0} / {3}) end", w,
                        number(pushed_rows::kNothing * pushed_rows::kNothing * hi), number(0),
                        number(hi));
  }
  if (schema_.person) {
    const std::int64_t k = schema_.person->rows;
    const std::string factor =
        fmt::format("case when n <= {} then {} else sqrt({} / {}) end", k, number(1),
                    number(static_cast<double>(k)), sql_.to_double("n"));
    share = share.empty() ? factor : fmt::format("({}) * ({})", share, factor);
    const std::string one = SqlWriter::whole(kGridOne * kGridOne);
    made.push_back(
        {"longest",
         fmt::format(
             "case when n <= {} then {} else {} end", k, one,
             sql_.quotient(SqlWriter::whole(static_cast<double>(k) * kGridOne * kGridOne), "n"))});
  }
  made.push_back({"share", share});
  step(kept_with("u", 0, entries_ + 1), made);
  keep_.emplace_back("share");
  if (schema_.person) keep_.emplace_back("longest");
}

// (v + 1.5·2^52) − 1.5·2^52: the nearest integer, halves to the even one.
std::string PushDownSteps::nearest(const std::string& value) const {
  return fmt::format("(({} + {}) - {})", value, number(pushed_rows::kNoFraction),
                     number(pushed_rows::kNoFraction));
}

std::string PushDownSteps::sum_of_squares(const char* letter, std::size_t first, std::size_t last) {
  std::vector<std::string> terms;
  for (std::size_t k = first; k < last; ++k) {
    terms.push_back(fmt::format("{0} * {0}", at(letter, k)));
  }
  return fmt::format("{}", fmt::join(terms, " + "));
}

// Weighting::kNone.
void PushDownSteps::round() {
  const double radius = encoding_.radius();
  if (encoding_.shortens()) {
    step(kept_with("u", 0, entries_ + 1), {{"square", sum_of_squares("u", 0, entries_)}});
    const std::string longer = fmt::format("square > {}", number(radius * radius));
    step(kept_with("u", 0, entries_ + 1),
         {{"shortened", fmt::format("case when {} then 1 else 0 end", longer)},
          {"factor", fmt::format("case when {} then {} / sqrt(square) else {} end", longer,
                                 number(radius), number(1))}});
    keep_.emplace_back("shortened");
    std::vector<Made> shorter;
    for (std::size_t k = 0; k < entries_; ++k) {
      shorter.push_back({at("u", k), fmt::format("{} * factor", at("u", k))});
    }
    std::vector<std::string> kept = keep_;
    kept.push_back(at("u", entries_));
    step(kept, shorter);
  }
  std::vector<Made> grid;
  for (std::size_t k = 0; k <= entries_; ++k) {
    const std::string u = shares_ ? fmt::format("({} * share)", at("u", k)) : at("u", k);
    const double scale_here = k == entries_ ? kGridOne : encoding_.grid_scale();
    grid.push_back(
        {at("g", k),
         fmt::format("case when fits then {} end",
                     sql_.to_whole(nearest(fmt::format("{} * {}", u, number(scale_here)))))});
  }
  step(keep_, grid);
  if (encoding_.shortens() || schema_.person) shrink();
}

// Takes one off the largest entry, the first of equals, until the row is inside. After so many
// steps one that is not is counted, and the answer refused: at 2 + 2√d, less than one in 10^9.
void PushDownSteps::shrink() {
  const std::string limit =
      schema_.person ? std::string("longest") : SqlWriter::whole(kGridOne * kGridOne);
  const auto steps = static_cast<std::size_t>(std::min(
      2 + 2 * std::sqrt(static_cast<double>(entries_)), 2 + static_cast<double>(entries_) / 2));
  step(kept_with("g", 0, entries_ + 1), {{"square", sum_of_squares("g", 0, entries_)}});
  std::vector<std::string> sizes;
  std::string first;
  for (std::size_t k = 0; k < entries_; ++k) {
    sizes.push_back(fmt::format("abs({})", at("g", k)));
    first += fmt::format(" when abs({}) = top then {}", at("g", k), k);
  }
  // greatest() of one is no function everywhere.
  const std::string top =
      sizes.size() == 1 ? sizes[0] : fmt::format("greatest({})", fmt::join(sizes, ", "));
  for (std::size_t done = 0; done < steps; ++done) {
    std::vector<std::string> kept = kept_with("g", 0, entries_ + 1);
    kept.emplace_back("square");
    step(kept, {{"top", fmt::format("case when square > {} then {} end", limit, top)}});
    kept.emplace_back("top");
    step(kept, {{"place", fmt::format("case{} else -1 end", first)}});
    std::vector<Made> made = {
        {"square", "case when place >= 0 then square - 2 * top + 1 else square end"}};
    for (std::size_t k = 0; k < entries_; ++k) {
      made.push_back({at("g", k), fmt::format("case when place <> {1} then {0} when {0} > 0 then "
                                              "{0} - 1 else {0} + 1 end",
                                              at("g", k), k)});
    }
    kept = keep_;
    kept.push_back(at("g", entries_));
    step(kept, made);
  }
  std::vector<Made> made = {
      {"unfinished", fmt::format("case when square > {} then 1 else 0 end", limit)}};
  std::vector<std::string> kept = kept_with("g", 0, entries_);
  const std::string h = at("g", entries_);
  if (schema_.person) {
    const std::string most =
        sql_.to_whole(fmt::format("floor(sqrt({}))", sql_.to_double("longest")));
    made.push_back(
        {h,
         fmt::format("case when {0} is null or {0} * {0} <= longest then {0} when {0} > 0 then {1} "
                     "else - {1} end",
                     h, most)});
  } else {
    kept.push_back(h);
  }
  step(kept, made);
  keep_.emplace_back("unfinished");
}

// Weighting::kBounded.
void PushDownSteps::weigh() {
  const std::size_t first = schema_.intercept ? 1 : 0;
  const double radius_square = weighting_radius_square(schema_.feature_columns());
  const std::string squares = first < entries_ ? sum_of_squares("u", first, entries_) : number(0);
  step(kept_with("u", first, entries_ + 1),
       {{"x", fmt::format("({}) * {}", squares, number(1 / radius_square))}});
  const std::string root = fmt::format("({} / sqrt(sqrt({} + x * ({} + {} * x))))",
                                       number(kGridOne), number(0.21), number(0.54), number(0.25));
  step(kept_with("u", first, entries_ + 1),
       {{"root", shares_ ? fmt::format("share * {}", root) : root}});
  std::vector<Made> grid;
  for (std::size_t k = first; k < entries_; ++k) {
    grid.push_back({at("g", k), sql_.to_whole(nearest(fmt::format("{} * root", at("u", k))))});
  }
  std::vector<std::string> kept = keep_;
  kept.push_back(at("u", entries_));
  step(kept, grid);

  const auto with_target = [&] {
    std::vector<std::string> all = kept_with("g", first, entries_);
    all.push_back(at("u", entries_));
    return all;
  };
  const double bound = 2 * radius_square * kGridOne * kGridOne;
  const std::string whole_square =
      first < entries_ ? sql_.to_double(sum_of_squares("g", first, entries_)) : number(0);
  const std::string lambda =
      shares_ ? fmt::format("greatest(share * share, {})", number(pushed_rows::kSmallestShare))
              : number(1);
  step(with_target(),
       {{"share2", lambda}, {"scaled", fmt::format("{} * {}", whole_square, number(1 / bound))}});
  kept = with_target();
  kept.emplace_back("share2");
  step(kept, {{"q", "scaled / share2"}});
  kept.emplace_back("q");
  using Polynomial = RowWeightPolynomial;
  const double root_square =
      Polynomial::kLinear * Polynomial::kLinear - 4 * Polynomial::kConstant * Polynomial::kSquare;
  step(kept,
       {{"gamma",
         fmt::format("case when q <= {} then {} * (({} - q) * ({} + q)) / ({} * q + sqrt({} * (q "
                     "* q) + {})) end",
                     number(pushed_rows::kLargestQ), number(100), number(1), number(1),
                     number(Polynomial::kLinear), number(root_square),
                     number(100 * Polynomial::kConstant))}});
  kept.emplace_back("gamma");
  step(kept, {{"whole",
               fmt::format("case when q <= {} then greatest({}, {}) else {} end",
                           number(pushed_rows::kLargestQ),
                           nearest(fmt::format("sqrt(gamma * share2) * {} - {}",
                                               number(kGridOne * pushed_rows::kDown), number(0.5))),
                           number(0), number(-1))}});
  std::vector<Made> made;
  const std::string row = "case when not fits then null when whole < 0 then 0 else {} end";
  if (schema_.intercept) {
    made.push_back({at("g", 0), fmt::format(fmt::runtime(row), sql_.to_whole("whole"))});
  }
  for (std::size_t k = first; k < entries_; ++k) {
    made.push_back({at("g", k), fmt::format(fmt::runtime(row), at("g", k))});
  }
  made.push_back(
      {at("g", entries_), fmt::format(fmt::runtime(row), sql_.to_whole(nearest(fmt::format(
                                                             "{} * whole", at("u", entries_)))))});
  step(keep_, made);
}

}  // namespace sotto
