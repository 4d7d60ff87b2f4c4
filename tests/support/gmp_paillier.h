#pragma once

// Paillier as the well-known libraries write it on GMP: what our benchmarks are compared with.

#include "base/integer.h"
#include "base/random.h"
#include "paillier/primes.h"

namespace sotto::bench {

struct GmpPaillier {
  Integer p, q, n, n2, p2, q2, p_scale, q_scale, p_inverse;

  explicit GmpPaillier(const paillier::PrimePair& primes)
      : p(primes.p), q(primes.q), n(p * q), n2(n * n), p2(p * p), q2(q * q) {
    p_scale = inverse(Integer(-q), p);
    q_scale = inverse(Integer(-p), q);
    p_inverse = inverse(p, q);
  }

  static Integer inverse(const Integer& x, const Integer& m) {
    Integer result;
    mpz_invert(result.get_mpz_t(), x.get_mpz_t(), m.get_mpz_t());
    return result;
  }
  static Integer power(const Integer& x, const Integer& e, const Integer& m) {
    Integer result;
    mpz_powm(result.get_mpz_t(), x.get_mpz_t(), e.get_mpz_t(), m.get_mpz_t());
    return result;
  }

  // (1 + mN)·r^N
  [[nodiscard]] Integer encrypt(const Integer& m, RandomSource& random) const {
    const Integer r = 1 + random.below(Integer(n - 1));
    Integer c = (1 + m * n) % n2 * power(r, n, n2) % n2;
    if (sgn(c) < 0) c += n2;
    return c;
  }
  [[nodiscard]] Integer rerandomise(const Integer& c, RandomSource& random) const {
    const Integer r = 1 + random.below(Integer(n - 1));
    return c * power(r, n, n2) % n2;
  }
  [[nodiscard]] Integer add(const Integer& x, const Integer& y) const { return x * y % n2; }
  [[nodiscard]] Integer multiply(const Integer& c, const Integer& k) const {
    return power(c, k, n2);
  }
  [[nodiscard]] Integer decrypt(const Integer& c) const {
    const Integer modulo_p = (power(c % p2, p - 1, p2) - 1) / p * p_scale % p;
    const Integer modulo_q = (power(c % q2, q - 1, q2) - 1) / q * q_scale % q;
    Integer steps = (modulo_q - modulo_p) * p_inverse % q;
    if (sgn(steps) < 0) steps += q;
    const Integer m = modulo_p + p * steps;
    return 2 * m > n ? Integer(m - n) : m;
  }
};

}  // namespace sotto::bench
