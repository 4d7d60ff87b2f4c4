#include "run/kept_json.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>

#include "base/digest.h"

namespace sotto {
namespace {

Json bounds_json(Bounds bounds) {
  return Json::array({bounds.lo, bounds.hi});
}

Bounds bounds_from(JsonFields& fields) {
  const Json pair = fields.json("bounds");
  const bool fine =
      pair.is_array() && pair.size() == 2 && pair[0].is_number() && pair[1].is_number();
  fields.expect(fine, "bounds", "two numbers");
  return fine ? Bounds{pair[0].get<double>(), pair[1].get<double>()} : Bounds{};
}

// {"column": …, "bounds": …}, and of a term {"term": {"columns": […]}} beside it.
Json number_json(const std::string& column, Bounds bounds, const std::optional<Term>& term) {
  Json json{{"column", column}, {"bounds", bounds_json(bounds)}};
  if (term) {
    json["term"] = {{"columns", json_list(term->columns, [](const Term::Column& each) -> Json {
                       return {{"column", each.name}, {"bounds", bounds_json(each.bounds)}};
                     })}};
  }
  return json;
}

std::optional<Term> term_from(JsonFields& fields, const std::string& text, const std::string& path,
                              std::string& problem) {
  if (!fields.has("term")) return std::nullopt;
  Term term;
  JsonFields inside(fields.json("term"), path + ".term", problem);
  for (const auto& [element, name] : inside.elements("columns")) {
    JsonFields column(*element, name, problem);
    term.columns.push_back({.name = column.text("column"), .bounds = bounds_from(column)});
  }
  auto expression = Expression::parse(text);
  bool fine = expression && expression->columns().size() == term.columns.size();
  for (std::size_t k = 0; fine && k < term.columns.size(); ++k) {
    fine = expression->columns()[k] == term.columns[k].name;
  }
  fields.expect(fine, "term", "a term of its columns");
  if (!fine) return std::nullopt;
  term.expression = *std::move(expression);
  return term;
}

Json feature_json(const Feature& feature) {
  if (const auto* levels = std::get_if<CategoricalFeature>(&feature)) {
    Json json{{"column", levels->column}, {"levels", levels->levels}};
    if (levels->numbers) json["numbers"] = true;
    if (levels->other) json["other"] = true;
    if (levels->by_party) json["by_party"] = true;
    return json;
  }
  if (const auto* spline = std::get_if<SplineFeature>(&feature)) {
    return {{"column", spline->column},
            {"bounds", bounds_json(spline->bounds)},
            {"knots", spline->knots},
            {"degree", spline->degree}};
  }
  const auto& number = std::get<NumericFeature>(feature);
  return number_json(number.column, number.bounds, number.term);
}

std::vector<double> knots_from(JsonFields& fields) {
  const Json& list = fields.json("knots");
  std::vector<double> knots;
  bool fine = list.is_array();
  for (std::size_t k = 0; fine && k < list.size(); ++k) {
    fine = list[k].is_number();
    if (fine) knots.push_back(list[k].get<double>());
  }
  fields.expect(fine, "knots", "numbers");
  return knots;
}

Feature feature_from(const Json& json, const std::string& path, std::string& problem) {
  JsonFields fields(json, path, problem);
  const std::string column = fields.text("column");
  if (fields.has("levels")) {
    const auto says = [&](const char* key) { return fields.has(key) && fields.truth(key); };
    return CategoricalFeature{column, fields.texts("levels"), says("numbers"), says("other"),
                              says("by_party")};
  }
  const Bounds bounds = bounds_from(fields);
  if (fields.has("knots")) {
    const double degree = fields.number("degree");
    const bool fine = degree == 1 || degree == 2 || degree == 3;
    fields.expect(fine, "degree", "1, 2 or 3");
    return SplineFeature{column, bounds, knots_from(fields),
                         fine ? static_cast<std::size_t>(degree) : 1};
  }
  return NumericFeature{column, bounds, term_from(fields, column, path, problem)};
}

// Files from before there was a choice have no such fields: all rows alike.
void read_weighting(JsonFields& fields, Schema& schema) {
  if (!fields.has("weighting")) return;
  const auto weighting = kWeightings.find(fields.text("weighting"));
  fields.expect(weighting.has_value(), "weighting", "\"none\" or \"bounded\"");
  schema.weighting = weighting.value_or(Weighting::kNone);
  if (!fields.json("rows").is_null()) schema.rows = fields.count("rows");
  schema.bounded_below = fields.optional_number("bounded_below");
}

std::string digest_of(Json json) {
  json.erase("digest");
  return to_hex(Digest("sotto kept file").add(json_line(json)).value());
}

// How each column's own values become z.
Json scaling_json(const Release& release) {
  const auto encoding = Encoding::make(release.schema);
  const Eigen::VectorXd scales = release.scales();
  Json list = Json::array();
  const auto add = [&](const ColumnScale& column) {
    list.push_back({{"middle", column.middle},
                    {"half", column.half},
                    {"scale", scales(static_cast<Eigen::Index>(list.size()))}});
  };
  if (release.schema.intercept) add({});
  for (std::size_t k = 0; k < release.schema.features.size(); ++k) {
    const std::size_t columns = entries_of(release.schema.features[k]);
    for (std::size_t c = 0; c < columns; ++c) add(encoding->feature_scale(k));
  }
  add(encoding->target_scale());
  return list;
}

Json triangle_json(const Eigen::MatrixXd& matrix) {
  Json list = Json::array();
  for (Eigen::Index r = 0; r < matrix.rows(); ++r) {
    for (Eigen::Index c = r; c < matrix.cols(); ++c) list.push_back(number_or_null(matrix(r, c)));
  }
  return list;
}

// Null, for the last entry alone, is NaN.
Eigen::MatrixXd triangle_from(JsonFields& fields, const char* name, Eigen::Index size) {
  const Json& list = fields.json(name);
  const auto entries = static_cast<std::size_t>(size * (size + 1) / 2);
  bool fine = list.is_array() && list.size() == entries;
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(size, size);
  std::size_t k = 0;
  for (Eigen::Index r = 0; fine && r < size; ++r) {
    for (Eigen::Index c = r; c < size; ++c, ++k) {
      const bool home = k + 1 == entries && list[k].is_null();
      fine = fine && (home || list[k].is_number());
      if (!fine) break;
      matrix(r, c) = matrix(c, r) =
          home ? std::numeric_limits<double>::quiet_NaN() : list[k].get<double>();
    }
  }
  fields.expect(fine, name, fmt::format("{} numbers", entries));
  return matrix;
}

}  // namespace

Result<Json> read_kept_json(const std::filesystem::path& file, const char* error,
                            const std::string& fix) {
  const auto bad = [&](const std::string& why) {
    return bad_input(error, fmt::format("cannot read {}: {}", file.string(), why), fix);
  };
  std::error_code problem;
  const std::uintmax_t size = std::filesystem::file_size(file, problem);
  if (problem) return bad(problem.message());
  if (size > kMaxKeptBytes) return bad(fmt::format("{} bytes is more than such a file has", size));
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream.is_open() || stream.bad()) return bad("reading failed");
  JsonFault fault;
  Json json = parse_json(text, &fault);
  if (!json.is_discarded()) return json;
  return bad(fault.byte > text.size() ? "it was cut short" : "it is not JSON");
}

