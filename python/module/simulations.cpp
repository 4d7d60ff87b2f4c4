// What takes long: simulations, the paper's figures, a run on the network. Each is done in a thread
// of its own, so that Ctrl-C works and progress is told by the thread that asked.

#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <sotto/join.h>
#include <sotto/paper.h>
#include <sotto/simulate.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "result.h"

namespace sotto::python {
namespace {

using v1::Simulation;
using v1::Solver;
using v1::Study;

// How far work has come: written by any thread, told to Python by the one that asked.
class Meter {
 public:
  explicit Meter(py::object tell) : tell_(std::move(tell)) {}

  [[nodiscard]] std::function<void(std::size_t, std::size_t)> callback() {
    return [this](std::size_t done, std::size_t all) {
      if (cancelled) throw Cancelled{};
      const std::scoped_lock lock(mutex_);
      done_ = done;
      all_ = all;
    };
  }

  void tell() {
    std::size_t done = 0;
    std::size_t all = 0;
    {
      const std::scoped_lock lock(mutex_);
      if (tell_.is_none() || done_ == told_) return;
      told_ = done = done_;
      all = all_;
    }
    tell_(done, all);
  }

  std::atomic<bool> cancelled = false;

 private:
  py::object tell_;
  std::mutex mutex_;
  std::size_t done_ = 0;
  std::size_t all_ = 0;
  std::size_t told_ = 0;
};

template <class Work>
auto metered(const py::object& progress, const Work& work) {
  Meter meter(progress);
  return unwrap(attended(
      meter.cancelled, [&] { return work(meter.callback()); }, [&] { meter.tell(); }));
}

// squared_error[solver, trial] and x[solver, trial, entry], in the order of the summary.
py::dict arrays_of(const Simulation& simulation) {
  const std::size_t solvers = simulation.summary.size();
  const std::size_t trials = solvers == 0 ? 0 : simulation.trials[0].squared_errors.size();
  const std::size_t m = simulation.x_star.size();
  py::array_t<double> errors({solvers, trials});
  py::array_t<double> x({solvers, trials, m});
  double* error = errors.mutable_data();
  double* entry = x.mutable_data();
  for (const v1::Trials& of : simulation.trials) {
    error = std::copy(of.squared_errors.begin(), of.squared_errors.end(), error);
    entry = std::copy(of.x.begin(), of.x.end(), entry);
  }
  py::dict refused;
  for (const auto& [solver, reason] : simulation.refused) {
    refused[py::str(name_of(solver))] = reason.to_string();
  }
  py::list summary;
  for (const v1::Summary& row : simulation.summary) {
    summary.append(py::dict(py::arg("solver") = name_of(row.solver), py::arg("mean") = row.mean,
                            py::arg("median") = row.median, py::arg("q25") = row.q25,
                            py::arg("q75") = row.q75));
  }
  return py::dict(py::arg("x_star") =
                      py::array_t<double>(static_cast<py::ssize_t>(m), simulation.x_star.data()),
                  py::arg("squared_error") = errors, py::arg("x") = x, py::arg("summary") = summary,
                  py::arg("refused") = refused, py::arg("json") = simulation.json);
}

v1::SimulateOptions options_of(std::vector<Solver> solvers, std::uint64_t seed, std::size_t trials,
                               std::size_t threads) {
  v1::SimulateOptions options;
  options.solvers = std::move(solvers);
  options.seed = seed;
  options.trials = trials;
  options.threads = threads;
  return options;
}

// Lines that a run tells, from its thread to the one that asked.
class Lines {
 public:
  void add(const std::string& line) {
    const std::scoped_lock lock(mutex_);
    lines_.push_back(line);
  }
  void tell(const py::object& to) {
    for (;;) {
      std::string line;
      {
        const std::scoped_lock lock(mutex_);
        if (lines_.empty()) return;
        line = std::move(lines_.front());
        lines_.pop_front();
      }
      if (!to.is_none()) to(line);
    }
  }

