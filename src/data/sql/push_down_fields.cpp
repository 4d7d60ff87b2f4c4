// From the text of a field to its value, as csv/csv_block.cpp reads it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

#include "data/sql/push_down_steps.h"

namespace sotto {
namespace push_down {
namespace {

// What parse_decimal() takes, without blanks around it.
constexpr const char* kDecimal = "[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?";

}  // namespace
}  // namespace push_down

std::string PushDownSteps::is_missing(const std::string& trimmed_text) const {
  std::vector<std::string> words = {sql_.text("")};
  for (const std::string& value : schema_.missing_values) {
    if (!value.empty()) words.push_back(sql_.text(value));
  }
  return fmt::format("{} in ({})", trimmed_text, fmt::join(words, ", "));
}

// The fields of a row, as numbers or places in the list of levels; −1 for what is no level.
void PushDownSteps::read_fields(const std::string& rows) {
  from_ = fmt::format("({}\n) as source", rows);
  std::vector<Made> texts;
  for (std::size_t c = 0; c < columns_; ++c) {
    texts.push_back({at("t", c), sql_.trimmed(sql_.field(column(c).name))});
  }
  if (schema_.person) texts.push_back({"person", sql_.field(schema_.person->column)});
  step({}, texts);

  std::vector<std::string> kept;
  std::vector<Made> kinds;
  for (std::size_t c = 0; c < columns_; ++c) {
    kept.push_back(at("t", c));
    if (is_level(c) && !column(c).numbers) continue;
    kinds.push_back({at("k", c), fmt::format("case when {} then 1 when {} then 0 else 2 end",
                                             is_missing(at("t", c)),
                                             sql_.matches(at("t", c), push_down::kDecimal))});
  }
  if (schema_.person) {
    // As the parser has it: what a CSV file has to quote is meant as it stands.
    const std::string blanks = sql_.trimmed("person");
    std::vector<std::string> quoted;
    for (const char* letter : {"','", "'\"'", "chr(10)", "chr(13)"}) {
      quoted.push_back(fmt::format("person like concat('%', {}, '%')", letter));
    }
    kinds.push_back({"p", fmt::format("case when {} then null when {} then person else {} end",
                                      is_missing(blanks), fmt::join(quoted, " or "), blanks)});
  }
  step(kept, kinds);

  kept.clear();
  if (schema_.person) kept.emplace_back("p");
  std::vector<Made> values;
  for (std::size_t c = 0; c < columns_; ++c) {
    if (!is_level(c)) kept.push_back(at("k", c));
    values.push_back({at("v", c), is_level(c) ? level_of(c) : number_of(c)});
  }
  step(kept, values);
}

std::string PushDownSteps::number_of(std::size_t c) const {
  return fmt::format("case when {} = 0 then {} end", at("k", c), sql_.to_double(at("t", c)));
}

std::string PushDownSteps::missing_numbers() const {
  std::vector<std::string> numbers;
  double value = 0;
  for (const std::string& word : schema_.missing_values) {
    if (parse_decimal(word, value)) numbers.push_back(number(value));
  }
  return fmt::format("{}", fmt::join(numbers, ", "));
}

std::string PushDownSteps::level_of(std::size_t c) const {
  const TableColumn& levels = column(c);
  const std::string field = at("t", c);
  std::string known;
  std::string as_number;
  int other = -1;
  for (std::size_t k = 0; k < levels.levels.size(); ++k) {
    const std::string& level = levels.levels[k];
    if (levels.other && level == CategoricalFeature::kOther) other = static_cast<int>(k);
    known += fmt::format(" when {} = {} then {}", field, sql_.text(level), k);
    double value = 0;
    if (levels.numbers && parse_decimal(level, value)) {
      as_number += fmt::format(" when {} then {}", number(value), k);
    }
  }
  std::string numbers;
  if (!as_number.empty()) {
    const std::string value = sql_.to_double(field);
    std::string missing = missing_numbers();
    if (!missing.empty())
      missing = fmt::format("case when {} in ({}) then null else {{}} end", value, missing);
    const std::string otherwise = fmt::format("{}", other);
    numbers =
        fmt::format(" when {} = 0 then case {}{} else {} end", at("k", c), value, as_number,
                    missing.empty() ? otherwise : fmt::format(fmt::runtime(missing), otherwise));
  }
  return fmt::format("case{} when {} then null{} else {} end", known, is_missing(field), numbers,
                     other);
}

// Which rows count, and how many fields nobody can read.
void PushDownSteps::judge_rows() {
  std::vector<std::string> kept;
  if (const std::string missing = missing_numbers(); !missing.empty()) {
    if (schema_.person) kept.emplace_back("p");
    std::vector<Made> values;
    for (std::size_t c = 0; c < columns_; ++c) {
      const std::string v = at("v", c);
      if (!is_level(c)) kept.push_back(at("k", c));
      if (is_level(c)) kept.push_back(v);
      if (!is_level(c)) {
        values.push_back(
            {v, fmt::format("case when {0} in ({1}) then null else {0} end", v, missing)});
      }
    }
    step(kept, values);
    kept.clear();
  }
  std::vector<std::string> there;
  std::vector<std::string> faults;
  const auto fault = [&](const std::string& when) {
    faults.push_back(fmt::format("case when {} then 1 else 0 end", when));
  };
  const std::string largest = number(std::numeric_limits<double>::max());
  for (std::size_t c = 0; c < columns_; ++c) {
    const std::string v = at("v", c);
    kept.push_back(v);
    there.push_back(v + " is not null");
    if (is_level(c)) {
      fault(v + " = -1");
    } else {
      fault(at("k", c) + " = 2");
      const Bounds bounds = column(c).bounds;
      column(c).is_weight
          ? fault(fmt::format("{0} < {1} or {0} > {2}", v, number(bounds.lo), number(bounds.hi)))
          : fault(fmt::format("abs({}) > {}", v, largest));
    }
    if (schema_.missing == MissingRule::kError) fault(v + " is null");
  }
  if (schema_.person) {
    kept.emplace_back("p");
    there.emplace_back("p is not null");
    if (schema_.missing == MissingRule::kError) fault("p is null");
  }
  step(kept, {{"fits", fmt::format("({})", fmt::join(there, " and "))},
              {"faults", fmt::format("{}", fmt::join(faults, " + "))}});
  keep_ = {"fits", "faults"};
  for (std::size_t c = 0; c < columns_; ++c) keep_.push_back(at("v", c));
  if (!schema_.person) return;
  // A person's rows among those that count.
  std::vector<std::string> all = keep_;
  step(all, {{"n", sql_.to_whole("sum(case when fits then 1 else 0 end) over (partition by p)")}});
  keep_.emplace_back("n");
}

}  // namespace sotto