Json with_digest(Json json) {
  json["digest"] = digest_of(json);
  return json;
}

Result<std::uint64_t> kept_version(const Json& json, const std::string& prefix,
                                   std::uint64_t newest, const std::string& file) {
  const auto format = json.is_object() ? json.find("format") : json.end();
  if (format == json.end() || !format->is_string()) return 1;
  const auto text = format->get<std::string>();
  std::uint64_t version = 0;
  if (text.starts_with(prefix)) {
    std::from_chars(text.data() + prefix.size(), text.data() + text.size(), version);
  }
  if (version >= 1 && version <= newest && text == fmt::format("{}{}", prefix, version)) {
    return version;
  }
  return bad_input("E-model-version",
                   fmt::format("its format is \"{}\", and this sotto reads up to \"{}{}\"", text,
                               prefix, newest),
                   version > newest ? "use the sotto that wrote it, or a newer one"
                                    : "name a record.json or model.json that sotto has written")
      .at(file);
}

Result<void> check_digest(const Json& json, const std::string& file) {
  const auto digest = json.find("digest");
  if (digest != json.end() && *digest == digest_of(json)) return {};
  return bad_input("E-model-digest",
                   "the file was changed after sotto wrote it: its digest differs",
                   "use the file as it was written")
      .at(file);
}

Json to_json(const NamedSettings& settings) {
  Json json = Json::object();
  for (const auto& [name, value] : settings.numbers) json[name] = value;
  for (const auto& [name, value] : settings.words) json[name] = value;
  return json;
}

