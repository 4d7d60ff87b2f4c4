// Tables, the accounts that pay for what is released of them, and models.

#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <sotto/ledger.h>
#include <sotto/model.h>
#include <sotto/simulate.h>
#include <sotto/table.h>

#include <algorithm>
#include <string>
#include <vector>

#include "result.h"

namespace sotto::python {
namespace {

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

template <class Pick>
py::array_t<double> column(const std::vector<v1::PredictionInterval>& rows, const Pick& pick) {
  py::array_t<double> values(static_cast<py::ssize_t>(rows.size()));
  std::ranges::transform(rows, values.mutable_data(), pick);
  return values;
}

py::dict shown(const v1::Predictions& found) {
  py::dict shown(py::arg("prediction") = py::array_t<double>(
                     static_cast<py::ssize_t>(found.values.size()), found.values.data()),
                 py::arg("missing") = found.missing, py::arg("shortened") = found.shortened,
                 py::arg("outside") = found.outside);
  if (found.intervals.empty()) return shown;
  using Row = v1::PredictionInterval;
  shown["unshrunk"] = column(found.intervals, [](const Row& r) { return r.unshrunk; });
  shown["mean_low"] = column(found.intervals, [](const Row& r) { return r.mean.first; });
  shown["mean_high"] = column(found.intervals, [](const Row& r) { return r.mean.second; });
  shown["row_low"] = column(found.intervals, [](const Row& r) { return r.row.first; });
  shown["row_high"] = column(found.intervals, [](const Row& r) { return r.row.second; });
  return shown;
}

}  // namespace

void add_models(py::module_& module) {
  using v1::Account;
  using v1::Balance;
  using v1::Coefficient;
  using v1::Model;
  using v1::Refit;
  using v1::Table;

  py::class_<Table>(module, "Table")
      .def(py::init<std::string>())
      .def("add_numbers",
           [](Table& table, std::string name, const Numbers& values) {
             table.add_numbers(std::move(name),
                               std::vector<double>(values.data(), values.data() + values.size()));
           })
      .def("add_texts",
           [](Table& table, std::string name, std::vector<std::optional<std::string>> values) {
             table.add_texts(std::move(name), std::move(values));
           })
      .def_property_readonly("rows", &Table::rows);

  py::class_<Balance>(module, "Balance")
      .def_readonly("delta", &Balance::delta)
      .def_readonly("spent_epsilon", &Balance::spent_epsilon)
      .def_readonly("limit_epsilon", &Balance::limit_epsilon)
      .def_readonly("left_epsilon", &Balance::left_epsilon)
      .def_readonly("releases", &Balance::releases)
      .def_readonly("json", &Balance::json);

  py::class_<Account>(module, "Account")
      .def_static(
          "in_memory",
          [](double epsilon, double delta) { return unwrap(Account::in_memory(epsilon, delta)); })
      .def_static("open", [](const std::string& home,
                             const std::string& name) { return unwrap(Account::open(home, name)); })
      .def_static("create",
                  [](const std::string& home, const std::string& name, double epsilon,
                     double delta) { return unwrap(Account::create(home, name, epsilon, delta)); })
      .def_property_readonly("name", &Account::name)
      .def_property_readonly("home", &Account::home)
      .def("balance", [](const Account& account) {
        return unwrap(without_lock([&] { return account.balance(); }));
      });

  module.def("read_ledger", [](const std::string& home, const std::string& run) {
    return unwrap(without_lock([&] { return v1::read_ledger(home, run); }));
  });

  py::class_<Coefficient>(module, "Coefficient")
      .def_readonly("name", &Coefficient::name)
      .def_readonly("value", &Coefficient::value)
      .def_readonly("standard_error", &Coefficient::standard_error)
      .def_readonly("interval", &Coefficient::interval)
      .def_readonly("t", &Coefficient::t)
      .def_readonly("p", &Coefficient::p);

  py::class_<Model>(module, "Model")
      .def_static("read", [](const std::string& path) { return unwrap(Model::read(path)); })
      .def_static("parse", [](const std::string& json,
                              const std::string& name) { return unwrap(Model::parse(json, name)); })
      .def("write", [](const Model& model, const std::string& path) { unwrap(model.write(path)); })
      .def_property_readonly("study", &Model::study)
      .def_property_readonly("target", &Model::target)
      .def_property_readonly("columns", &Model::columns)
      .def_property_readonly("coefficients", &Model::coefficients)
      .def_property_readonly("json", &Model::json)
      .def_property_readonly("text", &Model::text)
      .def("predict",
           [](const Model& model, const Table& rows, std::optional<double> level,
              const std::string& party) {
             return shown(unwrap(without_lock([&] { return model.predict(rows, level, party); })));
           })
      .def("refit", [](const Model& model, std::string target, std::vector<std::string> features,
                       std::vector<std::string> without, std::vector<std::string> bases,
                       std::string estimator, std::optional<double> ridge,
                       std::vector<std::string> instruments) {
        const Refit words{.target = std::move(target),
                          .features = std::move(features),
                          .without = std::move(without),
                          .bases = std::move(bases),
                          .estimator = std::move(estimator),
                          .ridge = ridge,
                          .instruments = std::move(instruments)};
        return unwrap(without_lock([&] { return model.refit(words); }));
      });

  module.def("fit_tables", [](const v1::Study& study, const std::vector<Table>& tables,
                              const std::optional<Account>& account) {
    return unwrap(without_lock([&] { return v1::simulate_tables(study, tables, account); }));
  });
}

}  // namespace sotto::python
