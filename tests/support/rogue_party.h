#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "session/wire.h"
#include "support/party_processes.h"
#include "support/transports.h"

namespace sotto {

// In the middle of a star, party-1 meets everybody else.
inline NetworkOptions star_of(std::size_t parties) {
  NetworkOptions options;
  options.parties = parties;
  options.topology = "star";
  options.tables = false;
  options.addresses[0] = fmt::format("127.0.0.1:{}", free_port());
  return options;
}

// A party with a pinned certificate that says what it likes, and remembers what it hears.
class Rogue {
 public:
  // `self` of the study dials `victims`. With the identity in its home, or with another.
  Rogue(const Parties& parties, std::size_t self, const std::vector<std::size_t>& victims,
        std::optional<Identity> other = std::nullopt)
      : self_(static_cast<PartyId>(self)),
        study_hash_(parties.study_hash()),
        nonce_(kNonceBytes, static_cast<char>('a' + self)),
        identity_(other ? std::move(*other) : std::move(*Identity::load(parties.home(self)))) {
    std::vector<Peer> peers;
    for (const std::size_t victim : victims) {
      const auto theirs = Identity::load(parties.home(victim));
      EXPECT_TRUE(theirs);
      peers.push_back({.id = static_cast<PartyId>(victim),
                       .name = Parties::name(victim),
                       .address = parties.address(victim),
                       .fingerprint = theirs->fingerprint(),
                       .dial = true});
    }
    TransportLimits generous;
    generous.frame_bytes = 2 * kMaxFrameBytes;
    transport_ = open_transport(identity_, "", peers, generous);
  }

  // Takes events until this holds.
  bool listen_until(const std::function<bool()>& holds, milliseconds at_most = kLongRun) {
    const auto end = std::chrono::steady_clock::now() + at_most;
    while (!holds() && std::chrono::steady_clock::now() < end) {
      const auto event = transport_->wait(milliseconds(20));
      if (!event) continue;
      if (event->kind == Kind::kConnected) ++connections_[*event->peer];
      if (event->kind == Kind::kDisconnected) ++losses_[*event->peer];
      if (event->kind == Kind::kFrame) heard_.emplace_back(*event->peer, event->frame);
      if (event->kind == Kind::kTrouble) troubles_.push_back(event->text);
    }
    return holds();
  }
  bool connects_to(std::size_t victim) {
    return listen_until([&] { return connections_.contains(static_cast<PartyId>(victim)); });
  }
  bool is_hung_up_on_by(std::size_t victim) {
    return listen_until([&] { return losses_.contains(static_cast<PartyId>(victim)); });
  }
  [[nodiscard]] bool ever_connected() const { return !connections_.empty(); }
  [[nodiscard]] const std::vector<std::string>& troubles() const { return troubles_; }

  void send(std::size_t to, std::string bytes) {
    transport_->send(static_cast<PartyId>(to), std::move(bytes));
  }
  // To the start of `to` that has greeted: words to none in particular are not taken.
  void send(std::size_t to, std::uint64_t number, const wire::Body& body) {
    wire::Frame frame = header(number, body.SerializeAsString());
    frame.set_knows(start_of(static_cast<PartyId>(to)));
    send(to, frame.SerializeAsString());
  }

  // Which start of its the party has greeted with last; waits for the first.
  [[nodiscard]] std::uint64_t start_of(PartyId peer) {
    std::uint64_t start = 0;
    listen_until([&] {
      for (const auto& [from, bytes] : heard_) {
        const auto frame = session::parse<wire::Frame>(bytes);
        if (from == peer && frame) start = frame->start();
      }
      return start != 0;
    });
    return start;
  }
  // A greeting to a start of `to` that was not, or not yet.
  void claim_to_know(std::size_t to, std::uint64_t start) {
    wire::Frame frame = header(0, "");
    frame.set_knows(start);
    send(to, frame.SerializeAsString());
  }
  // How a party's process ends, while this one goes on listening.
  [[nodiscard]] std::optional<int> status_of(Parties& parties, std::size_t victim) {
    std::optional<int> status;
    listen_until([&] { return (status = parties.wait(victim, milliseconds(0))).has_value(); });
    return status;
  }

  [[nodiscard]] std::string frame(std::uint64_t number, const std::string& body) const {
    return header(number, body).SerializeAsString();
  }
  [[nodiscard]] wire::Frame header(std::uint64_t number, const std::string& body) const {
    wire::Frame frame;
    frame.set_protocol(kProtocol);
    frame.set_study(study_hash_);
    frame.set_nonce(nonce_);
    frame.set_start(1);
    frame.set_number(number);
    frame.set_body(body);
    return frame;
  }

