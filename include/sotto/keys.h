#pragma once

// Keys that a solver, an estimator or a topology of your own has in the study: a section of its
// name, read, checked and shown by `sotto study keys` like every other.

#include <string>
#include <vector>

namespace sotto::v1 {

// A key of the section [NAME]: a number between `least` and `most`, or one of `choices`.
struct AddedKey {
  std::string name = {};
  std::string about = {};                 // one sentence, for `sotto study keys`
  double fallback = 1;                    // a number's, where the study does not say
  double least = 1e-100;                  // of numbers
  double most = 1e100;                    //
  std::vector<std::string> choices = {};  // words; the first is what holds without the key
};

}  // namespace sotto::v1
