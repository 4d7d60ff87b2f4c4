// CSV in gzip: what was packed comes out again, in any number of members; what is no gzip is an
// error or rows, never more memory than the blocks of a reader.

#include <zlib.h>

#include "fuzz/table_texts.h"

namespace sotto {
namespace {

std::string packed(std::string_view text) {
  z_stream stream{};
  constexpr int kGzip = 16 + MAX_WBITS;
  fuzz::require(deflateInit2(&stream, 1, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) == Z_OK,
                "zlib begins");
  std::string out(deflateBound(&stream, text.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  fuzz::require(deflate(&stream, Z_FINISH) == Z_STREAM_END, "zlib packs");
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace

// The first byte: in how many members the rest is packed, or that it is a file as it stands; the
// second: what is damaged afterwards.
SOTTO_FUZZER(gzip) {
  fuzz::Choices choices(bytes);
  const Schema schema = fuzz::schema_of(0);
  const std::size_t members = choices.below(4);
  const std::size_t damages = choices.below(8) < 4 ? 0 : 1;
  if (members == 0) {
    const std::string path = fuzz::file_with("t.csv.gz", "\x1f\x8b" + std::string(choices.rest()));
    (void)fuzz::read_table(text_of_file(path), schema, {});
    return;
  }
  const std::string_view edits = choices.take(6 * damages);
  const std::string_view text = choices.rest();
  std::string file;
  for (std::size_t k = 0; k < members; ++k) {
    const std::size_t begin = text.size() * k / members;
    file += packed(text.substr(begin, text.size() * (k + 1) / members - begin));
  }
  fuzz::Choices damage(edits);
  if (damages > 0) fuzz::damage(damage, file);
  const auto read = fuzz::read_table(text_of_file(fuzz::file_with("t.csv.gz", file)), schema, {});
  if (damages > 0) return;
  const auto plain = fuzz::read_table(text_of_file(fuzz::file_with("t.csv", text)), schema, {});
  // A text may itself begin as gzip does; and errors name the file.
  if (text.starts_with("\x1f\x8b")) return;
  fuzz::require(read.bits == plain.bits && read.error.empty() == plain.error.empty(),
                "packed or not, a table is the same: " + read.error + plain.error);
}

}  // namespace sotto
