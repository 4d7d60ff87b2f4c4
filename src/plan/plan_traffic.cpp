// What a party sends: messages of the real sizes are made and measured, none is sent.
#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "graph/graph.h"
#include "plan/plan.h"
#include "protocol/sealing.h"
#include "session/wire.h"

namespace sotto {
namespace {

constexpr std::size_t kSignatureBytes = 64;
// Numbers that are written as short as they are: milliseconds since 1970, and how many messages
// two neighbours have had, in the middle of a run.
constexpr std::uint64_t kStart = 1'800'000'000'000;
constexpr std::uint64_t kMessages = 200;
// A certificate of ours beside its names (network/x509.cpp).
constexpr double kCertificateBytes = 293;
// Greetings, and receipts that found no body to travel with, per neighbour.
constexpr double kReceipts = 4;
// 2⁴⁰ sensitivities, or a table of 2³⁸ rows; and far more than that.
constexpr double kValueBits = 80;
constexpr double kMostValueBits = 160;

std::string zeros(std::size_t size) {
  return std::string(size, '\0');
}

double frame_bytes(std::size_t body_bytes) {
  wire::Frame frame;
  frame.set_protocol(kProtocol);
  frame.set_study(zeros(kDigestBytes));
  frame.set_nonce(zeros(kNonceBytes));
  frame.set_have(kMessages);
  frame.set_start(kStart);
  frame.set_knows(kStart);
  if (body_bytes > 0) {
    frame.set_number(kMessages);
    frame.set_body(zeros(body_bytes));
  }
  return static_cast<double>(frame.ByteSizeLong());
}

double statement_bytes(const wire::Text& text) {
  wire::Body body;
  body.mutable_statement()->set_author(1);
  body.mutable_statement()->set_nonce(zeros(kNonceBytes));
  body.mutable_statement()->set_text(zeros(text.ByteSizeLong()));
  body.mutable_statement()->set_signature(zeros(kSignatureBytes));
  return frame_bytes(body.ByteSizeLong());
}

double step_bytes(const wire::Step& step) {
  wire::Body body;
  *body.mutable_step() = step;
  body.mutable_step()->set_attempt(zeros(kDigestBytes));
  return frame_bytes(body.ByteSizeLong());
}

double host_bytes(const PartyTerms& party) {
  const std::string host = party.address.substr(0, party.address.rfind(':'));
  const bool address = host.find_first_not_of("0123456789.") == std::string::npos;
  return address ? 6 : static_cast<double>(host.size() + 2);
}

// With values of so many bits, in steps of the grid.
std::size_t release_bytes(const Study& study, const Plan& plan, double value_bits) {
  const auto log2_of = [](const Rational& number) { return log10(number) / std::log10(2.0); };
  double bits = value_bits;
  const auto add_noise = [&](const Rational& sigma) {
    if (sgn(sigma) <= 0) return;
    bits = std::max(bits, log2_of(sigma) - log2_of(released_grid(study).step()) + 8);
  };
  double factor_bits = std::log2(static_cast<double>(study.graph().size())) + 2;
  if (const auto* shuffle = std::get_if<ShuffleNoise>(&plan.noise)) {
    add_noise(shuffle->sigma_gamma);
    add_noise(shuffle->sigma_eta);
    factor_bits += log2_of(Rational(shuffle->inverse_zeta)) +
                   2 * std::log2(static_cast<double>(shuffle->multiplier_max));
  } else if (const auto* pairwise = std::get_if<PairwiseNoise>(&plan.noise)) {
    add_noise(Rational(pairwise->sigma_gamma));
    add_noise(Rational(pairwise->sigma_edge));
  } else if (const auto* local = std::get_if<LocalNoise>(&plan.noise)) {
    add_noise(Rational(local->sigma));
  } else if (const auto* laplace = std::get_if<LaplaceNoise>(&plan.noise)) {
    add_noise(Rational(laplace->sd()));
  }
  return static_cast<std::size_t>((bits + factor_bits) / 8) + 2;
}

// What one party sends, if it is this one.
class Sender {
 public:
  Sender(const Study& study, const Plan& plan, PartyId self)
      : study_(study),
        plan_(plan),
        self_(self),
        parties_(static_cast<double>(study.graph().size())),
        degree_(static_cast<double>(study.graph().degree(self))) {}

  [[nodiscard]] TrafficPlan count() {
    statements();
    sealing();
    rounds();
    wire::Body farewell;
    farewell.mutable_farewell();
    add(degree_, frame_bytes(farewell.ByteSizeLong()));
    add(degree_ * kReceipts, frame_bytes(0));
    return {static_cast<std::uint64_t>(messages_), static_cast<std::uint64_t>(bytes_)};
  }

 private:
  void add(double messages, double bytes_each) {
    messages_ += messages;
    bytes_ += messages * bytes_each;
  }

