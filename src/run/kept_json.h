#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/json.h"
#include "base/named_settings.h"
#include "base/result.h"
#include "solve/release.h"

// What record.json and model.json have in common: a version, a digest, the study's columns, and
// what was released about them.
namespace sotto {

// Versions: record 2 and model 2 have the release and a digest, model 1 has no "format" either;
// 3 has the summary, and t and p of each coefficient.
inline constexpr const char* kRecordFormat = "sotto-run-";
inline constexpr std::uint64_t kRecordVersion = 3;
inline constexpr const char* kModelFormat = "sotto-model-";
inline constexpr std::uint64_t kModelVersion = 3;
inline constexpr std::uintmax_t kMaxKeptBytes = 256'000'000;

// The text of a file that sotto has written, as JSON. `error` is the name of what is wrong with a
// file that cannot be read, is larger than kMaxKeptBytes, was cut short or is no JSON; `fix` says
// what would be right.
[[nodiscard]] Result<Json> read_kept_json(const std::filesystem::path& file, const char* error,
                                          const std::string& fix);

// The same JSON with "digest": SHA-256 of all the rest, numbers by their value.
[[nodiscard]] Json with_digest(Json json);

// The version in "format", `prefix` and a number; 1 where there is no such text. E-model-version if
// it is another text, or above `newest`.
[[nodiscard]] Result<std::uint64_t> kept_version(const Json& json, const std::string& prefix,
                                                 std::uint64_t newest, const std::string& file);

// E-model-digest: the file was changed after it was written.
[[nodiscard]] Result<void> check_digest(const Json& json, const std::string& file);

// Keys and what they are, numbers and texts.
[[nodiscard]] Json to_json(const NamedSettings& settings);

// intercept, missing, radius, weighting, rows, bounded_below, target, features[].
[[nodiscard]] Json schema_json(const Schema& schema);
[[nodiscard]] Schema schema_from(const Json& json, const std::string& path, std::string& problem);

// weighting, columns[], scaling[], sums[], noise_sd[], encoding{}: numbers read back to the same
// bits. With v a column's own value, clipped to its bounds, z = scale·(v − middle)/half; sums[] is
// the upper triangle of Σzzᵀ with noise (weighting "bounded": Σw·zzᵀ), row by row, null for a Σy²
// that was not released.
[[nodiscard]] std::string_view weighting_name(const Release& release);
[[nodiscard]] Json release_json(const Release& release);
[[nodiscard]] Release release_from(const Json& json, std::string& problem);

}  // namespace sotto
