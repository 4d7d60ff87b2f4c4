// sotto::v1::Study: a study that has been read, behind a pointer.

#include "study/study.h"

#include <sotto/study.h>

#include "api/inside.h"
#include "study/settings.h"

namespace sotto::v1 {

std::string name_of(Solver solver) {
  return to_string(inside(solver));
}

Result<Study> Study::read(const std::string& path) {
  SOTTO_ASSIGN(auto source, read_study_text(path));
  return make(std::move(source));
}

Result<Study> Study::parse(std::string_view text, const std::string& name) {
  return make({.text = std::string(text), .name = name, .folder = {}});
}

Result<Study> Study::make(StudySource source) {
  SOTTO_ASSIGN(auto study, study_with(source, {}));
  return Study(std::make_shared<const sotto::Study>(std::move(study)),
               std::make_shared<const StudySource>(std::move(source)));
}

Result<Study> Study::with(const std::vector<std::pair<std::string, std::string>>& settings) const {
  std::vector<Setting> set;
  for (const auto& [key, value] : settings) set.push_back({key, value});
  SOTTO_ASSIGN(auto source, source_with(*source_, set));
  return make(std::move(source));
}

std::vector<std::string> Study::party_names() const {
  std::vector<std::string> names;
  for (const PartyTerms& party : study_->parties) names.push_back(party.name);
  return names;
}

const std::string& Study::text() const {
  return source_->text;
}

const std::string& Study::file() const {
  return source_->name;
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
