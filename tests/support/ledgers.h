#pragma once

#include <gtest/gtest.h>

#include <string>

#include "privacy/composition.h"
#include "support/stores.h"

namespace sotto {

// A store whose runs spend.
class StoreLedger : public StoreTest {
 protected:
  // A run of its own that spends; the error's name if it may not.
  std::string spend(Store& store, Debit asked) {
    asked.run = fmt::format("{:x}", ++runs_);
    const auto kept = journal(store, asked.run);
    if (auto held = kept->reserve(asked); !held) {
      last_ = held.error();
      return last_.name;
    }
    kept->spend(asked.run, asked.attempt);
    return name_of(kept->commit());
  }
  std::string spend(Store& store, double squares, const std::string& data = "table") {
    return spend(store, debit("01", squares, 0, "", data));
  }
  // One run at (1, 10⁻⁶) whose noise is exactly that of a trusted centre.
  static Debit at_one() {
    Debit asked = debit("01", largest_squares(1, 1e-6));
    asked.epsilon = 1;
    asked.delta = 1e-6;
    return asked;
  }
  static Debit by_gt(double epsilon, double delta) {
    Debit asked = debit("01", largest_squares(epsilon, delta));
    asked.unit = "entry";
    asked.epsilon = asked.laplace_epsilon = epsilon;
    asked.delta = asked.laplace_delta = delta;
    return asked;
  }
  static double squares(const Store& store) { return store.account("table")->guaranteed.squares; }

  Error last_;

 private:
  int runs_ = 0;
};

}  // namespace sotto
