#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/run_record.h"

namespace sotto {

// What a run promises, in words for people who never heard of ε. Every number is
// computed from the record.
struct Promise {
  std::vector<std::string> kept;    // what holds
  std::vector<std::string> limits;  // what does not, or only weaker
};
[[nodiscard]] Promise promise_of(const RunRecord& record);

// "someone who reads all traffic"; a name that is not known stays as it is.
[[nodiscard]] std::string observer_in_words(const std::string& name);

// "one row of a table, added or removed"
[[nodiscard]] std::string unit_in_words(const RunRecord& record);

// Whether the ε and δ that were asked for hold against it, up to rounding.
[[nodiscard]] bool holds_against(const RunRecord& record, const RunRecord::Adversary& observer);

// The probability of guessing right which of two neighbouring data sets was used,
// for an observer to whom both were as likely before:
//
//     Φ(s/2) for a Gaussian release that moves by s standard deviations;
//     (e^ε + δ)/(1 + e^ε) for gt, whose noise is not Gaussian throughout.
[[nodiscard]] double best_guess(const RunRecord& record, const RunRecord::Adversary& observer);

// "54.8 %", rounded up: a bound stays a bound.
[[nodiscard]] std::string percent_at_most(double probability);

// "1 in 1,000,000", "1 in 5"
[[nodiscard]] std::string odds_text(double probability);

// "ε = 1", kept on one line
[[nodiscard]] std::string equals(std::string_view letter, double value);

// 1234567 as "1,234,567"
[[nodiscard]] std::string count_text(std::uint64_t count);

}  // namespace sotto
