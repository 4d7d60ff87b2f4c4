#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "cli/check_steps.h"
#include "network/transport.h"
#include "study/network_study.h"

namespace sotto {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kLook{100};

// Waiting does not mend these: somebody has to change something.
bool needs_a_person(const std::string& trouble) {
  for (const char* word : {"certificate", "the name is not known", "does not speak"}) {
    if (trouble.find(word) != std::string::npos) return true;
  }
  return false;
}

// What became of a neighbour while we listened and dialled.
struct PeerNews {
  bool connected = false;
  std::string trouble;
  [[nodiscard]] bool settled() const { return connected || needs_a_person(trouble); }
};

void listen_for(Transport& transport, double seconds, std::map<PartyId, PeerNews>& news,
                Checklist& list) {
  const auto late = steady_clock::now() + std::chrono::duration<double>(seconds);
  const auto settled = [](const auto& one) { return one.second.settled(); };
  while (steady_clock::now() < late && !std::ranges::all_of(news, settled)) {
    const auto event = transport.wait(kLook);
    if (!event) continue;
    if (!event->peer) {
      if (event->kind != TransportEvent::Kind::kTrouble) continue;
      list.warn("peers", event->text,
                "if that is one of the parties, it uses another key than the study names");
      continue;
    }
    if (!news.contains(*event->peer)) continue;
    PeerNews& peer = news[*event->peer];
    if (event->kind == TransportEvent::Kind::kConnected) peer.connected = true;
    if (event->kind == TransportEvent::Kind::kTrouble) peer.trouble = event->text;
  }
}

void tell(const Peer& peer, const PeerNews& news, Checklist& list) {
  if (news.connected) {
    return list.ok("peers", fmt::format("{} is connected over mutual TLS", peer.name));
  }
  if (news.settled()) {
    return list.problem("peers", news.trouble,
                        fmt::format("settle with {}'s operator who is right; a change of the study "
                                    "is for everybody",
                                    peer.name));
  }
  if (!news.trouble.empty()) {
    return list.warn("peers", news.trouble,
                     fmt::format("is {} there now, in check or join, and does its firewall let us "
                                 "in? parties may start in any order",
                                 peer.name));
  }
  if (peer.dial) {
    return list.warn("peers",
                     fmt::format("{} has not answered at {} so far", peer.name, peer.address),
                     "give it more --seconds");
  }
  list.warn("peers", fmt::format("{} is to dial us, and has not yet", peer.name),
            fmt::format("ask {}'s operator to run check at the same time; if it does, our port is "
                        "not reachable from there",
                        peer.name));
}

}  // namespace

void check_peers(const CheckTarget& target, const Identity& identity, Checklist& list) {
  std::vector<Peer> peers = peers_of(target.study, target.self);
  const std::string listen =
      target.listen.empty() ? listen_address(target.study, target.self) : target.listen;
  auto transport = Transport::open(identity, listen, peers);
  if (transport) {
    list.ok("port",
            listen.empty() ? "this party dials out only" : fmt::format("can listen at {}", listen));
  } else {
    list.problem("port", transport.error());
    // Those whom we dial can be looked at all the same.
    std::erase_if(peers, [](const Peer& peer) { return !peer.dial; });
    if (peers.empty() || transport.error().name != "E-listen") return;
    transport = Transport::open(identity, "", peers);
    if (!transport) return;
  }
  std::map<PartyId, PeerNews> news;
  for (const Peer& peer : peers) news[peer.id] = {};
  listen_for(**transport, target.seconds, news, list);
  for (const Peer& peer : peers) tell(peer, news[peer.id], list);
}

}  // namespace sotto
