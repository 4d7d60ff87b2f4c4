#include "run/sums/sums_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

#include "base/digest.h"
#include "base/files.h"
#include "base/integer.h"
#include "run/kept_json.h"
#include "run/run_record.h"

// The format, and when two of them may be added.
namespace sotto {
namespace sums {
namespace {

// The first bytes of every such file.
constexpr std::string_view kFirstBytes = "{\n  \"format\": \"sotto-sums-";
constexpr const char* kPrivate =
    "raw sums of private rows: keep them as the table itself, and send them to nobody";

Error bad_file(const std::string& path, const std::string& why) {
  return bad_input("E-sums-file", fmt::format("cannot read {}: {}", path, why),
                   "name a file that 'sotto sums' of this version has written");
}

std::vector<std::string> integers(const IntegerVector& values) {
  std::vector<std::string> texts;
  for (const Integer& value : values) texts.push_back(value.get_str());
  return texts;
}

Json part_json(const SumsPart& part) {
  Json json = source_json(part.source);
  json["records"] = part.records;
  return json;
}

SumsPart part_from(const Json& json, const std::string& path, std::string& problem) {
  JsonFields fields(json, path, problem);
  const std::uint64_t records = fields.count("records");
  Json source = json;
  if (source.is_object()) source.erase("records");  // otherwise there is a problem already
  return {source_from(source, path, problem), records};
}

TableMoments table_from(JsonFields& fields, std::string& problem) {
  TableMoments table;
  table.rows = fields.count("rows");
  table.dropped = fields.count("dropped");
  table.clips.shortened_rows = fields.count("shortened_rows");
  for (const auto& [element, name] : fields.elements("clipped")) {
    JsonFields column(*element, name, problem);
    table.clips.columns.push_back({column.count("below"), column.count("above")});
  }
  const std::uint64_t dimension = fields.count("dimension");
  const std::vector<std::string> texts = fields.texts("sums");
  const bool fits = dimension <= Schema::kMaxEntries && texts.size() == moments_size(dimension);
  fields.expect(fits, "sums", "as many as its dimension has");
  if (!fits) return table;
  table.moments = Moments(dimension);
  for (std::size_t k = 0; k < texts.size(); ++k) {
    auto integer = integer_from_decimal(texts[k]);
    fields.expect(integer.has_value(), "sums", "integers");
    if (!integer) break;
    table.moments.sums[k] = *std::move(integer);
  }
  return table;
}

// Whether they are the same rows of the same place: then they would count twice.
bool same_table(const SumsPart& a, const SumsPart& b) {
  return a.records > 0 && b.records > 0 && a.source == b.source;
}

}  // namespace
}  // namespace sums

Result<void> SumsFile::add(const SumsFile& other) {
  SOTTO_TRY(check_sums_terms(data, other.data, "the other file"));
  if (table.moments.dimension != other.table.moments.dimension ||
      table.clips.columns.size() != other.table.clips.columns.size()) {
    return bad_input(
        "E-sums-study",
        fmt::format("the other file has sums of {} entries and {} columns, and this one of {} and "
                    "{}, for the same [data]",
                    other.table.moments.dimension, other.table.clips.columns.size(),
                    table.moments.dimension, table.clips.columns.size()),
        "make the sums anew with 'sotto sums' for this study");
  }
  if (data.contains("person")) {
    return bad_input("E-sums-person",
                     "sums of persons cannot be added: a person whose rows are in both parts would "
                     "count twice",
                     "name all parts in one 'sotto sums': it counts each person's rows over all of "
                     "them");
  }
  for (const SumsPart& part : other.parts) {
    const auto found = std::ranges::find_if(
        parts, [&](const SumsPart& here) { return sums::same_table(here, part); });
    if (found == parts.end()) continue;
    return bad_input(
        "E-sums-twice",
        fmt::format("{} would count twice: the same rows are in it already", part.source.place),
        "name every part once");
  }
  table += other.table;
  parts.insert(parts.end(), other.parts.begin(), other.parts.end());
  return {};
}

Json sums_terms(const Study& study, std::optional<PartyId> party) {
  Json terms = schema_json(*study.data);
  // Only for what is said or chosen beforehand; what was chosen is "weighting".
  terms.erase("rows");
  terms.erase("bounded_below");
  terms["grid_bits"] = kGridBits;
  if (study.data->has_party_effect()) {
    terms["party"] = party ? Json(study.parties[*party].name) : Json(nullptr);
  }
  return terms;
}

std::string sums_mark(const Json& terms) {
  return fmt::format("{}{}:{}", kSumsFormat, kSumsVersion,
                     to_hex(Digest("sotto sums terms").add(json_line(terms)).value()));
}

Result<void> check_sums_terms(const Json& here, const Json& there, const std::string& file) {
  if (here == there) return {};
  std::vector<std::string> differing;
  for (const auto& [key, value] : here.items()) {
    if (!there.contains(key) || there[key] != value) differing.push_back(key);
  }
  for (const auto& [key, value] : there.items()) {
    if (!here.contains(key)) differing.push_back(key);
  }
  if (differing.empty()) return {};  // the same keys in another order
  const std::string& first = differing.front();
  const auto shown = [&](const Json& terms) {
    const std::string text = terms.contains(first) ? json_line(terms[first]) : "nothing";
    return text.size() > 200 ? text.substr(0, 200) + "…" : text;
  };
  return bad_input(
      "E-sums-study",
      fmt::format("{} has sums for other [data]: {} {}; {}: {} here, {} there", file,
                  fmt::join(differing, ", "), differing.size() == 1 ? "differs" : "differ", first,
                  shown(here), shown(there)),
      "make the sums anew with 'sotto sums' for this study");
}

bool is_sums_file(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::array<char, sums::kFirstBytes.size()> bytes{};
  std::ifstream stream(path, std::ios::binary);
  stream.read(bytes.data(), bytes.size());
  return std::string_view(bytes.data(), static_cast<std::size_t>(stream.gcount())) ==
         sums::kFirstBytes;
}

Result<SumsFile> read_sums(const std::string& path) {
  SOTTO_ASSIGN(const Json json,
               read_kept_json(path, "E-sums-file",
                              "name a file that 'sotto sums' of this version has written"));
  std::string problem;
  JsonFields fields(json, "", problem);
  const std::string format = fields.text("format");
  if (!problem.empty() || !format.starts_with(kSumsFormat)) {
    return sums::bad_file(path, "it is no file of sums");
  }
  if (format != fmt::format("{}{}", kSumsFormat, kSumsVersion)) {
    return sums::bad_file(
        path, fmt::format("its format is \"{}\", which this sotto does not know", format));
  }
  if (!json.contains("digest") || with_digest(json)["digest"] != json["digest"]) {
    return sums::bad_file(path, "it was changed after sotto wrote it: its digest differs");
  }
  SumsFile file;
  (void)fields.text("private");
  (void)fields.text("digest");
  file.study = fields.text("study");
  file.data = fields.json("data");
  file.table = sums::table_from(fields, problem);
  for (const auto& [element, name] : fields.elements("parts")) {
    file.parts.push_back(sums::part_from(*element, name, problem));
  }
  fields.finish();
  if (!problem.empty()) return sums::bad_file(path, problem);
  std::ifstream bytes(path, std::ios::binary);
  file.sha256 = to_hex(sha256(std::string{std::istreambuf_iterator<char>(bytes), {}}));
  return file;
}

Result<void> write_sums(const std::string& path, const SumsFile& file) {
  const TableMoments& table = file.table;
  const Json json = {
      {"format", fmt::format("{}{}", kSumsFormat, kSumsVersion)},
      {"private", sums::kPrivate},
      {"study", file.study},
      {"data", file.data},
      {"rows", table.rows},
      {"dropped", table.dropped},
      {"shortened_rows", table.clips.shortened_rows},
      {"clipped", json_list(table.clips.columns,
                            [](const ColumnClips& clips) -> Json {
                              return {{"below", clips.below}, {"above", clips.above}};
                            })},
      {"dimension", table.moments.dimension},
      {"sums", sums::integers(table.moments.sums)},
      {"parts", json_list(file.parts, sums::part_json)}};
  return write_file(path, json_text(with_digest(json)), Readers::kOwnerOnly);
}

}  // namespace sotto
