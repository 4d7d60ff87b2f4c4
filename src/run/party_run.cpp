// Makes a party's state machine from its study, its input and its keys; the session drives it.
#include "run/party_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/parallel.h"
#include "network/transport.h"
#include "protocol/sealing.h"
#include "protocol/setup.h"
#include "run/account.h"

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

std::vector<PartyId> everybody_of(const Study& study) {
  std::vector<PartyId> everybody(study.graph().size());
  std::iota(everybody.begin(), everybody.end(), PartyId{0});
  return everybody;
}

MessageShape shape_of(const PlannedStudy& planned) {
  const auto& [study, plan] = planned;
  MessageShape shape{.parties = study.graph().size()};
  if (plan.tracks_gradient()) {
    shape.values = 2 * plan.dimension;
    if (const auto terms = tracking_terms(planned)) shape.rounds = terms->rounds;
    return shape;
  }
  shape.rounds = plan.consensus.rounds;
  if (plan.consensus.method == ConsensusMethod::kExact) {
    shape.entries = plan.entries;
    shape.integer_bytes = most_release_bytes(study, plan);
    shape.integer_width = release_width(study, plan);
  } else {
    shape.values = plan.entries;
  }
  const auto* shuffle = std::get_if<ShuffleNoise>(&plan.noise);
  if (shuffle == nullptr) return shape;
  const auto packing = study_packing(study, *shuffle);
  check(packing.has_value(), "a plan whose key is too short is refused earlier");
  const ShuffleSize size =
      shuffle_size(*packing, plan.entries, study.dishuf.key_bits, study.dishuf.full_randomness);
  shape.ciphertexts = size.ciphertexts;
  shape.ciphertext_bytes = 2 * study.dishuf.key_bits / 8;
  shape.key_bytes = size.offer_bytes - size.ciphertexts * shape.ciphertext_bytes;
  return shape;
}

// The most releases that anybody passes on in one message: all that are equally far away. Without
// some parties others are.
std::size_t most_releases_at_once(const Study& study, std::uint64_t rounds) {
  const std::size_t parties = study.graph().size();
  if (study.network.min_parties != 0 && study.network.min_parties < parties) return parties;
  std::size_t most = 1;
  for (PartyId party = 0; party < parties; ++party) {
    DistanceLevels levels(study.graph(), party);
    for (std::uint64_t round = 0; round < rounds; ++round)
      most = std::max(most, levels.at(round).size());
  }
  return most;
}

PartyId place_among(std::span<const PartyId> members, PartyId self) {
  const auto place = std::ranges::lower_bound(members, self);
  check(place != members.end() && *place == self, "a party takes part in what it takes part in");
  return static_cast<PartyId>(place - members.begin());
}

}  // namespace

Result<PartyRun> PartyRun::make(const Study& study, PartyId self, const TableRequest& data,
                                const CsvProgress& progress) {
  SOTTO_ASSIGN(auto planned, plan_study(study, study.solver));
  return make(std::move(planned), self, data, progress);
}

Result<PartyRun> PartyRun::make(PlannedStudy planned, PartyId self, const TableRequest& data,
                                const CsvProgress& progress) {
  SOTTO_ASSIGN(auto input, read_input(planned, self, data, progress));
  PartyRun run(planned.study, self, std::move(input));
  std::shared_ptr<const Cipher> cipher;
  if (std::holds_alternative<ShuffleNoise>(planned.plan.noise)) {
    SOTTO_ASSIGN(cipher, cipher_for(planned.study, CipherChoice::kPaillier));
  }
  SOTTO_TRY(run.equip(std::move(planned), std::move(cipher)));
  return run;
}

Result<PartyRun> PartyRun::simulated(PlannedStudy planned, PartyId self, const Quadratic& cost,
                                     std::shared_ptr<const Cipher> cipher) {
  PartyRun run(planned.study, self, input_of(planned, cost));
  SOTTO_TRY(run.equip(std::move(planned), std::move(cipher)));
  return run;
}

Result<void> PartyRun::equip(PlannedStudy planned, std::shared_ptr<const Cipher> cipher) {
  if (const auto* shuffle = std::get_if<ShuffleNoise>(&planned.plan.noise)) {
    cipher_ = std::move(cipher);
    SOTTO_ASSIGN(const auto packing,
                 shuffle_packing(*shuffle, input_.secret.grid(), input_.secret.least_weight(),
                                 cipher_->plaintext_bits()));
    plaintexts_ = packing.plaintexts(input_.secret.size());
  }
  if (planned.plan.tracks_gradient()) SOTTO_TRY(tracking_terms(planned));
  plans_.emplace(everybody_of(study_), std::move(planned));
  return {};
}

Result<const PlannedStudy*> PartyRun::plan_of(std::span<const PartyId> members) {
  Members key(members.begin(), members.end());
  auto found = plans_.find(key);
  if (found == plans_.end()) {
    SOTTO_ASSIGN(auto planned, plans_.at(everybody_of(study_)).planned_for(members));
    found = plans_.emplace(std::move(key), std::move(planned)).first;
  }
  return &found->second;
}

