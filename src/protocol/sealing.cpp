// Which noise is sealed how: the only place that asks.
#include "protocol/sealing.h"

#include <utility>

#include "base/check.h"

namespace sotto {

std::unique_ptr<Sealing> make_sealing(const Noise& noise, SealingInputs inputs) {
  if (const auto* local = std::get_if<LocalNoise>(&noise)) return protocol::seal_ac(*local, inputs);
  if (const auto* laplace = std::get_if<LaplaceNoise>(&noise)) {
    return protocol::seal_laplace(*laplace, inputs);
  }
  if (const auto* shuffle = std::get_if<ShuffleNoise>(&noise)) {
    return protocol::seal_dishuf(*shuffle, std::move(inputs));
  }
  const auto* pairwise = std::get_if<PairwiseNoise>(&noise);
  check(pairwise != nullptr, "gt seals nothing");
  return protocol::seal_pairwise(*pairwise, inputs);
}

}  // namespace sotto
