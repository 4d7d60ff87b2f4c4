#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <system_error>

#include "base/json.h"
#include "moments/costs.h"

// JSON to costs; every error says file, party and entry.
namespace sotto {
namespace {

constexpr std::size_t kMaxProblemBytes = std::size_t{1} << 28U;
// How far A's two triangles may differ, relative to the larger of the two entries.
constexpr double kSymmetryTolerance = 1e-12;

constexpr const char* kForms =
    R"({"parties": [{"A": [[…], …], "B": […]}, …]}, or {"A": …, "B": …} for one party)";

std::string json_position(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte > 0 ? byte - 1 : 0);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t start = before.rfind('\n');
  const std::size_t column =
      start == std::string_view::npos ? before.size() : before.size() - start - 1;
  return fmt::format("line {}, column {} (byte {})", line, column + 1, byte);
}

// One party's values, and the words for where they stand.
class PartyReader {
 public:
  PartyReader(const Json& party, std::string place) : party_(party), place_(std::move(place)) {}

  [[nodiscard]] Result<Quadratic> read() const {
    if (!party_.is_object()) return shape("is not an object", R"({"A": [[…], …], "B": […]})");
    for (const auto& [key, value] : party_.items()) {
      if (key != "A" && key != "B") {
        return at_place(bad_input("E-problem-json", fmt::format("unknown field \"{}\"", key),
                                  "the fields A and B"));
      }
    }
    for (const char* key : {"A", "B"}) {
      if (!party_.contains(key)) return shape(fmt::format("has no {}", key), "both A and B");
      if (!party_[key].is_array())
        return shape(fmt::format("has an {} that is no list", key), "a list");
    }
    const Json& rows = party_["A"];
    const Json& b = party_["B"];
    const std::size_t m = rows.size();
    if (m == 0) return shape("has an empty A", "at least one row");
    for (std::size_t r = 0; r < m; ++r) {
      if (!rows[r].is_array() || rows[r].size() != m) {
        const std::string found =
            rows[r].is_array() ? fmt::format("{} entries", rows[r].size()) : "no list";
        return shape(
            fmt::format("has an A that is not square: row {} of {} has {}", r + 1, m, found),
            fmt::format("{} entries in every row", m));
      }
    }
    if (b.size() != m) {
      return shape(fmt::format("has a B of {} entries beside an A of {} rows", b.size(), m),
                   fmt::format("{} entries", m));
    }
    return numbers(rows, b);
  }

 private:
  [[nodiscard]] Error at_place(Error error) const { return std::move(error).at(place_); }

  [[nodiscard]] Error shape(const std::string& what, std::string fix) const {
    return at_place(bad_input("E-problem-shape", "a party " + what, std::move(fix)));
  }

  [[nodiscard]] Result<double> number(const Json& value, const std::string& entry) const {
    if (!value.is_number() || !std::isfinite(value.get<double>())) {
      return at_place(bad_input(
          "E-problem-number", fmt::format("{} is {}, not a finite number", entry, json_line(value)),
          "a finite number"));
    }
    return value.get<double>();
  }

  [[nodiscard]] Result<Quadratic> numbers(const Json& rows, const Json& b) const {
    const auto m = static_cast<Eigen::Index>(rows.size());
    Quadratic quadratic{.a = Eigen::MatrixXd(m, m), .b = Eigen::VectorXd(m)};
    for (Eigen::Index r = 0; r < m; ++r) {
      for (Eigen::Index c = 0; c < m; ++c) {
        SOTTO_ASSIGN(const auto entry,
                     number(rows[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)],
                            fmt::format("A[{}][{}]", r + 1, c + 1)));
        quadratic.a(r, c) = entry;
      }
      SOTTO_ASSIGN(const auto entry,
                   number(b[static_cast<std::size_t>(r)], fmt::format("B[{}]", r + 1)));
      quadratic.b(r) = entry;
    }
    return symmetric(std::move(quadratic));
  }

