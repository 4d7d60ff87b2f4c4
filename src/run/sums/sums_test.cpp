#include "run/sums/sums.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <random>

#include "run/kept_json.h"
#include "run/tables.h"
#include "support/temporary_folder.h"

namespace sotto {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// `[data]` and `[privacy]` get these lines, too.
std::string sums_study_text(const std::string& data = {}, const std::string& privacy = {},
                            const std::string& bounds = "[0, 10]") {
  return fmt::format(
      "[study]\nname = \"sums\"\nsolver = \"ac\"\n"
      "[graph]\ntopology = \"cycle\"\n"
      "[[party]]\nname = \"north\"\n[[party]]\nname = \"south\"\n[[party]]\nname = \"east\"\n"
      "[privacy]\nunit = \"record\"\nneighbours = \"add-remove\"\nepsilon = 1.0\ndelta = 1e-6\n{}"
      "[data]\n{}"
      "[data.target]\ncolumn = \"y\"\nbounds = {}\n"
      "[[data.feature]]\ncolumn = \"x\"\nbounds = [-1, 1]\n"
      "[[data.feature]]\ncolumn = \"kind\"\nlevels = [\"a\", \"b\"]\n",
      privacy, data, bounds);
}

class Sums : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  static Study study(const std::string& text = sums_study_text()) {
    auto made = parse_study(text, "sums.toml");
    EXPECT_TRUE(made) << made.error().to_string();
    return *made;
  }
  static SumsFile sums(const Study& of, std::vector<std::string> parts) {
    auto made = make_sums(of, {.parts = std::move(parts)});
    EXPECT_TRUE(made) << made.error().to_string();
    return made ? *made : SumsFile{};
  }
  std::string kept(const std::string& name, const SumsFile& file) const {
    EXPECT_TRUE(write_sums(path(name), file));
    return path(name);
  }

  const TemporaryFolder folder_;
};

std::string rows(std::mt19937_64& random, std::size_t count) {
  std::normal_distribution<double> normal(0, 3);
  std::string text;
  for (std::size_t k = 0; k < count; ++k) {
    text += fmt::format("{},{},{}\n", random() % 9 == 0 ? "" : fmt::format("{}", normal(random)),
                        random() % 2 == 0 ? "a" : "b", normal(random));
  }
  return text;
}

TEST_F(Sums, OfPartsMergedInAnyOrderAreThoseOfOnePass) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  std::mt19937_64 random(seed);
  int trial = 0;
  for (const char* weighting : {"", "weighting = \"bounded\"\n"}) {
    const Study of = study(sums_study_text(weighting));
    for (int k = 0; k < 10; ++k, ++trial) {
      const std::size_t count = 1 + random() % 7;
      std::string whole = "y,kind,x\n";
      std::vector<std::string> files;
      for (std::size_t part = 0; part < count; ++part) {
        const std::string some = rows(random, random() % 300);
        whole += some;
        const std::string name = fmt::format("part{}_{}", trial, part);
        const std::string table = write(name + ".csv", "y,kind,x\n" + some);
        files.push_back(kept(name + ".sums", sums(of, {table})));
      }
      std::ranges::shuffle(files, random);
      const std::string table = write("whole.csv", whole);
      const auto merged = merge_sums(files);
      ASSERT_TRUE(merged) << merged.error().to_string();
      EXPECT_EQ(merged->table, sums(of, {table}).table);
      EXPECT_EQ(merged->table, sums(of, {path(fmt::format("part{}_*.csv", trial))}).table);

      const std::string all = kept("all.sums", *merged);
      const auto from_sums = read_own_table(of, 1, all);
      const auto from_rows = read_own_table(of, 1, table);
      ASSERT_TRUE(from_sums) << from_sums.error().to_string();
      EXPECT_EQ(from_sums->moments, from_rows->moments);
      EXPECT_EQ(from_sums->own.rows, from_rows->own.rows);
      EXPECT_EQ(from_sums->own.dropped, from_rows->own.dropped);
      EXPECT_EQ(from_sums->own.clipped.at(0).below, from_rows->own.clipped.at(0).below);
      EXPECT_EQ(from_sums->constant_columns, from_rows->constant_columns);
      EXPECT_EQ(from_sums->own.sources.at(0).kind, "sums");
    }
  }
}

