#pragma once

// Errors of the library on their way to Python, and work that Python waits for.

#include <pybind11/pybind11.h>
#include <sotto/result.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <optional>
#include <utility>

namespace sotto::python {

namespace py = pybind11;

// An error of the library, thrown; module.cpp makes of it what sotto/_errors.py defines.
struct Raised {
  Error error;
};

template <class T>
T unwrap(Result<T> result) {
  if (!result) throw Raised{std::move(result.error())};
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

// Without the interpreter's lock: other threads of Python go on meanwhile.
template <class Work>
auto without_lock(const Work& work) {
  const py::gil_scoped_release released;
  return work();
}

// Thrown through work that is no longer wanted.
struct Cancelled {};

// Does `work` in a thread of its own while this one looks after Python without holding its lock:
// `attend` tells what there is to tell, and signals are taken. What either raises makes `cancelled`
// true, which `work` is to look at, and is raised when the work has ended.
template <class Work, class Attend>
auto attended(std::atomic<bool>& cancelled, const Work& work, const Attend& attend) {
  constexpr std::chrono::milliseconds kBetweenLooks{50};
  std::optional<py::error_already_set> raised;  // let go where the lock is held
  const auto look = [&] {
    if (raised) return;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      attend();
    } catch (py::error_already_set& error) {
      raised.emplace(std::move(error));
      cancelled = true;
    }
  };
  auto result = std::async(std::launch::async, work);
  {
    const py::gil_scoped_release released;
    while (result.wait_for(kBetweenLooks) != std::future_status::ready) {
      const py::gil_scoped_acquire held;
      look();
    }
  }
  if (!raised) look();
  if (!raised) return result.get();
  try {
    static_cast<void>(result.get());
  } catch (...) {  // it was cancelled, and why is `raised`
  }
  throw std::move(*raised);
}

void add_studies(py::module_& module);
void add_simulations(py::module_& module);
void add_models(py::module_& module);

}  // namespace sotto::python
