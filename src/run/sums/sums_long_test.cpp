// A table in twenty parts that nobody keeps: each is written into a pipe while it is read.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <fstream>
#include <thread>

#include "data/generator.h"
#include "run/sums/sums.h"
#include "support/temporary_folder.h"

namespace sotto {
namespace {

constexpr std::uint64_t kParts = 20;
constexpr std::uint64_t kRowsOfAPart = 5'000'000;  // 10⁸ in all

// What goes through it, without the first line if it is to be skipped.
class WithoutHeader : public std::streambuf {
 public:
  WithoutHeader(std::streambuf* to, bool skip) : to_(to), skip_(skip) {}

 private:
  int_type overflow(int_type letter) override {
    if (letter == traits_type::eof()) return 0;
    if (!skip_) return to_->sputc(static_cast<char>(letter));
    if (letter == '\n') skip_ = false;
    return letter;
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    std::streamsize from = 0;
    while (skip_ && from < size) overflow(traits_type::to_int_type(text[from++]));
    return from + to_->sputn(text + from, size - from);
  }

  std::streambuf* to_;
  bool skip_;
};

void write_parts(const std::string& pipe, std::uint64_t first, std::uint64_t last) {
  std::ofstream out(pipe, std::ios::binary);
  for (std::uint64_t part = first; part < last; ++part) {
    WithoutHeader buffer(out.rdbuf(), part > first);
    std::ostream rows(&buffer);
    ASSERT_TRUE(write_households({.rows = kRowsOfAPart, .seed = part + 1}, rows));
  }
}

std::int64_t most_memory_kilobytes() {
  struct rusage used {};
  ::getrusage(RUSAGE_SELF, &used);
  return used.ru_maxrss;
}

TEST(SumsLong, OfTwentyPartsMergedAreThoseOfOnePassInTheSameMemory) {
  const TemporaryFolder folder;
  Study study = *parse_study(
      "[study]\nname = \"households\"\nsolver = \"ac\"\n[graph]\ntopology = \"cycle\"\nparties = "
      "3\n[privacy]\nunit = "
      "\"record\"\nneighbours = \"add-remove\"\nepsilon = 1.0\ndelta = 1e-6\n[data.target]\ncolumn "
      "= \"y\"\nbounds = [0, 1]\n[[data.feature]]\ncolumn = \"x\"\nbounds = [0, 1]\n",
      "households.toml");
  study.data = household_schema();
  study.data->weighting = Weighting::kBounded;
  const auto sums_of = [&](std::uint64_t first, std::uint64_t last) {
    const std::string pipe = folder / fmt::format("rows{}_{}", first, last);
    EXPECT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    std::thread writer([&] { write_parts(pipe, first, last); });
    auto sums = make_sums(study, {.parts = {pipe}});
    writer.join();
    EXPECT_TRUE(sums) << sums.error().to_string();
    return *sums;
  };
  std::vector<std::string> files;
  std::int64_t after_the_first = 0;
  for (std::uint64_t part = 0; part < kParts; ++part) {
    files.push_back(folder / fmt::format("{}.sums", part));
    ASSERT_TRUE(write_sums(files.back(), sums_of(part, part + 1)));
    if (part == 0) after_the_first = most_memory_kilobytes();
  }
  const auto merged = merge_sums(files);
  ASSERT_TRUE(merged) << merged.error().to_string();
  const SumsFile whole = sums_of(0, kParts);
  EXPECT_EQ(merged->table, whole.table);
  EXPECT_EQ(whole.table.rows + whole.table.dropped, kParts * kRowsOfAPart);
  EXPECT_LT(most_memory_kilobytes() - after_the_first, 16'000) << "for twenty times the rows";
}

}  // namespace
}  // namespace sotto