TEST_F(Sums, AreForTheirOwnerAlone) {
  const std::string file =
      kept("own.sums", sums(study(), {write("own.csv", "y,kind,x\n1,a,0.5\n")}));
  struct stat facts {};
  ASSERT_EQ(::stat(file.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600U);
  EXPECT_TRUE(is_sums_file(file));
  EXPECT_FALSE(is_sums_file(path("own.csv")));
  EXPECT_FALSE(is_sums_file(path("nothing")));
}

TEST_F(Sums, OfAnotherStudyAreRefusedWithWhatDiffers) {
  const std::string part = write("own.csv", "y,kind,x\n1,a,0.5\n");
  const std::string file = kept("own.sums", sums(study(), {part}));
  const auto refused = [&](const std::string& text) {
    const auto table = read_own_table(study(text), 0, file);
    return table ? std::string("taken") : table.error().to_string();
  };
  EXPECT_EQ(refused(sums_study_text()), "taken");
  EXPECT_EQ(refused(sums_study_text("rows = 1000\n")), "taken") << "nothing that sums depend on";
  EXPECT_THAT(refused(sums_study_text("", "", "[0, 11]")),
              AllOf(HasSubstr("E-sums-study"), HasSubstr("target"), HasSubstr("11")));
  EXPECT_THAT(refused(sums_study_text("weighting = \"bounded\"\n")),
              AllOf(HasSubstr("E-sums-study"), HasSubstr("weighting")));
  EXPECT_THAT(refused(sums_study_text("missing = \"error\"\n")), HasSubstr("missing"));
  EXPECT_THAT(refused(sums_study_text("", "person = { column = \"who\", rows = 1 }\n")),
              HasSubstr("person"));
  const std::string other = kept("other.sums", sums(study(sums_study_text("", "", "[0, 11]")),
                                                    {write("b.csv", "y,kind,x\n2,a,0\n")}));
  EXPECT_EQ(merge_sums({file, other}).error().name, "E-sums-study");
}

TEST_F(Sums, CountNoTableTwice) {
  const std::string a = write("a.csv", "y,kind,x\n1,a,0.5\n");
  const std::string file = kept("a.sums", sums(study(), {a}));
  EXPECT_EQ(merge_sums({file, file}).error().name, "E-sums-twice");
  EXPECT_EQ(make_sums(study(), {.parts = {a, a}}).error().name, "E-sums-twice");
  EXPECT_EQ(make_sums(study(),
                      {.parts = {a, path("../" + folder_.path().filename().string() + "/a.csv")}})
                .error()
                .name,
            "E-sums-twice");
  // Two parts that are empty are no harm.
  const std::string b = kept("b.sums", sums(study(), {write("b.csv", "y,kind,x\n")}));
  EXPECT_TRUE(merge_sums({file, b, b}));
}

TEST_F(Sums, OfPersonsAreMadeOfAllPartsAtOnceAndNeverAdded) {
  const Study of = study(sums_study_text("", "person = { column = \"who\", rows = 1 }\n"));
  const std::string a = write("a.csv", "y,kind,x,who\n1,a,0.5,ann\n2,b,0,bob\n");
  const std::string b = write("b.csv", "y,kind,x,who\n3,a,0.25,ann\n");
  const std::string both =
      write("both.csv", "y,kind,x,who\n1,a,0.5,ann\n2,b,0,bob\n3,a,0.25,ann\n");
  EXPECT_EQ(sums(of, {a, b}).table, sums(of, {both}).table);
  const std::string sums_a = kept("a.sums", sums(of, {a}));
  const std::string sums_b = kept("b.sums", sums(of, {b}));
  EXPECT_EQ(merge_sums({sums_a, sums_b}).error().name, "E-sums-person");
  EXPECT_EQ(make_sums(of, {.parts = {a, a}}).error().name, "E-sums-twice");
  EXPECT_EQ(make_sums(of, {.parts = {"-"}}).error().name, "E-data-options");
}

TEST_F(Sums, OfAPartyEffectAreOneParties) {
  const Study of = study(sums_study_text("party = \"effect\"\n"));
  const std::string a = write("a.csv", "y,kind,x\n1,a,0.5\n");
  EXPECT_EQ(make_sums(of, {.parts = {a}}).error().name, "E-sums-party");
  const auto made = make_sums(of, {.parts = {a}, .party = PartyId{1}});
  ASSERT_TRUE(made) << made.error().to_string();
  const std::string file = kept("a.sums", *made);
  EXPECT_EQ(read_own_table(of, 1, file)->moments, read_own_table(of, 1, a)->moments);
  EXPECT_EQ(read_own_table(of, 2, file).error().name, "E-sums-study");
}

TEST_F(Sums, FilesThatWereChangedCutOrAreOthersAreRefused) {
  const std::string part = write("a.csv", "y,kind,x\n1,a,0.5\n7,b,-0.5\n");
  const std::string file = kept("a.sums", sums(study(), {part}));
  std::string text;
  {
    std::ifstream in(file);
    text.assign(std::istreambuf_iterator<char>(in), {});
  }
  const auto refused = [&](const std::string& changed) {
    const auto result = read_sums(write("changed.sums", changed));
    return result ? std::string("taken") : result.error().to_string();
  };
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const auto at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return changed.replace(at, from.size(), to);
  };
  EXPECT_EQ(refused(text), "taken");
  EXPECT_THAT(refused(with("\"rows\": 2", "\"rows\": 3")),
              AllOf(HasSubstr("E-sums-file"), HasSubstr("digest")));
  EXPECT_THAT(refused(with("sotto-sums-1", "sotto-sums-2")), HasSubstr("sotto-sums-2"));
  EXPECT_THAT(refused(text.substr(0, text.size() / 2)), HasSubstr("cut short"));
  EXPECT_THAT(refused("{}"), HasSubstr("no file of sums"));
  EXPECT_THAT(refused("y,x\n1,2\n"), HasSubstr("not JSON"));
  EXPECT_EQ(read_sums(path("nothing")).error().name, "E-sums-file");
  EXPECT_EQ(make_sums(study(), {.parts = {file}}).error().name, "E-data-options");
  EXPECT_EQ(make_sums(study(), {.parts = {}}).error().name, "E-sums-files");
  EXPECT_EQ(merge_sums({}).error().name, "E-sums-files");
  EXPECT_EQ(make_sums(study(), {.parts = {path("none.csv")}}).error().name, "E-csv-open");
  EXPECT_EQ(read_tables(study(), {.files = {file}}).error().name, "E-data-files");
  EXPECT_EQ(read_own_table(study(), 0, part + "," + file).error().name, "E-data-options");
  TableRequest with_query(file);
  with_query.query = "t";
  EXPECT_EQ(read_own_table(study(), 0, with_query).error().name, "E-data-options");
}

