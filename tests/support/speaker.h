#pragma once

// A liar that speaks in a party's name, in any start of its, and whatever it likes.

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/sessions.h"

namespace sotto::session_test {

// It speaks to each of the others over a link of its own; the party's own session says nothing.
class Speaker {
 public:
  explicit Speaker(Network& network, PartyId self = 1) : network_(network), self_(self) {}

  [[nodiscard]] static std::string nonce(std::uint64_t start) {
    return Digest("a start").add(start).value().substr(0, kNonceBytes);
  }
  [[nodiscard]] wire::Text hello(std::uint64_t start) const {
    wire::Text text;
    text.mutable_hello()->set_certificate(network_.signers[self_]->certificate());
    text.mutable_hello()->set_start(start);
    return text;
  }
  // Whether it was taken. `start` is the one that the words are of; the frames are of `link`.
  bool say(PartyId to, const wire::Text& text, std::uint64_t start) {
    wire::Statement statement;
    statement.set_author(self_);
    statement.set_nonce(nonce(start));
    statement.set_text(text.SerializeAsString());
    statement.set_signature(network_.signers[self_]->sign(
        session::statement_text(network_.study.terms(0).study_hash, statement)));
    wire::Body body;
    *body.mutable_statement() = statement;
    return say(to, body);
  }
  bool say(PartyId to, const wire::Body& body) {
    wire::Frame frame;
    frame.set_protocol(kProtocol);
    frame.set_study(network_.study.terms(0).study_hash);
    frame.set_nonce(link == 0 ? std::string(kNonceBytes, 'f') : nonce(link));
    frame.set_start(std::max<std::uint64_t>(link, 1));
    frame.set_knows(network_.starts[to]);
    frame.set_body(body.SerializeAsString());
    frame.set_number(said_[{to, link}] + 1);
    const auto taken =
        network_.sessions[to]->receive(self_, frame.SerializeAsString(), network_.now);
    if (taken) ++said_[{to, link}];
    refusal = taken ? "" : taken.error().to_string();
    return taken.has_value();
  }
  std::uint64_t link = 0;  // the start that its frames are of; 0: one without a Hello
  std::string refusal;     // of the last word, if it was refused

 private:
  Network& network_;
  PartyId self_;
  std::map<std::pair<PartyId, std::uint64_t>, std::uint64_t> said_;
};

// A word about an attempt that nobody has begun.
inline wire::Text made_up(std::uint64_t number) {
  wire::Text text;
  text.mutable_met()->set_attempt(Digest("made up").add(number).value());
  return text;
}

// The attempts that a party has said Met of, in order.
inline std::vector<std::string> mets_of(const Network& network, PartyId party, PartyId to) {
  std::vector<std::string> mets;
  for (const Mail& mail : network.frames_left) {
    const wire::Body body = body_in(mail.frame);
    if (mail.from != party || mail.to != to || body.statement().author() != party) continue;
    const wire::Text text = text_in(mail.frame);
    if (text.has_met()) mets.push_back(text.met().attempt());
  }
  return mets;
}

}  // namespace sotto::session_test
