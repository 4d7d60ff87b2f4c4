#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "moments/moments.h"
#include "study/study.h"

// The exact sums of a part of a party's table, or of all of it, as a file: for tables that no one
// machine reads. Sums are integers, so parts that are added give the bits of one pass.
//
// Raw sums are as private as the rows: they stand left of the privacy boundary, and nothing but
// run/tables.h takes them further. Files are for their owner alone, mode 0600.
namespace sotto {

inline constexpr const char* kSumsFormat = "sotto-sums-";
inline constexpr std::uint64_t kSumsVersion = 1;

// One thing that was read, and how many records it had. No two are the same table: it would count
// twice.
struct SumsPart {
  SourceFacts source;
  std::uint64_t records = 0;
  bool operator==(const SumsPart&) const = default;
};

struct SumsFile {
  std::string study;  // its name, for people
  Json data;          // sums_terms() of the study
  TableMoments table;
  std::vector<SumsPart> parts;
  std::string sha256 = {};  // of the file that was read

  // Adds another's. E-sums-study where the two are not of one study, E-sums-twice where a table is
  // in both, E-sums-person where the study has a person's column: a person's rows may be in both,
  // and would count as two persons'.
  [[nodiscard]] Result<void> add(const SumsFile& other);
};

// What of a study sums depend on: columns, bounds, levels, what is missing, weighting, radius,
// weight, person, the grid; and `party`, where there is a party effect. Nothing else.
[[nodiscard]] Json sums_terms(const Study& study, std::optional<PartyId> party);

// "sotto-sums-1:" and a digest of those: what a database's answer begins with.
[[nodiscard]] std::string sums_mark(const Json& terms);

// E-sums-study: they are of other terms, and which these are.
[[nodiscard]] Result<void> check_sums_terms(const Json& here, const Json& there,
                                            const std::string& file);

// By its first bytes.
[[nodiscard]] bool is_sums_file(const std::string& path);

// E-sums-file: it cannot be read, is of a newer sotto, was cut short or changed, or is no such
// file.
[[nodiscard]] Result<SumsFile> read_sums(const std::string& path);

// For its owner alone. E-file-write.
[[nodiscard]] Result<void> write_sums(const std::string& path, const SumsFile& sums);

}  // namespace sotto
