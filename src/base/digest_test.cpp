#include "base/digest.h"

#include <gtest/gtest.h>

#include <array>

namespace sotto {
namespace {

TEST(Digest, IsSha256OfFieldsWithTheirLengths) {
  // printf '\x01\0\0\0\0\0\0\0p\x02\0\0\0\0\0\0\0ab' | sha256sum
  EXPECT_EQ(to_hex(Digest("p").add("ab").value()),
            "4a13ac9c474e539e93f823eb45470b0b37eecda22f01a2837393ee24374e156d");
}

TEST(Digest, TellsApartWhatOnlyLooksTheSameWhenPutTogether) {
  const std::string one = Digest("p").add("ab").add("c").value();
  EXPECT_NE(one, Digest("p").add("a").add("bc").value());
  EXPECT_NE(one, Digest("p").add("abc").value());
  EXPECT_NE(one, Digest("pa").add("b").add("c").value());
  EXPECT_EQ(one, Digest("p").add("ab").add("c").value());
  EXPECT_NE(Digest("p").add(std::uint64_t{1}).value(), Digest("p").add(std::uint64_t{256}).value());
}

TEST(Digest, TakesTheBitsOfDoubles) {
  const auto of = [](double x) {
    const std::array<double, 1> values{x};
    return Digest("p").add(std::span<const double>(values)).value();
  };
  EXPECT_NE(of(0.0), of(-0.0));
  EXPECT_NE(of(1.0), of(1.0 + 0x1p-52));
  EXPECT_EQ(of(0.1), of(0.1));
}

TEST(Digest, TellsIntegersApart) {
  const auto of = [](const IntegerVector& integers) { return Digest("p").add(integers).value(); };
  EXPECT_NE(of({Integer(1), Integer(2)}), of({Integer(2), Integer(1)}));
  EXPECT_NE(of({Integer(1)}), of({Integer(-1)}));
  EXPECT_NE(of({}), of({Integer(0)}));
  EXPECT_NE(of({Integer(258)}), of({Integer(1), Integer(2)}));
}

TEST(Digest, GoesOnAfterItsValueWasTaken) {
  Digest digest("p");
  const std::string before = digest.value();
  EXPECT_EQ(before, digest.value());
  digest.add("more");
  EXPECT_NE(before, digest.value());
  EXPECT_EQ(digest.value(), Digest("p").add("more").value());
}

TEST(Hex, GoesBothWaysAndRefusesWhatIsNone) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(from_hex(to_hex(all)), all);
  EXPECT_EQ(to_hex(std::string("\x00\x0f\xf0", 3)), "000ff0");
  for (const char* bad : {"0", "0g", "AB", "zz", "12 4", "-1"}) EXPECT_EQ(from_hex(bad), "") << bad;
}

}  // namespace
}  // namespace sotto
