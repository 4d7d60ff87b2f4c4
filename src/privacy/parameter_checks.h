#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "graph/graph.h"
#include "graph/spectrum.h"

// What every calibration of this room asks of its parameters. Not for other rooms.
namespace sotto {

// ā from 2 (below, ⌈ā/√2⌉ = ā and nothing is drawn) to 2^31 (a product fits 64 bits).
inline constexpr std::uint64_t kMinMultiplierMax = 2;
inline constexpr std::uint64_t kMaxMultiplierMax = std::uint64_t{1} << 31;

[[nodiscard]] Result<void> require_g(double g);
[[nodiscard]] Result<void> require_multiplier_max(std::uint64_t multiplier_max);
// Two parties or more, in one piece.
[[nodiscard]] Result<void> require_network(const Graph& graph);
// At least two parties are honest, and no `colluders` parties cut the others apart.
[[nodiscard]] Result<void> require_colluders(const Graph& graph, std::size_t colluders);

// λ₂ rounded down and λ_max rounded up by more than they are computed wrongly.
[[nodiscard]] Spectrum safe_spectrum(const Graph& graph);

// 1 − (1+g)⁻²: the share of κ̄² that the noise of the sum leaves to the rest.
[[nodiscard]] double spare_share(double g);

}  // namespace sotto
