// From a study to links and a session: who dials whom, what a session must know.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "base/digest.h"
#include "run/join/join.h"
#include "session/wire.h"
#include "study/study_lines.h"

namespace sotto {
namespace {

constexpr std::size_t kMostDifferences = 8;
// Nothing depends on clocks, but people compare logs.
constexpr std::chrono::seconds kClocksDiffer{60};

Time milliseconds_of(double seconds) {
  return std::chrono::duration_cast<Time>(std::chrono::duration<double>(seconds));
}

}  // namespace

std::vector<Peer> peers_of(const Study& study, PartyId self) {
  std::vector<Peer> peers;
  const bool can_be_reached = !study.parties[self].address.empty();
  for (const PartyId id : study.graph().neighbours(self)) {
    const PartyTerms& party = study.parties[id];
    const bool dial = !party.address.empty() && (!can_be_reached || self > id);
    peers.push_back({.id = id,
                     .name = party.name,
                     .address = party.address,
                     .fingerprint = party.fingerprint,
                     .other_fingerprint = party.other_fingerprint,
                     .dial = dial});
  }
  return peers;
}

std::string listen_address(const Study& study, PartyId self) {
  const std::string& address = study.parties[self].address;
  const auto colon = address.rfind(':');
  if (colon == std::string::npos) return {};
  const std::string host = address.substr(0, colon);
  const bool loopback = host.starts_with("127.") || host == "localhost" || host == "[::1]";
  return loopback ? address : "0.0.0.0" + address.substr(colon);
}

SessionTerms session_terms(const Study& study, const Plan& plan, PartyId self, Debit debit) {
  SessionTerms terms{.study_hash = from_hex(study.hash),
                     .self = self,
                     .graph = study.graph(),
                     .names = {},
                     .min_parties = study.network.min_parties,
                     .meeting = milliseconds_of(study.network.meeting_seconds),
                     .patience = milliseconds_of(study.network.patience_seconds),
                     .debit = std::move(debit),
                     .limits = {},
                     .resend = kResendOverConnections,
                     .draws_digest = plan.draws};
  if (terms.min_parties == 0) terms.min_parties = study.graph().size();
  for (const PartyTerms& party : study.parties) terms.names.push_back(party.name);
  return terms;
}

Greeting greeting_of(const Study& study, bool looking) {
  return {.study = from_hex(study.hash),
          .study_lines = study.lines,
          .protocol = kProtocol,
          .looking = looking};
}

std::optional<Error> differs(const Study& study, const std::string& neighbour,
                             const PeerCard& card) {
  if (card.protocol != kProtocol) {
    return failed("E-protocol",
                  fmt::format("{}'s sotto speaks version {} of the protocol, ours version {}",
                              neighbour, card.protocol, kProtocol),
                  "let every party run the same release of sotto");
  }
  if (card.same_study) return std::nullopt;
  const auto lines = study_differences(study.lines, card.study_lines, kMostDifferences);
  std::string what = fmt::format("{}'s study differs from ours", neighbour);
  if (card.study_lines.empty()) {
    what += "; what it is was not told";
  } else if (lines.empty()) {
    what += ", though only in spaces, comments or order";
  } else {
    what += fmt::format(": {}", fmt::join(lines, "; "));
  }
  return failed("E-study-differs", what,
                "agree on one study.toml; every byte of it must be the same everywhere");
}

std::string clock_text(const PeerCard& card) {
  const auto seconds = [](Time time) { return std::chrono::duration<double>(time).count(); };
  const double ahead = seconds(card.clock_ahead);
  return fmt::format("its clock is {:.3g} s {} ours (± {:.2g} s)", std::abs(ahead),
                     ahead < 0 ? "behind" : "ahead of", seconds(card.uncertainty));
}

bool clocks_differ(const PeerCard& card) {
  return std::chrono::abs(card.clock_ahead) > card.uncertainty + kClocksDiffer;
}

}  // namespace sotto
