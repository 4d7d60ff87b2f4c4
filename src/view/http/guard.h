#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.h"

// Who is let in. The page is for whoever was given its address, in a browser on this machine, and
// for nobody else: not for other pages that this browser shows, whatever name they reach us under.
// docs/THREAT_MODEL.md
namespace sotto::view {

// 256 bits from the operating system, as 64 hexadecimal digits.
inline constexpr std::size_t kTokenBytes = 32;
[[nodiscard]] std::string draw_token(OsRandom& random);

// What is asked for, before anything of it is believed.
struct Asked {
  std::string method;
  std::string path;                                          // "/TOKEN/plan"
  std::vector<std::pair<std::string, std::string>> headers;  // names in any case
};

// Why a request is not answered.
struct Denial {
  unsigned status = 403;
  std::string why;  // for a person, without anything that the request said
};

class Guard {
 public:
  // `authority` is the only one that a Host header may name: "127.0.0.1:4711".
  Guard(std::string authority, std::string token)
      : authority_(std::move(authority)), token_(std::move(token)) {}

  // Denied are: another Host than ours, or none or two (a name that was made to point here is no
  // way in); what another origin asks for (Origin, Sec-Fetch-Site); a POST that does not say that
  // it comes from our own page, or is no JSON, which no form can send; other methods; a wrong
  // token, compared in constant time. In this order: who is not let in learns nothing about the
  // token.
  [[nodiscard]] std::optional<Denial> denies(const Asked& asked) const;

  // What is left of the path of a request that was let in: "plan". None for "/TOKEN" itself.
  [[nodiscard]] static std::string inside(std::string_view path);

  [[nodiscard]] std::string address() const;  // http://127.0.0.1:4711/TOKEN/

 private:
  std::string authority_;
  std::string token_;
};

}  // namespace sotto::view
