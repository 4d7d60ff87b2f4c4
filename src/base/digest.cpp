#include "base/digest.h"

#include <fmt/format.h>

#include <array>
#include <bit>

#include "base/check.h"

// SHA-256 by OpenSSL, and bytes as hexadecimal text.
namespace sotto {

std::string sha256(std::string_view bytes) {
  std::string result(32, '\0');
  unsigned size = 0;
  const bool ok =
      EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<unsigned char*>(result.data()), &size,
                 EVP_sha256(), nullptr) == 1;
  check(ok && size == result.size(), "SHA-256 has 32 bytes");
  return result;
}

ByteDigest::ByteDigest() : context_(EVP_MD_CTX_new()) {
  check(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1,
        "OpenSSL has SHA-256");
}

void ByteDigest::add(std::string_view bytes) {
  check(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1,
        "SHA-256 takes any bytes");
}

Digest::Digest(std::string_view purpose) {
  add(purpose);
}

Digest& Digest::add(std::uint64_t number) {
  std::array<char, 8> bytes{};
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    bytes[k] = static_cast<char>(static_cast<unsigned char>(number >> (8 * k)));
  }
  bytes_.add({bytes.data(), bytes.size()});
  return *this;
}

Digest& Digest::add(std::string_view bytes) {
  add(std::uint64_t{bytes.size()});
  bytes_.add(bytes);
  return *this;
}

Digest& Digest::add(std::span<const double> values) {
  add(std::uint64_t{values.size()});
  for (const double value : values) add(std::bit_cast<std::uint64_t>(value));
  return *this;
}

Digest& Digest::add(const IntegerVector& integers) {
  add(std::uint64_t{integers.size()});
  for (const Integer& integer : integers) add(std::string_view(integer_bytes(integer)));
  return *this;
}

std::string ByteDigest::value() const {
  const std::unique_ptr<EVP_MD_CTX, Free> copy(EVP_MD_CTX_new());
  std::string result(32, '\0');
  unsigned size = 0;
  const bool ok =
      copy != nullptr && EVP_MD_CTX_copy_ex(copy.get(), context_.get()) == 1 &&
      EVP_DigestFinal_ex(copy.get(), reinterpret_cast<unsigned char*>(result.data()), &size) == 1;
  check(ok && size == result.size(), "SHA-256 has 32 bytes");
  return result;
}

std::string to_hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

std::string from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return {};
  const auto digit = [](char c) -> int {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
  };
  std::string bytes;
  for (std::size_t k = 0; k < text.size(); k += 2) {
    const int high = digit(text[k]);
    const int low = digit(text[k + 1]);
    if (high < 0 || low < 0) return {};
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

bool is_fingerprint(std::string_view text) {
  constexpr std::string_view kPrefix = "sha256:";
  return text.starts_with(kPrefix) && from_hex(text.substr(kPrefix.size())).size() == 32;
}

}  // namespace sotto
