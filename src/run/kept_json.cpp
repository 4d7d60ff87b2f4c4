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

Bounds read_bounds(JsonFields& fields) {
  const Json pair = fields.json("bounds");
  const bool fine =
      pair.is_array() && pair.size() == 2 && pair[0].is_number() && pair[1].is_number();
  fields.expect(fine, "bounds", "two numbers");
  return fine ? Bounds{pair[0].get<double>(), pair[1].get<double>()} : Bounds{};
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
    const auto* levels = std::get_if<CategoricalFeature>(&release.schema.features[k]);
    const std::size_t columns = levels == nullptr ? 1 : levels->levels.size() - 1;
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

Json schema_json(const Schema& schema) {
  auto bounds = [](Bounds b) { return Json::array({b.lo, b.hi}); };
  auto feature_json = [&](const Feature& feature) -> Json {
    if (const auto* numeric = std::get_if<NumericFeature>(&feature)) {
      return {{"column", numeric->column}, {"bounds", bounds(numeric->bounds)}};
    }
    const auto& categorical = std::get<CategoricalFeature>(feature);
    return {{"column", categorical.column}, {"levels", categorical.levels}};
  };
  return {{"intercept", schema.intercept},
          {"missing", schema.missing == MissingRule::kError ? "error" : "drop"},
          {"radius", schema.radius},
          {"weighting", kWeightings[schema.weighting]},
          {"rows", schema.rows == 0 ? Json(nullptr) : Json(schema.rows)},
          {"bounded_below", number_or_null(schema.bounded_below)},
          {"target", {{"column", schema.target.column}, {"bounds", bounds(schema.target.bounds)}}},
          {"features", json_list(schema.features, feature_json)}};
}

Schema schema_from(const Json& json, const std::string& path, std::string& problem) {
  JsonFields fields(json, path, problem);
  Schema schema;
  schema.intercept = fields.truth("intercept");
  const std::string missing = fields.text("missing");
  fields.expect(missing == "drop" || missing == "error", "missing", "\"drop\" or \"error\"");
  schema.missing = missing == "error" ? MissingRule::kError : MissingRule::kDrop;
  schema.radius = fields.number("radius");
  read_weighting(fields, schema);
  JsonFields target(fields.json("target"), path + ".target", problem);
  schema.target.column = target.text("column");
  schema.target.bounds = read_bounds(target);
  for (const auto& [element, name] : fields.elements("features")) {
    JsonFields feature(*element, name, problem);
    const std::string column = feature.text("column");
    if (feature.has("levels")) {
      schema.features.emplace_back(CategoricalFeature{column, feature.texts("levels")});
    } else {
      schema.features.emplace_back(NumericFeature{column, read_bounds(feature)});
    }
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
  fields.expect((release.noise_sd.array() >= 0).all(), "noise_sd", "0 or more");
  return release;
}

}  // namespace sotto
