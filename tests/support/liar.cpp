// What a member that lies puts in place of its honest words.

#include "support/liar.h"

#include <algorithm>
#include <array>

#include "base/digest.h"
#include "session/wire.h"

namespace sotto {
namespace {

constexpr std::size_t kRemembered = 64;
constexpr std::uint64_t kMostLies = 400;
constexpr std::uint64_t kMostNewStarts = 8;

// A digest of nothing in particular.
std::string noise_bytes(SeededRandom& random) {
  return Digest("a lie").add(random.bits64()).value();
}

}  // namespace

Liar::Liar(const SimulatedStudy& study, PartyId self, SeededRandom& random)
    : study_(study),
      self_(self),
      signer_(self),
      random_(random),
      study_hash_(study.terms(self).study_hash) {
  const std::uint64_t kinds = 1 + random.below(3);
  for (std::uint64_t k = 0; k < kinds; ++k) {
    repertoire_.push_back(static_cast<Lie>(random.below(kLies)));
  }
  constexpr std::array<std::uint64_t, 4> kRates{20, 80, 300, 1000};
  rate_ = kRates[random.below(kRates.size())];
  for (const PartyId neighbour : study.graph.neighbours(self)) {
    if (chance(600)) dupes_.insert(neighbour);
  }
}

std::string Liar::some_attempt() {
  if (attempts_.empty() || chance(100)) return noise_bytes(random_);
  return attempts_[random_.below(attempts_.size())];
}

wire::Body Liar::statement_of(PartyId author, const wire::Text& text) {
  wire::Body body;
  wire::Statement& statement = *body.mutable_statement();
  statement.set_author(author);
  const auto nonce = nonces_.find(author);
  statement.set_nonce(author == self_ || nonce == nonces_.end() ? nonce_ : nonce->second);
  statement.set_text(text.SerializeAsString());
  statement.set_signature(signer_.sign(session::statement_text(study_hash_, statement)));
  return body;
}

// As the attempt numbers it: only where everybody takes part is that its own number.
void Liar::sign_again(wire::Step& step) {
  if (const auto payload = payload_of(step); payload && step.has_round_values()) {
    step.mutable_round_values()->set_signature(
        signer_.sign(session::values_text(step.attempt(), self_, std::get<RoundValues>(*payload))));
  } else if (payload && step.has_round_releases()) {
    const auto& releases = std::get<RoundReleases>(*payload);
    for (std::size_t k = 0; k < releases.news.size(); ++k) {
      const AuthoredRelease& release = releases.news[k];
      if (release.author != self_) continue;
      step.mutable_round_releases()
          ->mutable_news(static_cast<int>(k))
          ->set_signature(signer_.sign(session::release_text(
              step.attempt(), self_, digest_of_release(*release.indices), release.nonce)));
    }
  }
}

// The same kind of word with something else in it.
wire::Body Liar::change(const wire::Body& honest, Lie lie) {
  wire::Body body = honest;
  if (body.has_statement() && body.statement().author() == self_) {
    wire::Text text;
    (void)text.ParseFromString(body.statement().text());
    if (lie == Lie::kOtherCommitment && text.has_ready()) {
      text.mutable_ready()->set_commitment(noise_bytes(random_));
      return statement_of(self_, text);
    }
    if (lie == Lie::kOtherOutcome && text.has_outcome()) {
      wire::Outcome& outcome = *text.mutable_outcome();
      switch (random_.below(3)) {
        case 0:
          outcome.set_digest(noise_bytes(random_));
          break;
        case 1:
          outcome.set_heard(noise_bytes(random_));
          break;
        default:
          outcome.set_scale(chance(300) ? 1e300 : outcome.scale() + 1);
          outcome.set_heard_scale(chance(500) ? 1e300 : 0);
          if (outcome.values_size() > 0) outcome.set_values(0, outcome.values(0) + 1e6);
      }
      return statement_of(self_, text);
    }
    return body;
  }
  if (!body.has_step()) return body;
  wire::Step& step = *body.mutable_step();
  const auto resize = [&](auto& numbers) {
    if (numbers.empty()) return;
    const auto first = numbers.Get(0);
    const std::uint64_t count = random_.below(4) == 0 ? 3000 : random_.below(5);
    numbers.Clear();
    for (std::uint64_t k = 0; k < count; ++k) *numbers.Add() = first;
  };
  const auto spoil = [&](auto& numbers) {
    if (numbers.empty()) return;
    std::string& bytes = *numbers.Mutable(0);
    if (bytes.size() > 1) bytes.back() = static_cast<char>(bytes.back() ^ 1);
  };
  const bool size = lie == Lie::kOtherSize;
  if (!size && lie != Lie::kOtherValues) return body;
  if (step.has_shuffle_offer()) {
    auto& numbers = *step.mutable_shuffle_offer()->mutable_negated();
    size ? resize(numbers) : spoil(numbers);
  } else if (step.has_shuffle_reply()) {
    auto& numbers = *step.mutable_shuffle_reply()->mutable_scaled();
    size ? resize(numbers) : spoil(numbers);
  } else if (step.has_pairwise_offer()) {
    step.mutable_pairwise_offer()->set_public_key(std::string(size ? 31 : 32, '\0'));
  } else if (step.has_round_values()) {
    auto& values = *step.mutable_round_values()->mutable_values();
    if (size) {
      values.Resize(static_cast<int>(random_.below(5)), 1.0);
    } else if (!values.empty()) {
      values.Set(0, chance(200) ? 1e300 * 1e10 : values.Get(0) + 1);
    }
  } else if (step.has_round_releases()) {
    for (wire::AuthoredRelease& release : *step.mutable_round_releases()->mutable_news()) {
      size ? resize(*release.mutable_indices()) : spoil(*release.mutable_indices());
    }
  }
  sign_again(step);
  return body;
}

// A word that an honest party would not say here.
std::optional<wire::Body> Liar::invent(Lie lie) {
  wire::Text text;
  const auto parties = static_cast<PartyId>(study_.graph.size());
  switch (lie) {
    case Lie::kOtherCommitment:
      text.mutable_ready()->set_attempt(some_attempt());
      text.mutable_ready()->set_commitment(noise_bytes(random_));
      return statement_of(self_, text);
    case Lie::kOtherOutcome:
      text.mutable_outcome()->set_attempt(some_attempt());
      text.mutable_outcome()->set_digest(noise_bytes(random_));
      return statement_of(self_, text);
    case Lie::kOtherWithout:
      for (PartyId p = 0; p < parties; ++p) {
        if (chance(300)) text.mutable_without()->add_excluded(p);
      }
      return statement_of(self_, text);
    case Lie::kEarlyReleased:
      text.mutable_released()->set_attempt(some_attempt());
      return statement_of(self_, text);
    case Lie::kOtherMet:
      text.mutable_met()->set_attempt(some_attempt());
      return statement_of(self_, text);
    case Lie::kFalseBlame:
      text.mutable_stopped()->set_why(chance(500) ? wire::Stopped::PEER_FAULT
                                                  : wire::Stopped::GAVE_UP);
      text.mutable_stopped()->set_party(static_cast<std::uint32_t>(random_.below(parties + 2)));
      text.mutable_stopped()->set_error("E-equivocation");
      return statement_of(self_, text);
    case Lie::kNewStart: {
      if (++new_starts_ > kMostNewStarts) return std::nullopt;
      text.mutable_hello()->set_certificate(signer_.certificate());
      text.mutable_hello()->set_start(1 + random_.below(5));
      // Under a nonce of its own making, its own, or one that it made before.
      const std::string own = nonce_;
      if (!starts_.empty() && chance(300)) {
        nonce_ = starts_[random_.below(starts_.size())];
      } else if (!chance(100)) {
        nonce_ = starts_.emplace_back(noise_bytes(random_).substr(0, kNonceBytes));
      }
      wire::Body body = statement_of(self_, text);
      nonce_ = own;
      return body;
    }
    case Lie::kFalseEvidence: {
      text.mutable_evidence()->set_attempt(some_attempt());
      auto& witness = *text.mutable_evidence()->add_witness();
      witness.set_author(static_cast<std::uint32_t>(random_.below(parties + 1)));
      witness.set_digest(noise_bytes(random_));
      witness.set_signature(noise_bytes(random_));
      witness.set_nonce(noise_bytes(random_));
      return statement_of(self_, text);
    }
    case Lie::kEarlyFarewell: {
      wire::Body body;
      body.mutable_farewell();
      return body;
    }
    case Lie::kRepeated:
      if (heard_.empty()) return std::nullopt;
      return heard_[random_.below(heard_.size())];
    case Lie::kBadSignature: {
      // In somebody's name, with a signature that is nobody's or its own.
      text.mutable_stopped()->set_why(wire::Stopped::GAVE_UP);
      wire::Body body = statement_of(static_cast<PartyId>(random_.below(parties)), text);
      if (chance(500)) body.mutable_statement()->set_signature(noise_bytes(random_));
      return body;
    }
    case Lie::kPremature:
    case Lie::kForeignAttempt: {
      wire::Body body;
      wire::Step& step = *body.mutable_step();
      step.set_attempt(lie == Lie::kPremature ? some_attempt() : noise_bytes(random_));
      const auto round = static_cast<std::uint32_t>(random_.below(3));
      if (chance(300)) {
        step.mutable_pairwise_offer()->set_public_key(std::string(32, '\1'));
      } else if (chance(500)) {
        step.mutable_round_values()->set_round(round);
        step.mutable_round_values()->add_values(1);
      } else {
        step.mutable_round_releases()->set_round(round);
        auto& news = *step.mutable_round_releases()->add_news();
        news.set_author(self_);
        news.add_indices(std::string("\0\7", 2));
        news.set_nonce(noise_bytes(random_));
      }
      sign_again(step);
      return body;
    }
    case Lie::kOtherSize:
    case Lie::kOtherValues:
    case Lie::kStaleFrame:
    case Lie::kForeignFrame:
    case Lie::kBrokenFrame:
    case Lie::kSilence:
      break;
  }
  return std::nullopt;
}

std::string Liar::bad_frame(wire::Frame frame, Lie lie, const Channel& channel) {
  if (lie == Lie::kStaleFrame && !channel.frames.empty()) {
    return channel.frames[random_.below(channel.frames.size())];
  }
  if (lie == Lie::kForeignFrame) {
    switch (random_.below(7)) {
      case 0:
        frame.set_study(noise_bytes(random_));
        break;
      case 1:
        frame.set_protocol(kProtocol + 1 - 2 * static_cast<std::uint32_t>(random_.below(2)));
        break;
      case 2:
        frame.set_nonce(noise_bytes(random_).substr(0, kNonceBytes));
        break;
      case 3:
        frame.set_start(frame.start() + random_.below(3));
        frame.set_nonce(noise_bytes(random_).substr(0, kNonceBytes));
        break;
      case 4:
        frame.set_knows(random_.below(4));
        break;
      case 5:
        frame.set_have(frame.have() + random_.below(1000));
        break;
      default:
        frame.set_number(frame.number() + random_.below(1000));
    }
    return frame.SerializeAsString();
  }
  std::string bytes = frame.SerializeAsString();
  const std::size_t place = random_.below(bytes.size());
  switch (random_.below(4)) {
    case 0:
      bytes[place] = static_cast<char>(bytes[place] ^ (1 << random_.below(8)));
      break;
    case 1:
      bytes.resize(place);
      break;
    case 2:
      bytes.append(200'000, 'x');
      break;
    default:
      bytes.insert(place, 1 + random_.below(3), static_cast<char>(random_.below(256)));
  }
  return bytes;
}

void Liar::learn(const wire::Body& body) {
  if (body.has_step()) {
    const auto& id = body.step().attempt();
    if (std::ranges::find(attempts_, id) == attempts_.end()) attempts_.push_back(id);
  }
  if (body.has_statement()) {
    wire::Text text;
    (void)text.ParseFromString(body.statement().text());
    if (text.has_met() && std::ranges::find(attempts_, text.met().attempt()) == attempts_.end()) {
      attempts_.push_back(text.met().attempt());
    }
    (body.statement().author() == self_ ? nonce_ : nonces_[body.statement().author()]) =
        body.statement().nonce();
  }
  if (heard_.size() < kRemembered) {
    heard_.push_back(body);
  } else {
    heard_[random_.below(kRemembered)] = body;
  }
}

std::vector<Outgoing> Liar::send(const Outgoing& honest) {
  auto frame = session::parse<wire::Frame>(honest.frame);
  if (!frame) return {honest};
  Channel& channel = channels_[honest.to];
  if (channel.knows != frame->knows())
    channel = {.knows = frame->knows(), .said = {}, .frames = {}};
  const bool to_lie = lies_ < kMostLies && dupes_.contains(honest.to) && chance(rate_);
  const Lie lie = repertoire_[random_.below(repertoire_.size())];
  std::vector<Outgoing> out;
  const auto post = [&](std::uint64_t number, const std::string& body) {
    wire::Frame numbered = *frame;
    numbered.set_number(number);
    numbered.set_body(body);
    out.push_back({honest.to, numbered.SerializeAsString()});
    if (channel.frames.size() < kRemembered) channel.frames.push_back(out.back().frame);
  };
  if (to_lie && lie >= Lie::kStaleFrame && lie <= Lie::kBrokenFrame) {
    ++lies_;
    out.push_back({honest.to, bad_frame(*frame, lie, channel)});
  }
  if (frame->number() == 0) {
    if (out.empty() || chance(500)) out.push_back(honest);
    return out;
  }
  const std::uint64_t place = frame->number() - 1;
  if (place > channel.said.size()) return out;  // of a conversation that is over
  if (place == channel.said.size()) {
    const auto body = session::parse<wire::Body>(frame->body());
    if (!body) return {honest};
    learn(*body);
    Said said;
    if (to_lie) {
      ++lies_;
      if (const auto invented = invent(lie)) {
        said.lies.push_back(invented->SerializeAsString());
        ++channel.next;
      }
    }
    said.body = to_lie ? change(*body, lie).SerializeAsString() : frame->body();
    said.number = channel.next++;
    channel.said.push_back(std::move(said));
  }
  if (to_lie && lie == Lie::kSilence) return out;
  // What was lost is said again, lies too.
  const Said& said = channel.said[place];
  std::uint64_t number = said.number - said.lies.size();
  for (const std::string& body : said.lies) post(number++, body);
  post(said.number, said.body);
  return out;
}

std::string Liar::hear(PartyId from, const std::string& bytes) {
  auto frame = session::parse<wire::Frame>(bytes);
  if (!frame) return bytes;
  if (frame->number() > 0) {
    if (const auto body = session::parse<wire::Body>(frame->body())) learn(*body);
  }
  const Channel& channel = channels_[from];
  const auto known = std::ranges::upper_bound(channel.said, frame->have(), {},
                                              [](const Said& s) { return s.number; });
  frame->set_have(static_cast<std::uint64_t>(known - channel.said.begin()));
  return frame->SerializeAsString();
}

}  // namespace sotto
