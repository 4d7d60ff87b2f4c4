#pragma once

#include <cstddef>
#include <stdexcept>
#include <vector>

#include "graph/graph.h"
#include "privacy/budget.h"
#include "privacy/calibrate/dishuf.h"
#include "privacy/observe/adversary.h"

// An independent table of reference values that this room is tested against.
// reference: 60-digit arithmetic, but for λ₂ and the shifts, which it solves for in
// doubles. On long cycles that is not enough (docs/FINDINGS.md, 16): λ₂ is off by up to
// 5e-13, and shifts were by up to 4.8e-4. The shifts of cycles of 50 and 250 below were
// therefore computed anew: by solving with the covariance in 80 digits (50), by the
// cycle's closed-form spectrum (250).
namespace sotto::reference {

// What most tests of this room ask for.
inline const Sensitivity kOne = *Sensitivity::make(1);

// The noise of the paper's Algorithm 2, also where it is too little to be allowed.
inline Result<ShuffleNoise> shared_noise(const Graph& graph, Sensitivity sensitivity,
                                         const Budget& budget,
                                         const ShuffleParameters& parameters = {},
                                         std::size_t colluders = 0) {
  return privacy::shared_noise(graph, sensitivity, budget, parameters, colluders);
}
inline const Budget kUsual = *Budget::make(1, 1e-6);

inline const Adversary& row_of(const std::vector<Adversary>& table, Observer observer) {
  for (const Adversary& row : table) {
    if (row.observer == observer) return row;
  }
  throw std::runtime_error("no row " + observer_name({.observer = observer}));
}

inline Graph graph(Topology topology, std::size_t parties) {
  switch (topology) {
    case Topology::kCycle:
      return *Graph::cycle(parties);
    case Topology::kPath:
      return *Graph::path(parties);
    case Topology::kStar:
      return *Graph::star(parties);
    case Topology::kComplete:
      return *Graph::complete(parties);
    case Topology::kGrid:
      return *Graph::grid(parties);
    default:
      return Graph::petersen();
  }
}

// Same graph and setting for `dishuf` (ā = 1000) and `pairwise`. The shifts are
// an eavesdropper's with all products ā²/2 and all ā².
struct Calibration {
  Topology topology;
  std::size_t parties;
  double epsilon, delta, mu, g;
  double lambda_2;
  double inverse_zeta;
  double sigma_gamma, sigma_eta;
  double shift_low, delta_low, shift_high, delta_high;
  double sigma_edge;
};

// clang-format off
inline constexpr Calibration kCalibrations[] = {
    {Topology::kCycle, 10, 10.0, 0.2, 3.0, 0.01, 0.38196601125010493, 2000001.0, 0.24559808835689806, 49.1589723575951, 3.8717372997420556, 0.19030317607977362, 3.864531554676618, 0.187977677834771, 8.399440226387057},
    {Topology::kCycle, 10, 1.0, 1e-06, 1.0, 0.001, 0.38196601125010493, 2000001.0, 1.3372967280776316, 849.404654213198, 0.23652275446197515, 9.843108643464082e-07, 0.23647876996834818, 9.805436574989734e-07, 145.09914329324678},
    {Topology::kCycle, 50, 10.0, 0.2, 3.0, 0.01, 0.01577059737104452, 2000001.0, 0.10983480414200474, 1369.766691754795, 3.8644575860890837, 0.18795387228522514, 3.8631701841357486, 0.18753975987379176, 43.17445123177083},
    {Topology::kCycle, 50, 1.0, 1e-06, 1.0, 0.001, 0.01577059737104452, 2000001.0, 0.5980572780139272, 23643.117872836334, 0.23647833898449833, 9.805068062627542e-07, 0.23647049069885667, 9.798359491532513e-07, 745.2197148998672},
    {Topology::kCycle, 250, 10.0, 0.2, 3.0, 0.01, 0.0006316214333997043, 2000001.0, 0.04911961767137961, 34615.75866395828, 3.8630845102865177, 0.18751221610618427, 3.862831403450601, 0.1874308539637327, 217.5257444727577},
    {Topology::kCycle, 250, 1.0, 1e-06, 1.0, 0.001, 0.0006316214333997043, 2000001.0, 0.2674593456155263, 597402.3519940623, 0.23646996925204483, 9.797913909263618e-07, 0.23646842663814685, 9.79659583082933e-07, 3754.081808138668},
    {Topology::kPath, 10, 10.0, 0.2, 3.0, 0.01, 0.09788696740969276, 2000001.0, 0.24559808835689806, 206.9251147538992, 3.8716741821278786, 0.1902827509789073, 3.8648479283273405, 0.18807951262021366, 16.592058358256565},
    {Topology::kPath, 10, 1.0, 1e-06, 1.0, 0.001, 0.09788696740969276, 2000001.0, 1.3372967280776316, 3574.7851802950045, 0.23652236780134536, 9.842776928789974e-07, 0.23648069841149294, 9.807085635593452e-07, 286.62546412216614},
    {Topology::kStar, 10, 10.0, 0.2, 3.0, 0.01, 0.9999999999999986, 9000001.0, 0.24559808835689806, 88.2374206150151, 3.9009010514873204, 0.19984343778932176, 3.8712445383173595, 0.1901437424736096, 5.191139546380315},
    {Topology::kStar, 10, 1.0, 1e-06, 1.0, 0.001, 0.9999999999999986, 9000001.0, 1.3372967280776316, 1524.475089222097, 0.2367014692114442, 9.997468063044655e-07, 0.23651966282327594, 9.840456609336917e-07, 89.6762022937179},
    {Topology::kComplete, 10, 10.0, 0.2, 3.0, 0.01, 9.999999999999993, 9000001.0, 0.24559808835689806, 4.133987877364347, 3.9013745483174933, 0.20000000000001886, 3.8633587871072885, 0.18760040129562336, 1.6415824618335078},
    {Topology::kComplete, 10, 1.0, 1e-06, 1.0, 0.001, 9.999999999999993, 9000001.0, 1.3372967280776316, 71.7085659811526, 0.23670438066341784, 9.999999999984459e-07, 0.2364716124942251, 9.79931813803203e-07, 28.358105116216443},
    {Topology::kPetersen, 10, 10.0, 0.2, 3.0, 0.01, 1.999999999999997, 3000001.0, 0.24559808835689806, 10.367749742642403, 3.884426512713894, 0.1944291108985162, 3.864793062234917, 0.18806185047765428, 3.670689975331179},
    {Topology::kPetersen, 10, 1.0, 1e-06, 1.0, 0.001, 1.999999999999997, 3000001.0, 1.3372967280776316, 179.32756447995922, 0.23660036434318957, 9.9098862659933e-07, 0.236480338300623, 9.80677767741704e-07, 63.41065075294456},
    {Topology::kGrid, 25, 10.0, 0.2, 3.0, 0.01, 0.38196601125010443, 4000001.0, 0.15532986963821568, 106.99912417156511, 3.8703627953541497, 0.1898586015712104, 3.864380364181449, 0.18792902114941468, 8.680970355245483},
    {Topology::kGrid, 25, 1.0, 1e-06, 1.0, 0.001, 0.38196601125010443, 4000001.0, 0.8457807136432324, 1847.30322375925, 0.23651435944495386, 9.835908767895062e-07, 0.2364778618946781, 9.804660141390527e-07, 149.8681647515705},
};
// clang-format on

// Worst shifts against a coalition, all products ā² = 1e6, noise as calibrated above.
struct Coalition {
  Topology topology;
  std::size_t parties;
  PartyId second;  // the coalition is {0}, or {0, second} if that is not 0
  double epsilon, delta, mu, g;
  double shuffle_shift, pairwise_shift;
};

// clang-format off
inline constexpr Coalition kCoalitions[] = {
    {Topology::kCycle, 10, 0, 10.0, 0.2, 3.0, 0.01, 7.511721474826105, 4.110746603209022},
    {Topology::kCycle, 10, 5, 10.0, 0.2, 3.0, 0.01, 10.220145088937626, 6.1166589354824294},
    {Topology::kCycle, 10, 0, 1.0, 1e-06, 1.0, 0.001, 0.4596346898908244, 0.24949877926605496},
    {Topology::kCycle, 10, 5, 1.0, 1e-06, 1.0, 0.001, 0.6256369738774089, 0.373944166121925},
    {Topology::kCycle, 50, 0, 10.0, 0.2, 3.0, 0.01, 7.68722638011139, 3.911739183516114},
    {Topology::kCycle, 50, 25, 10.0, 0.2, 3.0, 0.01, 10.811185172541157, 5.5786438293145855},
    {Topology::kCycle, 50, 0, 1.0, 1e-06, 1.0, 0.001, 0.4705243123510676, 0.2389283407940834},
    {Topology::kCycle, 50, 25, 1.0, 1e-06, 1.0, 0.001, 0.661829152021087, 0.34133183373673426},
    {Topology::kPath, 10, 0, 10.0, 0.2, 3.0, 0.01, 4.07924384419562, 4.081777156911686},
    {Topology::kPath, 10, 5, 10.0, 0.2, 3.0, 0.01, 10.219883775678314, 6.109879998549012},
    {Topology::kPath, 10, 0, 1.0, 1e-06, 1.0, 0.001, 0.24930507206402736, 0.2493205441569452},
    {Topology::kPath, 10, 5, 1.0, 1e-06, 1.0, 0.001, 0.6256353852172563, 0.3739028413400796},
    {Topology::kStar, 10, 0, 10.0, 0.2, 3.0, 0.01, 12.215126106384494, 12.215078790191813},
    {Topology::kStar, 10, 5, 10.0, 0.2, 3.0, 0.01, 12.215126106384494, 12.215078790191813},
    {Topology::kStar, 10, 0, 1.0, 1e-06, 1.0, 0.001, 0.7477774855495156, 0.7477771978381368},
    {Topology::kStar, 10, 5, 1.0, 1e-06, 1.0, 0.001, 0.7477774855495156, 0.7477771978381368},
    {Topology::kComplete, 10, 0, 10.0, 0.2, 3.0, 0.01, 12.23661628276448, 4.11189971086146},
    {Topology::kComplete, 10, 5, 10.0, 0.2, 3.0, 0.01, 12.23661628276448, 4.360652169006394},
    {Topology::kComplete, 10, 0, 1.0, 1e-06, 1.0, 0.001, 0.7479072201714934, 0.24950524317925293},
    {Topology::kComplete, 10, 5, 1.0, 1e-06, 1.0, 0.001, 0.7479072201714934, 0.2646361882892182},
    {Topology::kPetersen, 10, 0, 10.0, 0.2, 3.0, 0.01, 10.253822782162812, 4.11387448370757},
    {Topology::kPetersen, 10, 5, 10.0, 0.2, 3.0, 0.01, 11.061899025198015, 4.35626945008126},
    {Topology::kPetersen, 10, 0, 1.0, 1e-06, 1.0, 0.001, 0.6273304504952991, 0.24951753016913564},
    {Topology::kPetersen, 10, 5, 1.0, 1e-06, 1.0, 0.001, 0.6769384661113664, 0.26460927062106987},
    {Topology::kGrid, 25, 0, 10.0, 0.2, 3.0, 0.01, 11.933590204711134, 3.9552690478737693},
    {Topology::kGrid, 25, 12, 10.0, 0.2, 3.0, 0.01, 17.732604374632295, 4.040418105294947},
    {Topology::kGrid, 25, 0, 1.0, 1e-06, 1.0, 0.001, 0.7303858565477812, 0.24142257627307742},
    {Topology::kGrid, 25, 12, 1.0, 1e-06, 1.0, 0.001, 1.085544572434606, 0.24661554925252818},
};
// clang-format on

}  // namespace sotto::reference
