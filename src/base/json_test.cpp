#include "base/json.h"

#include <gtest/gtest.h>

namespace sotto {
namespace {

std::string nested(std::size_t depth, const std::string& inside = "") {
  return std::string(depth, '[') + inside + std::string(depth, ']');
}

// A model file with a field of two hundred thousand brackets ended whoever read it.
TEST(Json, NestsNoDeeperThanAStackIsLong) {
  EXPECT_FALSE(parse_json(nested(kMaxJsonDepth)).is_discarded());
  JsonFault fault;
  EXPECT_TRUE(parse_json(nested(kMaxJsonDepth + 1), &fault).is_discarded());
  EXPECT_EQ(fault.byte, kMaxJsonDepth + 1);
  EXPECT_TRUE(parse_json(nested(1'000'000)).is_discarded());
  EXPECT_TRUE(parse_json(std::string(1'000'000, '[')).is_discarded());
}

TEST(Json, CountsNoBracketsInTexts) {
  const std::string brackets(2 * kMaxJsonDepth, '[');
  const Json json = parse_json(nested(kMaxJsonDepth, "\"\\\"" + brackets + "\\\\\""));
  ASSERT_FALSE(json.is_discarded());
  const Json many = parse_json("[" + std::string(300, ' ') + "[], {}, [[]], \"]\"]");
  EXPECT_EQ(many.size(), 4U);
}

}  // namespace
}  // namespace sotto
