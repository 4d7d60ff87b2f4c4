#include "data/sql/push_down.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.h"
#include "data/sql/push_down_steps.h"

// The first and the last step, and which studies have a query at all.
namespace sotto {
namespace {

constexpr std::size_t kMaxPushedEntries = 300;

}  // namespace

Error cannot_push_down(const std::string& what) {
  return bad_input("E-push-down", what, "leave --push-down away: the same rows, read by sotto");
}

PushDownSteps::PushDownSteps(const Encoding& encoding, SqlDialect dialect)
    : encoding_(encoding),
      schema_(encoding.schema()),
      sql_(dialect),
      columns_(encoding.table().size()),
      entries_(encoding.dimension()),
      weighted_(schema_.weighting == Weighting::kBounded),
      shares_(schema_.weight || schema_.person) {}

std::string PushDownSteps::at(const char* letter, std::size_t k) {
  return fmt::format("{}{}", letter, k);
}

Result<std::string> PushDownSteps::write(const std::string& rows, const std::string& mark) {
  SOTTO_TRY(check_schema());
  read_fields(rows);
  judge_rows();
  SOTTO_TRY(scale());
  if (shares_) find_shares();
  weighted_ ? weigh() : round();
  return add_up(mark);
}

// The next step: what it makes, beside what it keeps of the last.
void PushDownSteps::step(const std::vector<std::string>& kept, const std::vector<Made>& made) {
  std::vector<std::string> words = kept;
  for (const Made& each : made) words.push_back(fmt::format("{} as {}", each.what, each.name));
  text_ += fmt::format("{} sotto_{} as (select\n  {}\n  from {}{})", steps_ == 0 ? "with" : ",\n",
                       steps_, fmt::join(words, ",\n  "), from_, sql_.fence());
  from_ = fmt::format("sotto_{}", steps_++);
}

Result<void> PushDownSteps::check_schema() const {
  check(!schema_.has_party_effect() || schema_.party, "a table with a party effect is somebody's");
  if (entries_ > kMaxPushedEntries) {
    return cannot_push_down(fmt::format("rows of {} entries make too long a query", entries_));
  }
  for (std::size_t c = 0; c < columns_; ++c) {
    for (const std::string& level : column(c).levels) {
      if (trimmed(level) == level && !level.starts_with('"')) continue;
      return cannot_push_down(
          fmt::format("the level \"{}\" begins or ends with a blank or a quote", level));
    }
  }
  return {};
}

std::string PushDownSteps::add_up(const std::string& mark) {
  const bool shortens = !weighted_ && encoding_.shortens();
  const bool shrinks = !weighted_ && (encoding_.shortens() || schema_.person);
  const auto count = [&](const std::string& when) {
    return sql_.sum(fmt::format("case when {} then 1 else 0 end", when));
  };
  std::vector<std::string> answer = {sql_.digits(),
                                     "count(*)",
                                     count("fits"),
                                     sql_.sum("faults"),
                                     shrinks ? sql_.sum("unfinished") : "0",
                                     shortens ? count("fits and shortened = 1") : "0"};
  for (std::size_t c = 0; c < columns_; ++c) {
    const bool clips = !is_level(c) && !column(c).is_weight;
    const Bounds bounds = column(c).bounds;
    answer.push_back(clips ? count(fmt::format("fits and {} < {}", at("v", c), number(bounds.lo)))
                           : "0");
    answer.push_back(clips ? count(fmt::format("fits and {} > {}", at("v", c), number(bounds.hi)))
                           : "0");
  }
  for (std::size_t r = 0; r < entries_; ++r) {
    for (std::size_t c = r; c < entries_; ++c) {
      answer.push_back(sql_.sum(fmt::format("{} * {}", at("g", r), at("g", c))));
    }
  }
  for (std::size_t k = 0; k <= entries_; ++k) {
    answer.push_back(sql_.sum(fmt::format("{} * {}", at("g", k), at("g", entries_))));
  }
  return fmt::format("{}\nselect concat({}, {}) as sotto_sums\nfrom {}", text_,
                     sql_.text(mark + " "), sql_.list(answer), from_);
}

Result<std::string> push_down_query(const Schema& schema, const std::string& rows,
                                    const std::string& mark, SqlDialect dialect) {
  SOTTO_ASSIGN(const Encoding encoding, Encoding::make(schema));
  return PushDownSteps(encoding, dialect).write(rows, mark);
}

}  // namespace sotto
