#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "privacy/observe/adversary.h"
#include "study/sections.h"
#include "study/study.h"
#include "study/study_keys.h"

// What a solver is, in one place: its section in the study, its noise, what observers see of that,
// and its words. dishuf, pairwise, ac and gt are four files of this folder, and whoever links sotto
// may add one (include/sotto/mechanism.h). How noise is sealed is not here: a mechanism says which
// it has, and privacy/seal.h adds it, so that no mechanism ever holds a Secret.
namespace sotto {

// What happens to a party's numbers before the rounds.
enum class SealKind {
  kLocal,     // every party adds noise for itself
  kShuffle,   // neighbours shuffle under encryption
  kPairwise,  // neighbours agree on masks that cancel
  kTracking,  // costs get noise, and gradient tracking takes the place of averaging
};

struct MechanismWords {
  std::string_view how;    // what the parties do: "everybody adds noise for itself, then average"
  std::string_view title;  // two or three words
  std::string_view stands_on;  // a sentence on what its promise needs beside noise; empty: nothing
};

// m, and how many numbers every party releases.
struct ModelSize {
  std::size_t dimension = 0;
  std::size_t entries = 0;
};

struct Calibrated {
  Noise noise;
  double sum_noise_sd = 0;                    // of one entry of the sum that everybody ends with
  std::optional<double> sum_noise_of_a = {};  // gt: of an entry of A; then the above is of one of B
  std::vector<std::string> warnings = {};
};

class Mechanism {
 public:
  explicit Mechanism(Solver solver) : solver_(solver) {}
  Mechanism(const Mechanism&) = delete;
  Mechanism& operator=(const Mechanism&) = delete;
  virtual ~Mechanism() = default;

  [[nodiscard]] Solver solver() const { return solver_; }
  [[nodiscard]] virtual SealKind seals() const = 0;
  // Whether privacy is κ_ε of a row's shift; otherwise the shift only stands for the row's δ.
  [[nodiscard]] virtual bool gaussian() const { return true; }
  [[nodiscard]] virtual MechanismWords words() const = 0;

  // The section of its name in a study; without keys there is none. Read whichever solver the study
  // has, so that solvers can be compared.
  [[nodiscard]] virtual std::span<const StudyKey> keys() const { return {}; }
  [[nodiscard]] virtual Result<void> read(TomlReader section, Study& study) const;
  // What of a study that has been read does not go together. `file` is for the place.
  [[nodiscard]] virtual Result<void> goes_with(const Study& study, const std::string& file) const;

  // The noise that keeps what the study asks for, or why there is none.
  [[nodiscard]] virtual Result<Calibrated> calibrate(const Study& study, ModelSize size) const = 0;

  // A row for each observer, of a run that may have to seal `attempts` times.
  [[nodiscard]] virtual Result<std::vector<Adversary>> observe(const Study& study, ModelSize size,
                                                               const Noise& noise,
                                                               std::size_t attempts) const;

  // The noise for scripts, and for a person.
  [[nodiscard]] virtual nlohmann::ordered_json noise_json(const Noise& noise) const = 0;
  [[nodiscard]] virtual std::string noise_text(const Noise& noise) const = 0;

 private:
  Solver solver_;
};

// All of them, in the order in which people are told of them. From the first call on none can be
// added: within one process a study means one thing.
[[nodiscard]] std::span<const std::unique_ptr<const Mechanism>> mechanisms();
[[nodiscard]] const Mechanism& mechanism_of(Solver solver);

// Adds what `make` makes of the number that the name gets. E-mechanism-name, E-mechanism-late.
[[nodiscard]] Result<Solver> add_mechanism(
    const std::string& name, const std::function<std::unique_ptr<const Mechanism>(Solver)>& make);

// gt and its like: no averaging, no equations that are solved at the end.
[[nodiscard]] bool tracks_gradient(Solver solver);

namespace mechanism {

// The four: each line registers one.
[[nodiscard]] std::unique_ptr<const Mechanism> dishuf();
[[nodiscard]] std::unique_ptr<const Mechanism> pairwise();
[[nodiscard]] std::unique_ptr<const Mechanism> ac();
[[nodiscard]] std::unique_ptr<const Mechanism> gt();

// √n·σ: of a sum of n draws.
[[nodiscard]] double over_parties(const Study& study, double sigma);

}  // namespace mechanism
}  // namespace sotto
