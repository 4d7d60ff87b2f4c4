#include "paillier/bytes.h"

#include "base/check.h"

namespace sotto {

std::string to_bytes(const Integer& number, std::size_t width) {
  const std::size_t bits = sgn(number) == 0 ? 0 : mpz_sizeinbase(number.get_mpz_t(), 2);
  check(sgn(number) >= 0 && bits <= 8 * width, "a number fits the bytes it is written to");
  std::string bytes(width, '\0');
  const std::size_t used = (bits + 7) / 8;
  mpz_export(bytes.data() + (width - used), nullptr, 1, 1, 1, 0, number.get_mpz_t());
  return bytes;
}

Integer from_bytes(std::string_view bytes) {
  Integer number;
  mpz_import(number.get_mpz_t(), bytes.size(), 1, 1, 1, 0, bytes.data());
  return number;
}

}  // namespace sotto