Json schema_json(const Schema& schema) {
  const Target& target = schema.target;
  Json json{{"intercept", schema.intercept},
            {"missing", schema.missing == MissingRule::kError ? "error" : "drop"},
            {"missing_values", schema.missing_values},
            {"radius", schema.radius},
            {"weighting", kWeightings[schema.weighting]},
            {"rows", schema.rows == 0 ? Json(nullptr) : Json(schema.rows)},
            {"bounded_below", number_or_null(schema.bounded_below)},
            {"target", number_json(target.column, target.bounds, target.term)},
            {"features", json_list(schema.features, feature_json)}};
  if (schema.weight) {
    json["weight"] = number_json(schema.weight->column, schema.weight->bounds, std::nullopt);
  }
  if (schema.person) {
    json["person"] = {{"column", schema.person->column}, {"rows", schema.person->rows}};
  }
  return json;
}

Schema schema_from(const Json& json, const std::string& path, std::string& problem) {
  JsonFields fields(json, path, problem);
  Schema schema;
  schema.intercept = fields.truth("intercept");
  const std::string missing = fields.text("missing");
  fields.expect(missing == "drop" || missing == "error", "missing", "\"drop\" or \"error\"");
  schema.missing = missing == "error" ? MissingRule::kError : MissingRule::kDrop;
  // Files of 0.2 and before do not say it.
  schema.missing_values = fields.has("missing_values") ? fields.texts("missing_values")
                                                       : std::vector<std::string>{"", "NA"};
  schema.radius = fields.number("radius");
  read_weighting(fields, schema);
  JsonFields target(fields.json("target"), path + ".target", problem);
  schema.target.column = target.text("column");
  schema.target.bounds = bounds_from(target);
  schema.target.term = term_from(target, schema.target.column, path + ".target", problem);
  for (const auto& [element, name] : fields.elements("features")) {
    schema.features.push_back(feature_from(*element, name, problem));
  }
  if (fields.has("weight")) {
    JsonFields weight(fields.json("weight"), path + ".weight", problem);
    schema.weight = WeightColumn{weight.text("column"), bounds_from(weight)};
  }
  if (fields.has("person")) {
    JsonFields person(fields.json("person"), path + ".person", problem);
    schema.person =
        PersonColumn{person.text("column"), static_cast<std::int64_t>(person.count("rows"))};
  }
  return schema;
}

std::string_view weighting_name(const Release& release) {
  return kWeightings[release.schema.weighting];
}

Json release_json(const Release& release) {
  Eigen::MatrixXd noise_sd = release.noise_sd;
  if (!release.squares_released()) {
    noise_sd(release.target(), release.target()) = std::numeric_limits<double>::quiet_NaN();
  }
  return {{"weighting", kWeightings[release.schema.weighting]},
          {"columns", release.columns()},
          {"scaling", scaling_json(release)},
          {"sums", triangle_json(release.moments)},
          {"noise_sd", triangle_json(noise_sd)},
          {"encoding", schema_json(release.schema)}};
}

Release release_from(const Json& json, std::string& problem) {
  JsonFields fields(json, "release", problem);
  Release release;
  release.schema = schema_from(fields.json("encoding"), "release.encoding", problem);
  const auto weighting = kWeightings[release.schema.weighting];
  fields.expect(fields.text("weighting") == weighting, "weighting",
                fmt::format("\"{}\", as in its encoding", weighting));
  const auto valid = release.schema.validate();
  fields.expect(valid.has_value(), "encoding", valid ? "" : "a schema: " + valid.error().what);
  if (!problem.empty()) return release;
  const std::vector<std::string> columns = release.columns();
  fields.expect(fields.texts("columns") == columns, "columns", "those of the encoding");
  const auto size = static_cast<Eigen::Index>(columns.size());
  release.moments = triangle_from(fields, "sums", size);
  release.noise_sd = triangle_from(fields, "noise_sd", size);
  if (std::isnan(release.noise_sd(size - 1, size - 1))) release.noise_sd(size - 1, size - 1) = 0;
  // What solvers compute with: products of four of them are still numbers.
  const auto usable = [](const Eigen::MatrixXd& of) {
    return (of.array().abs() <= kMaxSum || of.array().isNaN()).all();
  };
  fields.expect(usable(release.moments), "sums", fmt::format("numbers up to {:g}", kMaxSum));
  // No grid is finer than this, and what is divided by it is still a number.
  constexpr double kLeastNoise = 1e-30;
  const auto is_noise = [](double sd) { return sd == 0 || (sd >= kLeastNoise && sd <= kMaxSum); };
  fields.expect(std::ranges::all_of(release.noise_sd.reshaped(), is_noise), "noise_sd",
                fmt::format("0, or from {:g} to {:g}", kLeastNoise, kMaxSum));
  return release;
}

}  // namespace sotto
