// Which rows a rank has, which it needs, and who needs its own: all of it follows from the graph
// and from whose each party is.
#include "simulate/ranks/network_part.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace sotto {

NetworkPart::Places NetworkPart::places_of(const Graph& graph, const Owners& owners, Ranks& ranks) {
  check(owners.size() == graph.size(), "an owner for each party");
  const auto self = static_cast<std::uint32_t>(ranks.rank());
  std::vector<PartyId> members;
  for (PartyId i = 0; i < graph.size(); ++i) {
    if (owners[i] == self) members.push_back(i);
  }
  check(!members.empty(), "every rank has a party");
  Places places;
  for (const PartyId k : reverse_cuthill_mckee(graph.restricted_to(members))) {
    places.own.push_back(members[k]);
  }
  const auto inside = [&](PartyId party) {
    return std::ranges::all_of(graph.neighbours(party),
                               [&](PartyId other) { return owners[other] == self; });
  };
  const auto rim = std::stable_partition(places.own.begin(), places.own.end(), inside);
  places.interior = static_cast<std::size_t>(rim - places.own.begin());

  // Both ends of every edge that leads elsewhere: what each rank needs, in the order of the
  // parties.
  struct Crossing {
    std::uint32_t rank;
    PartyId party;
    auto operator<=>(const Crossing&) const = default;
  };
  std::vector<Crossing> needed;                            // by us
  std::vector<std::pair<Crossing, std::uint32_t>> wanted;  // of us, and its place
  for (std::size_t place = places.interior; place < places.own.size(); ++place) {
    const PartyId party = places.own[place];
    for (const PartyId other : graph.neighbours(party)) {
      if (owners[other] == self) continue;
      needed.push_back({owners[other], other});
      wanted.push_back({{owners[other], party}, static_cast<std::uint32_t>(place)});
    }
  }
  const auto sort_out = [](auto& list) {
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
  };
  sort_out(needed);
  sort_out(wanted);
  for (const auto& [rank, party] : needed) {
    if (places.peers.empty() || places.peers.back().rank != rank) {
      places.peers.push_back(
          {.rank = rank, .send = {}, .first = places.own.size() + places.halo.size()});
    }
    ++places.peers.back().count;
    places.halo.push_back(party);
  }
  // An edge leads both ways: whom we need something of needs something of us.
  auto peer = places.peers.begin();
  for (const auto& [crossing, place] : wanted) {
    while (peer->rank != crossing.rank) ++peer;
    peer->send.push_back(place);
  }
  return places;
}

NetworkPart::NetworkPart(const Weights& weights, const Owners& owners, Ranks& ranks)
    : NetworkPart(weights, owners, ranks, places_of(weights.graph(), owners, ranks)) {}

NetworkPart::NetworkPart(const Weights& weights, const Owners& owners, Ranks& ranks, Places places)
    : ranks_(&ranks),
      owners_(owners),
      own_(std::move(places.own)),
      by_number_(own_.size()),
      graph_(weights, own_, places.interior, places.halo),
      halo_(ranks, std::move(places.peers)) {
  std::iota(by_number_.begin(), by_number_.end(), 0U);
  std::ranges::sort(by_number_, {}, [&](std::uint32_t place) { return own_[place]; });
}

std::vector<double> NetworkPart::from_shares(std::span<const double> values,
                                             std::size_t width) const {
  const std::size_t all = network_size();
  const Share share = share_of(all, ranks_->rank(), ranks_->count());
  check(values.size() == share.size() * width, "the values of a share");
  Parcels out(ranks_->count());
  for (std::size_t party = share.begin; party < share.end; ++party) {
    const auto bytes = std::as_bytes(values.subspan((party - share.begin) * width, width));
    auto& parcel = out[owners_[party]];
    parcel.insert(parcel.end(), bytes.begin(), bytes.end());
  }
  const Parcels in = swap_parcels(*ranks_, std::move(out));
  std::vector<std::size_t> taken(ranks_->count(), 0);
  std::vector<double> own(own_.size() * width);
  for (const std::size_t place : by_number_) {
    const std::size_t from = sharer_of(own_[place], all, ranks_->count());
    std::memcpy(&own[place * width], in[from].data() + taken[from], width * sizeof(double));
    taken[from] += width * sizeof(double);
  }
  return own;
}

std::vector<double> NetworkPart::to_shares(std::span<const double> values,
                                           std::size_t width) const {
  const std::size_t all = network_size();
  check(values.size() == own_.size() * width, "the own parties' values");
  Parcels out(ranks_->count());
  for (const std::size_t place : by_number_) {
    const auto bytes = std::as_bytes(values.subspan(place * width, width));
    auto& parcel = out[sharer_of(own_[place], all, ranks_->count())];
    parcel.insert(parcel.end(), bytes.begin(), bytes.end());
  }
  const Parcels in = swap_parcels(*ranks_, std::move(out));
  const Share share = share_of(all, ranks_->rank(), ranks_->count());
  std::vector<std::size_t> taken(ranks_->count(), 0);
  std::vector<double> shared(share.size() * width);
  for (std::size_t party = share.begin; party < share.end; ++party) {
    const std::size_t from = owners_[party];
    std::memcpy(&shared[(party - share.begin) * width], in[from].data() + taken[from],
                width * sizeof(double));
    taken[from] += width * sizeof(double);
  }
  return shared;
}

}  // namespace sotto
