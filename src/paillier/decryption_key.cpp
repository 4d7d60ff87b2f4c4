// What only the owner of the primes can do: decrypt, and encrypt to oneself for less.
#include "paillier/decryption_key.h"

#include <algorithm>
#include <iterator>

#include "base/check.h"

namespace sotto::paillier {
namespace {

// On as many limbs as the modulus has.
Limbs inverse(const Integer& x, const Integer& modulus) {
  Integer result;
  const WipedAtEnd wiped(result);
  check(mpz_invert(result.get_mpz_t(), x.get_mpz_t(), modulus.get_mpz_t()) != 0,
        "the primes of a key differ");
  return limbs_of(result, mpz_size(modulus.get_mpz_t()));
}

Integer squared(const Integer& x) {
  return x * x;
}

// The x < m·k with x ≡ a mod m and x ≡ b mod k: a + m·((b − a)/m mod k).
Limbs from_both(const Limbs& a, const Limbs& m, const Limbs& b, const Limbs& k,
                const Limbs& m_inverse) {
  return sum(a, m, remainder(product(difference(b, remainder(a, k), k), m_inverse), k));
}

// Whether the number is 1, without stopping at the first limb that says no.
bool is_one(const Limbs& x) {
  mp_limb_t differs = x[0] ^ 1;
  for (std::size_t k = 1; k < x.size(); ++k) differs |= x[k];
  return differs == 0;
}

}  // namespace

PaillierDecryptionKey::PaillierDecryptionKey(const PrimePair& primes, Randomness randomness,
                                             RandomSource& random)
    : prime_bits_(mpz_sizeinbase(primes.p.get_mpz_t(), 2)),
      primes_(primes),
      orders_{primes.p - 1, primes.q - 1},
      powers_(primes.p, primes.q),
      p_(limbs_of(primes.p)),
      q_(limbs_of(primes.q)),
      p_squared_(limbs_of(squared(primes.p))),
      q_squared_(limbs_of(squared(primes.q))),
      p_scale_(inverse(-primes.q, primes.p)),
      q_scale_(inverse(-primes.p, primes.q)),
      p_inverse_(inverse(primes.p, primes.q)),
      p_squared_inverse_(inverse(squared(primes.p), squared(primes.q))) {
  const std::size_t key_bits = 2 * prime_bits_;
  PublicNumbers numbers{primes.p * primes.q, 0};
  if (randomness == Randomness::kHalf) {
    // h = (−x²)^N
    Integer x = 1 + random.below(Integer(numbers.n - 1));
    const WipedAtEnd wiped(x);
    const Limbs base = limbs_of(numbers.n - x * x % numbers.n);
    const auto powers = powers_.power({&base, 1}, numbers.n, numbers.n, key_bits);
    numbers.h = join(powers.p[0], powers.q[0]);
  }
  public_ = std::make_unique<PaillierEncryptionKey>(std::move(numbers), key_bits);
}

PaillierDecryptionKey::~PaillierDecryptionKey() {
  for (PrimePair* secret : {&primes_, &orders_}) {
    wipe(secret->p);
    wipe(secret->q);
  }
  wipe(ready_);
}

Integer PaillierDecryptionKey::join(const LimbPair& p, const LimbPair& q) const {
  Limbs modulo_p = sum(p.low, p.high, p_);
  Limbs modulo_q = sum(q.low, q.high, q_);
  modulo_p.resize(p_squared_.size());
  modulo_q.resize(q_squared_.size());
  return integer_of(from_both(modulo_p, p_squared_, modulo_q, q_squared_, p_squared_inverse_));
}

Result<IntegerVector> PaillierDecryptionKey::decrypt(std::span<const Integer> ciphertexts) const {
  SOTTO_TRY(public_->check_range(ciphertexts));
  const std::size_t width = p_squared_.size() + q_squared_.size();
  std::vector<Limbs> numbers;
  numbers.reserve(ciphertexts.size());
  for (const Integer& c : ciphertexts) numbers.push_back(limbs_of(c, width));
  const auto powers = powers_.power(numbers, orders_.p, orders_.q, prime_bits_);
  IntegerVector result;
  result.reserve(ciphertexts.size());
  for (std::size_t k = 0; k < ciphertexts.size(); ++k) {
    if (!is_one(powers.p[k].low) || !is_one(powers.q[k].low)) {
      return bad_input("E-cipher-text", "a ciphertext has a factor of N",
                       "send numbers that were encrypted with the public key");
    }
    const Limbs modulo_p = remainder(product(powers.p[k].high, p_scale_), p_);
    const Limbs modulo_q = remainder(product(powers.q[k].high, q_scale_), q_);
    Limbs m = from_both(modulo_p, p_, modulo_q, q_, p_inverse_);
    m.resize(public_->n_limbs().size());
    result.push_back(centred(m, public_->n_limbs()));
  }
  return result;
}

IntegerVector PaillierDecryptionKey::fresh_randomisers(std::size_t count,
                                                       RandomSource& random) const {
  std::vector<Limbs> drawn;
  drawn.reserve(count);
  for (std::size_t k = 0; k < count; ++k) {
    Integer y = 1 + random.below(Integer(public_->n() - 1));
    const WipedAtEnd wiped(y);
    drawn.push_back(limbs_of(y, public_->n_limbs().size()));
  }
  const auto powers = powers_.power(drawn, primes_.p, primes_.q, prime_bits_);
  IntegerVector randomisers;
  randomisers.reserve(count);
  for (std::size_t k = 0; k < count; ++k) randomisers.push_back(join(powers.p[k], powers.q[k]));
  return randomisers;
}

IntegerVector PaillierDecryptionKey::randomisers(std::size_t count, RandomSource& random) const {
  IntegerVector taken;
  taken.reserve(count);
  {
    // Moved, not copied: a number's memory changes hands, and none is left behind.
    const std::scoped_lock lock(ready_mutex_);
    const auto first = ready_.begin();
    const auto end = first + static_cast<std::ptrdiff_t>(std::min(count, ready_.size()));
    std::move(first, end, std::back_inserter(taken));
    ready_.erase(first, end);
  }
  std::ranges::move(fresh_randomisers(count - taken.size(), random), std::back_inserter(taken));
  return taken;
}

void PaillierDecryptionKey::prepare(std::size_t count, RandomSource& random) const {
  IntegerVector fresh = fresh_randomisers(count, random);
  const std::scoped_lock lock(ready_mutex_);
  std::ranges::move(fresh, std::back_inserter(ready_));
}

Ciphertexts PaillierDecryptionKey::encrypt(std::span<const Integer> plain,
                                           RandomSource& random) const {
  IntegerVector used = randomisers(plain.size(), random);
  const WipedAtEnd wiped(used);
  const Kernel& kernel = public_->kernel();
  return kernel.store(kernel.multiply(public_->unmasked(plain), kernel.load(used)));
}

}  // namespace sotto::paillier
