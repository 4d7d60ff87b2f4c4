// Studies and their plans.

#include <pybind11/stl.h>
#include <sotto/plan.h>
#include <sotto/study.h>

#include <string>
#include <vector>

#include "result.h"

namespace sotto::python {

void add_studies(py::module_& module) {
  using v1::Observer;
  using v1::Plan;
  using v1::Solver;
  using v1::Study;

  py::enum_<Solver>(module, "Solver")
      .value("gt", Solver::kGt)
      .value("dishuf", Solver::kDishuf)
      .value("ac", Solver::kAc)
      .value("pairwise", Solver::kPairwise);

  py::class_<Study>(module, "Study")
      .def_static("read", [](const std::string& path) { return unwrap(Study::read(path)); })
      .def_static("parse", [](const std::string& text,
                              const std::string& name) { return unwrap(Study::parse(text, name)); })
      .def("with_settings",
           [](const Study& study, const std::vector<std::pair<std::string, std::string>>& set) {
             return unwrap(study.with(set));
           })
      .def_property_readonly("name", &Study::name)
      .def_property_readonly("hash", &Study::hash)
      .def_property_readonly("solver", &Study::solver)
      .def_property_readonly("parties", &Study::parties)
      .def_property_readonly("party_names", &Study::party_names)
      .def_property_readonly("over_tables", &Study::over_tables)
      .def_property_readonly("text", &Study::text)
      .def_property_readonly("file", &Study::file);

  py::class_<Observer>(module, "Observer")
      .def_readonly("name", &Observer::name)
      .def_readonly("shift", &Observer::shift)
      .def_readonly("delta_at_epsilon", &Observer::delta_at_epsilon)
      .def_readonly("epsilon_at_delta", &Observer::epsilon_at_delta);

  py::class_<Plan>(module, "Plan")
      .def_readonly("solver", &Plan::solver)
      .def_readonly("epsilon", &Plan::epsilon)
      .def_readonly("delta", &Plan::delta)
      .def_readonly("sensitivity", &Plan::sensitivity)
      .def_readonly("sum_noise_sd", &Plan::sum_noise_sd)
      .def_readonly("central_ratio", &Plan::central_ratio)
      .def_readonly("observers", &Plan::observers)
      .def_readonly("rounds", &Plan::rounds)
      .def_readonly("messages", &Plan::messages)
      .def_readonly("bytes", &Plan::bytes)
      .def_readonly("warnings", &Plan::warnings)
      .def_readonly("text", &Plan::text)
      .def_readonly("json", &Plan::json);

  module.def("make_plan", [](const Study& study, std::optional<Solver> solver) {
    return unwrap(without_lock([&] { return make_plan(study, solver.value_or(study.solver())); }));
  });
}

}  // namespace sotto::python
