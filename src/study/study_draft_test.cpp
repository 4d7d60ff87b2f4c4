#include "study/study_draft.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/files.h"
#include "support/studies.h"
#include "support/temporary_folder.h"

namespace sotto {
namespace {

using testing::AllOf;
using testing::HasSubstr;

PartyTerms party(const std::string& name, char digit) {
  return {.name = name,
          .address = name + ".example:7101",
          .fingerprint = "sha256:" + std::string(64, digit)};
}

StudyDraft draft() {
  StudyDraft draft;
  draft.name = "en\"ergy";
  draft.epsilon = 0.7;
  draft.delta = 1e-7;
  draft.colluders = 1;
  draft.parties = 4;
  draft.schema.target = {.column = "kwh", .bounds = {0, 1000}};
  draft.schema.features = {NumericFeature{"area m²", {-20, 220}}, NumericFeature{"people", {1, 6}},
                           CategoricalFeature{"heating", {"gas", "a \"b\"", "ü"}}};
  return draft;
}

TEST(StudyDraft, IsTheStudyThatWasDecidedOn) {
  StudyDraft wanted = draft();
  wanted.members = {party("north", '1'), party("south", '2')};
  const auto study = parse_study(study_text(wanted), "study.toml");
  ASSERT_TRUE(study.has_value()) << study.error().to_string();
  EXPECT_EQ(study->name, wanted.name);
  EXPECT_EQ(study->privacy.budget.epsilon.value(), 0.7);
  EXPECT_EQ(study->privacy.budget.delta.value(), 1e-7);
  EXPECT_EQ(study->privacy.colluders, 1U);
  EXPECT_EQ(study->graph().size(), 4U);
  ASSERT_EQ(study->data->features.size(), 3U);
  EXPECT_EQ(name_of(study->data->features[0]), "area m²");
  EXPECT_EQ(std::get<NumericFeature>(study->data->features[0]).bounds.lo, -20);
  EXPECT_EQ(std::get<CategoricalFeature>(study->data->features[2]).levels[1], "a \"b\"");
  EXPECT_EQ(study->parties[1].address, "south.example:7101");
  EXPECT_EQ(study->parties[3].fingerprint, "") << "two are still to come";
}

TEST(StudyDraft, ExplainsEveryKeyWhereItFirstStands) {
  StudyDraft all = draft();
  all.members = {party("north", '1')};
  all.schema.intercept = false;
  all.schema.radius = 1;
  std::set<std::string> explained;
  std::string section;
  std::string before;
  std::istringstream lines(study_text(all));
  for (std::string line; std::getline(lines, line); before = line) {
    EXPECT_LE(line.size(), 110U) << line;
    if (line.starts_with("[")) section = line;
    const auto equals = line.find(" = ");
    if (line.empty() || line[0] == '#' || line[0] == '[' || equals == std::string::npos) continue;
    const bool first = explained.insert(section + line.substr(0, equals)).second;
    EXPECT_EQ(before.starts_with("#"), first) << line;
  }
  EXPECT_GT(explained.size(), 15U);
}

TEST(PartiesOfAStudy, AreAddedOnceEach) {
  const std::string text = study_text(draft());
  const auto one = with_parties(text, "study.toml", {party("north", '1')});
  ASSERT_TRUE(one.has_value()) << one.error().to_string();
  EXPECT_TRUE(one->starts_with(text)) << "nothing else changes";
  const auto two = with_parties(*one, "study.toml", {party("north", '1'), party("south", '2')});
  ASSERT_TRUE(two.has_value()) << two.error().to_string();
  EXPECT_EQ(*with_parties(*two, "study.toml", {party("south", '2')}), *two);
  EXPECT_EQ(parse_study(*two, "study.toml")->parties[1].name, "south");

  const auto refused = [&](const PartyTerms& other) {
    const auto more = with_parties(*two, "study.toml", {other});
    return more ? std::string("taken") : more.error().name;
  };
  EXPECT_EQ(refused(party("north", '3')), "E-party-exists");
  EXPECT_EQ(refused(party("east", '1')), "E-party-exists");
  EXPECT_EQ(refused({.name = "north",
                     .address = "elsewhere:1",
                     .fingerprint = party("north", '1').fingerprint}),
            "E-party-exists");
  EXPECT_EQ(with_parties(*two, "study.toml", {party("c", '3'), party("d", '4'), party("e", '5')})
                .error()
                .name,
            "E-study-value")
      << "more than parties = 4";
}

class PartyFiles : public testing::Test {
 protected:
  std::string write(const std::string& text) const {
    EXPECT_TRUE(write_file(folder_ / "party.toml", text).has_value());
    return (folder_ / "party.toml").string();
  }
  const TemporaryFolder folder_;
};

TEST_F(PartyFiles, HoldPartiesAndNothingElse) {
  const auto found = read_party_file(write(party_block(
      {.name = "nörth \"1\"", .address = "", .fingerprint = party("n", '1').fingerprint})));
  ASSERT_TRUE(found.has_value()) << found.error().to_string();
  EXPECT_EQ(found->front().name, "nörth \"1\"");
  const auto refused = [&](const std::string& text) {
    const auto parties = read_party_file(write(text));
    return parties ? std::string("taken") : parties.error().name;
  };
  EXPECT_EQ(refused(""), "E-party-file");
  EXPECT_EQ(refused("[[party]"), "E-party-file");
  EXPECT_EQ(refused(study_text(draft())), "E-party-file");
  EXPECT_EQ(refused("[[party]]\nname = \"a\"\n"), "E-party-file");
  EXPECT_EQ(refused("[[party]]\nname = \"a\"\nfingerprint = \"sha256:0\"\n"),
            "E-network-fingerprint");
  EXPECT_EQ(read_party_file("/nonexistent").error().name, "E-party-file");
}

TEST(FormattedStudy, KeepsCommentsAndMeaningAndIsTheSameTheSecondTime) {
  const std::string text =
      "\xEF\xBB\xBF# top\r\n[study]\r\nname=\"a # b\"   # why\r\nsolver   =    \"ac\"\r\n"
      "[privacy]\nepsilon=1\ndelta=1e-6\nunit=\"record\"\nneighbours=\"replace\"\n\n\n\n"
      "# about the graph\n[graph]\ntopology=\"edges\"\nedges=[\n  [1, 2], # first\n  [2, 3]\n]\n"
      "parties=3\n[data]\ntarget={column=\"y\",bounds=[0,1]}\n   [[data.feature]]\n"
      "column='x = # y'\nbounds=[0,1]\n\n\n";
  const auto formatted = formatted_study(text, "study.toml");
  ASSERT_TRUE(formatted.has_value()) << formatted.error().to_string();
  EXPECT_EQ(*formatted,
            "# top\n[study]\nname   = \"a # b\"  # why\nsolver = \"ac\"\n\n"
            "[privacy]\nepsilon    = 1\ndelta      = 1e-6\nunit       = \"record\"\n"
            "neighbours = \"replace\"\n\n"
            "# about the graph\n[graph]\ntopology = \"edges\"\nedges=[\n  [1, 2], # first\n"
            "  [2, 3]\n]\nparties = 3\n\n[data]\ntarget = {column=\"y\",bounds=[0,1]}\n\n"
            "[[data.feature]]\ncolumn = 'x = # y'\nbounds = [0,1]\n");
  EXPECT_EQ(*formatted_study(*formatted, "study.toml"), *formatted);
}

TEST(FormattedStudy, LeavesADraftAsItIs) {
  StudyDraft all = draft();
  all.members = {party("north", '1')};
  const std::string text = study_text(all);
  EXPECT_EQ(*formatted_study(text, "study.toml"), text);
  EXPECT_EQ(formatted_study("[study]\nname = 1\n", "study.toml").error().name, "E-study-value");
}

// Every mistake of a schema is told where it stands, not where the section begins.
TEST(SchemaErrors, StandAtTheirOwnKey) {
  const std::string head =
      "[study]\nname = \"a\"\nsolver = \"ac\"\n[privacy]\nepsilon = 1\ndelta = 1e-6\n"
      "unit = \"record\"\nneighbours = \"replace\"\n[graph]\ntopology = \"cycle\"\nparties = 3\n"
      "[data]\n";
  const auto where = [&](const std::string& rest) {
    const auto study = parse_study(head + rest, "s.toml");
    EXPECT_FALSE(study.has_value()) << rest;
    return study ? std::string() : study.error().name + " " + study.error().where;
  };
  const std::string target = "target = { column = \"y\", bounds = [0, 1] }\n";
  const std::string x = "[[data.feature]]\ncolumn = \"x\"\nbounds = [0, 1]\n";
  EXPECT_THAT(where("target = { column = \"y\", bounds = [2, 1] }\n" + x),
              AllOf(HasSubstr("E-schema-bounds [data] target bounds, line 13, column 35")));
  EXPECT_THAT(where(target + x + "[[data.feature]]\ncolumn = \"z\"\nbounds = [1, 1]\n"),
              HasSubstr("E-schema-bounds [[data.feature]] bounds, line 19"));
  EXPECT_THAT(where(target + x + "[[data.feature]]\ncolumn = \"z\"\nlevels = [\"a\"]\n"),
              HasSubstr("E-schema-levels [[data.feature]] levels, line 19"));
  EXPECT_THAT(where(target + x + x),
              HasSubstr("E-schema-duplicate [[data.feature]] column, line 18"));
  EXPECT_THAT(where(target + x + "[[data.feature]]\ncolumn = \"y\"\nbounds = [0, 1]\n"),
              HasSubstr("E-schema-target [[data.feature]] column, line 18"));
  EXPECT_THAT(where(target + "radius = 99\n" + x),
              HasSubstr("E-schema-radius [data] radius, line 14"));
  EXPECT_THAT(where("intercept = false\n" + target),
              HasSubstr("E-schema-empty [data] intercept, line 13"));
}

TEST(PartyErrors, StandAtTheirOwnKey) {
  const auto error = [](const std::string& lines) {
    const auto study = paper_text().append("[[party]]\nname = \"a\"\n" + lines).parse();
    EXPECT_FALSE(study.has_value()) << lines;
    return study ? Error{} : study.error();
  };
  for (const char* address : {"north.example", "north.example:", ":7101", "a b:1", "a:0", "a:65536",
                              "a:7101x", "[::1:1", "http://a:1", "[xyz]:1"}) {
    const Error wrong = error(fmt::format("address = \"{}\"\n", address));
    EXPECT_EQ(wrong.name, "E-network-address") << address;
    EXPECT_THAT(wrong.where, HasSubstr("[[party]] address, line ")) << address;
  }
  for (const char* fine : {"a:1", "10.0.0.5:7101", "[2001:db8::5]:65535", "my_host-1.example:80"}) {
    EXPECT_TRUE(paper_text()
                    .append(fmt::format("[[party]]\nname = \"a\"\naddress = \"{}\"\n", fine))
                    .parse()
                    .has_value())
        << fine;
  }
  const Error print = error("fingerprint = \"sha256:abc\"\n");
  EXPECT_EQ(print.name, "E-network-fingerprint");
  EXPECT_THAT(print.where, HasSubstr("[[party]] fingerprint, line "));
  const std::string same = fmt::format("fingerprint = \"sha256:{}\"\n", std::string(64, 'a'));
  EXPECT_THAT(error(same + "[[party]]\nname = \"b\"\n" + same).what,
              HasSubstr("a and b have the same fingerprint"));
}

}  // namespace
}  // namespace sotto
