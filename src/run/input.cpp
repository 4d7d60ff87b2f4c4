// Left of this file values are private and unprotected; what it returns can only be sealed.
#include "run/input.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "base/digest.h"
#include "moments/costs.h"
#include "moments/quadratic.h"

namespace sotto {
namespace {

Error wrong_shape() {
  return bad_input("E-problem-shape", "the file's A and B are not of the study's size",
                   "all parties bring the same number of columns, [problem] m");
}

Result<Quadratic> read_cost(const PlannedStudy& planned, PartyId self, const std::string& data) {
  const Study& study = planned.study;
  if (data.empty()) {
    if (!study.problem || !study.problem->files.empty()) {
      return bad_input("E-data-missing", "this party brings no data", "name its file with --data");
    }
    SOTTO_ASSIGN(auto problem, family_problem(study));
    return problem.costs[self];
  }
  const std::filesystem::path path(data);
  SOTTO_ASSIGN(auto costs, read_problem({&path, 1}));
  if (costs.size() != 1) {
    return bad_input("E-problem-parties", "the file holds the costs of more than this party",
                     "bring one party's {\"A\": …, \"B\": …}")
        .at(data);
  }
  if (costs.front().b.size() != static_cast<Eigen::Index>(planned.plan.dimension)) {
    return wrong_shape().at(data);
  }
  return std::move(costs.front());
}

}  // namespace

Input input_of(const PlannedStudy& planned, PartyTable table) {
  const Study& study = planned.study;
  std::string digest = Digest("sotto sums").add(table.moments.sums).value();
  IntegerVector sums = std::move(table.moments.sums);
  auto weights = entry_weights(table.moments.dimension, study.data->intercept,
                               released_shares(*study.data, study.privacy.neighbours, study.solve));
  sums.resize(planned.plan.entries);
  weights.resize(planned.plan.entries);
  return {.secret = Secret::of_sums(std::move(sums), moments_grid(), std::move(weights)),
          .digest = std::move(digest),
          .own = std::move(table.own),
          .constant_columns = std::move(table.constant_columns)};
}

Input input_of(const PlannedStudy& planned, const Quadratic& cost) {
  const auto theta = to_theta(cost);
  return {.secret = Secret::of_entries(theta, planned.study.privacy.sensitivity),
          .digest = Digest("sotto theta").add(std::span<const double>(theta)).value(),
          .own = std::nullopt};
}

Result<Input> read_input(const PlannedStudy& planned, PartyId self, const TableRequest& data,
                         const CsvProgress& progress) {
  if (planned.study.privacy.unit == Unit::kEntry) {
    if (data.push_down) {
      return bad_input("E-data-options", "--push-down is for tables, and this study has none",
                       "leave it away");
    }
    SOTTO_ASSIGN(const auto cost, read_cost(planned, self, data.place));
    return input_of(planned, cost);
  }
  if (data.empty()) {
    return bad_input("E-data-missing", "this party brings no data", "name its table with --data");
  }
  SOTTO_ASSIGN(auto table, read_own_table(planned.study, self, data, progress));
  return input_of(planned, std::move(table));
}

Result<Problem> load_problem(const Study& study) {
  if (!study.problem) {
    return bad_input("E-problem-missing", "the study has no [problem] to simulate",
                     "add [problem] with family = \"paper\", or with files");
  }
  const ProblemSource& source = *study.problem;
  if (source.files.empty()) return family_problem(study);
  const std::vector<std::filesystem::path> paths(source.files.begin(), source.files.end());
  SOTTO_ASSIGN(auto costs, read_problem(paths));
  if (costs.size() != study.graph().size()) {
    return bad_input("E-problem-parties",
                     fmt::format("the files hold {} parties' costs, and the graph has {} parties",
                                 costs.size(), study.graph().size()),
                     "let both agree");
  }
  SOTTO_ASSIGN(auto problem, problem_of(Costs(costs)));
  if (source.dimension > 0 && source.dimension != problem.dimension()) {
    return wrong_shape().at("[problem] m");
  }
  return problem;
}

Result<std::unique_ptr<Cipher>> cipher_for(const Study& study, CipherChoice choice) {
  if (choice == CipherChoice::kIdeal) return nullptr;
  const auto randomness = study.dishuf.full_randomness ? Randomness::kFull : Randomness::kHalf;
  return paillier_cipher(study.dishuf.key_bits, randomness).at("[dishuf] key_bits");
}

}  // namespace sotto
