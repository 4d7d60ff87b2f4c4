#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "data/csv/fields.h"
#include "data/source.h"

// A table as CSV text, wherever it comes from: every source speaks this, so that all go through one
// parser, with one notion of what is missing and one way to say what is wrong.
namespace sotto {

// The bytes of one table, in order, once.
class TextStream {
 public:
  virtual ~TextStream() = default;

  // How many bytes came, at most `wanted`; 0 at the end.
  [[nodiscard]] virtual Result<std::size_t> read(char* to, std::size_t wanted) = 0;

  // How far it is, and how far it will go; 0 where nobody knows.
  [[nodiscard]] virtual std::uint64_t done() const = 0;
  [[nodiscard]] virtual std::uint64_t total() const = 0;

  // At the end: SHA-256 in hexadecimal of what was read.
  [[nodiscard]] virtual std::string sha256() const = 0;
};

// One table that can be read as text.
struct TableText {
  // How errors count: a file has lines, and the header is the first; a query has rows.
  enum class Places { kLines, kRows };

  SourceFacts facts;  // but for what only reading tells
  std::string name;   // in errors
  Places places = Places::kLines;
  std::uint64_t bytes = 0;               // about; 0 where nobody knows
  std::optional<CsvFormat> format = {};  // none: a file's own, to be found out
  // `schema` says which columns are needed. `digest`: whether sha256() will be asked for.
  std::function<Result<std::unique_ptr<TextStream>>(const Schema& schema, bool digest)> open;
  // So many bytes anywhere in the text, fewer at its end: of a plain file. Else it is empty.
  std::function<std::string(std::uint64_t from, std::size_t bytes)> part = {};
};

// A CSV file, gzip or not; "-" is standard input. E-csv-open, E-csv-read.
[[nodiscard]] TableText text_of_file(const std::string& path);

// The words for a file's name: "-" is "standard input".
[[nodiscard]] std::string shown_path(const std::string& path);

}  // namespace sotto
