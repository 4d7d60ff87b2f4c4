#include "data/table.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <glob.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "data/readstat/stat_file.h"
#include "data/sql/postgres.h"
#include "data/sql/sqlite.h"

// A file's first bytes say what it is.
namespace sotto {
namespace table {
namespace {

using namespace std::string_view_literals;

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

// The first bytes of a regular file; of nothing else, since a pipe shows them only once.
std::string first_bytes(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return {};
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  std::array<char, 80> bytes{};
  const ssize_t got = ::read(fd, bytes.data(), bytes.size());
  ::close(fd);
  return {bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
}

bool is_sqlite(const std::string& path) {
  return first_bytes(path).starts_with("SQLite format 3\0"sv);
}

std::optional<StatKind> stat_kind(const std::string& path) {
  const std::string bytes = first_bytes(path);
  // SAS: twelve zeros and a number of its own. Old Stata files have no mark worth the name.
  if (bytes.starts_with("\0\0\0\0\0\0\0\0\0\0\0\0\xc2\xea\x81\x60"sv)) return StatKind::kSas;
  if (bytes.starts_with("HEADER RECORD*******LIB")) return StatKind::kSasTransport;
  if (bytes.starts_with("$FL2") || bytes.starts_with("$FL3")) return StatKind::kSpss;
  if (bytes.starts_with("<stata_dta>") || path.ends_with(".dta")) return StatKind::kStata;
  if (path.ends_with(".por")) return StatKind::kSpssPortable;
  return std::nullopt;
}

Result<TableText> text_of(const std::string& path, const TableRequest& request) {
  if (is_sqlite(path)) return text_of_sqlite(path, request.query, request.interrupted);
  if (const auto kind = stat_kind(path)) return text_of_stat_file(path, *kind);
  return text_of_file(path);
}

Error not_for(const char* option, const std::string& place, const char* fix) {
  return bad_input("E-data-options", fmt::format("{} does not go with {}", option, place), fix);
}

Result<void> check_options(const TableRequest& request, const TableText& table) {
  const bool database = table.facts.kind == "sqlite" || table.facts.kind == "postgresql";
  if (!request.query.empty() && !database) {
    return not_for("--query", table.name, "it is for databases; leave it away");
  }
  const bool told = request.dialect.separator || request.dialect.decimal;
  if (told && table.facts.kind != "csv") {
    return not_for("--separator or --decimal", table.name, "they are for CSV; leave them away");
  }
  const auto& [separator, decimal] = request.dialect;
  if (separator && decimal && *separator == *decimal) {
    return bad_input("E-data-options", "a comma cannot separate fields and be in numbers too",
                     "name another --separator, or --decimal point");
  }
  return {};
}

std::vector<std::string> split_at_commas(const std::string& list) {
  std::vector<std::string> words;
  for (std::size_t from = 0; from <= list.size();) {
    const std::size_t to = std::min(list.find(',', from), list.size());
    if (to > from) words.push_back(list.substr(from, to - from));
    from = to + 1;
  }
  return words;
}

Result<std::vector<TableText>> texts_of(const TableRequest& request) {
  std::vector<TableText> tables;
  if (request.memory) {
    tables.push_back(text_of_memory(request.memory));
  } else if (is_postgres_address(request.place)) {
    SOTTO_ASSIGN(tables.emplace_back(),
                 text_of_postgres(request.place, request.query, request.interrupted));
  } else {
    const bool one = exists(request.place) || request.place == "-";
    for (const std::string& word :
         one ? std::vector{request.place} : split_at_commas(request.place)) {
      for (const std::string& file : files_named(word)) {
        SOTTO_ASSIGN(tables.emplace_back(), text_of(file, request));
      }
    }
  }
  for (const TableText& each : tables) SOTTO_TRY(check_options(request, each));
  return tables;
}

}  // namespace
}  // namespace table

std::vector<std::string> files_named(const std::string& place) {
  if (place == "-" || is_postgres_address(place) || table::exists(place)) return {place};
  glob_t found{};
  std::vector<std::string> files;
  if (::glob(place.c_str(), 0, nullptr, &found) == 0) {
    files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  ::globfree(&found);
  if (files.empty()) files.push_back(place);
  return files;
}

Result<CsvSource> open_table(const TableRequest& request, CsvOptions options) {
  return open_tables({request}, std::move(options));
}

Result<CsvSource> open_tables(const std::vector<TableRequest>& requests, CsvOptions options) {
  std::vector<TableText> tables;
  for (const TableRequest& request : requests) {
    options.dialect = request.dialect;
    options.digest = request.digest;
    options.interrupted = request.interrupted;
    SOTTO_ASSIGN(std::vector<TableText> found, table::texts_of(request));
    std::ranges::move(found, std::back_inserter(tables));
  }
  return CsvSource(std::move(tables), std::move(options));
}

std::string built_in_sources() {
  std::string text = "csv, gzip, sqlite";
  if (postgres_built_in()) text += ", postgresql";
  if (stat_files_built_in()) text += ", stata, spss, sas";
  return text;
}

}  // namespace sotto
