#include "view/models.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>

#include "report/chart.h"
#include "report/html.h"
#include "report/run_report.h"
#include "report/text.h"
#include "run/join/join_event.h"
#include "run/refit/refit.h"
#include "run/run_record.h"
#include "solve/estimator_table.h"
#include "solve/structure.h"

namespace sotto::view {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostModelFiles = 50;
constexpr std::size_t kMostMapped = 40;  // columns of a heat map
constexpr std::size_t kMostWords = 4000;

// A record that models can be made of.
struct ModelSource {
  std::string id;
  std::string name;  // for a person
  std::string file;
};

// Where a finished run's record is: only what the store itself names.
std::optional<std::string> record_of(const StoredRun& run) {
  std::error_code problem;
  for (const std::string& file : run.files) {
    if (fs::path(file).filename() == kRecordFile && fs::is_regular_file(file, problem)) return file;
  }
  return std::nullopt;
}

std::vector<ModelSource> sources_of(const std::vector<Home>& homes, const std::string& folder) {
  std::vector<std::pair<std::int64_t, ModelSource>> found;
  std::set<std::string> seen;
  for (const Home& home : homes) {
    const auto views = look_at_runs(home.folder);
    if (!views) continue;
    for (const RunView& view : *views) {
      const StoredRun& run = view.run;
      const auto file = record_of(run);
      if (run.state != RunState::kFinished || !file || !seen.insert(public_id(run)).second)
        continue;
      found.push_back({run.started,
                       {.id = run.run,
                        .name = fmt::format("{}, {}, run {}", run.study,
                                            utc_text(run.ended.value_or(run.started)),
                                            short_run(public_id(run))),
                        .file = *file}});
    }
  }
  std::ranges::stable_sort(found, std::greater{}, [](const auto& each) { return each.first; });
  std::vector<ModelSource> sources;
  for (auto& each : found) sources.push_back(std::move(each.second));
  std::vector<std::string> files;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(folder, problem)) {
    if (entry.path().extension() == ".json" && entry.is_regular_file(problem)) {
      files.push_back(entry.path().string());
    }
  }
  std::ranges::sort(files);
  if (files.size() > kMostModelFiles) files.resize(kMostModelFiles);
  for (const std::string& file : files) {
    const auto record = read_record(file);
    if (!record || !record->release) continue;
    const std::string name = fs::path(file).filename().string();
    sources.push_back(
        {.id = "file-" + name, .name = fmt::format("{}, {}", name, record->study), .file = file});
  }
  return sources;
}

std::string value_in(const Query& query, const char* name) {
  const auto found = query.find(name);
  return found == query.end() ? std::string() : found->second;
}

std::vector<std::string> comma_list(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    if (comma > from) words.push_back(text.substr(from, comma - from));
    from = comma + 1;
  }
  return words;
}

Result<RefitWords> words_of(const Query& query) {
  RefitWords words{.model = {.target = value_in(query, "target"),
                             .features = comma_list(value_in(query, "features"))},
                   .estimator = value_in(query, "estimator")};
  if (words.estimator != "ridge") return words;
  words.estimator.clear();
  const std::string text = value_in(query, "ridge");
  double lambda = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), lambda);
  if (fault != std::errc{} || end != text.data() + text.size()) {
    return bad_input("E-view-control", "λ is no number", "a number above 0").at("the page");
  }
  words.ridge = lambda;
  return words;
}

// What the release has to choose from: the study's columns by their names.
Json columns_json(const Release& release) {
  Json columns = Json::array();
  const Schema& schema = release.schema;
  columns.push_back({{"name", schema.target.column}, {"targets", {schema.target.column}}});
  for (const Feature& feature : schema.features) {
    columns.push_back({{"name", name_of(feature)}, {"targets", entry_names(feature)}});
  }
  return columns;
}

void add_correlations(const Release& release, const Selection& selection, HtmlPage& page) {
  auto columns = varying_columns(release, selection);
  const std::size_t all = columns.size();
  if (columns.size() > kMostMapped) columns.resize(kMostMapped);
  Section& section = page.section("How the columns hang together");
  const auto found = correlations(release, columns);
  if (!found) {
    section.callout(Callout::kNote, "No correlations",
                    fmt::format("{}; {}", found.error().what, found.error().fix));
    return;
  }
  const auto names = release.columns();
  HeatMap map{.title = "Correlations"};
  for (const Eigen::Index k : columns) map.names.push_back(names[static_cast<std::size_t>(k)]);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::vector<HeatMap::Cell>& row = map.cells.emplace_back();
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const Correlation& c = found->entries[i][k];
      HeatMap::Cell& cell = row.emplace_back();
      const std::string pair = fmt::format("{} and {}", map.names[i], map.names[k]);
      if (c.known) cell.value = c.value;
      cell.words = c.known ? fmt::format("{}: {} ± {:.2f}", pair,
                                         report::with_minus_sign(fmt::format("{:.2f}", c.value)),
                                         c.standard_error)
                           : fmt::format("{}: lost in the noise", pair);
    }
  }
  if (all > columns.size())
    map.note = fmt::format("The first {} of {} columns.", columns.size(), all);
  section.figure(inline_svg(map),
                 "Of the model’s columns and its target; the privacy noise is counted in, and who "
                 "points at a square sees its standard error.");
}

}  // namespace

Json estimator_words() {
  Json words = Json::array();
  for (const EstimatorEntry& entry : estimator_table()) {
    if (entry.compute != nullptr) words.push_back(entry.name);
  }
  words.push_back("ridge");
  return words;
}

Json model_sources(const std::vector<Home>& homes, const std::string& folder) {
  return {{"runs", json_list(sources_of(homes, folder), [](const ModelSource& source) {
             return Json{{"id", source.id}, {"name", source.name}};
           })}};
}

Result<Json> model_json(const std::vector<Home>& homes, const std::string& folder,
                        const Query& query) {
  const std::string id = value_in(query, "run");
  for (const auto& [name, value] : query) {
    if (value.size() > kMostWords) {
      return bad_input("E-view-control", fmt::format("{} is too long", name),
                       fmt::format("at most {} bytes", kMostWords))
          .at("the page");
    }
  }
  const auto sources = sources_of(homes, folder);
  const auto source = std::ranges::find(sources, id, &ModelSource::id);
  if (source == sources.end()) {
    return bad_input("E-view-run", "there is no such finished run", "choose one from the list")
        .at("the page");
  }
  SOTTO_ASSIGN(const auto record, read_record(source->file));
  SOTTO_ASSIGN(const auto release, release_in(record).at(source->file));
  Json json{{"columns", columns_json(release)}, {"estimator", to_string(record.estimator)}};
  SOTTO_ASSIGN(const auto words, words_of(query));
  const auto selection = select(release, words.model);
  const auto model = refit(record, words);
  if (!selection || !model) {
    json["error"] = to_json(selection ? model.error() : selection.error());
    return json;
  }
  HtmlPage page("");
  report::add_coefficients(model->record, page);
  add_correlations(release, *selection, page);
  json["html"] = page.fragment();
  return json;
}

}  // namespace sotto::view
