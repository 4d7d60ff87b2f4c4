#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/digest.h"
#include "data/csv/text_stream.h"

// Tables that are no CSV files, written as CSV text for the parser.
namespace sotto {

// Rows of fields, as RFC 4180 writes them. Numbers have as many digits as tell them from every
// other, so the parser finds the same bits.
class CsvText {
 public:
  void missing() { begin_field(); }
  void number(double value);
  void whole(std::int64_t value);
  // Quoted where it must be, and where it is empty: that is no missing value to a database.
  void text(std::string_view value);
  void end_row();

  [[nodiscard]] std::size_t size() const { return buffer_.size(); }
  // All rows until now. Between rows.
  [[nodiscard]] std::string take();

 private:
  void begin_field();

  std::string buffer_;
  bool first_ = true;
  std::size_t row_start_ = 0;
};

// Text that somebody makes a piece at a time.
class WrittenText : public TextStream {
 public:
  explicit WrittenText(bool digest);

  [[nodiscard]] Result<std::size_t> read(char* to, std::size_t wanted) final;
  [[nodiscard]] std::uint64_t done() const final { return done_; }
  [[nodiscard]] std::uint64_t total() const override { return 0; }
  [[nodiscard]] std::string sha256() const override;

 protected:
  // Appends some text; false at the end, after which it is not asked again.
  [[nodiscard]] virtual Result<bool> more(std::string& text) = 0;

 private:
  std::string text_;
  std::size_t taken_ = 0;
  std::uint64_t done_ = 0;
  bool over_ = false;
  std::optional<ByteDigest> digest_;
};

}  // namespace sotto
