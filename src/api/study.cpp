// sotto::v1::Study: a study that has been read, behind a pointer.

#include "study/study.h"

#include <sotto/study.h>

#include "api/inside.h"

namespace sotto::v1 {

std::string name_of(Solver solver) {
  return to_string(inside(solver));
}

Result<Study> Study::read(const std::string& path) {
  SOTTO_ASSIGN(auto study, read_study(path));
  return Study(std::make_shared<const sotto::Study>(std::move(study)));
}

Result<Study> Study::parse(std::string_view text, const std::string& name) {
  SOTTO_ASSIGN(auto study, parse_study(text, name));
  return Study(std::make_shared<const sotto::Study>(std::move(study)));
}

const std::string& Study::name() const {
  return study_->name;
}

const std::string& Study::hash() const {
  return study_->hash;
}

Solver Study::solver() const {
  return outside(study_->solver);
}

std::size_t Study::parties() const {
  return study_->graph().size();
}

bool Study::over_tables() const {
  return study_->data.has_value();
}

}  // namespace sotto::v1
