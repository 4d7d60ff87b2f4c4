#pragma once

#include <array>
#include <bit>
#include <cstdint>

// xoshiro256++ as plain functions: SeededRandom draws from it behind an interface, the loops of the
// simulator without one. Here so that they draw the same bits.
namespace sotto::base {

using XoshiroState = std::array<std::uint64_t, 4>;

// splitmix64 (Steele, Lea, Flood 2014) over a mix of both words: close seeds and close streams give
// unrelated states.
[[nodiscard]] inline XoshiroState xoshiro_state(std::uint64_t seed, std::uint64_t stream) {
  auto splitmix = [](std::uint64_t& x) {
    std::uint64_t z = (x += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  };
  std::uint64_t mixed_stream = stream + 0x632be59bd9b4e019;
  std::uint64_t x = seed ^ splitmix(mixed_stream);
  XoshiroState state;
  for (std::uint64_t& word : state) word = splitmix(x);
  return state;
}

// xoshiro256++ 1.0 (Blackman, Vigna 2019).
[[nodiscard]] inline std::uint64_t xoshiro_next(XoshiroState& state) {
  const std::uint64_t result = std::rotl(state[0] + state[3], 23) + state[0];
  const std::uint64_t t = state[1] << 17;
  state[2] ^= state[0];
  state[3] ^= state[1];
  state[1] ^= state[2];
  state[0] ^= state[3];
  state[2] ^= t;
  state[3] = std::rotl(state[3], 45);
  return result;
}

}  // namespace sotto::base