const Plan& PartyRun::plan() const {
  const auto everybody = std::ranges::find_if(
      plans_, [&](const auto& planned) { return planned.first.size() == study_.graph().size(); });
  check(everybody != plans_.end(), "a study is planned for all of its parties first");
  return everybody->second.plan;
}

bool PartyRun::prepare(const KeyedRandom::Key& cipher_key) {
  if (cipher_ == nullptr) return false;
  const auto neighbours = study_.graph().neighbours(self_);
  make_key_pairs(cipher_key, neighbours, core_count());
  return prepared_->for_neighbour.size() < neighbours.size();
}

// Each pair comes from a stream that belongs to its neighbour: it is the same whenever it is made,
// after a crash too, and whoever else takes part.
void PartyRun::make_key_pairs(const KeyedRandom::Key& cipher_key,
                              std::span<const PartyId> neighbours, std::size_t at_most) {
  if (!prepared_ || prepared_->from != cipher_key) prepared_ = Prepared{cipher_key, {}};
  std::vector<PartyId> missing;
  for (const PartyId neighbour : neighbours) {
    if (missing.size() == at_most) break;
    if (!prepared_->for_neighbour.contains(neighbour)) missing.push_back(neighbour);
  }
  KeyPairs pairs = generate_key_pairs(*cipher_, cipher_key, missing, plaintexts_);
  for (std::size_t k = 0; k < missing.size(); ++k) {
    prepared_->for_neighbour.emplace(missing[k], std::move(pairs[k]));
  }
}

Result<void> check_message_sizes(const PlannedStudy& planned) {
  MessageShape shape = shape_of(planned);
  const std::size_t parties = shape.parties;
  if (limits_of(shape).frame(parties) <= kMaxFrameBytes) return {};
  // Messages may be as large as all releases together, and seldom are.
  if (shape.entries > 0) shape.parties = most_releases_at_once(planned.study, shape.rounds);
  const std::size_t bytes = limits_of(shape).frame(parties);
  if (bytes <= kMaxFrameBytes) return {};
  constexpr double kMegabyte = 1e6;
  return bad_input(
      "E-message-size",
      fmt::format(
          "a message of this study may have {:.0f} MB, and none of more than {:.0f} is sent",
          static_cast<double>(bytes) / kMegabyte, static_cast<double>(kMaxFrameBytes) / kMegabyte),
      "fewer columns, a graph in which fewer parties are equally far from one (a cycle), or "
      "[consensus] method = \"chebyshev\", which passes no releases on");
}

KeyPairs PartyRun::take_key_pairs(const KeyedRandom::Key& cipher_key,
                                  std::span<const PartyId> neighbours) {
  make_key_pairs(cipher_key, neighbours, neighbours.size());
  KeyPairs pairs;
  for (const PartyId neighbour : neighbours) {
    pairs.push_back(std::move(prepared_->for_neighbour.at(neighbour)));
  }
  prepared_.reset();
  return pairs;
}

MessageLimits PartyRun::limits() const {
  const auto all = std::ranges::max_element(
      plans_, {}, [](const auto& planned) { return planned.first.size(); });
  MessageShape shape = shape_of(all->second);
  // Another set has another calibration: never less than one entry in a ciphertext, and noise of
  // about the same size.
  constexpr std::size_t kSpareBytes = 32;
  if (shape.ciphertexts > 0) shape.ciphertexts = all->second.plan.entries;
  if (shape.entries > 0) shape.integer_bytes += kSpareBytes;
  return limits_of(shape);
}

Result<AttemptParty> PartyRun::take_part(std::span<const PartyId> members,
                                         const AttemptKeys& keys) {
  SOTTO_ASSIGN(const PlannedStudy* planned, plan_of(members));
  const auto& [study, plan] = *planned;
  const PartyId self = place_among(members, self_);
  AttemptParty attempt{.party = nullptr,
                       .charges = attempt_charges(study, plan),
                       .if_neighbour_released = lost_neighbour_charges(study, plan),
                       .limits = limits_of(shape_of(*planned))};
  if (const auto* noise = std::get_if<GradientNoise>(&plan.noise)) {
    SOTTO_ASSIGN(const auto terms, tracking_terms(*planned));
    attempt.party = make_party(TrackingSetup{.weights = study.weights,
                                             .dimension = plan.dimension,
                                             .laplace = noise->on_grid,
                                             .sigma = noise->sigma_eta,
                                             .step = terms.step,
                                             .rounds = terms.rounds},
                               {.self = self, .secret = input_.secret, .draws = keys.draws});
    return attempt;
  }
  std::function<KeyPairs()> key_pairs;
  if (cipher_ != nullptr) {
    std::vector<PartyId> neighbours;
    for (const PartyId place : study.graph().neighbours(self)) {
      neighbours.push_back(members[place]);
    }
    key_pairs = [this, from = keys.cipher, neighbours] { return take_key_pairs(from, neighbours); };
  }
  attempt.party = make_party(AveragingSetup{study.weights, plan.consensus, plan.noise},
                             {.self = self,
                              .secret = input_.secret,
                              .draws = keys.draws,
                              .cipher = cipher_.get(),
                              .key_pairs = std::move(key_pairs),
                              .context = study.hash});
  return attempt;
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
