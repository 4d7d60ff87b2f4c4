#include "data/csv/written_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "data/schema.h"

// Fields to text, and text to whoever reads it.
namespace sotto {

void CsvText::begin_field() {
  if (!first_) buffer_ += ',';
  first_ = false;
}

void CsvText::number(double value) {
  begin_field();
  fmt::format_to(std::back_inserter(buffer_), "{}", value);
}

void CsvText::whole(std::int64_t value) {
  begin_field();
  fmt::format_to(std::back_inserter(buffer_), "{}", value);
}

void CsvText::text(std::string_view value) {
  begin_field();
  const bool plain = !value.empty() && value.find_first_of(",\"\r\n") == std::string_view::npos &&
                     trimmed(value).size() == value.size();
  if (plain) {
    buffer_ += value;
    return;
  }
  buffer_ += '"';
  for (const char letter : value) {
    if (letter == '"') buffer_ += '"';
    buffer_ += letter;
  }
  buffer_ += '"';
}

void CsvText::end_row() {
  // A row of one missing value would be an empty line, which is no row.
  if (buffer_.size() == row_start_) buffer_ += "\"\"";
  buffer_ += '\n';
  first_ = true;
  row_start_ = buffer_.size();
}

std::string CsvText::take() {
  row_start_ = 0;
  return std::exchange(buffer_, {});
}

WrittenText::WrittenText(bool digest) {
  if (digest) digest_.emplace();
}

Result<std::size_t> WrittenText::read(char* to, std::size_t wanted) {
  while (taken_ == text_.size() && !over_) {
    text_.clear();
    taken_ = 0;
    SOTTO_ASSIGN(const bool goes_on, more(text_));
    over_ = !goes_on;
    if (digest_) digest_->add(text_);
  }
  const std::size_t size = std::min(wanted, text_.size() - taken_);
  std::copy_n(text_.data() + taken_, size, to);
  taken_ += size;
  done_ += size;
  return size;
}

std::string WrittenText::sha256() const {
  return digest_ ? to_hex(digest_->value()) : "";
}

}  // namespace sotto
