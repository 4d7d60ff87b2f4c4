// Who shares an edge with whom in a simulated sealing: of all parties, or of those that one rank of
// several has.
#include <algorithm>

#include "privacy/trial_seal.h"

namespace sotto {

void TrialSeal::read_graph(const Graph& graph, const SealPart* part) {
  network_ = graph.size();
  most_neighbours_ = graph.max_degree();
  regular_ = true;
  for (PartyId i = 0; i < graph.size(); ++i) {
    regular_ = regular_ && graph.degree(i) == most_neighbours_;
  }
  if (part != nullptr) {
    names_.assign(part->own.begin(), part->own.end());
    std::vector<std::uint32_t> place(graph.size());
    for (std::size_t i = 0; i < names_.size(); ++i) {
      place[names_[i]] = static_cast<std::uint32_t>(i);
      first_.push_back(first_.back() + static_cast<std::uint32_t>(graph.degree(names_[i])));
    }
    return read_crossings(graph, *part, place);
  }
  first_.reserve(graph.size() + 1);
  for (PartyId i = 0; i < graph.size(); ++i) {
    first_.push_back(first_.back() + static_cast<std::uint32_t>(graph.degree(i)));
  }
  const auto place = [&](PartyId of, PartyId among) {
    const auto neighbours = graph.neighbours(among);
    return first_[among] + static_cast<std::uint32_t>(std::ranges::lower_bound(neighbours, of) -
                                                      neighbours.begin());
  };
  edges_.reserve(graph.edges().size());
  for (PartyId i = 0; i < graph.size(); ++i) {
    std::uint32_t there = first_[i];
    for (const PartyId j : graph.neighbours(i)) {
      if (i < j) edges_.push_back({.from = i, .to = j, .there = there, .back = place(i, j)});
      ++there;
    }
  }
}

// Edges among own parties, then those that lead to other ranks, rank after rank and in the order of
// graph.edges(): both ends see them in the same.
void TrialSeal::read_crossings(const Graph& graph, const SealPart& part,
                               std::span<const std::uint32_t> place) {
  const std::size_t self = part.ranks.rank();
  const auto slot = [&](PartyId of, PartyId towards) {
    const auto neighbours = graph.neighbours(of);
    return first_[place[of]] +
           static_cast<std::uint32_t>(std::ranges::lower_bound(neighbours, towards) -
                                      neighbours.begin());
  };
  std::vector<std::vector<sotto::Edge>> crossing(part.ranks.count());
  for (const PartyId i : names_) {
    for (const PartyId j : graph.neighbours(i)) {
      if (part.owners[j] != self) {
        crossing[part.owners[j]].push_back({std::min(i, j), std::max(i, j)});
      } else if (i < j) {
        edges_.push_back(
            {.from = place[i], .to = place[j], .there = slot(i, j), .back = slot(j, i)});
      }
    }
  }
  std::vector<RowExchange::Peer> over_edges;
  std::vector<RowExchange::Peer> over_masks;
  for (std::size_t rank = 0; rank < crossing.size(); ++rank) {
    if (crossing[rank].empty()) continue;
    std::ranges::sort(crossing[rank]);
    RowExchange::Peer edges{.rank = rank, .send = {}, .first = first_.back() + outside_};
    RowExchange::Peer masks{.rank = rank, .send = {}, .first = parties() + outside_};
    for (const auto& [a, b] : crossing[rank]) {
      const bool lower = part.owners[a] == self;
      const std::uint32_t own = place[lower ? a : b];
      const std::uint32_t there = lower ? slot(a, b) : slot(b, a);
      const auto other = static_cast<std::uint32_t>(parties() + outside_);
      const auto back = static_cast<std::uint32_t>(first_.back() + outside_);
      edges_.push_back(lower ? Edge{.from = own, .to = other, .there = there, .back = back}
                             : Edge{.from = other, .to = own, .there = back, .back = there});
      edges.send.push_back(there);
      masks.send.push_back(own);
      ++outside_;
    }
    edges.count = masks.count = crossing[rank].size();
    over_edges.push_back(std::move(edges));
    over_masks.push_back(std::move(masks));
  }
  over_edges_.emplace(part.ranks, std::move(over_edges));
  over_masks_.emplace(part.ranks, std::move(over_masks));
}

void TrialSeal::swap_draws(std::size_t trials) {
  if (!over_edges_) return;
  for (std::size_t t = 0; t < trials; ++t) {
    over_edges_->begin(&multiplier_[t * directed()], sizeof(std::uint64_t));
    over_edges_->finish();
    if (kind_ != Kind::kShuffle) continue;
    RowExchange& masks = shared_ ? *over_masks_ : *over_edges_;
    masks.begin(&masked_[t * mask_rows() * entries_], entries_ * sizeof(std::int64_t));
    masks.finish();
  }
}

}  // namespace sotto
