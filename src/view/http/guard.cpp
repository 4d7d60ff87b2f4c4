#include "view/http/guard.h"

#include <fmt/format.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/digest.h"

namespace sotto::view {
namespace {

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

// All values under one name: two of a kind are never what a browser sends.
std::vector<std::string_view> values_of(const Asked& asked, std::string_view name) {
  std::vector<std::string_view> values;
  for (const auto& [key, value] : asked.headers) {
    if (same_name(key, name)) values.emplace_back(value);
  }
  return values;
}

// Over digests, so that not even the length is told.
bool same_secret(std::string_view a, std::string_view b) {
  const std::string x = sha256(a);
  const std::string y = sha256(b);
  return CRYPTO_memcmp(x.data(), y.data(), x.size()) == 0;
}

std::string_view first_part(std::string_view path) {
  if (!path.starts_with('/')) return {};
  path.remove_prefix(1);
  return path.substr(0, path.find('/'));
}

}  // namespace

std::string draw_token(OsRandom& random) {
  std::array<std::byte, kTokenBytes> bytes{};
  random.fill(bytes);
  return to_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::optional<Denial> Guard::denies(const Asked& asked) const {
  const auto hosts = values_of(asked, "Host");
  if (hosts.size() != 1 || hosts[0] != authority_) {
    return Denial{421,
                  "this is not the name of this server: open the address that 'sotto view' "
                  "printed"};
  }
  const std::string own = "http://" + authority_;
  const auto origins = values_of(asked, "Origin");
  const auto sites = values_of(asked, "Sec-Fetch-Site");
  const auto foreign_site = [](std::string_view site) {
    return site != "same-origin" && site != "none";
  };
  if (std::ranges::any_of(origins, [&](std::string_view origin) { return origin != own; }) ||
      std::ranges::any_of(sites, foreign_site)) {
    return Denial{403,
                  "another page asks for this one: type the address that 'sotto view' "
                  "printed"};
  }
  if (asked.method == "POST") {
    const auto types = values_of(asked, "Content-Type");
    if (origins.size() != 1) return Denial{403, "only the page itself may change something"};
    if (types.size() != 1 || types[0] != "application/json") {
      return Denial{415, "what is sent is JSON"};
    }
  } else if (asked.method != "GET") {
    return Denial{405, "GET and POST"};
  }
  if (!same_secret(first_part(asked.path), token_)) {
    return Denial{403, "the address lacks its token: open the one that 'sotto view' printed"};
  }
  return std::nullopt;
}

std::string Guard::inside(std::string_view path) {
  const auto slash = path.find('/', 1);
  return slash == std::string_view::npos ? std::string() : std::string(path.substr(slash + 1));
}

std::string Guard::address() const {
  return fmt::format("http://{}/{}/", authority_, token_);
}

}  // namespace sotto::view
