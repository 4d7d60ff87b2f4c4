#pragma once

#include <string>
#include <vector>

#include "run/run_record.h"

// What a run promises, in words for people who never heard of ε. Every number is
// computed from the record.
namespace sotto::report {

struct GuaranteeText {
  std::vector<std::string> kept;    // what holds
  std::vector<std::string> limits;  // what does not, or only weaker
};
[[nodiscard]] GuaranteeText guarantee_text(const RunRecord& record);

// "someone who reads all traffic"
[[nodiscard]] std::string observer_in_words(const Adversary& observer);

// "one row of a table, added or removed"
[[nodiscard]] std::string unit_in_words(const RunRecord& record);

// Whether the ε and δ that were asked for hold against it, up to rounding.
[[nodiscard]] bool holds_against(const RunRecord& record, const Adversary& observer);

// The probability of guessing right which of two neighbouring data sets was used,
// for an observer to whom both were as likely before:
//
//     Φ(s/2) for a Gaussian release that moves by s standard deviations;
//     (e^ε + δ)/(1 + e^ε) for gt, whose noise is not Gaussian throughout.
[[nodiscard]] double best_guess(const RunRecord& record, const Adversary& observer);

}  // namespace sotto::report
