#pragma once

// A few sessions in one process, with a postman who does what the test says.

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/digest.h"
#include "session/session.h"
#include "session/wire.h"
#include "support/memory_journal.h"
#include "support/simulated_study.h"

namespace sotto::session_test {

inline constexpr Time kSecond{1000};
inline constexpr Time kPatience{120'000};  // of simulated studies

struct Mail {
  PartyId from = 0;
  PartyId to = 0;
  std::string frame;
};

// A frame's body, and what a statement in it says.
inline wire::Body body_in(const std::string& frame) {
  const auto parsed = session::parse<wire::Frame>(frame);
  return parsed && parsed->number() > 0 ? *session::parse<wire::Body>(parsed->body())
                                        : wire::Body{};
}
inline wire::Text text_in(const std::string& frame) {
  const wire::Body body = body_in(frame);
  return body.has_statement() ? *session::parse<wire::Text>(body.statement().text()) : wire::Text{};
}
inline bool is_readable(const std::string& frame) {
  const wire::Body body = body_in(frame);
  return body.has_step() && (body.step().has_round_values() || body.step().has_round_releases());
}

// Whether it depends on its sender's data, masked or not.
inline bool shows_data(const std::string& frame) {
  const wire::Body body = body_in(frame);
  return body.has_step() && !body.step().has_pairwise_offer();
}

// An integer of a step.
inline Integer unpadded(const std::string& bytes) {
  wire::Step step;
  step.mutable_shuffle_reply()->add_scaled(bytes);
  return std::get<ShuffleReply>(*payload_of(step)).scaled.front();
}

class Network {
 public:
  // What happens to a frame that is about to arrive: it may be changed; false: it is lost.
  using Hand = std::function<bool(Mail&)>;

  Network(SimulatedSolver solver, ConsensusMethod method, Graph graph, std::size_t min_parties)
      : random_(7),
        study(SimulatedStudy::make(solver, method, std::move(graph), min_parties, 2, random_)) {
    for (PartyId p = 0; p < study.graph.size(); ++p) {
      journals.push_back(std::make_unique<MemoryJournal>());
      signers.push_back(std::make_unique<SimulatedSigner>(p));
      keys.push_back(simulated_key(random_));
      sessions.emplace_back();
      starts.push_back(1);
      start(p);
    }
  }

  void start(PartyId p) {
    const PartyFactory factory = [this, p, inner = study.factory(p)](
                                     std::span<const PartyId> members, const AttemptKeys& drawn) {
      attempts[p].push_back(drawn);
      if (const auto trouble = troubles.find(p); trouble != troubles.end()) {
        return Result<AttemptParty>(trouble->second);
      }
      return inner(members, drawn);
    };
    SessionTerms terms = study.terms(p);
    terms.start = starts[p];
    auto session =
        Session::open(std::move(terms), *signers[p], *journals[p], factory, keys[p], now);
    ASSERT_TRUE(session.has_value()) << session.error().to_string();
    sessions[p] = std::move(*session);
  }
  // A run of its own: another key, and a later start. Precondition: an empty journal.
  void begin_anew(PartyId p, std::uint64_t number) {
    keys[p] = simulated_key(random_);
    starts[p] = number;
    start(p);
  }
  void crash(PartyId p) {
    for (const PartyId q : study.graph.neighbours(p)) disconnect(p, q);
    sessions[p].reset();
    journals[p]->crash();
  }
  void connect(PartyId a, PartyId b) {
    if (sessions[a] != nullptr) sessions[a]->connected(b, now);
    if (sessions[b] != nullptr) sessions[b]->connected(a, now);
  }
  void disconnect(PartyId a, PartyId b) {
    if (sessions[a] != nullptr) sessions[a]->disconnected(b, now);
    if (sessions[b] != nullptr) sessions[b]->disconnected(a, now);
  }
  void connect_all() {
    for (const Edge& edge : study.graph.edges()) connect(edge.a, edge.b);
  }

  // Everybody commits and sends; everything arrives, in the order of sending.
  void run(const Hand& hand = {}) {
    do {
      flush_all();
      while (!under_way.empty()) {
        Mail mail = std::move(under_way.front());
        under_way.pop_front();
        deliver(std::move(mail), hand);
      }
    } while (flush_all());
  }

  bool flush_all() {
    for (PartyId p = 0; p < sessions.size(); ++p) flush(p);
    return !under_way.empty();
  }
  void flush(PartyId p) {
    if (sessions[p] == nullptr) return;
    auto out = sessions[p]->flush(now);
    ASSERT_TRUE(out.has_value()) << out.error().to_string();
    for (Outgoing& outgoing : *out) {
      if (is_readable(outgoing.frame)) readable_left.insert(p);
      frames_left.push_back({p, outgoing.to, outgoing.frame});
      under_way.push_back({p, outgoing.to, std::move(outgoing.frame)});
    }
  }
  void deliver(Mail mail, const Hand& hand = {}) {
    if (hand && !hand(mail)) return;
    if (sessions[mail.to] == nullptr) return;
    if (auto taken = sessions[mail.to]->receive(mail.from, mail.frame, now); !taken) {
      refusals.push_back(taken.error());
      later_start = std::max(later_start, taken.error().later_start);
    }
  }

  // Time goes by, with a tick every second; nothing arrives but what run() delivers.
  void wait(Time time, const Hand& hand = {}) {
    for (const Time end = now + time; now < end;) {
      now += kSecond;
      for (const auto& session : sessions) {
        if (session != nullptr) session->tick(now);
      }
      run(hand);
    }
  }

  [[nodiscard]] Phase phase(PartyId p) const { return sessions[p]->run().phase(); }
  [[nodiscard]] std::string error_name(PartyId p) const {
    const auto& error = sessions[p]->run().error();
    return error ? error->name : "";
  }
  [[nodiscard]] std::string error_what(PartyId p) const {
    const auto& error = sessions[p]->run().error();
    return error ? error->what : "";
  }
  [[nodiscard]] bool all_finished() const {
    for (PartyId p = 0; p < sessions.size(); ++p) {
      if (phase(p) != Phase::kFinished) return false;
    }
    return true;
  }
  [[nodiscard]] MemoryJournal::Moves moves(PartyId p) const {
    return journals[p]->moves(sessions[p]->run_id());
  }

  // Says in p's name what p has not said.
  [[nodiscard]] wire::Statement signed_by(PartyId p, const wire::Text& text) const {
    wire::Statement statement;
    statement.set_author(p);
    statement.set_nonce(keys[p].nonce());
    statement.set_text(text.SerializeAsString());
    statement.set_signature(
        signers[p]->sign(session::statement_text(study.terms(p).study_hash, statement)));
    return statement;
  }

 private:
  SeededRandom random_;

 public:
  SimulatedStudy study;
  Time now{};
  std::vector<std::unique_ptr<MemoryJournal>> journals;
  std::vector<std::unique_ptr<SimulatedSigner>> signers;
  std::vector<RunKey> keys;
  std::vector<std::uint64_t> starts;
  std::uint64_t later_start = 0;  // of somebody who was told so
  std::vector<std::unique_ptr<Session>> sessions;
  std::deque<Mail> under_way;
  std::vector<Error> refusals;
  std::map<PartyId, std::vector<AttemptKeys>> attempts;  // what they drew from, in order
  std::map<PartyId, Error> troubles;                     // what keeps a party from taking part
  std::set<PartyId> readable_left;                       // whose readable words have left them
  std::vector<Mail> frames_left;                         // everything that ever left anybody
};

// A frame with another body under the same number.
inline std::string with_body(const std::string& frame, const wire::Body& body) {
  wire::Frame changed = *session::parse<wire::Frame>(frame);
  changed.set_body(body.SerializeAsString());
  return changed.SerializeAsString();
}

inline Network triangle(SimulatedSolver solver = SimulatedSolver::kShuffle,
                        ConsensusMethod method = ConsensusMethod::kExact) {
  return {solver, method, *Graph::complete(3), 3};
}

// Everything that a party is told about somebody.
inline std::string told_to(Network& network, PartyId p) {
  std::string told;
  for (const Error& error : network.refusals) told += error.to_string() + "\n";
  if (network.sessions[p]->run().error()) told += network.sessions[p]->run().error()->to_string();
  for (const std::string& note : network.sessions[p]->take_notes()) told += "\n" + note;
  return told;
}

inline void expect_told(Network& network, PartyId p, const std::string& what,
                        const std::string& who) {
  const std::string told = told_to(network, p);
  EXPECT_NE(told.find(what), std::string::npos) << told;
  EXPECT_NE(told.find(who), std::string::npos) << told;
}

inline bool is_offer(const wire::Body& body) {
  return body.has_step() && body.step().has_shuffle_offer();
}

// Once party 0 is ready, nothing reaches it and nothing of it arrives.
inline Network::Hand isolating_0(const Network& network) {
  return [&network](Mail& mail) {
    return network.phase(0) < Phase::kReady || (mail.from != 0 && mail.to != 0);
  };
}

// The first attempt of which a party has sent a message, hexadecimal.
inline std::string attempt_in(const Network& network, PartyId party) {
  for (const Mail& mail : network.frames_left) {
    if (mail.from == party && body_in(mail.frame).has_step()) {
      return to_hex(body_in(mail.frame).step().attempt());
    }
  }
  return {};
}

}  // namespace sotto::session_test
