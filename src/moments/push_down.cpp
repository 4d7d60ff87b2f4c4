#include "moments/push_down.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <utility>

#include "base/integer.h"
#include "data/sql/postgres.h"
#include "data/sql/sql_query.h"

// The line that a database answers with, number by number.
namespace sotto {
namespace {

Error not_an_answer(const std::string& why) {
  return bad_input("E-push-down-answer", "this is not what the query answers: " + why,
                   "write the query anew with 'sotto sql' for this study, and keep its one line");
}

Error unreadable(const std::string& what) {
  return bad_input("E-push-down-rows", what,
                   "leave --push-down away: sotto then says which rows, and what would be right");
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find_first_of(" \t\r\n", from), text.size());
    if (to > from) words.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return words;
}

std::optional<std::uint64_t> count_from(std::string_view word) {
  std::uint64_t value = 0;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (problem != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

}  // namespace

Result<TableMoments> moments_of_answer(const Schema& schema, std::string_view mark,
                                       std::string_view answer) {
  using At = PushDownAnswer;
  SOTTO_ASSIGN(const Encoding encoding, Encoding::make(schema));
  std::vector<std::string_view> words = words_of(answer);
  if (words.empty() || !words.front().starts_with("sotto-sums-")) {
    return not_an_answer("it does not begin with \"sotto-sums-\"");
  }
  if (words.front() != mark) return not_an_answer("it is of another study, party or version");
  words.erase(words.begin());
  const std::size_t columns = encoding.table().size();
  const std::size_t d = encoding.dimension();
  const std::size_t first_sum = At::kClips + 2 * columns;
  if (words.size() != first_sum + moments_size(d)) {
    return not_an_answer(
        fmt::format("{} numbers, and {} belong to it", words.size(), first_sum + moments_size(d)));
  }
  std::vector<std::uint64_t> counts;
  for (std::size_t k = 0; k < first_sum; ++k) {
    const auto count = count_from(words[k]);
    if (!count) return not_an_answer(fmt::format("\"{}\" is no count", words[k].substr(0, 40)));
    counts.push_back(*count);
  }
  if (counts[At::kDigits] == 0) {
    return unreadable("the database wrote numbers without all of their digits");
  }
  if (counts[At::kFaults] > 0) {
    return unreadable(
        fmt::format("{} fields cannot be read: no number, a level that the study "
                    "does not know, a weight outside its bounds, or missing where "
                    "nothing may be",
                    counts[At::kFaults]));
  }
  if (counts[At::kUnfinished] > 0) {
    return unreadable(fmt::format("{} rows could not be put inside the bound of all rows",
                                  counts[At::kUnfinished]));
  }
  if (counts[At::kRows] > counts[At::kRecords]) return not_an_answer("more rows than records");
  TableMoments table;
  table.rows = counts[At::kRows];
  table.dropped = counts[At::kRecords] - counts[At::kRows];
  table.clips.shortened_rows = counts[At::kShortened];
  for (std::size_t c = 0; c < columns; ++c) {
    table.clips.columns.push_back({counts[At::kClips + 2 * c], counts[At::kClips + 2 * c + 1]});
  }
  table.moments = Moments(d);
  for (std::size_t k = 0; k < moments_size(d); ++k) {
    const std::string word(words[first_sum + k]);
    auto sum = integer_from_decimal(word);
    if (!sum) return not_an_answer(fmt::format("\"{}\" is no integer", word.substr(0, 40)));
    table.moments.sums[k] = *std::move(sum);
  }
  return table;
}

Result<PushedMoments> push_down_moments(const TableRequest& request, const Schema& schema,
                                        const std::string& mark) {
  if (!is_postgres_address(request.place)) {
    return bad_input("E-data-options",
                     fmt::format("--push-down does not go with {}", request.place),
                     "it is for PostgreSQL; for other databases see 'sotto sql'");
  }
  if (request.dialect.separator || request.dialect.decimal) {
    return bad_input("E-data-options", "--separator and --decimal are for CSV", "leave them away");
  }
  // Before anybody is asked: what cannot be written needs no server.
  SOTTO_TRY(push_down_query(schema, "select", mark, SqlDialect::kPostgres));
  SOTTO_ASSIGN(auto pushed, ask_postgres(
                                request.place, request.query,
                                [&](const std::string& rows) {
                                  return *push_down_query(schema, rows, mark,
                                                          SqlDialect::kPostgres);
                                },
                                request.interrupted));
  SOTTO_ASSIGN(auto table, moments_of_answer(schema, mark, pushed.answer).at(pushed.facts.place));
  return PushedMoments{std::move(table), std::move(pushed.facts)};
}

}  // namespace sotto
