// A study as text, explained key by key.
#include "study/study_draft.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/check.h"
#include "base/json.h"
#include "data/levels.h"
#include "study/sections.h"

namespace sotto {
namespace drafting {

constexpr std::size_t kLineWidth = 98;

// JSON's strings are strings of TOML too.
std::string quoted(const std::string& text) {
  return json_line(text);
}

std::string bounds_list(Bounds bounds) {
  return fmt::format("[{}, {}]", bounds.lo, bounds.hi);
}

std::string comment(std::string_view sentence) {
  std::string text;
  std::string line = "#";
  std::string word;
  const auto flush_word = [&] {
    if (word.empty()) return;
    if (line.size() + 1 + word.size() > kLineWidth) {
      text += line + "\n";
      line = "#";
    }
    line += " " + word;
    word.clear();
  };
  for (const char c : sentence) {
    if (c == ' ') {
      flush_word();
    } else if (c != '`') {
      word += c;
    }
  }
  flush_word();
  return text + line + "\n";
}

// Sections with their keys; each key is explained where it first stands.
class Writer {
 public:
  void section(std::string_view name) {
    section_ = name;
    if (!text_.empty()) text_ += "\n";
    const auto about = std::ranges::find(study_sections(), name, &StudySection::name);
    if (explained_.insert(std::string(name)).second) text_ += comment(about->about);
    text_ += fmt::format("{}\n", name);
  }
  void key(std::string_view name, const std::string& value) {
    const StudyKey* described = study_key(section_, name);
    check(described != nullptr, "a key that the draft writes is described");
    if (explained_.insert(fmt::format("{} {}", section_, name)).second) {
      text_ += comment(described->about);
      if (!described->choices.empty()) {
        text_ += comment(fmt::format("One of: {}.", fmt::join(described->choices, ", ")));
      }
    }
    text_ += fmt::format("{} = {}\n", name, value);
  }
  void line(const std::string& text) { text_ += text; }
  [[nodiscard]] std::string text() && { return std::move(text_); }

