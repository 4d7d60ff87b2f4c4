#include "run/run_record.h"

#include <fmt/core.h>

#include <limits>

#include "base/files.h"
#include "base/json.h"
#include "run/kept_json.h"

namespace sotto {
namespace {

// Coefficients have t and p from this version on, and there is a summary.
constexpr std::uint64_t kSummaryVersion = 3;
// Far above what any study may ask for.
constexpr double kMaxEpsilon = 1e9;

// The value that a field's name stands for.
template <class Parse>
auto read_name(JsonFields& fields, const char* field, Parse parse, const std::string& names) {
  const auto value = parse(fields.text(field));
  fields.expect(value.has_value(), field, names);
  return value ? *value : typename decltype(value)::value_type{};
}

RunRecord::Coefficient coefficient_from(const Json& json, const std::string& path,
                                        std::uint64_t version, std::string& problem) {
  JsonFields fields(json, path, problem);
  RunRecord::Coefficient c;
  c.name = fields.text("name");
  c.value = fields.number("value");
  c.standard_error = fields.optional_number("standard_error");
  fields.expect(!c.standard_error || *c.standard_error >= 0, "standard_error", "0 or more");
  const Json interval = fields.json("interval");
  const bool pair = interval.is_array() && interval.size() == 2 && interval[0].is_number() &&
                    interval[1].is_number();
  if (pair) c.interval = {interval[0].get<double>(), interval[1].get<double>()};
  fields.expect(interval.is_null() || (pair && c.interval->first <= c.interval->second), "interval",
                "null, or a lower and an upper end");
  c.unshrunk = fields.optional_number("unshrunk");
  if (version >= kSummaryVersion) {
    c.degrees_of_freedom = fields.optional_number("degrees_of_freedom");
    c.t = fields.optional_number("t");
    c.p = fields.optional_number("p");
    c.noise_share = fields.optional_number("noise_share");
    // Infinitely many degrees of freedom are null.
    if (c.t && !c.degrees_of_freedom) {
      c.degrees_of_freedom = std::numeric_limits<double>::infinity();
    }
    fields.expect(!c.degrees_of_freedom || *c.degrees_of_freedom > 0, "degrees_of_freedom",
                  "above 0");
    fields.expect(!c.p || (*c.p >= 0 && *c.p <= 1), "p", "a probability");
  }
  fields.finish();
  return c;
}

Adversary adversary_from(const Json& json, const std::string& path, std::string& problem) {
  JsonFields fields(json, path, problem);
  Adversary a = read_name(fields, "name", observer_from,
                          "\"eavesdropper\", \"neighbour\", \"colluders-T\" or \"all-neighbours\"");
  a.shift = fields.number("shift", Numbers::kOrInfinite);
  a.delta_at_epsilon = fields.number("delta_at_epsilon");
  a.epsilon_at_delta = fields.number("epsilon_at_delta", Numbers::kOrInfinite);
  // Records of before 0.3 do not say how a row was obtained.
  if (fields.has("method")) {
    a.method = read_name(
        fields, "method", [](std::string_view name) { return kRowMethods.find(name); },
        "\"proof\", \"search\" or \"ceiling\"");
  }
  fields.expect(a.shift >= 0, "shift", "0 or more");
  fields.expect(a.delta_at_epsilon >= 0 && a.delta_at_epsilon <= 1, "delta_at_epsilon",
                "a probability");
  fields.expect(a.epsilon_at_delta >= 0, "epsilon_at_delta", "0 or more");
  fields.finish();
  return a;
}

Json own_json(const RunRecord::Own& own) {
  Json json = {{"party", own.party},
               {"rows", own.rows},
               {"dropped", own.dropped},
               {"clipped", clipped_json(own.clipped)}};
  if (!own.sources.empty()) json["sources"] = json_list(own.sources, source_json);
  return json;
}

RunRecord::Own own_from(const Json& json, const std::string& path, std::string& problem) {
  JsonFields fields(json, path, problem);
  RunRecord::Own own;
  own.party = fields.text("party");
  own.rows = fields.count("rows");
  own.dropped = fields.count("dropped");
  for (const auto& [element, name] : fields.elements("clipped")) {
    JsonFields column(*element, name, problem);
    own.clipped.push_back({.column = column.text("column"),
                           .below = column.count("below"),
                           .above = column.count("above")});
    column.finish();
  }
  if (fields.has("sources")) {
    for (const auto& [element, name] : fields.elements("sources")) {
      own.sources.push_back(source_from(*element, name, problem));
    }
  }
  fields.finish();
  return own;
}

void read_privacy(const Json& json, RunRecord& r, std::string& problem) {
  JsonFields fields(json, "privacy", problem);
  r.epsilon = fields.number("epsilon");
  r.delta = fields.number("delta");
  r.unit = read_name(fields, "unit", unit_from, "\"record\" or \"entry\"");
  const std::string neighbours = fields.text("neighbours");
  r.neighbours = neighbours_from(neighbours);
  r.sensitivity = fields.number("sensitivity");
  r.kappa_bar = fields.number("kappa_bar");
  fields.expect(r.epsilon >= 0 && r.epsilon <= kMaxEpsilon, "epsilon",
                fmt::format("from 0 to {:g}", kMaxEpsilon));
  fields.expect(r.delta >= 0 && r.delta < 1, "delta", "a probability below 1");
  fields.expect(r.neighbours || (neighbours.empty() && r.unit == Unit::kEntry), "neighbours",
                "\"add-remove\" or \"replace\"; for entries it may be empty");
  for (const auto& [element, path] : fields.elements("adversaries")) {
    r.adversaries.push_back(adversary_from(*element, path, problem));
  }
  fields.finish();
}

void read_names(JsonFields& fields, RunRecord& r) {
  r.study = fields.text("study");
  r.study_hash = fields.text("study_hash");
  r.transcript_hash = fields.text("transcript_hash");
  r.solver = read_name(fields, "solver", solver_from, "\"gt\", \"dishuf\", \"ac\" or \"pairwise\"");
  r.estimator = read_name(fields, "estimator", estimator_from_name,
                          "\"noise-aware\", \"exact\", \"psd-ridge\", \"adassp\" or \"ridge\"");
  if (!fields.has("estimator_settings")) return;
  const Json& settings = fields.json("estimator_settings");
  const bool object = settings.is_object();
  fields.expect(object, "estimator_settings", "an object of numbers and texts");
  if (!object) return;
  for (const auto& [name, value] : settings.items()) {
    fields.expect(value.is_number() || value.is_string(), "estimator_settings",
                  "an object of numbers and texts");
    if (value.is_number()) r.estimator_settings.numbers[name] = value.get<double>();
    if (value.is_string()) r.estimator_settings.words[name] = value.get<std::string>();
  }
}

void read_explained(JsonFields& fields, RunRecord& r, std::string& problem) {
  const Json& json = fields.json("explained");
  if (json.is_null()) return;
  JsonFields explained(json, "explained", problem);
  r.explained = Explained{.share = explained.number("share")};
  const Json& ends = explained.json("interval");
  const bool pair =
      ends.is_array() && ends.size() == 2 && ends[0].is_number() && ends[1].is_number();
  explained.expect(pair, "interval", "a lower and an upper end");
  if (pair) r.explained->low = ends[0].get<double>();
  if (pair) r.explained->high = ends[1].get<double>();
}

void read_summary(JsonFields& fields, RunRecord& r, std::string& problem) {
  const Json& json = fields.json("summary");
  if (!json.is_null()) r.summary = summary_from(json, r.coefficients.size(), problem);
}

void read_model(JsonFields& fields, RunRecord& r, std::uint64_t version, std::string& problem) {
  read_privacy(fields.json("privacy"), r, problem);
  r.target = fields.text("target");
  for (const auto& [element, path] : fields.elements("coefficients")) {
    r.coefficients.push_back(coefficient_from(*element, path, version, problem));
  }
  r.encoding = fields.json("encoding");
  r.warnings = fields.texts("warnings");
}

void read_graph(const Json& json, RunRecord& r, std::string& problem) {
  JsonFields fields(json, "graph", problem);
  r.parties = fields.texts("parties");
  for (const auto& [edge, path] : fields.elements("edges")) {
    const bool pair =
        edge->is_array() && edge->size() == 2 && is_count((*edge)[0]) && is_count((*edge)[1]);
    if (pair) r.edges.emplace_back((*edge)[0].get<std::size_t>(), (*edge)[1].get<std::size_t>());
    const bool good = pair && r.edges.back().first != r.edges.back().second &&
                      std::max(r.edges.back().first, r.edges.back().second) < r.parties.size();
    if (!good && problem.empty()) {
      problem = fmt::format("{} must be two different places in graph.parties, from 0", path);
    }
  }
  fields.finish();
}

Json point_json(const RunRecord::RoundPoint& p) {
  return {{"round", p.round}, {"disagreement", number_or_null(p.disagreement)}};
}

void read_consensus(const Json& json, RunRecord& r, std::string& problem) {
  JsonFields fields(json, "consensus", problem);
  const std::string method = fields.text("method");
  r.consensus = consensus_method_from(method);
  fields.expect(r.consensus || method == rounds_name(std::nullopt), "method",
                "\"exact\", \"plain\", \"chebyshev\" or \"gradient-tracking\"");
  r.rounds = fields.count("rounds");
  r.rate = fields.number("rate");
  for (const auto& [element, path] : fields.elements("convergence")) {
    JsonFields point(*element, path, problem);
    r.convergence.push_back({.round = point.count("round"),
                             .disagreement = point.number("disagreement", Numbers::kOrInfinite)});
    point.finish();
  }
  fields.finish();
}

// The result of reading: what was read, or the first problem and the digest.
Result<RunRecord> finished(RunRecord record, const std::string& problem, const Json& json,
                           std::uint64_t version, const std::string& file) {
  if (!problem.empty()) {
    return bad_input("E-record-json", problem, "use a file as sotto of this version wrote it")
        .at(file);
  }
  if (version > 1) SOTTO_TRY(check_digest(json, file));
  return record;
}

}  // namespace

Json source_json(const SourceFacts& source) {
  Json json = {{"kind", source.kind}, {"place", source.place}};
  if (!source.query.empty()) json["query"] = source.query;
  if (!source.format.empty()) json["format"] = source.format;
  json["sha256"] = source.sha256;
  return json;
}

SourceFacts source_from(const Json& json, const std::string& path, std::string& problem) {
  JsonFields fields(json, path, problem);
  SourceFacts source{.kind = fields.text("kind"), .place = fields.text("place")};
  if (fields.has("query")) source.query = fields.text("query");
  if (fields.has("format")) source.format = fields.text("format");
  source.sha256 = fields.text("sha256");
  fields.finish();
  return source;
}

Json privacy_json(const RunRecord& r) {
  return {{"epsilon", r.epsilon},
          {"delta", r.delta},
          {"unit", to_string(r.unit)},
          {"neighbours", r.neighbours ? to_string(*r.neighbours) : ""},
          {"sensitivity", r.sensitivity},
          {"kappa_bar", r.kappa_bar},
          {"adversaries", json_list(r.adversaries, adversary_json)}};
}

Json interval_json(const RunRecord::Coefficient& c) {
  return c.interval ? Json::array({c.interval->first, c.interval->second}) : Json(nullptr);
}

Json coefficient_json(const RunRecord::Coefficient& c) {
  return {{"name", c.name},
          {"value", c.value},
          {"standard_error", number_or_null(c.standard_error)},
          {"unshrunk", number_or_null(c.unshrunk)},
          {"interval", interval_json(c)},
          {"degrees_of_freedom", number_or_null(c.degrees_of_freedom)},
          {"t", number_or_null(c.t)},
          {"p", number_or_null(c.p)},
          {"noise_share", number_or_null(c.noise_share)}};
}

Json explained_json(const std::optional<Explained>& explained) {
  if (!explained) return nullptr;
  return {{"share", explained->share}, {"interval", {explained->low, explained->high}}};
}

Json clipped_json(const std::vector<RunRecord::Clipped>& clipped) {
  return json_list(clipped, [](const RunRecord::Clipped& c) -> Json {
    return {{"column", c.column}, {"below", c.below}, {"above", c.above}};
  });
}

Json to_json(const RunRecord& r) {
  Json json{{"format", fmt::format("{}{}", kRecordFormat, kRecordVersion)},
            {"study", r.study},
            {"study_hash", r.study_hash},
            {"solver", to_string(r.solver)},
            {"estimator", to_string(r.estimator)},
            {"simulated", r.simulated},
            {"seed", r.seed},
            {"finished", r.finished},
            {"version", r.version},
            {"privacy", privacy_json(r)},
            {"graph", {{"parties", r.parties}, {"edges", Json(r.edges)}}},
            {"consensus",
             {{"method", rounds_name(r.consensus)},
              {"rounds", r.rounds},
              {"rate", r.rate},
              {"convergence", json_list(r.convergence, point_json)}}},
            {"accuracy",
             {{"sum_noise_sd", number_or_null(r.sum_noise_sd)},
              {"central_ratio", number_or_null(r.central_ratio)}}},
            {"target", r.target},
            {"coefficients", json_list(r.coefficients, coefficient_json)},
            {"errors_refused", r.errors_refused},
            {"rows", number_or_null(r.noisy_rows)},
            {"explained", explained_json(r.explained)},
            {"summary", r.summary ? to_json(*r.summary) : Json(nullptr)},
            {"encoding", r.encoding},
            {"warnings", r.warnings},
            {"own", json_list(r.own, own_json)},
            {"transcript_hash", r.transcript_hash},
            {"release", r.release ? release_json(*r.release) : Json(nullptr)}};
  if (!r.estimator_settings.empty()) json["estimator_settings"] = to_json(r.estimator_settings);
  return with_digest(std::move(json));
}

Result<RunRecord> record_from_json(const Json& json, const std::string& file) {
  SOTTO_ASSIGN(const auto version, kept_version(json, kRecordFormat, kRecordVersion, file));
  std::string problem;
  RunRecord r;
  JsonFields fields(json, "", problem);
  fields.expect(!fields.text("format").empty(), "format", "a text");
  read_names(fields, r);
  r.simulated = fields.truth("simulated");
  r.seed = fields.count("seed");
  read_graph(fields.json("graph"), r, problem);
  read_consensus(fields.json("consensus"), r, problem);
  JsonFields accuracy(fields.json("accuracy"), "accuracy", problem);
  r.sum_noise_sd = accuracy.number("sum_noise_sd", Numbers::kOrInfinite);
  r.central_ratio = accuracy.number("central_ratio", Numbers::kOrInfinite);
  accuracy.finish();
  read_model(fields, r, version, problem);
  r.errors_refused = fields.text("errors_refused");
  r.noisy_rows = fields.optional_number("rows");
  for (const auto& [element, path] : fields.elements("own")) {
    r.own.push_back(own_from(*element, path, problem));
  }
  if (version > 1) {
    (void)fields.text("digest");
    const Json& release = fields.json("release");
    if (!release.is_null()) r.release = release_from(release, problem);
  }
  if (version >= kSummaryVersion) {
    r.finished = fields.text("finished");
    r.version = fields.text("version");
    read_explained(fields, r, problem);
    read_summary(fields, r, problem);
  }
  fields.finish();
  return finished(std::move(r), problem, json, version, file);
}

Result<RunRecord> record_from_model_json(const Json& json, const std::string& file) {
  SOTTO_ASSIGN(const auto version, kept_version(json, kModelFormat, kModelVersion, file));
  std::string problem;
  RunRecord r;
  JsonFields fields(json, "", problem);
  read_names(fields, r);
  read_model(fields, r, version, problem);
  r.simulated = fields.has("simulated") && fields.truth("simulated");
  r.consensus = std::nullopt;
  if (fields.has("errors_refused")) r.errors_refused = fields.text("errors_refused");
  if (fields.has("ridge")) r.ridge = fields.number("ridge");
  if (fields.has("instruments")) r.instruments = fields.texts("instruments");
  if (fields.has("rows")) r.noisy_rows = fields.number("rows");
  if (fields.has("explained")) read_explained(fields, r, problem);
  if (fields.has("summary")) read_summary(fields, r, problem);
  if (fields.has("refit_of")) r.refit_of = fields.text("refit_of");
  if (fields.has("release")) r.release = release_from(fields.json("release"), problem);
  return finished(std::move(r), problem, json, version, file);
}

Result<RunRecord> read_record(const std::filesystem::path& run) {
  std::error_code ignored;
  const bool folder = std::filesystem::is_directory(run, ignored);
  const std::filesystem::path file = folder ? run / kRecordFile : run;
  SOTTO_ASSIGN(const auto json,
               read_kept_json(file, "E-record-file",
                              fmt::format("name a {} or model.json that sotto wrote, or the folder "
                                          "that holds the record",
                                          kRecordFile)));
  const bool model = json.is_object() && json.contains("encoding") && !json.contains("graph");
  return model ? record_from_model_json(json, file.string())
               : record_from_json(json, file.string());
}

Result<void> write_record(const std::filesystem::path& file, const RunRecord& record) {
  const bool for_all = record.simulated && record.own.empty();
  return write_file(file, json_text(to_json(record)),
                    for_all ? Readers::kAsUsual : Readers::kOwnerOnly);
}

}  // namespace sotto