  // A statement in anybody's name, signed with this party's key.
  [[nodiscard]] wire::Body statement(PartyId author, const wire::Text& text) const {
    wire::Body body;
    wire::Statement& statement = *body.mutable_statement();
    statement.set_author(author);
    statement.set_nonce(author == self_ ? nonce_ : nonce_of(author));
    statement.set_text(text.SerializeAsString());
    statement.set_signature(identity_.sign(session::statement_text(study_hash_, statement)));
    return body;
  }
  [[nodiscard]] wire::Body hello() const {
    wire::Text text;
    text.mutable_hello()->set_certificate(identity_.certificate_der());
    return statement(self_, text);
  }

  // Says hello as an honest party would, waits until all others are known, and says so.
  bool meets(std::size_t parties, const std::vector<std::size_t>& victims) {
    for (const std::size_t victim : victims) {
      if (!connects_to(victim)) return false;
      send(victim, 1, hello());
    }
    if (!listen_until([&] { return nonces().size() == parties - 1; })) return false;
    wire::Text met;
    met.mutable_met()->set_attempt(attempt(parties));
    for (const std::size_t victim : victims) send(victim, 2, statement(self_, met));
    return true;
  }
  // Of everybody together, as all who have met compute it.
  [[nodiscard]] std::string attempt(std::size_t parties) const {
    Digest digest("sotto attempt");
    digest.add(study_hash_);
    for (PartyId p = 0; p < parties; ++p) {
      digest.add(std::uint64_t{p}).add(p == self_ ? nonce_ : nonce_of(p));
      digest.add(p == self_ ? identity_.certificate_der() : certificate_of(p));
    }
    return digest.value();
  }
  // This party's release, with its signature.
  [[nodiscard]] wire::Body release(const std::string& attempt_id) const {
    const IntegerVector indices{1, 2, 3};
    wire::Body body;
    body.mutable_step()->set_attempt(attempt_id);
    auto& news = *body.mutable_step()->mutable_round_releases()->add_news();
    news.set_author(self_);
    for (const Integer& index : indices) news.add_indices(integer_bytes(index));
    news.set_nonce(std::string(kDigestBytes, 'n'));
    news.set_signature(identity_.sign(
        session::release_text(attempt_id, self_, digest_of_release(indices), news.nonce())));
    return body;
  }

  // Bodies that were heard, in order.
  [[nodiscard]] std::vector<wire::Body> heard() const {
    std::vector<wire::Body> bodies;
    for (const auto& [from, bytes] : heard_) {
      const auto whole = session::parse<wire::Frame>(bytes);
      EXPECT_TRUE(whole);
      if (!whole || whole->body().empty()) continue;
      const auto body = session::parse<wire::Body>(whole->body());
      EXPECT_TRUE(body);
      if (body) bodies.push_back(*body);
    }
    return bodies;
  }
  // Values or releases: what nobody may hear before all are ready.
  [[nodiscard]] std::size_t readable_heard() const {
    std::size_t count = 0;
    for (const wire::Body& body : heard()) {
      if (body.has_step() && (body.step().has_round_values() || body.step().has_round_releases())) {
        ++count;
      }
    }
    return count;
  }

 private:
  [[nodiscard]] std::map<PartyId, std::string> nonces() const {
    std::map<PartyId, std::string> known;
    for (const wire::Body& body : heard()) {
      if (body.has_statement() && body.statement().author() != self_) {
        known[body.statement().author()] = body.statement().nonce();
      }
    }
    return known;
  }
  [[nodiscard]] std::string nonce_of(PartyId party) const { return nonces()[party]; }
  [[nodiscard]] std::string certificate_of(PartyId party) const {
    for (const wire::Body& body : heard()) {
      const auto text = session::parse<wire::Text>(body.statement().text());
      if (body.statement().author() == party && text && text->has_hello()) {
        return text->hello().certificate();
      }
    }
    return {};
  }

  PartyId self_;
  std::string study_hash_;
  std::string nonce_;
  Identity identity_;
  std::unique_ptr<Transport> transport_;
  std::map<PartyId, int> connections_;
  std::map<PartyId, int> losses_;
  std::vector<std::pair<PartyId, std::string>> heard_;
  std::vector<std::string> troubles_;
};

}  // namespace sotto