 private:
  std::string text_;
  std::string_view section_;
  std::set<std::string> explained_;
};

void write_category(Writer& writer, const CategoricalFeature& feature) {
  std::string levels;
  for (const std::string& level : feature.levels) {
    if (feature.other && level == CategoricalFeature::kOther) continue;  // comes with other = true
    levels += (levels.empty() ? "" : ", ") + (feature.numbers ? level : quoted(level));
  }
  writer.key("levels", fmt::format("[{}]", levels));
  if (feature.other) writer.key("other", "true");
}

void write_feature(Writer& writer, const Feature& feature) {
  const auto* category = std::get_if<CategoricalFeature>(&feature);
  if (category != nullptr && category->by_party) return;  // [data] party = "effect"
  writer.section("[[data.feature]]");
  if (category != nullptr) {
    writer.key("column", quoted(category->column));
    write_category(writer, *category);
  } else if (const auto* spline = std::get_if<SplineFeature>(&feature)) {
    writer.key("column", quoted(spline->column));
    writer.key("bounds", bounds_list(spline->bounds));
    writer.key("knots", fmt::format("[{}]", fmt::join(spline->knots, ", ")));
    writer.key("degree", fmt::format("{}", spline->degree));
  } else if (const auto& number = std::get<NumericFeature>(feature); number.term) {
    writer.key("term", quoted(number.column));
  } else {
    writer.key("column", quoted(number.column));
    writer.key("bounds", bounds_list(number.bounds));
  }
}

// Columns that only terms use.
void write_term_columns(Writer& writer, const Schema& schema) {
  std::set<std::string> stated{schema.target.term ? std::string() : schema.target.column};
  std::vector<Term> terms;
  if (schema.target.term) terms.push_back(*schema.target.term);
  for (const Feature& feature : schema.features) {
    const auto* number = std::get_if<NumericFeature>(&feature);
    if (number != nullptr && number->term) {
      terms.push_back(*number->term);
    } else {
      for (const std::string& column : table_columns_of(feature)) stated.insert(column);
    }
  }
  for (const LevelColumn& level : level_columns(schema)) stated.insert(level.name);
  for (const Term& term : terms) {
    for (const Term::Column& column : term.columns) {
      if (!stated.insert(column.name).second) continue;
      writer.section("[[data.column]]");
      writer.key("column", quoted(column.name));
      writer.key("bounds", bounds_list(column.bounds));
    }
  }
}

void write_data(Writer& writer, const Schema& schema) {
  writer.section("[data]");
  if (!schema.intercept) writer.key("intercept", "false");
  if (schema.radius != 0) writer.key("radius", fmt::format("{}", schema.radius));
  writer.key("missing", schema.missing == MissingRule::kError ? "\"error\"" : "\"drop\"");
  if (schema.missing_values != Schema{}.missing_values) {
    std::vector<std::string> values;
    for (const std::string& value : schema.missing_values) values.push_back(quoted(value));
    writer.key("missing_values", fmt::format("[{}]", fmt::join(values, ", ")));
  }
  if (schema.bounded_below || schema.weighting != Weighting::kNone) {
    writer.key("weighting",
               quoted(std::string(schema.bounded_below ? "auto" : kWeightings[schema.weighting])));
  }
  if (schema.rows != 0) writer.key("rows", fmt::format("{}", schema.rows));
  if (schema.has_party_effect()) writer.key("party", "\"effect\"");
  const Target& target = schema.target;
  writer.key("target", target.term
                           ? fmt::format("{{ term = {} }}", quoted(target.column))
                           : fmt::format("{{ column = {}, bounds = {} }}", quoted(target.column),
                                         bounds_list(target.bounds)));
  if (schema.weight) {
    writer.key("weight",
               fmt::format("{{ column = {}, bounds = {} }}", quoted(schema.weight->column),
                           bounds_list(schema.weight->bounds)));
  }
  for (const Feature& feature : schema.features) write_feature(writer, feature);
  write_term_columns(writer, schema);
}

}  // namespace drafting

std::string party_block(const PartyTerms& party) {
  using drafting::quoted;
  std::string text = fmt::format("[[party]]\nname        = {}\n", quoted(party.name));
  if (!party.address.empty()) text += fmt::format("address     = {}\n", quoted(party.address));
  return text + fmt::format("fingerprint = {}\n", quoted(party.fingerprint));
}

std::string study_text(const StudyDraft& draft) {
  using drafting::quoted;
  drafting::Writer writer;
  writer.line(
      "# What all parties of this study agree on. Everybody needs the same file, byte by byte.\n"
      "# 'sotto plan' says what it promises before any data is touched, 'sotto study show' what "
      "it\n"
      "# means, 'sotto study keys' which keys there are besides these.\n");
  writer.section("[study]");
  writer.key("name", quoted(draft.name));
  writer.key("solver", quoted(to_string(draft.solver)));
  writer.section("[privacy]");
  writer.key("epsilon", fmt::format("{}", draft.epsilon));
  writer.key("delta", fmt::format("{}", draft.delta));
  writer.key("unit", "\"record\"");
  writer.key("neighbours", quoted(to_string(draft.neighbours)));
  writer.key("colluders", fmt::format("{}", draft.colluders));
  writer.section("[graph]");
  writer.key("topology", quoted(draft.topology));
  writer.key("parties", fmt::format("{}", draft.parties));
  drafting::write_data(writer, draft.schema);
  if (draft.members.empty()) {
    writer.line(
        "\n# For a run between organisations every party makes a key, 'sotto keys new --name NAME\n"
        "# --host HOST --out NAME.toml', and whoever keeps this file adds what it wrote:\n"
        "# 'sotto study add-party study.toml NAME.toml'.\n");
  }
  for (std::size_t k = 0; k < draft.members.size(); ++k) {
    const PartyTerms& party = draft.members[k];
    writer.section("[[party]]");
    writer.key("name", quoted(party.name));
    if (!party.address.empty()) writer.key("address", quoted(party.address));
    writer.key("fingerprint", quoted(party.fingerprint));
  }
  return std::move(writer).text();
}

Result<std::vector<PartyTerms>> read_party_file(const std::string& path) {
  SOTTO_ASSIGN(const auto text, read_toml_text(path, "party's file", "E-party-file"));
  SOTTO_ASSIGN(const auto root, parse_toml(text, path, "E-party-file"));
  const toml::node* list = root.get("party");
  if (list == nullptr || root.size() != 1) {
    return bad_input("E-party-file", "the file is not a party's [[party]] block alone",
                     "what 'sotto keys new --out FILE' or 'sotto keys show --out FILE' wrote")
        .at(path);
  }
  SOTTO_ASSIGN(auto parties, read_parties(list, path));
  for (const PartyTerms& party : parties) {
    if (!party.fingerprint.empty()) continue;
    return bad_input("E-party-file", fmt::format("{} has no fingerprint", party.name),
                     "what 'sotto keys new --out FILE' or 'sotto keys show --out FILE' wrote")
        .at(path);
  }
  return parties;
}

Result<std::string> with_parties(const std::string& text, const std::string& file,
                                 const std::vector<PartyTerms>& parties) {
  SOTTO_ASSIGN(const auto root, parse_toml(text, file, "E-study-syntax"));
  SOTTO_ASSIGN(auto known, read_parties(root.get("party"), file));
  std::string longer = text;
  if (!longer.empty() && !longer.ends_with('\n')) longer += '\n';
  for (const PartyTerms& party : parties) {
    const auto same_name = std::ranges::find(known, party.name, &PartyTerms::name);
    const auto same_key = std::ranges::find(known, party.fingerprint, &PartyTerms::fingerprint);
    if (same_name != known.end() && same_name == same_key && same_name->address == party.address) {
      continue;
    }
    if (same_name != known.end() || same_key != known.end()) {
      return bad_input(
                 "E-party-exists",
                 same_name != known.end()
                     ? fmt::format("there is another party \"{}\" already", party.name)
                     : fmt::format("{} has the fingerprint of {}", party.name, same_key->name),
                 "remove its block from the study first if this one is to take its place")
          .at(file);
    }
    longer += "\n" + party_block(party);
    known.push_back(party);
  }
  SOTTO_TRY(parse_study(longer, file));
  return longer;
}

Result<Schema> read_schema_file(const std::string& path) {
  SOTTO_ASSIGN(const auto text, read_toml_text(path, "schema", "E-study-file"));
  SOTTO_ASSIGN(const auto root, parse_toml(text, path, "E-study-syntax"));
  // Who the parties are is not known yet; party = "effect" needs two of them.
  const std::vector<PartyTerms> parties{{.name = "party-1", .address = {}, .fingerprint = {}},
                                        {.name = "party-2", .address = {}, .fingerprint = {}}};
  SOTTO_ASSIGN(const auto schema,
               read_data_section(TomlReader(root["data"].as_table(), "[data]", path), path, parties,
                                 std::nullopt));
  if (schema) return *schema;
  return bad_input("E-study-missing", "the file has no [data] section",
                   "describe the target and the features, with public bounds")
      .at(path);
}

}  // namespace sotto
