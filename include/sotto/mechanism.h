#pragma once

// A solver of your own: noise that every party adds to its numbers before they are averaged, what
// observers learn of that, and its words. Registered once, it is a solver like the others: in
// studies, plans, simulations and reports. docs/ADDING_A_SOLVER.md adds one on a page.
//
// A mechanism is told what is public, and says which noise it wants. It never sees a number of
// anybody's: sotto draws the noise, exactly, and adds it.

#include <sotto/keys.h>
#include <sotto/study.h>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::v1 {

// A key of the mechanism's section in a study, [NAME].
using MechanismKey = AddedKey;

// All that a mechanism may look at.
struct MechanismTerms {
  double epsilon = 0;
  double delta = 0;
  double sensitivity = 0;         // how far what is protected moves a release: Euclidean length
  std::size_t entries = 0;        // numbers that each party releases
  std::size_t entries_moved = 0;  // of them, how many it may move: 1, or all for a row
  std::size_t parties = 0;
  std::map<std::string, double> numbers = {};     // of its section, with what holds without a key
  std::map<std::string, std::string> words = {};  //
};

// What every party adds to each of its numbers. An entry with weight w (tables) gets 1/w of it.
struct AddedNoise {
  enum class Law { kGaussian, kLaplace };
  Law law = Law::kGaussian;
  double scale = 0;                  // σ, or b of the density ∝ e^{−|x|/b}
  std::optional<double> bound = {};  // Laplace: cut off at ±bound
};

[[nodiscard]] AddedNoise gaussian_noise(double sigma);
[[nodiscard]] AddedNoise laplace_noise(double scale);
[[nodiscard]] AddedNoise truncated_laplace_noise(double scale, double bound);

// What an observer learns: the mechanism is (ε, delta_at_epsilon)-private at the study's ε, and
// (epsilon_at_delta, δ)-private at its δ.
struct ObserverClaim {
  double delta_at_epsilon = 0;
  double epsilon_at_delta = 0;
};

class Mechanism {
 public:
  virtual ~Mechanism() = default;

  // As [study] solver writes it: of a-z, 0-9 and -.
  [[nodiscard]] virtual std::string name() const = 0;
  // What the parties do: "everybody adds Laplace noise, then average".
  [[nodiscard]] virtual std::string about() const = 0;

  [[nodiscard]] virtual std::vector<MechanismKey> keys() const { return {}; }

  // The noise that keeps (ε, δ), or an error that says what would.
  [[nodiscard]] virtual Result<AddedNoise> calibrate(const MechanismTerms& terms) const = 0;

  // What somebody who watches learns: "eavesdropper", "neighbour", "colluders-T" or
  // "all-neighbours". Without an answer sotto takes what it can prove of the noise; an answer is
  // shown as a claim, and refused where the noise itself disproves it.
  [[nodiscard]] virtual std::optional<ObserverClaim> claim(std::string_view observer,
                                                           const MechanismTerms& terms,
                                                           const AddedNoise& noise) const;
};

// From here on a study may say solver = "NAME", and `Solver` has one value more. Before the first
// study is read: E-mechanism-late, E-mechanism-name, E-mechanism-key.
[[nodiscard]] Result<Solver> register_mechanism(std::unique_ptr<const Mechanism> mechanism);

}  // namespace sotto::v1
