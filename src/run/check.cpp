// The own side as run/consent/own_side.h finds it, then the neighbours.
#include "run/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "run/consent/own_side.h"

namespace sotto {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kOneLook{100};
// What became of a neighbour while we listened and dialled.
struct PeerNews {
  bool connected = false;
  bool lasting = false;  // waiting does not mend it: somebody has to change something
  std::string trouble;
  std::optional<PeerCard> card;  // its answer to ours
  [[nodiscard]] bool settled() const { return (connected && card) || lasting; }
};

// Who of the neighbours answers: over mutual TLS, and without a word of the run.
class PeerCheck {
 public:
  PeerCheck(const Study& study, const JoinRequest& request, double seconds)
      : study_(study), request_(request), seconds_(seconds) {}

  [[nodiscard]] std::vector<CheckItem> run(const OwnSide& own) {
    const bool complete = check_network(study_).has_value();
    if (own.busy) {
      ok(kPeers, "this party is in a run of the study now; 'sotto status' shows how it stands");
    } else if (complete && own.identity) {
      check_peers(*own.identity);
    } else {
      warn(kPeers, "not looked at", "mend the study and the identity first");
    }
    return std::move(items_);
  }

 private:
  using enum CheckSubject;

  void add(CheckSubject subject, CheckVerdict verdict, std::string what, std::string fix) {
    items_.push_back({subject, verdict, std::move(what), std::move(fix)});
  }
  void ok(CheckSubject subject, std::string what) {
    add(subject, CheckVerdict::kOk, std::move(what), {});
  }
  void warn(CheckSubject subject, std::string what, std::string fix) {
    add(subject, CheckVerdict::kWarning, std::move(what), std::move(fix));
  }
  void problem(CheckSubject subject, std::string what, std::string fix) {
    add(subject, CheckVerdict::kProblem, std::move(what), std::move(fix));
  }

  void listen_to(Transport& transport, std::map<PartyId, PeerNews>& news) {
    const auto late = steady_clock::now() + std::chrono::duration<double>(seconds_);
    const auto settled = [](const auto& one) { return one.second.settled(); };
    while (steady_clock::now() < late && !std::ranges::all_of(news, settled)) {
      const auto event = transport.wait(kOneLook);
      if (!event) continue;
      if (!event->peer) {
        if (event->kind != TransportEvent::Kind::kTrouble) continue;
        warn(kPeers, event->text,
             "if that is one of the parties, it uses another key than the study names");
        continue;
      }
      if (!news.contains(*event->peer)) continue;
      PeerNews& peer = news[*event->peer];
      if (event->kind == TransportEvent::Kind::kConnected) peer.connected = true;
      if (event->kind == TransportEvent::Kind::kCard && event->card.answer) {
        peer.card = event->card;
      }
      if (event->kind == TransportEvent::Kind::kTrouble) {
        peer.trouble = event->text;
        peer.lasting = event->lasting;
      }
    }
  }

  void judge(const Peer& peer, const PeerNews& news) {
    if (news.connected && news.card) return judge_card(peer, *news.card);
    if (news.connected) {
      return ok(kPeers, fmt::format("{} is connected over mutual TLS", peer.name));
    }
    if (news.settled()) {
      return problem(kPeers, news.trouble,
                     fmt::format("settle with {}'s operator who is right; a change of the study "
                                 "is for everybody",
                                 peer.name));
    }
    if (!news.trouble.empty()) {
      return warn(kPeers, news.trouble,
                  fmt::format("is {} there now, in check or join, and does its firewall let us "
                              "in? parties may start in any order",
                              peer.name));
    }
    if (peer.dial) {
      return warn(kPeers, fmt::format("{} has not answered at {} so far", peer.name, peer.address),
                  "give it more --seconds");
    }
    warn(kPeers, fmt::format("{} is to dial us, and has not yet", peer.name),
         fmt::format("ask {}'s operator to run check at the same time; if it does, our port is "
                     "not reachable from there",
                     peer.name));
  }

  // It is who it should be; does it mean the same?
  void judge_card(const Peer& peer, const PeerCard& card) {
    if (const auto error = differs(study_, peer.name, card)) {
      return problem(kPeers, fmt::format("[{}] {}", error->name, error->what), error->fix);
    }
    if (clocks_differ(card)) {
      warn(kClock, fmt::format("{}: {}", peer.name, clock_text(card)),
           "set the clock of one of the two machines; logs and the ledger are dated by it");
    }
    ok(kPeers, fmt::format("{} is connected over mutual TLS, with the same study; {}", peer.name,
                           clock_text(card)));
  }

  // Its port, and everybody on the other side of it.
  void check_peers(const Identity& identity) {
    std::vector<Peer> peers = peers_of(study_, request_.self);
    const std::string listen =
        request_.listen.empty() ? listen_address(study_, request_.self) : request_.listen;
    const Greeting greeting = greeting_of(study_, true);
    auto transport = Transport::open(identity, listen, peers, {}, greeting);
    if (transport) {
      ok(kPort,
         listen.empty() ? "this party dials out only" : fmt::format("can listen at {}", listen));
    } else {
      const Error& error = transport.error();
      problem(kPort, fmt::format("[{}] {}", error.name, error.what), error.fix);
      // Those whom we dial can be looked at all the same.
      std::erase_if(peers, [](const Peer& peer) { return !peer.dial; });
      if (peers.empty()) return;
      transport = Transport::open(identity, "", peers, {}, greeting);
      if (!transport) return;
    }
    std::map<PartyId, PeerNews> news;
    for (const Peer& peer : peers) news[peer.id] = {};
    listen_to(**transport, news);
    for (const Peer& peer : peers) judge(peer, news[peer.id]);
  }

  const Study& study_;
  const JoinRequest& request_;
  double seconds_;
  std::vector<CheckItem> items_;
};

}  // namespace

std::vector<CheckItem> check_party(const Study& study, const JoinRequest& request, double seconds) {
  OwnSide own = examine_own_side(study, request, Purpose::kCheck);
  std::vector<CheckItem> items = std::move(own.consent.items);
  for (CheckItem& item : PeerCheck(study, request, seconds).run(own)) {
    items.push_back(std::move(item));
  }
  return items;
}

}  // namespace sotto