 private:
  std::mutex mutex_;
  std::deque<std::string> lines_;
};

// `agree` is asked by the run's thread, which waits for the answer; what it raises is no.
v1::Joined join_study(const Study& study, v1::JoinOptions options, const py::object& progress,
                      const py::object& agree) {
  std::atomic<bool> cancelled = false;
  Lines lines;
  std::string consent;
  std::optional<py::error_already_set> raised;
  options.on_event = [&](const std::string& line) {
    if (consent.empty()) consent = line;
    lines.add(line);
  };
  options.interrupted = [&] { return cancelled.load(); };
  if (!agree.is_none()) {
    options.agreed = [&] {
      const py::gil_scoped_acquire held;
      try {
        return py::cast<bool>(agree(consent));
      } catch (py::error_already_set& error) {
        raised.emplace(std::move(error));
        return false;
      }
    };
  }
  auto joined = attended(
      cancelled, [&] { return v1::join(study, options); }, [&] { lines.tell(progress); });
  if (raised) throw std::move(*raised);
  return unwrap(std::move(joined));
}

}  // namespace

void add_simulations(py::module_& module) {
  module.def("simulate",
             [](const Study& study, std::vector<Solver> solvers, std::uint64_t seed,
                std::size_t trials, std::size_t threads, bool json, const py::object& progress) {
               auto options = options_of(std::move(solvers), seed, trials, threads);
               options.json = json;
               return arrays_of(metered(progress, [&](auto tell) {
                 options.progress = tell;
                 return v1::simulate(study, options);
               }));
             });

  module.def(
      "sweep",
      [](const Study& study, std::vector<std::pair<std::string, std::vector<std::string>>> settings,
         std::vector<Solver> solvers, std::uint64_t seed, std::size_t trials, std::size_t threads,
         bool independent, const std::string& folder, const py::object& progress) {
        auto options = options_of(std::move(solvers), seed, trials, threads);
        v1::SweepOptions sweeping;
        sweeping.settings = std::move(settings);
        sweeping.independent = independent;
        sweeping.folder = folder;
        return metered(progress, [&](auto tell) {
          options.progress = tell;
          return v1::sweep(study, sweeping, options);
        });
      });

  module.def("reproduce", [](const std::string& figure, const std::string& folder,
                             std::uint64_t seed, bool independent, const py::object& progress) {
    const std::vector<std::string> names{"fig1", "fig2", "fig3", "all"};
    const auto found = std::ranges::find(names, figure);
    if (found == names.end()) throw py::value_error("figure is fig1, fig2, fig3 or all");
    v1::ReproduceOptions options;
    options.folder = folder;
    options.seed = seed;
    options.independent = independent;
    const auto made = metered(progress, [&](auto tell) {
      options.progress = tell;
      return v1::reproduce(static_cast<v1::Figure>(found - names.begin()), options);
    });
    return py::make_tuple(made.text, made.json);
  });

  using v1::JoinOptions;
  py::class_<JoinOptions>(module, "JoinOptions")
      .def(py::init<>())
      .def_readwrite("as_", &JoinOptions::as)
      .def_readwrite("data", &JoinOptions::data)
      .def_readwrite("table", &JoinOptions::table)
      .def_readwrite("query", &JoinOptions::query)
      .def_readwrite("home", &JoinOptions::home)
      .def_readwrite("account", &JoinOptions::account)
      .def_readwrite("listen", &JoinOptions::listen)
      .def_readwrite("out", &JoinOptions::out)
      .def_readwrite("again", &JoinOptions::again);
  py::class_<v1::Joined>(module, "Joined")
      .def_readonly("run", &v1::Joined::run)
      .def_readonly("files", &v1::Joined::files)
      .def_readonly("model", &v1::Joined::model)
      .def_readonly("before", &v1::Joined::before);
  module.def("join", &join_study);
}

}  // namespace sotto::python
