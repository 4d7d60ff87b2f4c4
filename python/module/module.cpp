// The compiled half of the Python package: the public library (include/sotto/), as it is. What
// makes it pleasant to use is in python/sotto/.

#include <pybind11/stl.h>

#include "result.h"

namespace sotto::python {
namespace {

// sotto.Failed, sotto.BadInput or sotto.Refused.
py::object as_exception(const Error& error) {
  const py::module_ errors = py::module_::import("sotto._errors");
  py::list others;
  for (const Error& other : error.others) others.append(as_exception(other));
  return errors.attr("of_status")(static_cast<int>(error.status), error.name, error.what,
                                  error.where, error.fix, others, error.unlisted);
}

}  // namespace
}  // namespace sotto::python

PYBIND11_MODULE(_sotto, module) {
  module.doc() = "The compiled half of sotto; import sotto instead.";
  pybind11::register_local_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(std::move(thrown));
    } catch (const sotto::python::Raised& raised) {
      const pybind11::object exception = sotto::python::as_exception(raised.error);
      PyErr_SetObject(pybind11::type::of(exception).ptr(), exception.ptr());
    }
  });
  sotto::python::add_studies(module);
  sotto::python::add_simulations(module);
  sotto::python::add_models(module);
}
