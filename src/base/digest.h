#pragma once

#include <openssl/evp.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/integer.h"

namespace sotto {

// The one hash of the program: of studies, releases, messages and results.

// SHA-256 of these bytes, 32 bytes.
[[nodiscard]] std::string sha256(std::string_view bytes);

// SHA-256 of bytes that come piece by piece: what `sha256sum` says of all of them.
class ByteDigest {
 public:
  ByteDigest();

  void add(std::string_view bytes);

  // 32 bytes. The digest goes on: what is added later changes the next value.
  [[nodiscard]] std::string value() const;

 private:
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> context_;
};

// SHA-256 of a sequence of fields. Every field goes in with its length, so that two
// sequences have the same digest only if they are the same.
class Digest {
 public:
  explicit Digest(std::string_view purpose);

  Digest& add(std::string_view bytes);
  Digest& add(std::uint64_t number);
  Digest& add(std::span<const double> values);  // their bits
  Digest& add(const IntegerVector& integers);

  // As of ByteDigest.
  [[nodiscard]] std::string value() const { return bytes_.value(); }

 private:
  ByteDigest bytes_;
};

[[nodiscard]] std::string to_hex(std::string_view bytes);
[[nodiscard]] std::string from_hex(std::string_view text);  // empty if it is none

// sha256: and 64 digits 0-9a-f.
[[nodiscard]] bool is_fingerprint(std::string_view text);

}  // namespace sotto
