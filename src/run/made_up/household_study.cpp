#include "run/made_up/household_study.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "data/generator.h"

// A study of made-up tables, written as a person would write it.
namespace sotto {
namespace {

std::string bounds_text(Bounds bounds) {
  return fmt::format("[{}, {}]", bounds.lo, bounds.hi);
}

std::string feature_text(const Feature& feature) {
  std::string text = fmt::format("\n[[data.feature]]\ncolumn = \"{}\"\n", name_of(feature));
  if (const auto* numeric = std::get_if<NumericFeature>(&feature)) {
    return text + fmt::format("bounds = {}\n", bounds_text(numeric->bounds));
  }
  std::string levels;
  for (const std::string& level : std::get<CategoricalFeature>(feature).levels) {
    levels += fmt::format("{}\"{}\"", levels.empty() ? "" : ", ", level);
  }
  return text + fmt::format("levels = [{}]\n", levels);
}

std::string topology_of(const HouseholdStudy& study) {
  if (study.degree > 0) {
    return fmt::format("\"random-regular\"\ndegree   = {}\nseed     = {}", study.degree,
                       study.seed);
  }
  return study.parties < 3 ? "\"path\"" : "\"cycle\"";
}

Result<void> write_table(const std::filesystem::path& path, const GeneratedTable& table) {
  std::ofstream out(path, std::ios::binary);
  if (out) {
    SOTTO_TRY(write_households(table, out));
    out.flush();
  }
  if (!out) {
    return failed("E-file-write", "the table could not be written",
                  "check the folder, its permissions and the disk")
        .at(path.string());
  }
  return {};
}

}  // namespace

std::string household_study_text(const HouseholdStudy& study) {
  const Schema schema = household_schema();
  std::string text = fmt::format(
      R"(# Made-up households and the energy they use in a month.
[study]
name   = "energy"
solver = "{}"

[privacy]
epsilon    = {}
delta      = {}
unit       = "record"
neighbours = "add-remove"
colluders  = {}

[graph]
topology = {}
parties  = {}
weight   = "metropolis"

[data]
target = {{ column = "{}", bounds = {} }}
)",
      to_string(study.solver), study.epsilon, study.delta,
      study.parties < 3 ? 0 : 1,  // of two parties one has nobody to hide among
      topology_of(study), study.parties, schema.target.column, bounds_text(schema.target.bounds));
  for (const Feature& feature : schema.features) text += feature_text(feature);
  for (const PartyTerms& party : study.members) text += "\n" + party_block(party);
  return text;
}

Result<HouseholdFiles> write_household_study(const HouseholdStudy& study) {
  const std::filesystem::path folder(study.folder);
  const std::string text = household_study_text(study);
  const std::string study_path = (folder / "study.toml").string();
  SOTTO_TRY(parse_study(text, study_path));
  SOTTO_TRY(write_file(study_path, text));
  HouseholdFiles files{.study = study_path, .tables = {}};
  for (std::size_t i = 0; i < study.parties; ++i) {
    const auto path = folder / fmt::format("party-{}.csv", i + 1);
    SOTTO_TRY(write_table(
        path, {.rows = study.rows, .seed = study.seed, .party = i, .missing = study.missing}));
    files.tables.push_back(path.string());
  }
  return files;
}

}  // namespace sotto
