#pragma once

// A study is what all parties agree on: privacy, graph, solver, and what the tables look like.
// It is a file, study.toml, and everything else here starts from one.
//
// All of this is in sotto::v1. A sotto that changes what something here means calls it v2.

#include <sotto/result.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace sotto {
struct Study;  // inside the library
}

namespace sotto::v1 {

enum class Solver {
  kGt,        // gradient tracking on perturbed costs
  kDishuf,    // neighbours shuffle their sums under encryption, then average
  kAc,        // everybody adds noise, then average
  kPairwise,  // neighbours agree on masks that cancel, then average
};

// "gt", "dishuf", "ac", "pairwise", as in a study.
[[nodiscard]] std::string name_of(Solver solver);

// A study that has been read and found good. Cheap to copy, safe to share between threads.
class Study {
 public:
  // Unknown keys are errors, and privacy has no defaults. Errors say line and column.
  [[nodiscard]] static Result<Study> read(const std::string& path);
  // The same from text; `name` stands for the file in errors.
  [[nodiscard]] static Result<Study> parse(std::string_view text, const std::string& name);

  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] const std::string& hash() const;  // SHA-256 of the file, hexadecimal
  [[nodiscard]] Solver solver() const;
  [[nodiscard]] std::size_t parties() const;
  [[nodiscard]] bool over_tables() const;  // has [data]; otherwise its costs come from [problem]

  // For sotto itself.
  [[nodiscard]] const sotto::Study& inside() const { return *study_; }

 private:
  explicit Study(std::shared_ptr<const sotto::Study> study) : study_(std::move(study)) {}

  std::shared_ptr<const sotto::Study> study_;
};

}  // namespace sotto::v1
