#pragma once

// What every party of a simulated study sends, byte for byte as it would go to the transport.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "paillier/cipher.h"
#include "session/session.h"
#include "support/memory_journal.h"
#include "support/simulated_study.h"

namespace sotto {

// Certificates and signatures as long as those of a network (Ed25519).
class FullSizeSigner final : public Signer {
 public:
  explicit FullSizeSigner(PartyId self) : small_(self) {}
  [[nodiscard]] std::string certificate() const override {
    return padded(small_.certificate(), kCertificateBytes);
  }
  [[nodiscard]] std::string sign(std::string_view text) const override {
    return padded(small_.sign(text), kSignatureBytes);
  }
  [[nodiscard]] bool pinned(PartyId party, std::string_view certificate) const override {
    return small_.pinned(party, certificate.substr(0, certificate.find('\0')));
  }
  [[nodiscard]] bool verify(std::string_view certificate, std::string_view text,
                            std::string_view signature) const override {
    return signature.size() == kSignatureBytes &&
           small_.verify(certificate.substr(0, certificate.find('\0')), text,
                         signature.substr(0, 8));
  }

 private:
  static constexpr std::size_t kCertificateBytes = 330;
  static constexpr std::size_t kSignatureBytes = 64;
  static std::string padded(std::string text, std::size_t size) {
    text.resize(size, '\0');
    return text;
  }
  SimulatedSigner small_;
};

struct SentFrame {
  PartyId from = 0;
  PartyId to = 0;
  std::size_t bytes = 0;
  bool operator==(const SentFrame&) const = default;
};

// Runs `study` to its end, all at once and without a fault; `sent` sees every frame. Frames between
// one commit of a party and the next are taken together, as a driver does.
inline void run_study(const SimulatedStudy& study, std::uint64_t seed,
                      const std::function<void(const SentFrame&)>& sent) {
  struct Letter {
    PartyId from;
    PartyId to;
    std::string frame;
  };
  SeededRandom random(seed);
  std::vector<std::unique_ptr<MemoryJournal>> journals;
  std::vector<std::unique_ptr<FullSizeSigner>> signers;
  std::vector<std::unique_ptr<Session>> sessions;
  for (PartyId p = 0; p < study.graph.size(); ++p) {
    journals.push_back(std::make_unique<MemoryJournal>());
    signers.push_back(std::make_unique<FullSizeSigner>(p));
    SessionTerms terms = study.terms(p);
    terms.start = 1'800'000'000'000;
    auto session = Session::open(std::move(terms), *signers[p], *journals[p], study.factory(p),
                                 simulated_key(random), Time(0));
    ASSERT_TRUE(session.has_value());
    sessions.push_back(std::move(*session));
  }
  for (const Edge& edge : study.graph.edges()) {
    sessions[edge.a]->connected(edge.b, Time(0));
    sessions[edge.b]->connected(edge.a, Time(0));
  }
  std::deque<Letter> under_way;
  const auto flush_all = [&] {
    for (PartyId p = 0; p < sessions.size(); ++p) {
      auto out = sessions[p]->flush(Time(0));
      ASSERT_TRUE(out.has_value());
      for (Outgoing& outgoing : *out) {
        sent({p, outgoing.to, outgoing.frame.size()});
        under_way.push_back({p, outgoing.to, std::move(outgoing.frame)});
      }
    }
  };
  for (flush_all(); !under_way.empty(); flush_all()) {
    for (std::size_t left = under_way.size(); left > 0; --left) {
      const Letter letter = std::move(under_way.front());
      under_way.pop_front();
      ASSERT_TRUE(sessions[letter.to]->receive(letter.from, letter.frame, Time(0)).has_value());
    }
  }
  for (const auto& session : sessions) ASSERT_EQ(session->run().phase(), Phase::kFinished);
}

// Bytes that a party sends, on average, where `parties` are on a random 6-regular graph.
inline double bytes_per_party(std::size_t parties) {
  SeededRandom random(parties);
  const SimulatedStudy study =
      SimulatedStudy::make(SimulatedSolver::kLocal, ConsensusMethod::kExact,
                           *Graph::random_regular(parties, 6, 1), parties, 9, random);
  double bytes = 0;
  run_study(study, 7, [&](const SentFrame& frame) { bytes += static_cast<double>(frame.bytes); });
  return bytes / static_cast<double>(parties);
}

// The slope of the line through (log n, log bytes), by least squares.
inline double growth(const std::vector<std::pair<std::size_t, double>>& measured) {
  double x_mean = 0;
  double y_mean = 0;
  for (const auto& [n, bytes] : measured) {
    x_mean += std::log(static_cast<double>(n)) / static_cast<double>(measured.size());
    y_mean += std::log(bytes) / static_cast<double>(measured.size());
  }
  double xy = 0;
  double xx = 0;
  for (const auto& [n, bytes] : measured) {
    const double x = std::log(static_cast<double>(n)) - x_mean;
    xy += x * (std::log(bytes) - y_mean);
    xx += x * x;
  }
  return xy / xx;
}

}  // namespace sotto
