#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/demo/demo.h"

namespace sotto {
namespace {

using testing::HasSubstr;

TEST(DemoNeeds, AreSaidWhereTheyAreMuchAndRefusedWhereTheyAreTooMuch) {
  EXPECT_EQ(demo_needs(5).value(), "");
  EXPECT_THAT(demo_needs(25).value(), HasSubstr("25 parties: about "));
  const auto many = demo_needs(100'000'000);
  ASSERT_FALSE(many.has_value());
  EXPECT_EQ(many.error().name, "E-demo-machine");
  EXPECT_THAT(many.error().to_string(), HasSubstr("ask for at most "));
}

}  // namespace
}  // namespace sotto
