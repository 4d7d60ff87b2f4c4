// The clock around a run: who has not come, who has been silent for how long, and when to leave.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "session/session.h"

namespace sotto {
namespace {

// How long a party that stopped waits for a neighbour that has not taken everything. Short: a
// neighbour that comes later finds out by itself. Whoever has a result stays for the study's
// patience, because a neighbour that is away for less has a right to it.
constexpr Time kLinger{10'000};
// After so long without a connection a neighbour that needs nothing has left.
constexpr Time kGone{3'000};

// Before the barrier a neighbour that is connected and silent is not known to be lost; after so
// many patiences without progress the run gives up.
constexpr int kPatiencesWithoutProgress = 3;

double in_seconds(Time time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

bool Session::meeting() const {
  // When all have said hello, only their agreement on it is missing: then patience counts.
  return core_.phase() == Phase::kMeeting && core_.excluded().empty() && !core_.all_present();
}

void Session::trouble(PartyId neighbour, std::string why) {
  troubles_[neighbour] = std::move(why);
}

// The study's meeting_seconds: who is not there by then is lost, neighbour or not.
void Session::lose_who_has_not_come(Time now) {
  if (!meeting() || now - meeting_since_ + met_again_for_ <= terms_.meeting) return;
  for (const PartyId party : core_.waiting_for()) {
    if (core_.over() || core_.excluded().contains(party)) continue;
    std::string why = core_.why_gone(party);
    if (why.empty() && troubles_.contains(party)) why = troubles_.at(party);
    wire::JournalEvent event;
    event.mutable_lost()->set_party(party);
    event.mutable_lost()->set_reason(fmt::format("{} has not come within the meeting's {:g} s{}{}",
                                                 terms_.names[party], in_seconds(terms_.meeting),
                                                 why.empty() ? "" : "; ", why));
    record(event);
    core_.lose(party, event.lost().reason());
    settle(now);
  }
}

bool Session::lose_silent_neighbours(Time now) {
  if (meeting()) return false;
  const Time limit = terms_.patience;
  for (const auto& [neighbour, since] : away_since_) {
    if (core_.excluded().contains(neighbour) || now - since <= limit) continue;
    wire::JournalEvent event;
    event.mutable_lost()->set_party(neighbour);
    event.mutable_lost()->set_reason(fmt::format("no connection to {} for {:.0f} s",
                                                 terms_.names[neighbour], in_seconds(limit)));
    record(event);
    core_.lose(neighbour, event.lost().reason());
    settle(now);
    return true;
  }
  return false;
}

void Session::tick(Time now) {
  links_.tick(now);
  lose_who_has_not_come(now);
  while (!core_.over() && lose_silent_neighbours(now)) {
  }
  if (core_.over() || meeting()) return;
  Time limit = kPatiencesWithoutProgress * terms_.patience;
  if (core_.released()) limit = terms_.patience;
  if (now - last_progress_ <= limit) return;
  stop(failed("E-patience",
              fmt::format("nothing was heard for {:.0f} s, while waiting for {}", in_seconds(limit),
                          fmt::join(names_of(core_.waiting_for()), ", ")),
              core_.released() ? "a new run costs the budget again"
                               : "see what became of them, and run again"),
       wire::Stopped::LOST_PARTY);
}

std::vector<PartyId> Session::in_need() const {
  std::vector<PartyId> neighbours;
  for (const PartyId neighbour : terms_.graph.neighbours(terms_.self)) {
    const bool with_us = !core_.excluded().contains(neighbour);
    if (with_us && !core_.said_farewell(neighbour)) neighbours.push_back(neighbour);
  }
  return neighbours;
}

bool Session::may_leave(Time now) const {
  if (!core_.over()) return false;
  bool everybody_served = true;
  for (const PartyId neighbour : terms_.graph.neighbours(terms_.self)) {
    if (core_.excluded().contains(neighbour)) continue;
    const bool said_all = core_.phase() == Phase::kStopped || core_.said_farewell(neighbour);
    // Whoever needs nothing more, and has gone, will not come back for a last acknowledgement.
    const auto away = away_since_.find(neighbour);
    const bool gone = away != away_since_.end() && now - away->second > kGone;
    everybody_served = everybody_served && said_all && (gone || links_.delivered(neighbour));
  }
  const Time linger = core_.phase() == Phase::kFinished ? terms_.patience : kLinger;
  return everybody_served || now - phase_since_ > linger;
}

}  // namespace sotto
