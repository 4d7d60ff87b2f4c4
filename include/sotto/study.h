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
#include <utility>
#include <vector>

namespace sotto {
struct Study;        // inside the library
struct StudySource;  // likewise
}  // namespace sotto

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

  // The same study with some keys set, as `--set` does: {"privacy.epsilon", "0.1"}; values as TOML
  // writes them.
  [[nodiscard]] Result<Study> with(
      const std::vector<std::pair<std::string, std::string>>& settings) const;

  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] const std::string& hash() const;  // SHA-256 of the file, hexadecimal
  [[nodiscard]] Solver solver() const;
  [[nodiscard]] std::size_t parties() const;
  [[nodiscard]] std::vector<std::string> party_names() const;
  [[nodiscard]] const std::string& text() const;  // as it was written
  [[nodiscard]] const std::string& file() const;  // where that was, or what stands for it
  [[nodiscard]] bool over_tables() const;  // has [data]; otherwise its costs come from [problem]

  // For sotto itself.
  [[nodiscard]] const sotto::Study& inside() const { return *study_; }
  [[nodiscard]] const sotto::StudySource& source() const { return *source_; }

 private:
  Study(std::shared_ptr<const sotto::Study> study, std::shared_ptr<const sotto::StudySource> source)
      : study_(std::move(study)), source_(std::move(source)) {}
  [[nodiscard]] static Result<Study> make(sotto::StudySource source);

  std::shared_ptr<const sotto::Study> study_;
  std::shared_ptr<const sotto::StudySource> source_;
};

}  // namespace sotto::v1