TEST_F(Sums, UnderADigestThatFitsAreStillOfOneKindAndIntegers) {
  const std::string part = write("a.csv", "y,kind,x\n1,a,0.5\n7,b,-0.5\n");
  const SumsFile fine = sums(study(), {part});
  SumsFile smaller = fine;
  smaller.parts.clear();
  smaller.table.moments = Moments(fine.table.moments.dimension - 1);
  SumsFile narrower = fine;
  narrower.parts.clear();
  narrower.table.clips.columns.pop_back();
  for (const SumsFile& other : {smaller, narrower}) {
    const auto merged = merge_sums({kept("a.sums", fine), kept("b.sums", other)});
    EXPECT_EQ(merged ? "taken" : merged.error().name, "E-sums-study");
  }
  std::ifstream in(kept("a.sums", fine));
  const Json json = parse_json(std::string{std::istreambuf_iterator<char>(in), {}});
  for (const std::string text : {" 2", "2 ", "1 2", "+2", "-0", "02", "", "2.0", "0x2"}) {
    Json changed = json;
    changed["sums"][0] = text;
    changed.erase("digest");
    const auto read = read_sums(write("c.sums", json_text(with_digest(changed))));
    EXPECT_EQ(read ? "taken" : read.error().name, "E-sums-file") << "\"" << text << "\"";
  }
  for (const Json& odd : {Json(), Json(5), Json::array()}) {
    Json changed = json;
    changed["parts"][0] = odd;
    changed.erase("digest");
    const auto read = read_sums(write("c.sums", json_text(with_digest(changed))));
    EXPECT_EQ(read ? "taken" : read.error().name, "E-sums-file") << odd;
  }
  Json changed = json;
  changed["sums"][0] = std::string("2\0garbage", 9);
  changed.erase("digest");
  EXPECT_FALSE(read_sums(write("c.sums", json_text(with_digest(changed)))).has_value());
}

TEST_F(Sums, AnAnswerIsFoundAmongWhatToolsPutAroundIt) {
  const Study of = study();
  const auto query = sums_query(of, std::nullopt, "patients", SqlDialect::kDuckdb);
  ASSERT_TRUE(query) << query.error().to_string();
  EXPECT_EQ(sums_query(of, std::nullopt, " ; ", SqlDialect::kSpark).error().name, "E-sql-query");
  const std::string mark = sums_mark(sums_terms(of, std::nullopt));
  EXPECT_THAT(*query, HasSubstr(mark));
  // Three table columns, three entries: 6 + 6 + 10 numbers.
  std::string line = mark + " 1 9 8 0 0 0";
  for (int k = 0; k < 16; ++k) line += fmt::format(" {}", k);
  for (const std::string& around :
       {line, line + "\n", "sotto_sums\n\"" + line + "\"\n", "│ " + line + " |\n"}) {
    const auto found = sums_of_answer(of, std::nullopt, write("answer.txt", around));
    ASSERT_TRUE(found) << found.error().to_string();
    EXPECT_EQ(found->table.rows, 8U);
    EXPECT_EQ(found->table.moments.sums.back(), 15);
  }
  EXPECT_EQ(sums_of_answer(of, std::nullopt, path("nothing")).error().name, "E-push-down-answer");
}

}  // namespace
}  // namespace sotto
