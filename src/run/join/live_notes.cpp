// Written beside and renamed, so that no reader meets half a note; not synced, since after a power
// cut nobody misses it.
#include "run/join/live_notes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/json.h"

namespace sotto {
namespace {

constexpr std::int64_t kBetweenCounts = 200;  // milliseconds
constexpr std::size_t kMostPhases = 64;       // attempts may be many
constexpr std::uintmax_t kMostNoteBytes = 1 << 20;

std::string note_file(const std::string& home, const std::string& run) {
  return fmt::format("{}/live/{}.json", home, run);
}

Json note_json(const LiveRun& run) {
  return {{"party", run.party},
          {"parties", run.parties},
          {"edges", run.edges},
          {"phase", kPhases[run.progress.phase]},
          {"state", kRunStates[run.progress.state]},
          {"waiting_for", run.progress.waiting_for},
          {"without", run.progress.without},
          {"released", run.progress.released},
          {"connected", run.connected},
          {"sent", run.bytes.sent},
          {"received", run.bytes.received},
          {"phases", json_list(run.phases,
                               [](const LiveRun::Begun& begun) {
                                 return Json{{"phase", kPhases[begun.phase]}, {"at", begun.at}};
                               })},
          {"updated", run.updated}};
}

// The year 4199. Differences of such times are times.
constexpr std::uint64_t kLatest = std::uint64_t{1} << 46;

std::optional<LiveRun> note_from(const Json& json) {
  std::string problem;
  JsonFields fields(json, "", problem);
  LiveRun run;
  run.party = fields.text("party");
  run.parties = fields.texts("parties");
  if (std::ranges::find(run.parties, run.party) == run.parties.end()) return std::nullopt;
  for (const auto& [edge, path] : fields.elements("edges")) {
    const bool two = edge->is_array() && edge->size() == 2 && is_count((*edge)[0]) &&
                     is_count((*edge)[1]) && (*edge)[0].get<std::size_t>() < run.parties.size() &&
                     (*edge)[1].get<std::size_t>() < run.parties.size();
    if (!two) return std::nullopt;
    run.edges.emplace_back((*edge)[0].get<std::size_t>(), (*edge)[1].get<std::size_t>());
  }
  const auto phase = kPhases.find(fields.text("phase"));
  const auto state = kRunStates.find(fields.text("state"));
  if (!phase || !state) return std::nullopt;
  run.progress = {.phase = *phase,
                  .state = *state,
                  .waiting_for = fields.texts("waiting_for"),
                  .without = fields.texts("without"),
                  .released = fields.truth("released")};
  run.connected = fields.texts("connected");
  run.bytes = {.sent = fields.count("sent"), .received = fields.count("received")};
  for (const auto& [element, path] : fields.elements("phases")) {
    JsonFields begun(*element, path, problem);
    const auto known = kPhases.find(begun.text("phase"));
    const std::uint64_t at = begun.count("at");
    if (!known || at > kLatest) return std::nullopt;
    run.phases.push_back({.phase = *known, .at = static_cast<std::int64_t>(at)});
  }
  const std::uint64_t updated = fields.count("updated");
  if (!problem.empty() || updated > kLatest) return std::nullopt;
  run.updated = static_cast<std::int64_t>(updated);
  return run;
}

}  // namespace

std::int64_t unix_milliseconds() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

LiveNotes::LiveNotes(const std::string& home, const std::string& run, const Study& study,
                     PartyId self, std::int64_t now)
    : file_(note_file(home, run)) {
  if (const auto earlier = read_live_run(home, run)) run_.phases = earlier->phases;
  run_.party = study.parties[self].name;
  for (const PartyTerms& party : study.parties) run_.parties.push_back(party.name);
  for (const Edge& edge : study.graph().edges()) run_.edges.emplace_back(edge.a, edge.b);
  ::mkdir((home + "/live").c_str(), 0700);  // or it is there, or no note will be
  write(now);
}

void LiveNotes::hear(const JoinEvent& event, std::int64_t now) {
  using enum JoinEvent::Kind;
  switch (event.kind) {
    case kPhase:
    case kWaiting:
      run_.progress = event.progress;
      if (run_.phases.empty() || run_.phases.back().phase != event.progress.phase) {
        run_.phases.push_back({.phase = event.progress.phase, .at = now});
      }
      if (run_.phases.size() > kMostPhases) run_.phases.erase(run_.phases.begin());
      break;
    case kConnected:
    case kLost:
      std::erase(run_.connected, event.peer);
      if (event.kind == kConnected) run_.connected.push_back(event.peer);
      break;
    case kBytes:
      run_.bytes = event.bytes;
      break;
    case kBegun:
    case kResumed:
    case kTrouble:
    case kRefused:
    case kNote:
    case kFinished:
    case kFailed:
      return;
  }
  write(now);
}

void LiveNotes::count(const Transport::Bytes& bytes, std::int64_t now) {
  const bool same = bytes.sent == run_.bytes.sent && bytes.received == run_.bytes.received;
  if (same || now - run_.updated < kBetweenCounts) return;
  run_.bytes = bytes;
  write(now);
}

void LiveNotes::write(std::int64_t now) {
  run_.updated = now;
  const std::string draft = file_ + ".part";
  const int file =
      ::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return;
  const std::string text = json_line(note_json(run_)) + "\n";
  const bool whole = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(file);
  if (!whole || std::rename(draft.c_str(), file_.c_str()) != 0) ::unlink(draft.c_str());
}

std::optional<LiveRun> read_live_run(const std::string& home, const std::string& run) {
  const std::string path = note_file(home, run);
  std::error_code problem;
  const auto size = std::filesystem::file_size(path, problem);
  if (problem || size > kMostNoteBytes) return std::nullopt;
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return note_from(parse_json(text));
}

}  // namespace sotto
