// The table of mechanisms, and what most of them do the same.
#include "study/mechanism/mechanism.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "base/check.h"

namespace sotto {
namespace {

class MechanismTable {
 public:
  MechanismTable() {
    all_.push_back(mechanism::dishuf());
    all_.push_back(mechanism::pairwise());
    all_.push_back(mechanism::ac());
    all_.push_back(mechanism::gt());
  }

  [[nodiscard]] std::span<const std::unique_ptr<const Mechanism>> all() {
    const std::scoped_lock lock(mutex_);
    used_ = true;
    return all_;
  }

  Result<Solver> add(const std::string& name,
                     const std::function<std::unique_ptr<const Mechanism>(Solver)>& make) {
    const std::scoped_lock lock(mutex_);
    if (used_) {
      return bad_input("E-mechanism-late",
                       fmt::format("{} was added after a study had been read", name),
                       "register solvers first: before any study, plan or simulation");
    }
    SOTTO_ASSIGN(const auto solver, privacy::add_solver(name));
    all_.push_back(make(solver));
    return solver;
  }

 private:
  std::mutex mutex_;
  bool used_ = false;
  std::vector<std::unique_ptr<const Mechanism>> all_;
};

MechanismTable& mechanism_table() {
  static MechanismTable table;
  return table;
}

}  // namespace

Result<void> Mechanism::read(TomlReader section, Study& /*study*/) const {
  return section.finish();
}

Result<void> Mechanism::goes_with(const Study& /*study*/, const std::string& /*file*/) const {
  return {};
}

Result<std::vector<Adversary>> Mechanism::observe(const Study& study, ModelSize /*size*/,
                                                  const Noise& noise, std::size_t attempts) const {
  const PrivacyTerms& terms = study.privacy;
  return adversary_table(study.graph(), noise, terms.sensitivity, terms.budget, terms.colluders,
                         attempts);
}

std::span<const std::unique_ptr<const Mechanism>> mechanisms() {
  return mechanism_table().all();
}

const Mechanism& mechanism_of(Solver solver) {
  const auto all = mechanisms();
  const auto found = std::ranges::find_if(
      all, [&](const auto& mechanism) { return mechanism->solver() == solver; });
  check(found != all.end(), "a solver is registered");
  return **found;
}

Result<Solver> add_mechanism(const std::string& name,
                             const std::function<std::unique_ptr<const Mechanism>(Solver)>& make) {
  return mechanism_table().add(name, make);
}

bool tracks_gradient(Solver solver) {
  return mechanism_of(solver).seals() == SealKind::kTracking;
}

double mechanism::over_parties(const Study& study, double sigma) {
  return std::sqrt(static_cast<double>(study.graph().size())) * sigma;
}

}  // namespace sotto
