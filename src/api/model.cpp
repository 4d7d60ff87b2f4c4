// sotto::v1::Model: a model file, and what predictions make of it.

#include <sotto/model.h>

#include <fstream>
#include <iterator>

#include "base/files.h"
#include "base/json.h"
#include "run/predict.h"

namespace sotto::v1 {

struct Model::Inside {
  ModelFile model;
  std::vector<Coefficient> coefficients;
  std::string json;
};

Result<Model> Model::parse(const std::string& json, const std::string& name) {
  const Json file = parse_json(json);
  if (file.is_discarded()) {
    return bad_input("E-model-file", "this is no JSON", "use a model.json that sotto has written")
        .at(name);
  }
  SOTTO_ASSIGN(auto model, model_file_from_json(file, name));
  auto inside = std::make_shared<Inside>();
  for (std::size_t k = 0; k < model.coefficients.size(); ++k) {
    const auto& c = model.coefficients[k];
    Coefficient coefficient{.name = c.name, .value = c.value, .standard_error = c.standard_error};
    const Json& bounds = file["coefficients"][k].value("interval", Json());
    if (bounds.is_array() && bounds.size() == 2 && bounds[0].is_number() && bounds[1].is_number()) {
      coefficient.interval = {bounds[0].get<double>(), bounds[1].get<double>()};
    }
    inside->coefficients.push_back(std::move(coefficient));
  }
  inside->model = std::move(model);
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

const std::vector<Coefficient>& Model::coefficients() const {
  return inside_->coefficients;
}

const std::string& Model::json() const {
  return inside_->json;
}

Result<Predictions> Model::predict(const std::string& csv_file) const {
  SOTTO_ASSIGN(auto found, sotto::predict(inside_->model, csv_file));
  return Predictions{.values = std::move(found.values),
                     .missing = found.missing,
                     .shortened = found.shortened,
                     .outside = found.outside};
}

}  // namespace sotto::v1
