// sotto::v1::Model: a model file, what predictions make of it, and what else follows from it.

#include <sotto/model.h>

#include <fstream>
#include <iterator>

#include "base/files.h"
#include "base/json.h"
#include "run/predict.h"
#include "run/refit/refit.h"

namespace sotto::v1 {

struct Model::Inside {
  ModelFile model;
  RunRecord record;
  std::vector<Coefficient> coefficients;
  std::string json;
  std::string text;
};

Result<Model> Model::parse(const std::string& json, const std::string& name) {
  const Json file = parse_json(json);
  if (file.is_discarded()) {
    return bad_input("E-model-file", "this is no JSON", "use a model.json that sotto has written")
        .at(name);
  }
  auto inside = std::make_shared<Inside>();
  SOTTO_ASSIGN(inside->model, model_file_from_json(file, name));
  SOTTO_ASSIGN(inside->record, record_from_model_json(file, name));
  for (const RunRecord::Coefficient& c : inside->record.coefficients) {
    inside->coefficients.push_back({.name = c.name,
                                    .value = c.value,
                                    .standard_error = c.standard_error,
                                    .interval = c.interval,
                                    .t = c.t,
                                    .p = c.p});
  }
  inside->text = to_text(sotto::Model{.record = inside->record, .fit = {}});
  inside->json = json;
  return Model(std::move(inside));
}

Result<Model> Model::read(const std::string& path) {
  SOTTO_TRY(read_model_file(path));  // says what is wrong with a file that is none
  std::ifstream file(path, std::ios::binary);
  return parse({std::istreambuf_iterator<char>(file), {}}, path);
}

Result<void> Model::write(const std::string& path) const {
  return write_file(path, inside_->json);
}

const std::string& Model::study() const {
  return inside_->model.study;
}

const std::string& Model::target() const {
  return inside_->model.schema.target.column;
}

std::vector<std::string> Model::columns() const {
  std::vector<std::string> names;
  for (const TableColumn& column : inside_->model.schema.table_columns(false)) {
    names.push_back(column.name);
  }
  return names;
}

const std::vector<Coefficient>& Model::coefficients() const {
  return inside_->coefficients;
}

const std::string& Model::json() const {
  return inside_->json;
}

const std::string& Model::text() const {
  return inside_->text;
}

Result<Model> Model::refit(const Refit& words) const {
  SOTTO_ASSIGN(const auto model,
               sotto::refit(inside_->record, RefitWords{.model = {.target = words.target,
                                                                  .features = words.features,
                                                                  .without = words.without},
                                                        .bases = words.bases,
                                                        .estimator = words.estimator,
                                                        .ridge = words.ridge,
                                                        .instruments = words.instruments}));
  return parse(json_text(to_json(model)), "the refit");
}

namespace {

Predictions shown(sotto::Predictions found) {
  Predictions shown{.values = std::move(found.values),
                    .missing = found.missing,
                    .shortened = found.shortened,
                    .outside = found.outside};
  if (found.intervals) {
    for (std::size_t r = 0; r < shown.values.size(); ++r) {
      shown.intervals.push_back({.unshrunk = found.intervals->unshrunk[r],
                                 .mean = found.intervals->mean[r],
                                 .row = found.intervals->row[r]});
    }
  }
  return shown;
}

}  // namespace

Result<Predictions> Model::predict(const std::string& csv_file) const {
  SOTTO_ASSIGN(auto found, sotto::predict(inside_->model, csv_file));
  return shown(std::move(found));
}

Result<Predictions> Model::predict(const Table& rows, std::optional<double> level,
                                   const std::string& party) const {
  SOTTO_ASSIGN(auto found,
               sotto::predict(inside_->model, rows.inside(), {.party = party, .level = level}));
  return shown(std::move(found));
}

Result<Predictions> Model::predict(const std::string& csv_file, double level) const {
  SOTTO_ASSIGN(auto found, sotto::predict(inside_->model, csv_file, {.party = {}, .level = level}));
  return shown(std::move(found));
}

}  // namespace sotto::v1
