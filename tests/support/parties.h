#pragma once

// Parties, graphs and a postman for the tests of this room.

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "graph/weights.h"
#include "privacy/seal.h"
#include "protocol/message.h"

namespace sotto::protocol_test {

using Parties = std::vector<std::unique_ptr<Party>>;

// A random tree, and every other pair with probability percent/100: connected, always.
inline Graph connected_graph(std::size_t parties, std::uint64_t percent, RandomSource& random) {
  std::vector<Edge> edges;
  for (PartyId b = 1; b < parties; ++b) {
    const auto parent = static_cast<PartyId>(random.below(b));
    for (PartyId a = 0; a < b; ++a) {
      if (a == parent || random.below(100) < percent) edges.push_back({a, b});
    }
  }
  return *Graph::make(parties, edges);
}

// Uniform in [−1, 1), on a grid of 2⁻⁴⁰.
inline double small_number(RandomSource& random) {
  return static_cast<double>(random.below(std::uint64_t{1} << 41)) * 0x1p-40 - 1;
}

inline std::vector<std::vector<double>> small_numbers(std::size_t parties, std::size_t entries,
                                                      RandomSource& random) {
  std::vector<std::vector<double>> values(parties, std::vector<double>(entries));
  for (auto& party : values) {
    for (double& value : party) value = small_number(random);
  }
  return values;
}

inline Released released(const std::vector<double>& values) {
  Released result{.indices = {}, .grid = Grid{-40}};
  for (const double value : values) result.indices.push_back(result.grid.index(value));
  return result;
}

inline Weights cycle(std::size_t parties) {
  return *Weights::uniform(*Graph::cycle(parties), 0.3);
}

inline std::vector<Secret> secrets_of(const std::vector<std::vector<double>>& thetas,
                                      double mu = 3) {
  std::vector<Secret> secrets;
  for (const auto& theta : thetas) {
    secrets.push_back(Secret::of_entries(theta, *Sensitivity::make(mu)));
  }
  return secrets;
}

// Puts what a party answered into the mail.
inline void post(Result<std::vector<Message>> answer, std::deque<Message>& under_way) {
  ASSERT_TRUE(answer.has_value()) << answer.error().to_string();
  for (Message& message : *answer) under_way.push_back(std::move(message));
}

using Hook = std::function<void(const Message&)>;

// Delivers until nothing is under way: in the order of sending, or in the order drawn from
// `random`. The hook sees each message before it is delivered.
inline void deliver_all(const Parties& parties, RandomSource* random = nullptr,
                        const Hook& before = {}) {
  std::deque<Message> under_way;
  for (const auto& party : parties) post(party->start(), under_way);
  while (!under_way.empty()) {
    if (random != nullptr) {
      std::swap(under_way.front(), under_way[random->below(under_way.size())]);
    }
    const Message message = std::move(under_way.front());
    under_way.pop_front();
    if (before) before(message);
    post(parties[message.to]->receive(message), under_way);
    if (testing::Test::HasFatalFailure()) return;
  }
  for (const auto& party : parties) ASSERT_TRUE(party->done());
}

// A peer's bad word: an error that names the peer, counting from 1, and says what is wrong.
inline void expect_refused(Party& party, const Message& message, const std::string& what) {
  const auto result = party.receive(message);
  ASSERT_FALSE(result.has_value()) << "accepted: " << what;
  EXPECT_EQ(result.error().name, "E-peer");
  EXPECT_EQ(result.error().status, Status::kFailed);
  const std::string named = "party " + std::to_string(message.from + 1) + " ";
  EXPECT_TRUE(result.error().what.starts_with(named)) << result.error().what;
  EXPECT_NE(result.error().what.find(what), std::string::npos) << result.error().what;
}

}  // namespace sotto::protocol_test
