// The protocol's messages between neighbours: checked, delivered, answered.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "session/run_core.h"

namespace sotto::session {
namespace {

double largest_of(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

bool readable(const Payload& payload) {
  return std::holds_alternative<RoundValues>(payload) ||
         std::holds_alternative<RoundReleases>(payload);
}

bool is_round(const wire::Step& step) {
  return step.has_round_values() || step.has_round_releases();
}

IntegerWidths widths_of(const MessageLimits& limits) {
  return {.ciphertext = limits.ciphertext_width, .release = limits.release_width};
}

Error refused_step(std::string what) {
  return failed("E-step", std::move(what), "it was refused, and nothing has changed");
}

}  // namespace

// Signatures can be checked for the attempt under way only; those of earlier attempts are
// ignored anyway, and what comes early is checked when its time has come.
Result<void> RunCore::inspect_step(PartyId from, const wire::Step& step) const {
  if (step.attempt().size() != kDigestBytes) return refused_step("a message of no attempt");
  const bool under_way = attempt_ && attempt_->id == step.attempt();
  const MessageLimits& limits = under_way ? attempt_->limits : terms_.limits;
  const std::size_t bytes = step.ByteSizeLong();
  if (bytes > (is_round(step) ? limits.round : limits.sealing)) {
    return refused_step("a message that is longer than any of its kind");
  }
  const auto taken = step_bytes_.find(from);
  if ((taken == step_bytes_.end() ? 0 : taken->second) + bytes > step_allowance_) {
    return failed("E-flood", "more than all messages of its run can come to", "it was refused");
  }
  const auto payload = payload_of(step);
  if (!payload) return refused_step("a malformed message");
  if (!under_way || !place_of(from)) return {};
  if (const auto* values = std::get_if<RoundValues>(&*payload)) {
    if (!signer_.verify(hellos_.at(from).certificate,
                        values_text(attempt_->id, *place_of(from), *values), values->signature)) {
      return refused_step(fmt::format("values of round {} that it did not sign", values->round));
    }
  }
  if (const auto* releases = std::get_if<RoundReleases>(&*payload)) {
    for (const AuthoredRelease& release : releases->news) {
      if (release.author >= attempt_->members.size()) return refused_step("a release of nobody");
      // Refused where it comes from: its author's neighbour would pass it on, and be refused for
      // it.
      if (std::ranges::any_of(*release.indices, [&](const Integer& index) {
            return mpz_sizeinbase(index.get_mpz_t(), 2) > 8 * limits.integer;
          })) {
        return refused_step("a release with a number that is longer than any");
      }
      const PartyId author = attempt_->members[release.author];
      const std::string digest = digest_of_release(*release.indices);
      // Everybody's comes once from each neighbour.
      const auto known = attempt_->witnessed.find(release.author);
      if (known != attempt_->witnessed.end() &&
          known->second == SignedRelease{digest, release.signature, release.nonce}) {
        continue;
      }
      const std::string text = release_text(attempt_->id, release.author, digest, release.nonce);
      if (!signer_.verify(hellos_.at(author).certificate, text, release.signature)) {
        return refused_step(fmt::format("a release that {} did not sign", name(author)));
      }
    }
  }
  return {};
}

void RunCore::hear_step(PartyId from, const wire::Step& step) {
  if (past_attempts_.contains(step.attempt())) return;
  // Even from a party that we have given up: the attempt may be resumed.
  if (attempt_ && attempt_->id == step.attempt()) {
    if (const auto payload = payload_of(step)) deliver(from, *payload);
    return;
  }
  if (excluded_.contains(from)) return;
  auto& early = early_[from];
  if (early.size() >= begun_anew() * most_early_steps(terms_.graph.size())) {
    blame(from,
          failed("E-step",
                 fmt::format("{} sent messages of attempts that nobody has begun", name(from)),
                 "ask its operator to check the program"));
    return;
  }
  early.push_back(step);
  ++news_;
}

void RunCore::deliver(PartyId from, const Payload& payload) {
  const auto place = place_of(from);
  if (!place) return;
  if (!released_ && readable(payload)) {
    hold(from, payload);
    return;
  }
  if (!witness(from, payload)) return;
  ++steps_;
  ++news_;
  ++moves_;
  auto more = attempt_->party->receive({*place, *place_of(terms_.self), payload});
  if (more) {
    send(std::move(*more));
    return;
  }
  // The state machine numbers parties within the attempt; people know them by name.
  Error error = more.error();
  error.what = fmt::format("{} {}", name(from), error.reason.empty() ? error.what : error.reason);
  blame(from, std::move(error));
}

// A neighbour that has released can be one round ahead of us, if we have said Without and may
// yet resume; and no more, for it waits for our round. Whoever heard that all are ready has told us
// before, so an honest neighbour's values never come as a surprise.
void RunCore::hold(PartyId from, const Payload& payload) {
  const bool too_soon = !attempt_->suspended && !all_ready();
  if (!too_soon && attempt_->held.emplace(from, payload).second) {
    ++news_;
    ++moves_;
    return;
  }
  blame(from, failed("E-step",
                     too_soon ? fmt::format("{} sent values before all were ready", name(from))
                              : fmt::format("{} sent a second round before our first", name(from)),
                     "ask its operator to check the program"));
}

// Whoever hears a release has heard all Readys before: nothing is passed on ahead of the barrier.
// The release that was committed to was chosen when nobody's could be read.
bool RunCore::opens_commitment(PartyId author, const std::string& digest,
                               const std::string& nonce) {
  const auto& ready = readies_[attempt_->id];
  const auto commitment = ready.find(author);
  if (commitment != ready.end() &&
      commitment->second == commitment_to(digest, attempt_->id, *place_of(author), nonce)) {
    return true;
  }
  end(failed("E-commitment",
             fmt::format("{} released another value than it had committed itself to", name(author)),
             "it may have chosen it knowing the others'; run again without it"),
      wire::Stopped::PEER_FAULT, author);
  return false;
}

// Remembers what was signed. A release that does not open its author's commitment is that author's
// doing, whoever passed it on; only one can open it.
bool RunCore::witness(PartyId from, const Payload& payload) {
  if (const auto* values = std::get_if<RoundValues>(&payload)) {
    auto chain = attempt_->heard_values.try_emplace(from, "sotto values").first;
    chain->second.add(std::uint64_t{values->round}).add(std::span<const double>(values->values));
    if (values->round == 0) {
      if (!opens_commitment(from, digest_of_first_words(payload), values->nonce)) return false;
      attempt_->heard_scale[from] = largest_of(values->values);
    }
  }
  const auto* releases = std::get_if<RoundReleases>(&payload);
  if (releases == nullptr) return true;
  for (const AuthoredRelease& release : releases->news) {
    if (release.author >= attempt_->members.size()) return true;  // refused by the state machine
    const std::string digest = digest_of_release(*release.indices);
    if (!opens_commitment(attempt_->members[release.author], digest, release.nonce)) return false;
    attempt_->witnessed.try_emplace(release.author,
                                    SignedRelease{digest, release.signature, release.nonce});
  }
  return true;
}

void RunCore::sign(Payload& payload) {
  Attempt& attempt = *attempt_;
  const PartyId self = *place_of(terms_.self);
  if (auto* values = std::get_if<RoundValues>(&payload)) {
    if (values->round == 0) values->nonce = key_.commitment_nonce(attempt.id);
    values->signature = signer_.sign(values_text(attempt.id, self, *values));
    if (!attempt.sent_values) attempt.sent_values.emplace("sotto values");
    // The same values go to every neighbour; the digest takes each round once.
    if (values->round >= attempt.next_sent_round) {
      attempt.sent_values->add(std::uint64_t{values->round})
          .add(std::span<const double>(values->values));
      attempt.next_sent_round = values->round + 1;
    }
    if (values->round == 0) attempt.scale = largest_of(values->values);
  }
  if (auto* releases = std::get_if<RoundReleases>(&payload)) {
    for (AuthoredRelease& release : releases->news) {
      if (release.author != self) continue;
      const std::string digest = digest_of_release(*release.indices);
      release.nonce = key_.commitment_nonce(attempt.id);
      release.signature = signer_.sign(release_text(attempt.id, self, digest, release.nonce));
      attempt.witnessed.try_emplace(self, SignedRelease{digest, release.signature, release.nonce});
    }
  }
}

void RunCore::send(std::vector<Message> messages) {
  for (Message& message : messages) {
    sign(message.payload);
    wire::Body body;
    *body.mutable_step() = step_of(message.payload, widths_of(attempt_->limits));
    body.mutable_step()->set_attempt(attempt_->id);
    const PartyId to = attempt_->members[message.to];
    outgoing_.emplace_back(to, body.SerializeAsString());
    // Its later start may be known by others' words alone, and the link not yet: renew().
    if (!spoken_to_.contains(to)) attempt_->sent[to].push_back(outgoing_.back().second);
  }
}

}  // namespace sotto::session
