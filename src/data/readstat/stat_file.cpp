#include "data/readstat/stat_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "data/readstat/pushed_text.h"

#ifdef SOTTO_READSTAT
#include <readstat.h>
#endif

// Two passes: some files have their labels after their rows, so the first one only asks for names
// and labels, and the second writes the rows.
namespace sotto {

#ifndef SOTTO_READSTAT

bool stat_files_built_in() {
  return false;
}

Result<TableText> text_of_stat_file(const std::string& path, StatKind) {
  return bad_input("E-data-source", "this sotto was built without Stata, SPSS and SAS files",
                   "build it where libreadstat-dev is installed, or save the table as CSV")
      .at(path);
}

#else

namespace stat_file {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 17;

struct Free {
  void operator()(readstat_parser_t* parser) const { readstat_parser_free(parser); }
};
using Parser = std::unique_ptr<readstat_parser_t, Free>;

Error cannot_read(const std::string& path, const std::string& why) {
  return failed("E-stat-read", fmt::format("\"{}\" cannot be read: {}", path, why),
                "check that the file is whole; saving it again, or as CSV, may help");
}

// What the study makes of a column: nothing, its values, or levels.
struct Column {
  std::string name;
  std::string label_set;
  bool used = false;
  std::vector<std::string> levels;
  std::map<double, std::string> labels;  // levels only: what a value stands for
};

// What both passes hand to libreadstat's callbacks.
struct Pass {
  const Schema* schema = nullptr;
  std::vector<Column> columns;
  std::map<std::string, std::map<double, std::string> > label_sets;
  CsvText rows;
  const PushedText::Push* push = nullptr;
  bool damaged = false;  // a value of a column that there is not
};

Pass& pass_of(void* context) {
  return *static_cast<Pass*>(context);
}

int on_variable(int, readstat_variable_t* variable, const char* label_set, void* context) {
  Pass& pass = pass_of(context);
  Column column;
  const char* name = readstat_variable_get_name(variable);  // none, in a damaged file
  column.name = name == nullptr ? "" : name;
  if (label_set != nullptr) column.label_set = label_set;
  column.used = pass.schema->person && column.name == pass.schema->person->column;
  for (const TableColumn& wanted : pass.schema->table_columns()) {
    if (wanted.name != column.name) continue;
    column.used = true;
    column.levels = wanted.levels;
  }
  pass.columns.push_back(std::move(column));
  return READSTAT_HANDLER_OK;
}

int on_label(const char* label_set, readstat_value_t value, const char* label, void* context) {
  const bool text = readstat_value_type_class(value) == READSTAT_TYPE_CLASS_STRING;
  const bool missing =
      readstat_value_is_system_missing(value) != 0 || readstat_value_is_tagged_missing(value) != 0;
  if (text || missing || label == nullptr || label_set == nullptr) return READSTAT_HANDLER_OK;
  pass_of(context).label_sets[label_set][readstat_double_value(value)] = label;
  return READSTAT_HANDLER_OK;
}

int on_value(int, readstat_variable_t* variable, readstat_value_t value, void* context) {
  Pass& pass = pass_of(context);
  const auto index = static_cast<std::size_t>(readstat_variable_get_index(variable));
  if (index >= pass.columns.size()) {
    pass.damaged = true;
    return READSTAT_HANDLER_ABORT;
  }
  const Column& column = pass.columns[index];
  if (!column.used || readstat_value_is_missing(value, variable) != 0) {
    pass.rows.missing();
  } else if (readstat_value_type_class(value) == READSTAT_TYPE_CLASS_STRING) {
    const char* text = readstat_string_value(value);
    pass.rows.text(text == nullptr ? "" : text);
  } else {
    const double number = readstat_double_value(value);
    const auto label = column.labels.find(number);
    if (label == column.labels.end()) {
      pass.rows.number(number);
    } else {
      pass.rows.text(label->second);
    }
  }
  if (index + 1 < pass.columns.size()) return READSTAT_HANDLER_OK;
  pass.rows.end_row();
  if (pass.rows.size() < kChunkBytes) return READSTAT_HANDLER_OK;
  return (*pass.push)(pass.rows.take()) ? READSTAT_HANDLER_OK : READSTAT_HANDLER_ABORT;
}

readstat_error_t parse(StatKind kind, readstat_parser_t* parser, const std::string& path,
                       Pass& pass) {
  switch (kind) {
    case StatKind::kStata:
      return readstat_parse_dta(parser, path.c_str(), &pass);
    case StatKind::kSpss:
      return readstat_parse_sav(parser, path.c_str(), &pass);
    case StatKind::kSpssPortable:
      return readstat_parse_por(parser, path.c_str(), &pass);
    case StatKind::kSas:
      return readstat_parse_sas7bdat(parser, path.c_str(), &pass);
    case StatKind::kSasTransport:
      return readstat_parse_xport(parser, path.c_str(), &pass);
  }
  return READSTAT_ERROR_PARSE;
}

// A label that is a level; else the value, if it is one; else the label, which an error can show.
void choose_labels(Pass& pass) {
  for (Column& column : pass.columns) {
    const auto& levels = column.levels;
    if (levels.empty()) continue;
    for (const auto& [value, label] : pass.label_sets[column.label_set]) {
      const bool is_level = std::ranges::find(levels, label) != levels.end();
      const bool value_is = std::ranges::find(levels, fmt::format("{}", value)) != levels.end();
      if (is_level || !value_is) column.labels[value] = label;
    }
  }
}

Result<void> write_rows(const std::string& path, StatKind kind, const Schema& schema,
                        const PushedText::Push& push) {
  Pass pass;
  pass.schema = &schema;
  pass.push = &push;
  const Parser names(readstat_parser_init());
  readstat_set_variable_handler(names.get(), on_variable);
  readstat_set_value_label_handler(names.get(), on_label);
  if (const auto code = parse(kind, names.get(), path, pass); code != READSTAT_OK) {
    return cannot_read(path, readstat_error_message(code));
  }
  choose_labels(pass);
  for (const Column& column : pass.columns) pass.rows.text(column.name);
  pass.rows.end_row();
  const Parser rows(readstat_parser_init());
  // libreadstat only makes variables where somebody asks for them, and needs them for values.
  readstat_set_variable_handler(
      rows.get(),
      [](int, readstat_variable_t*, const char*, void*) -> int { return READSTAT_HANDLER_OK; });
  readstat_set_value_handler(rows.get(), on_value);
  const auto code = parse(kind, rows.get(), path, pass);
  if (pass.damaged) return cannot_read(path, "it has more values than columns");
  if (code == READSTAT_ERROR_USER_ABORT) return {};  // nobody reads any more
  if (code != READSTAT_OK) return cannot_read(path, readstat_error_message(code));
  push(pass.rows.take());
  return {};
}

// What tells one content of a file from another without reading it.
Result<std::string> mark_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return cannot_read(path, std::strerror(errno));
  return fmt::format("{} {} {} {}.{}", status.st_dev, status.st_ino, status.st_size,
                     status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

Result<std::string> digest_of_file(const std::string& path) {
  SOTTO_ASSIGN(auto stream, text_of_file(path).open({}, true));
  std::vector<char> bytes(kChunkBytes);
  std::size_t got = 1;
  while (got > 0) {
    SOTTO_ASSIGN(got, stream->read(bytes.data(), bytes.size()));
  }
  return stream->sha256();
}

// The rows, and the digest of the file that they are in.
class StatText final : public PushedText {
 public:
  StatText(Maker maker, std::string sha256)
      : PushedText(std::move(maker), false), sha256_(std::move(sha256)) {}
  [[nodiscard]] std::string sha256() const override { return sha256_; }

 private:
  std::string sha256_;
};

Result<std::unique_ptr<TextStream> > open_file(const std::string& path, StatKind kind,
                                               const Schema& schema, bool digest) {
  SOTTO_ASSIGN(const std::string mark, mark_of(path));
  std::string sha256;
  if (digest) {
    SOTTO_ASSIGN(sha256, digest_of_file(path));
  }
  // The schema is the caller's, and stays until the table is read.
  return std::make_unique<StatText>(
      [path, kind, &schema, mark](const PushedText::Push& push) -> Result<void> {
        SOTTO_TRY(write_rows(path, kind, schema, push));
        SOTTO_ASSIGN(const std::string now, mark_of(path));
        if (now != mark) return cannot_read(path, "it has changed while it was read");
        return {};
      },
      std::move(sha256));
}

std::string kind_text(StatKind kind) {
  switch (kind) {
    case StatKind::kStata:
      return "stata";
    case StatKind::kSpss:
    case StatKind::kSpssPortable:
      return "spss";
    case StatKind::kSas:
    case StatKind::kSasTransport:
      return "sas";
  }
  return {};
}

}  // namespace
}  // namespace stat_file

bool stat_files_built_in() {
  return true;
}

Result<TableText> text_of_stat_file(const std::string& path, StatKind kind) {
  return TableText{.facts = {.kind = stat_file::kind_text(kind), .place = path},
                   .name = path,
                   .places = TableText::Places::kRows,
                   .format = CsvFormat{},
                   .open = [path, kind](const Schema& schema, bool digest) {
                     return stat_file::open_file(path, kind, schema, digest);
                   }};
}

#endif

}  // namespace sotto
