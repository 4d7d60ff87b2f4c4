// Makes a party's state machine from its study, its input and its keys; the session drives it.
#include "run/party_run.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "protocol/sealing.h"
#include "protocol/setup.h"

namespace sotto {
namespace {

struct TrackingTerms {
  double step = 0;
  Round rounds = 0;
};

// gt's step and rounds must be the same everywhere, and known before anybody has released.
Result<TrackingTerms> tracking_terms(const PlannedStudy& planned) {
  const GtTerms& gt = planned.study.gt;
  if (gt.step && gt.rounds) return TrackingTerms{*gt.step, *gt.rounds};
  if (const auto& chosen = planned.plan.tracking) {
    return TrackingTerms{chosen->setup.step, chosen->setup.rounds};
  }
  return bad_input("E-gt-network", "on a network gt needs its step and its rounds in the study",
                   "add step and rounds to [gt]: sotto simulate on made-up costs of the same size "
                   "shows what converges")
      .at("[gt]");
}

PartyId place_among(std::span<const PartyId> members, PartyId self) {
  const auto place = std::ranges::lower_bound(members, self);
  check(place != members.end() && *place == self, "a party takes part in what it takes part in");
  return static_cast<PartyId>(place - members.begin());
}

}  // namespace

Result<PartyRun> PartyRun::make(const Study& study, PartyId self, const std::string& data,
                                const CsvProgress& progress) {
  SOTTO_ASSIGN(auto planned, plan_study(study, study.solver));
  return make(std::move(planned), self, data, progress);
}

Result<PartyRun> PartyRun::make(PlannedStudy planned, PartyId self, const std::string& data,
                                const CsvProgress& progress) {
  SOTTO_ASSIGN(auto input, read_input(planned, self, data, progress));
  PartyRun run(planned.study, self, std::move(input));
  const Study& study = run.study_;
  if (const auto* shuffle = std::get_if<ShuffleNoise>(&planned.plan.noise)) {
    SOTTO_ASSIGN(run.cipher_, cipher_for(study, CipherChoice::kPaillier));
    SOTTO_ASSIGN(const auto packing, shuffle_packing(*shuffle, run.input_.secret.grid(),
                                                     run.cipher_->plaintext_bits()));
    run.plaintexts_ = packing.plaintexts(run.input_.secret.size());
  }
  if (study.solver == Solver::kGt) SOTTO_TRY(tracking_terms(planned));
  Members everybody(study.graph().size());
  std::iota(everybody.begin(), everybody.end(), PartyId{0});
  run.plans_.emplace(std::move(everybody), std::move(planned));
  return run;
}

Result<const PlannedStudy*> PartyRun::plan_of(std::span<const PartyId> members) {
  Members key(members.begin(), members.end());
  auto found = plans_.find(key);
  if (found == plans_.end()) {
    SOTTO_ASSIGN(auto rest, study_.restricted_to(members));
    SOTTO_ASSIGN(auto planned, plan_study(std::move(rest), study_.solver));
    found = plans_.emplace(std::move(key), std::move(planned)).first;
  }
  return &found->second;
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
  SOTTO_ASSIGN(const PlannedStudy* planned, plan_of(members));
  const auto& [study, plan] = *planned;
  const PartyId self = place_among(members, self_);
  if (const auto* noise = std::get_if<GradientNoise>(&plan.noise)) {
    SOTTO_ASSIGN(const auto terms, tracking_terms(*planned));
    return make_party(TrackingSetup{.weights = study.weights,
                                    .dimension = plan.dimension,
                                    .laplace = noise->on_grid,
                                    .sigma = noise->sigma_eta,
                                    .step = terms.step,
                                    .rounds = terms.rounds},
                      {.self = self, .secret = input_.secret, .draws = keys.draws});
  }
  prepare(keys.cipher);
  auto key = prepared_ ? std::move(prepared_->key) : nullptr;
  prepared_.reset();
  return make_party(AveragingSetup{study.weights, plan.consensus, plan.noise},
                    {.self = self,
                     .secret = input_.secret,
                     .draws = keys.draws,
                     .cipher = cipher_.get(),
                     .key = std::move(key),
                     .context = study.hash});
}

Result<Model> PartyRun::conclude(std::span<const PartyId> members, const Outcome& outcome) {
  SOTTO_ASSIGN(const PlannedStudy* planned, plan_of(members));
  std::vector<RunRecord::Own> own;
  if (input_.own) own.push_back(*input_.own);
  SOTTO_ASSIGN(auto model, sotto::conclude(*planned, outcome, std::move(own)));
  model.record.simulated = false;
  return model;
}

}  // namespace sotto
