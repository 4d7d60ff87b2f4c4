#pragma once

#include <memory>
#include <optional>
#include <string>

#include "paillier/cipher.h"
#include "plan/plan.h"
#include "plan/simulated_problem.h"
#include "run/tables.h"

namespace sotto {

// The first steps of every run: what a party holds goes behind the privacy boundary,
//
//     table or costs → Secret.

struct Input {
  Secret secret;
  std::string digest;                              // SHA-256 of what the party brings
  std::optional<RunRecord::Own> own;               // of a table: counts that stay with the party
  std::vector<std::string> constant_columns = {};  // of a table: run/tables.h
};

// Sums that are exact integers, and what each entry weighs in φ. Without error bars Σy², the
// last entry, stays at home.
[[nodiscard]] Input input_of(const PlannedStudy& planned, PartyTable table);

// θ = [vech(A); B] of one party's cost.
[[nodiscard]] Input input_of(const PlannedStudy& planned, const Quadratic& cost);

// One party's own: `data` is its table (unit = "record") or its A and B (unit = "entry"; may be
// empty if the study brings a family). E-data-missing, E-problem-…, and the errors of data/table.h.
[[nodiscard]] Result<Input> read_input(const PlannedStudy& planned, PartyId self,
                                       const TableRequest& data, const CsvProgress& progress = {});

// All parties' costs for a simulation: the family's, or the files'. E-problem-missing without a
// [problem]; E-problem-shape where the files are not of the study's m.
[[nodiscard]] Result<Problem> load_problem(const Study& study);

// What the parties of a simulated `dishuf` encrypt with: the same answers, bit for bit.
enum class CipherChoice {
  kIdeal,     // nothing is hidden, and nothing has to be: all parties are here
  kPaillier,  // as on a network: [dishuf] key_bits and randomness
};

// nullptr for the ideal one, which simulations take by themselves.
[[nodiscard]] Result<std::unique_ptr<Cipher>> cipher_for(const Study& study, CipherChoice choice);

}  // namespace sotto