  // Its own to every neighbour, everybody else's to all but the one it came from.
  void statements() {
    const double copies = degree_ + (parties_ - 1) * (degree_ - 1);
    double names = 0;
    for (const PartyTerms& party : study_.parties) {
      names += 2 * static_cast<double>(party.name.size()) + host_bytes(party);
    }
    wire::Text hello;
    hello.mutable_hello()->set_certificate(
        zeros(static_cast<std::size_t>(kCertificateBytes + names / parties_)));
    hello.mutable_hello()->set_start(kStart);
    wire::Text met;
    met.mutable_met()->set_attempt(zeros(kDigestBytes));
    wire::Text ready;
    ready.mutable_ready()->set_attempt(zeros(kDigestBytes));
    ready.mutable_ready()->set_commitment(zeros(kDigestBytes));
    wire::Text released;
    released.mutable_released()->set_attempt(zeros(kDigestBytes));
    wire::Text outcome;
    outcome.mutable_outcome()->set_attempt(zeros(kDigestBytes));
    if (exact()) {
      outcome.mutable_outcome()->set_digest(zeros(kDigestBytes));
      outcome.mutable_outcome()->set_heard(zeros(kDigestBytes));
    } else {
      outcome.mutable_outcome()->set_sent(zeros(kDigestBytes));
      outcome.mutable_outcome()->set_scale(1);
      const std::size_t values = plan_.tracks_gradient() ? plan_.dimension : plan_.entries;
      for (std::size_t k = 0; k < values; ++k) outcome.mutable_outcome()->add_values(1);
    }
    add(copies, statement_bytes(hello));
    add(copies, statement_bytes(met));
    add(copies, statement_bytes(ready));
    add(copies, statement_bytes(released));
    add(copies, statement_bytes(outcome));
  }

  void sealing() {
    if (const auto* shuffle = std::get_if<ShuffleNoise>(&plan_.noise)) {
      const auto packing = study_packing(study_, *shuffle);
      check(packing.has_value(), "a plan whose key is too short is refused earlier");
      const ShuffleSize size = shuffle_size(*packing, plan_.entries, study_.dishuf.key_bits,
                                            study_.dishuf.full_randomness);
      const std::size_t ciphertext = 2 * study_.dishuf.key_bits / 8;
      wire::Step offer;
      wire::Step reply;
      offer.mutable_shuffle_offer()->set_public_key(
          zeros(size.offer_bytes - size.ciphertexts * ciphertext));
      for (std::size_t k = 0; k < size.ciphertexts; ++k) {
        offer.mutable_shuffle_offer()->add_negated(zeros(ciphertext + 1));
        reply.mutable_shuffle_reply()->add_scaled(zeros(ciphertext + 1));
      }
      add(degree_, step_bytes(offer));
      add(degree_, step_bytes(reply));
    } else if (std::holds_alternative<PairwiseNoise>(plan_.noise)) {
      wire::Step offer;
      offer.mutable_pairwise_offer()->set_public_key(zeros(32));
      add(degree_, step_bytes(offer));
    }
  }

  void rounds() {
    const Round rounds = plan_.rounds.rounds.value_or(0);
    if (exact()) {
      DistanceLevels levels(study_.graph(), self_);
      const std::size_t integer = 1 + release_width(study_, plan_);
      for (Round round = 0; round < rounds; ++round) {
        wire::Step step;
        for (std::size_t k = 0; k < levels.at(round).size(); ++k) {
          auto& release = *step.mutable_round_releases()->add_news();
          release.set_author(1);
          release.set_signature(zeros(kSignatureBytes));
          release.set_nonce(zeros(kDigestBytes));
          for (std::size_t e = 0; e < plan_.entries; ++e) release.add_indices(zeros(integer));
        }
        step.mutable_round_releases()->set_round(round);
        add(degree_, step_bytes(step));
      }
      return;
    }
    wire::Step step;
    const std::size_t values = plan_.tracks_gradient() ? 2 * plan_.dimension : plan_.entries;
    for (std::size_t k = 0; k < values; ++k) step.mutable_round_values()->add_values(1);
    step.mutable_round_values()->set_round(rounds / 2);
    step.mutable_round_values()->set_signature(zeros(kSignatureBytes));
    add(degree_ * rounds, step_bytes(step));
    // The first of them opens the commitment: a nonce, its tag and its length.
    if (rounds > 0) bytes_ += degree_ * (kDigestBytes + 2);
  }

  [[nodiscard]] bool exact() const {
    return !plan_.tracks_gradient() && plan_.consensus.method == ConsensusMethod::kExact;
  }

  const Study& study_;
  const Plan& plan_;
  PartyId self_;
  double parties_;
  double degree_;
  double messages_ = 0;
  double bytes_ = 0;
};

}  // namespace

std::size_t release_width(const Study& study, const Plan& plan) {
  return release_bytes(study, plan, kValueBits);
}

std::size_t most_release_bytes(const Study& study, const Plan& plan) {
  return release_bytes(study, plan, kMostValueBits);
}

TrafficPlan predict_traffic(const Study& study, const Plan& plan) {
  PartyId busiest = 0;
  for (PartyId party = 1; party < study.graph().size(); ++party) {
    if (study.graph().degree(party) > study.graph().degree(busiest)) busiest = party;
  }
  return Sender(study, plan, busiest).count();
}

}  // namespace sotto
