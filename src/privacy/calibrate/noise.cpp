#include "privacy/calibrate/noise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "base/check.h"
#include "base/named_settings.h"

// The solvers' names, as study files, records and messages write them, and the parameter g that
// two of them share.
namespace sotto {
namespace {

// In the order of the enum. Names are only ever added.
struct SolverNames {
  std::mutex mutex;
  std::vector<std::string> names{"gt", "dishuf", "ac", "pairwise"};
};

SolverNames& solver_table() {
  static SolverNames table;
  return table;
}

}  // namespace

std::vector<std::string> solver_names() {
  const std::scoped_lock lock(solver_table().mutex);
  return solver_table().names;
}

std::string to_string(Solver solver) {
  const auto place = static_cast<std::size_t>(solver);
  const std::vector<std::string> names = solver_names();
  check(place < names.size(), "a solver has a name");
  return names[place];
}

Result<Solver> solver_from(std::string_view name) {
  const std::vector<std::string> names = solver_names();
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<Solver>(found - names.begin());
  std::string choices;
  for (std::size_t k = 0; k < names.size(); ++k) {
    choices += fmt::format("{}{}", k == 0 ? "" : k + 1 == names.size() ? " or " : ", ", names[k]);
  }
  return bad_input("E-solver", fmt::format("there is no solver \"{}\"", name),
                   fmt::format("choose {}", choices));
}

Result<Solver> privacy::add_solver(const std::string& name) {
  const std::scoped_lock lock(solver_table().mutex);
  std::vector<std::string>& names = solver_table().names;
  const bool taken = std::ranges::find(names, name) != names.end();
  if (taken || !is_plain_name(name)) {
    return bad_input("E-mechanism-name",
                     fmt::format("a solver cannot be called \"{}\"{}", name,
                                 taken ? ": there is one of that name" : ""),
                     "choose a name of its own, of a-z, 0-9 and -");
  }
  names.push_back(name);
  return static_cast<Solver>(names.size() - 1);
}

// With r = bound/b: Var = 2b²·[1 − e^{−r}(1 + r + r²/2)]/(1 − e^{−r}), and 2b² without a bound.
double LaplaceNoise::sd() const {
  if (!bound) return std::sqrt(2.0) * scale;
  const double r = *bound / scale;
  if (r < 1e-3) return *bound / std::sqrt(3.0);  // flat, where the quotient would cancel
  const double inside = -std::expm1(-r);
  return scale * std::sqrt(2 * (inside - std::exp(-r) * r * (1 + r / 2)) / inside);
}

Result<void> privacy::require_g(double g) {
  if (std::isfinite(g) && g > 0) return {};
  return bad_input("E-g", fmt::format("g = {} is not an excess of noise", g),
                   "g is a finite number above 0, for example 0.001");
}

double privacy::spare_share(double g) {
  return -std::expm1(-2 * std::log1p(g));
}

}  // namespace sotto
