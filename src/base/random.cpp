#include "base/random.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <sys/random.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstring>
#include <vector>

#include "base/check.h"
#include "base/xoshiro.h"

// The three generators, and uniform integers from the bits of any of them.
namespace sotto {
namespace {

// How many forks lie between the first process and this one: a block that was read
// under another number is the parent's as well.
std::atomic<std::uint64_t> forks{0};

void count_forks() {
  static const int failure = pthread_atfork(nullptr, nullptr, [] { ++forks; });
  check(failure == 0, "a fork can be noticed");
}

}  // namespace

std::uint64_t RandomSource::below(std::uint64_t bound) {
  check(bound > 0, "a uniform draw has at least one outcome");
  const auto width = std::bit_width(bound - 1);
  if (width == 0) return 0;
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - width);
  for (;;) {
    const std::uint64_t draw = bits64() & mask;
    if (draw < bound) return draw;
  }
}

Integer RandomSource::below(const Integer& bound) {
  check(sgn(bound) > 0, "a uniform draw has at least one outcome");
  if (mpz_fits_ulong_p(bound.get_mpz_t()) != 0) return {below(std::uint64_t{bound.get_ui()})};
  const Integer last = bound - 1;
  const std::size_t width = mpz_sizeinbase(last.get_mpz_t(), 2);
  const std::size_t words = (width + 63) / 64;
  std::vector<std::uint64_t> raw(words);
  Integer draw;
  do {
    for (std::uint64_t& word : raw) word = bits64();
    raw.back() >>= words * 64 - width;
    mpz_import(draw.get_mpz_t(), words, -1, sizeof(std::uint64_t), 0, 0, raw.data());
  } while (draw > last);
  return draw;
}

void RandomBlock::discard() {
  OPENSSL_cleanse(bytes_.data(), bytes_.size());
  used_ = bytes_.size();
}

template <class Refill>
void RandomBlock::take(std::span<std::byte> bytes, const Refill& refill) {
  while (!bytes.empty()) {
    if (used_ == bytes_.size()) {
      refill(std::span(bytes_));
      used_ = 0;
    }
    const std::size_t take = std::min(bytes.size(), bytes_.size() - used_);
    std::memcpy(bytes.data(), bytes_.data() + used_, take);
    OPENSSL_cleanse(bytes_.data() + used_, take);
    used_ += take;
    bytes = bytes.subspan(take);
  }
}

OsRandom::OsRandom() {
  count_forks();
  forks_ = forks.load(std::memory_order_relaxed);
}

void OsRandom::fill(std::span<std::byte> bytes) {
  if (const auto now = forks.load(std::memory_order_relaxed); now != forks_) {
    block_.discard();
    forks_ = now;
  }
  block_.take(bytes, [](std::span<std::byte> block) {
    while (!block.empty()) {
      const ssize_t got = getrandom(block.data(), block.size(), 0);
      check(got > 0 || errno == EINTR, "the operating system gives random bytes");
      if (got > 0) block = block.subspan(static_cast<std::size_t>(got));
    }
  });
}

std::uint64_t OsRandom::bits64() {
  std::uint64_t bits = 0;
  fill(std::as_writable_bytes(std::span(&bits, 1)));
  return bits;
}

SeededRandom::SeededRandom(std::uint64_t seed, std::uint64_t stream)
    : state_(base::xoshiro_state(seed, stream)) {}

std::uint64_t SeededRandom::bits64() {
  return base::xoshiro_next(state_);
}

void SeededRandom::fill(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const std::uint64_t bits = bits64();
    const std::size_t take = std::min(bytes.size(), sizeof(bits));
    std::memcpy(bytes.data(), &bits, take);
    bytes = bytes.subspan(take);
  }
}

void KeyedRandom::Free::operator()(EVP_CIPHER_CTX* cipher) const {
  EVP_CIPHER_CTX_free(cipher);
}

KeyedRandom::KeyedRandom(const Key& key) : cipher_(EVP_CIPHER_CTX_new()) {
  const std::array<unsigned char, 16> counter_and_nonce{};  // a key is used for one stream only
  const int ok = EVP_EncryptInit_ex(cipher_.get(), EVP_chacha20(), nullptr,
                                    reinterpret_cast<const unsigned char*>(key.data()),
                                    counter_and_nonce.data());
  check(ok == 1, "OpenSSL has ChaCha20");
}

void KeyedRandom::fill(std::span<std::byte> bytes) {
  block_.take(bytes, [&](std::span<std::byte> block) {
    std::ranges::fill(block, std::byte{0});
    int produced = 0;
    auto* data = reinterpret_cast<unsigned char*>(block.data());
    const auto size = static_cast<int>(block.size());
    check(EVP_EncryptUpdate(cipher_.get(), data, &produced, data, size) == 1 && produced == size,
          "ChaCha20 gives its key stream");
  });
}

std::uint64_t KeyedRandom::bits64() {
  // Little-endian whatever the machine, so that both ends of an edge draw the same.
  std::array<std::byte, 8> raw{};
  fill(raw);
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < raw.size(); ++i)
    bits |= std::to_integer<std::uint64_t>(raw[i]) << (8 * i);
  return bits;
}

KeyedRandom::Key derived_key(const KeyedRandom::Key& key, std::size_t number) {
  KeyedRandom random(key);
  KeyedRandom::Key result{};
  for (std::size_t k = 0; k <= number; ++k) random.fill(result);
  return result;
}

}  // namespace sotto
