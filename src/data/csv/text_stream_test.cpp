#include "data/csv/text_stream.h"

#include <array>
#include <fstream>
#include <random>
#include <thread>

#include "base/digest.h"
#include "support/csv_files.h"

namespace sotto {
namespace {

using namespace csv_files;
using testing::HasSubstr;

TEST(TextStream, NamesEveryFileThatWasReadWithItsDigest) {
  const std::string content = "y,c,a\n1,red,2\n";
  const TempFile plain(content);
  const TempFile packed(content, true);
  std::ifstream stream(packed.path(), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
  std::vector<SourceFacts> facts;
  CsvOptions options;
  options.on_facts = [&](const SourceFacts& each) { facts.push_back(each); };
  ASSERT_TRUE(CsvSource({plain.path(), packed.path()}, options)
                  .read(schema_abc(), [](std::size_t, const RawRows&) {}));
  EXPECT_EQ(facts,
            (std::vector<SourceFacts>{{"csv", plain.path(), "", "", to_hex(sha256(content))},
                                      {"csv", packed.path(), "", "", to_hex(sha256(bytes))}}));
}

TEST(TextStream, HasOneDigestHoweverItIsReadAndAnotherForAnyOtherByte) {
  std::string content = "y,c,a\n";
  for (int i = 0; i < 300; ++i) content += std::to_string(i) + ",red,2\n";
  const auto digest_of = [](const std::string& text, int threads, std::size_t block_bytes) {
    const TempFile file(text);
    std::string found;
    CsvOptions options;
    options.threads = threads;
    options.block_bytes = block_bytes;
    options.on_facts = [&](const SourceFacts& facts) { found = facts.sha256; };
    EXPECT_TRUE(
        CsvSource({file.path()}, options).read(schema_abc(), [](std::size_t, const RawRows&) {}));
    return found;
  };
  for (const int threads : {1, 4}) {
    for (const std::size_t block_bytes : {16UL, 100UL, 1UL << 18}) {
      EXPECT_EQ(digest_of(content, threads, block_bytes), to_hex(sha256(content)));
    }
  }
  const std::string digest = digest_of(content, 2, 100);
  for (std::size_t at = content.find('\n') + 1; at < content.size(); at += 97) {
    std::string other = content;
    if (other[at] < '0' || other[at] > '8') continue;
    ++other[at];
    EXPECT_NE(digest_of(other, 2, 100), digest) << at;
  }
}

TEST(TextStream, ReadsGzipFilesThatWerePutTogether) {
  const TempFile first("y,c,a\n1,red,2\n", true);
  const TempFile second("3,red,4\n", true);
  std::string bytes;
  for (const TempFile* file : {&first, &second}) {
    std::ifstream stream(file->path(), std::ios::binary);
    bytes.append((std::istreambuf_iterator<char>(stream)), {});
  }
  const TempFile both(bytes);
  EXPECT_EQ(table_of(both.path()).value(), (Table{{2, 0, 1}, {4, 0, 3}}));
  const TempFile padded(bytes + std::string(512, '\0'));
  EXPECT_EQ(table_of(padded.path()).value(), (Table{{2, 0, 1}, {4, 0, 3}}));
}

TEST(TextStream, ReadsAPipeOnceGzipOrNot) {
  for (const bool gzip : {false, true}) {
    const TempFile file("y,c,a\n1,red,2\n", gzip);
    std::ifstream stream(file.path(), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    // A byte at a time: what a file is must not depend on how it comes.
    std::thread writer([&] {
      for (const char byte : bytes) ASSERT_EQ(::write(ends[1], &byte, 1), 1);
      ::close(ends[1]);
    });
    const auto rows = table_of("/dev/fd/" + std::to_string(ends[0]));
    writer.join();
    ::close(ends[0]);
    ASSERT_TRUE(rows) << rows.error().to_string();
    EXPECT_EQ(*rows, (Table{{2, 0, 1}}));
  }
}

TEST(TextStream, RefusesADamagedGzipFile) {
  std::string content = "y,c,a\n";
  std::mt19937 random(5);
  for (int i = 0; i < 20000; ++i) content += std::to_string(random() % 10) + ",red,1\n";
  const TempFile whole(content, true);
  std::ifstream stream(whole.path(), std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(stream)), {});
  const TempFile cut(bytes.substr(0, bytes.size() / 2));
  EXPECT_EQ(table_of(cut.path()).error().name, "E-csv-read");
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x55);
  const TempFile flipped(bytes);
  EXPECT_FALSE(table_of(flipped.path()));
}

}  // namespace
}  // namespace sotto