  [[nodiscard]] Result<Quadratic> symmetric(Quadratic quadratic) const {
    for (Eigen::Index r = 0; r < quadratic.size(); ++r) {
      for (Eigen::Index c = r + 1; c < quadratic.size(); ++c) {
        const double upper = quadratic.a(r, c);
        const double lower = quadratic.a(c, r);
        if (std::abs(upper - lower) >
            kSymmetryTolerance * std::max(std::abs(upper), std::abs(lower))) {
          return at_place(bad_input(
              "E-problem-asymmetric",
              fmt::format("A[{0}][{1}] = {2} but A[{1}][{0}] = {3}", r + 1, c + 1, upper, lower),
              "the same number in both places"));
        }
        quadratic.a(c, r) = upper;
      }
    }
    return quadratic;
  }

  const Json& party_;
  std::string place_;
};

Result<void> same_sizes(const std::vector<Quadratic>& parties, const std::string& name) {
  for (std::size_t i = 1; i < parties.size(); ++i) {
    if (parties[i].size() == parties[0].size()) continue;
    return bad_input("E-problem-shape",
                     fmt::format("party {} has m = {} and party 1 has m = {}", i + 1,
                                 parties[i].size(), parties[0].size()),
                     "one m for all parties")
        .at(name);
  }
  return {};
}

Result<std::string> read_text(const std::filesystem::path& file) {
  const auto fault = [&file](const std::string& why, std::string fix) {
    return bad_input("E-problem-file", fmt::format("cannot read {}: {}", file.string(), why),
                     std::move(fix));
  };
  std::error_code status;
  if (std::filesystem::is_directory(file, status)) return fault("it is a directory", "a JSON file");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return fault(std::generic_category().message(errno), "a JSON file that can be read");
  std::string text;
  std::string block(std::size_t{1} << 16U, '\0');
  while (stream.read(block.data(), static_cast<std::streamsize>(block.size())) ||
         stream.gcount() > 0) {
    text.append(block, 0, static_cast<std::size_t>(stream.gcount()));
    if (text.size() > kMaxProblemBytes) {
      return fault(fmt::format("it has more than {} bytes", kMaxProblemBytes),
                   "one file for each party");
    }
  }
  if (stream.bad()) return fault("reading broke off", "a JSON file that can be read");
  return text;
}

}  // namespace

Result<std::vector<Quadratic>> parse_problem(std::string_view text, const std::string& name) {
  JsonFault fault;
  const Json document = parse_json(text, &fault);
  if (document.is_discarded()) {
    const bool number = !fault.number.empty();
    return bad_input(
               number ? "E-problem-number" : "E-problem-json",
               number ? fmt::format("{} is beyond the largest double", fault.number) : "not JSON",
               number ? "a finite number" : kForms)
        .at(fmt::format("{}, {}", name, json_position(text, fault.byte)));
  }

  std::vector<Quadratic> parties;
  if (!document.is_object() || !document.contains("parties")) {
    SOTTO_ASSIGN(auto party, PartyReader(document, name).read());
    parties.push_back(std::move(party));
    return parties;
  }
  const Json& list = document["parties"];
  if (document.size() != 1 || !list.is_array() || list.empty()) {
    const bool alone = document.size() == 1;
    return bad_input(alone ? "E-problem-shape" : "E-problem-json",
                     alone ? "\"parties\" is not a list of at least one party"
                           : "other fields stand beside \"parties\"",
                     kForms)
        .at(name);
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    SOTTO_ASSIGN(auto party, PartyReader(list[i], fmt::format("{}, party {}", name, i + 1)).read());
    parties.push_back(std::move(party));
  }
  SOTTO_TRY(same_sizes(parties, name));
  return parties;
}

Result<std::vector<Quadratic>> read_problem(std::span<const std::filesystem::path> files) {
  if (files.empty()) return bad_input("E-problem-file", "no problem file is named", kForms);
  std::vector<Quadratic> parties;
  for (const std::filesystem::path& file : files) {
    SOTTO_ASSIGN(const auto text, read_text(file));
    SOTTO_ASSIGN(auto some, parse_problem(text, file.string()));
    for (Quadratic& party : some) parties.push_back(std::move(party));
    SOTTO_TRY(same_sizes(parties, file.string()));
  }
  return parties;
}

}  // namespace sotto
