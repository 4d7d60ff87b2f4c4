#include "study/serve_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sotto {
namespace {

using testing::HasSubstr;

constexpr const char* kTwo = R"(
listen = "0.0.0.0:7101"
[[study]]
file = "energy.toml"
as = "north"
data = "energy.csv"
[[study]]
file = "/elsewhere/care.toml"
as = "hospital-3"
data = "postgresql://db/care"
query = "select * from care"
push_down = true
account = "patients"
on_finish = "mail -s done us"
)";

TEST(ServeFile, NamesStudiesWithTheirDataRelativeToItsFolder) {
  const auto serve = parse_serve_file(kTwo, "serve.toml", "/srv/sotto");
  ASSERT_TRUE(serve) << serve.error().to_string();
  EXPECT_EQ(serve->listen, "0.0.0.0:7101");
  ASSERT_EQ(serve->studies.size(), 2U);
  EXPECT_EQ(serve->studies[0].file, "/srv/sotto/energy.toml");
  EXPECT_EQ(serve->studies[0].data, "/srv/sotto/energy.csv");
  EXPECT_EQ(serve->studies[1].file, "/elsewhere/care.toml");
  EXPECT_EQ(serve->studies[1].data, "postgresql://db/care");
  EXPECT_EQ(serve->studies[1].query, "select * from care");
  EXPECT_TRUE(serve->studies[1].push_down);
  EXPECT_FALSE(serve->studies[0].push_down);
  EXPECT_EQ(serve->studies[1].account, "patients");
}

TEST(ServeFile, SaysWhatIsWrongAndWhere) {
  const auto error = [](const std::string& text) {
    const auto serve = parse_serve_file(text, "serve.toml", ".");
    return serve ? std::string("taken") : serve.error().to_string();
  };
  EXPECT_THAT(error("listen ="), HasSubstr("E-serve-syntax"));
  EXPECT_THAT(error("[[study]]\nfile = \"a\"\nas = \"b\"\n"), HasSubstr("listen"));
  EXPECT_THAT(error("listen = \"x:1\"\n"), HasSubstr("[[study]]"));
  EXPECT_THAT(error("listen = \"x:1\"\nhome = \"y\"\n"), HasSubstr("E-serve-key"));
  EXPECT_THAT(error("listen = \"x:1\"\n[[study]]\nfile = \"a\"\n"), HasSubstr("as"));
  EXPECT_THAT(error("listen = \"x:1\"\n[[study]]\nfile = \"a\"\nas = \"b\"\n[[study]]\nfile = "
                    "\"a\"\nas = \"c\"\n"),
              HasSubstr("twice"));
}

TEST(ServeFile, AFolderWithoutOneIsNamed) {
  const auto serve = read_serve_file("/nowhere/at/all");
  ASSERT_FALSE(serve);
  EXPECT_EQ(serve.error().name, "E-serve-file");
}

}  // namespace
}  // namespace sotto
