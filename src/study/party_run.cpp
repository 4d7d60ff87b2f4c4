#include "study/party_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/check.h"
#include "problem/problem_file.h"
#include "problem/theta.h"
#include "protocol/averaging_party.h"
#include "protocol/drawing_party.h"
#include "protocol/tracking_party.h"
#include "session/digest.h"
#include "study/cipher_choice.h"
#include "study/members.h"
#include "study/plan.h"
#include "study/problem.h"
#include "study/record_run.h"
#include "study/run.h"
#include "study/tracking.h"

namespace sotto {
namespace {

// gt's step and rounds must be the same everywhere, and known before anybody has released.
Result<std::pair<double, Round>> tracking_terms(const Study& study, const GradientNoise& noise) {
  if (study.gt.step && study.gt.rounds) return std::pair{*study.gt.step, *study.gt.rounds};
  if (!study.problem || !study.problem->files.empty()) {
    return tl::unexpected(
        bad_input("E-gt-network", "on a network gt needs its step and its rounds in the study",
                  "add step and rounds to [gt]: sotto simulate on made-up costs of the same size "
                  "shows what converges")
            .value()
            .at("[gt]"));
  }
  auto choice = choose_tracking(study, noise);
  if (!choice) return tl::unexpected(choice.error());
  return std::pair{choice->setup.step, choice->setup.rounds};
}

Result<std::vector<double>> theta_of_costs(const Study& study, PartyId self,
                                           const std::string& data) {
  if (data.empty()) {
    if (!study.problem || !study.problem->files.empty()) {
      return bad_input("E-data-missing", "this party brings no data", "name its file with --data");
    }
    auto problem = load_problem(study);
    if (!problem) return tl::unexpected(problem.error());
    return to_theta(problem->costs[self]);
  }
  const std::filesystem::path path(data);
  const auto costs = read_problem({&path, 1});
  if (!costs) return tl::unexpected(costs.error());
  if (costs->size() != 1) {
    return tl::unexpected(bad_input("E-problem-parties",
                                    "the file holds the costs of more than this party",
                                    "bring one party's {\"A\": …, \"B\": …}")
                              .value()
                              .at(data));
  }
  const auto dimension = problem_dimension(study);
  if (!dimension) return tl::unexpected(dimension.error());
  if (costs->front().b.size() != static_cast<Eigen::Index>(*dimension)) {
    return tl::unexpected(bad_input("E-problem-shape",
                                    "the file's A and B are not of the study's size",
                                    "all parties bring the same number of columns, [problem] m")
                              .value()
                              .at(data));
  }
  return to_theta(costs->front());
}

PartyId place_among(std::span<const PartyId> members, PartyId self) {
  const auto place = std::ranges::lower_bound(members, self);
  check(place != members.end() && *place == self, "a party takes part in what it takes part in");
  return static_cast<PartyId>(place - members.begin());
}

}  // namespace

PartyRun::PartyRun(const Study& study, PartyId self, Secret secret)
    : study_(study), self_(self), secret_(std::move(secret)) {}

Result<PartyRun> PartyRun::make(const Study& study, PartyId self, const std::string& data,
                                const CsvProgress& progress) {
  const auto plan = make_plan(study, study.solver);
  if (!plan) return tl::unexpected(plan.error());
  std::optional<PartyRun> made;
  if (study.privacy.unit == Unit::kRecord) {
    if (data.empty()) {
      return bad_input("E-data-missing", "this party brings no data", "name its table with --data");
    }
    auto table = read_own_table(study, self, data, progress);
    if (!table) return tl::unexpected(table.error());
    made = PartyRun(study, self, secret_of(study, *plan, *table));
    made->data_digest_ = Digest("sotto sums").add(table->moments.sums).value();
    made->table_ = std::move(*table);
  } else {
    const auto theta = theta_of_costs(study, self, data);
    if (!theta) return tl::unexpected(theta.error());
    made = PartyRun(study, self, Secret::of_entries(*theta, study.privacy.sensitivity));
    made->data_digest_ = Digest("sotto theta").add(std::span<const double>(*theta)).value();
  }
  PartyRun run = std::move(*made);
  if (study.solver == Solver::kDishuf) {
    auto cipher = cipher_for(study, CipherChoice::kPaillier);
    if (!cipher) return tl::unexpected(cipher.error());
    run.cipher_ = std::move(*cipher);
    const auto packing = shuffle_packing(std::get<ShuffleNoise>(plan->noise), run.secret_.grid(),
                                         run.cipher_->plaintext_bits());
    if (!packing) return tl::unexpected(packing.error());
    run.plaintexts_ = packing->plaintexts(run.secret_.size());
  }
  if (const auto* noise = std::get_if<GradientNoise>(&plan->noise)) {
    if (auto terms = tracking_terms(study, *noise); !terms) return tl::unexpected(terms.error());
  }
  return run;
}

// From a stream of its own: what it holds does not depend on when it was made.
void PartyRun::prepare(const KeyedRandom::Key& cipher_key) {
  if (cipher_ == nullptr || (prepared_ && prepared_->from == cipher_key)) return;
  KeyedRandom random(cipher_key);
  auto key = cipher_->generate(random);
  key->prepare(plaintexts_, random);
  prepared_ = Prepared{cipher_key, std::move(key)};
}

Result<std::unique_ptr<StagedParty>> PartyRun::take_part(std::span<const PartyId> members,
                                                         const AttemptKeys& keys) {
  const auto study = study_of(study_, members);
  if (!study) return tl::unexpected(study.error());
  const auto plan = make_plan(*study, study->solver);
  if (!plan) return tl::unexpected(plan.error());
  const PartyId self = place_among(members, self_);
  auto party = std::make_unique<DrawingParty>(keys.draws);

  if (const auto* noise = std::get_if<GradientNoise>(&plan->noise)) {
    const auto terms = tracking_terms(*study, *noise);
    if (!terms) return tl::unexpected(terms.error());
    PerturbedCost cost =
        perturb_cost(secret_, plan->dimension, noise->on_grid, noise->sigma_eta, party->noise());
    party->set(std::make_unique<TrackingParty>(self, study->weights, std::move(cost), terms->first,
                                               terms->second));
    return party;
  }
  std::unique_ptr<Sealing> sealing;
  if (const auto* local = std::get_if<LocalNoise>(&plan->noise)) {
    sealing = make_local_sealing(secret_, local->sigma, party->noise());
  } else if (const auto* shuffle = std::get_if<ShuffleNoise>(&plan->noise)) {
    prepare(keys.cipher);
    sealing = make_shuffle(self, study->graph(), secret_, *shuffle, party->noise(), *cipher_,
                           std::move(prepared_->key), party->keys());
    prepared_.reset();
  } else {
    sealing = make_pairwise(self, study->graph(), secret_, std::get<PairwiseNoise>(plan->noise),
                            party->noise(), party->keys(), study->hash);
  }
  party->set(std::make_unique<AveragingParty>(self, study->weights, plan->consensus,
                                              std::move(sealing), Barrier::kHeld));
  return party;
}

Result<PartyRun::Model> PartyRun::conclude(std::span<const PartyId> members,
                                           std::span<const double> result,
                                           const std::string& transcript_hash) const {
  const auto study = study_of(study_, members);
  if (!study) return tl::unexpected(study.error());
  const auto plan = make_plan(*study, study->solver);
  if (!plan) return tl::unexpected(plan.error());
  Model model;
  if (table_) {
    auto fit = fit_sums(*study, *plan, result);
    if (!fit) return tl::unexpected(fit.error());
    RecordRun run{.fit = std::move(*fit),
                  .sums = {result.begin(), result.end()},
                  .transcript_hash = transcript_hash,
                  .convergence = {}};
    model.record = record_of(*study, *plan, {&*table_, 1}, run);
    model.fit = std::move(run.fit);
  } else {
    std::vector<double> x(result.begin(), result.end());
    if (study->solver != Solver::kGt) {
      auto solved = solve_sums(*study, *plan, result);
      if (!solved) return tl::unexpected(solved.error());
      x = std::move(*solved);
    }
    model.record = public_record(*study, *plan);
    for (std::size_t k = 0; k < x.size(); ++k) {
      model.record.coefficients.push_back({.name = fmt::format("x{}", k + 1),
                                           .value = x[k],
                                           .standard_error = std::nullopt,
                                           .interval = std::nullopt,
                                           .unshrunk = std::nullopt});
    }
    model.record.transcript_hash = transcript_hash;
  }
  model.record.simulated = false;
  return model;
}

}  // namespace sotto
