#include "view/http/guard.h"

#include <gtest/gtest.h>

namespace sotto::view {
namespace {

const std::string kToken(64, 'a');
const std::string kAuthority = "127.0.0.1:4711";
const Guard kGuard(kAuthority, kToken);

// What a browser sends when the page itself asks.
Asked own(std::string method = "GET") {
  Asked asked{.method = std::move(method),
              .path = "/" + kToken + "/plan",
              .headers = {{"Host", kAuthority}, {"Sec-Fetch-Site", "same-origin"}}};
  if (asked.method == "POST") {
    asked.headers.emplace_back("Origin", "http://" + kAuthority);
    asked.headers.emplace_back("Content-Type", "application/json");
  }
  return asked;
}

Asked with(Asked asked, const std::string& name, const std::string& value) {
  std::erase_if(asked.headers, [&](const auto& header) { return header.first == name; });
  asked.headers.emplace_back(name, value);
  return asked;
}

Asked without(Asked asked, const std::string& name) {
  std::erase_if(asked.headers, [&](const auto& header) { return header.first == name; });
  return asked;
}

unsigned status_of(const Asked& asked) {
  const auto denial = kGuard.denies(asked);
  return denial ? denial->status : 200;
}

TEST(ViewGuard, LetsInThePageItselfAndWhoeverTypesItsAddress) {
  EXPECT_EQ(status_of(own()), 200U);
  EXPECT_EQ(status_of(own("POST")), 200U);
  EXPECT_EQ(status_of(with(own(), "Sec-Fetch-Site", "none")), 200U);
  EXPECT_EQ(status_of(without(own(), "Sec-Fetch-Site")), 200U) << "an older browser, or curl";
  Asked any_case = own();
  any_case.headers.front().first = "hOsT";
  EXPECT_EQ(status_of(any_case), 200U);
}

TEST(ViewGuard, RefusesEveryHostButItsOwn) {
  for (const char* host : {"evil.example", "evil.example:4711", "localhost:4711", "127.0.0.1",
                           "127.0.0.1:4712", "127.0.0.1:4711.evil.example", "[::1]:4711", ""}) {
    EXPECT_EQ(status_of(with(own(), "Host", host)), 421U) << host;
  }
  EXPECT_EQ(status_of(without(own(), "Host")), 421U);
  Asked two = own();
  two.headers.emplace_back("host", "evil.example");
  EXPECT_EQ(status_of(two), 421U) << "which of two is meant, nobody knows";
}

TEST(ViewGuard, RefusesOtherOriginsEvenWithTheToken) {
  for (const char* origin :
       {"http://evil.example", "null", "https://127.0.0.1:4711", "http://127.0.0.1:80"}) {
    EXPECT_EQ(status_of(with(own(), "Origin", origin)), 403U) << origin;
    EXPECT_EQ(status_of(with(own("POST"), "Origin", origin)), 403U) << origin;
  }
  for (const char* site : {"cross-site", "same-site", "something-new"}) {
    EXPECT_EQ(status_of(with(own(), "Sec-Fetch-Site", site)), 403U) << site;
  }
}

TEST(ViewGuard, TakesChangesFromThePageAloneAndAsJson) {
  EXPECT_EQ(status_of(without(own("POST"), "Origin")), 403U);
  for (const char* type :
       {"text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""}) {
    EXPECT_EQ(status_of(with(own("POST"), "Content-Type", type)), 415U) << type;
  }
  for (const char* method : {"PUT", "DELETE", "OPTIONS", "HEAD", "TRACE"}) {
    Asked asked = own();
    asked.method = method;
    EXPECT_EQ(status_of(asked), 405U) << method;
  }
}

TEST(ViewGuard, RefusesEveryOtherToken) {
  for (const std::string& path :
       {std::string("/"), std::string("/plan"), std::string(), "/" + kToken.substr(1) + "/plan",
        "/" + kToken + "a/plan", "/" + std::string(64, 'b') + "/plan", "//" + kToken + "/plan",
        kToken + "/plan"}) {
    Asked asked = own();
    asked.path = path;
    EXPECT_EQ(status_of(asked), 403U) << path;
  }
}

TEST(ViewGuard, DrawsTokensOf256Bits) {
  OsRandom random;
  const std::string token = draw_token(random);
  EXPECT_EQ(token.size(), 64U);
  EXPECT_EQ(token.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(token, draw_token(random));
}

TEST(ViewGuard, KnowsWhatIsInside) {
  EXPECT_EQ(Guard::inside("/" + kToken + "/plan"), "plan");
  EXPECT_EQ(Guard::inside("/" + kToken + "/"), "");
  EXPECT_EQ(Guard::inside("/" + kToken), "");
  EXPECT_EQ(kGuard.address(), "http://127.0.0.1:4711/" + kToken + "/");
}

}  // namespace
}  // namespace sotto::view
