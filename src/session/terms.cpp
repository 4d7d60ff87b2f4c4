// RunKey: one secret, and everything that a run draws from as digests of it.

#include "session/terms.h"

#include <openssl/crypto.h>

#include <cstring>

#include "base/digest.h"
#include "session/wire.h"

namespace sotto {

RunKey RunKey::draw(OsRandom& random) {
  RunKey result;
  random.fill(result.key_);
  return result;
}

Result<RunKey> RunKey::restore(std::string_view bytes) {
  RunKey result;
  if (bytes.size() != result.key_.size()) {
    return failed("E-journal", "the journal's first record holds no key",
                  "the file was changed by something else than sotto; restore it from a backup");
  }
  std::memcpy(result.key_.data(), bytes.data(), bytes.size());
  return result;
}

RunKey::~RunKey() {
  OPENSSL_cleanse(key_.data(), key_.size());
}

std::string RunKey::bytes() const {
  return {reinterpret_cast<const char*>(key_.data()), key_.size()};
}

std::string RunKey::nonce() const {
  return Digest("sotto run").add(bytes()).value().substr(0, kNonceBytes);
}

KeyedRandom::Key RunKey::for_attempt(std::string_view attempt) const {
  return derived("sotto attempt key", attempt);
}

KeyedRandom::Key RunKey::for_first_draws() const {
  return derived("sotto first attempt key", {});
}

KeyedRandom::Key RunKey::for_first_cipher() const {
  return derived("sotto first cipher key", {});
}

KeyedRandom::Key RunKey::for_cipher(std::string_view attempt) const {
  return derived("sotto cipher key", attempt);
}

std::string RunKey::commitment_nonce(std::string_view attempt) const {
  return Digest("sotto commitment nonce").add(bytes()).add(attempt).value();
}

KeyedRandom::Key RunKey::derived(std::string_view purpose, std::string_view attempt) const {
  const std::string bits = Digest(purpose).add(bytes()).add(attempt).value();
  KeyedRandom::Key key{};
  std::memcpy(key.data(), bits.data(), key.size());
  return key;
}

}  // namespace sotto
