// A run as a card: steps, who is waited for, the graph, bytes, and what has left whom at what cost.
#include "view/runs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "graph/graph.h"
#include "report/chart.h"
#include "report/html.h"
#include "report/text.h"

namespace sotto::view {
namespace {

using report::escape;

constexpr std::size_t kMostCards = 50;

using Parts = std::vector<const WatchedRun*>;  // of one run, never empty

// How a party stands in a drawing.
enum class Standing : std::size_t { kThere, kWaitedFor, kFinished, kLost, kUnknown };
const std::vector<std::string> kStandings{"taking part", "waited for", "finished", "lost",
                                          "not a neighbour: not seen from here"};

bool running(const WatchedRun& part) {
  return part.view.run.state == RunState::kRunning;
}

Phase phase_of(const WatchedRun& part) {
  if (part.view.run.state == RunState::kFinished) return Phase::kFinished;
  if (part.view.run.state != RunState::kRunning) return Phase::kStopped;
  return part.live ? part.live->progress.phase : Phase::kMeeting;
}

std::string party_name(const WatchedRun& part) {
  return part.live ? part.live->party : part.home.name;
}

std::string bytes_text(std::uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  if (bytes < 1'000'000) return fmt::format("{:.1f} kB", static_cast<double>(bytes) / 1e3);
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

std::string seconds_text(std::int64_t milliseconds) {
  const double seconds = static_cast<double>(std::max<std::int64_t>(milliseconds, 0)) / 1000;
  if (seconds < 1) return fmt::format("{} ms", std::max<std::int64_t>(milliseconds, 0));
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  if (seconds < 3600)
    return fmt::format("{:.0f} min {:02.0f} s", std::floor(seconds / 60),
                       std::floor(std::fmod(seconds, 60)));
  return fmt::format("{:.0f} h {:02.0f} min", std::floor(seconds / 3600),
                     std::floor(std::fmod(seconds, 3600) / 60));
}

// A time that goes on; the page counts it.
std::string since_html(std::int64_t milliseconds) {
  return fmt::format("<time data-since=\"{}\"></time>", milliseconds);
}

// --- steps ---

// When the last attempt at a phase began, and when what follows it did.
struct Step {
  std::optional<std::int64_t> from;
  std::optional<std::int64_t> to;
};

Step step_of(const WatchedRun& part, Phase phase) {
  Step step;
  if (!part.live) return step;
  for (const LiveRun::Begun& begun : part.live->phases) {
    if (begun.phase == phase) {
      step = {.from = begun.at, .to = {}};
    } else if (step.from && !step.to) {
      step.to = begun.at;
    }
  }
  return step;
}

// The party that is least far decides.
std::string steps_html(const Parts& parts) {
  const WatchedRun& last = **std::ranges::min_element(
      parts, {}, [](const WatchedRun* part) { return static_cast<int>(phase_of(*part)); });
  const Phase now = phase_of(last);
  const bool over = now == Phase::kFinished || now == Phase::kStopped;
  std::string html = "<ol class=\"steps\">\n";
  for (const Phase phase : {Phase::kMeeting, Phase::kSealing, Phase::kReady, Phase::kReleasing,
                            Phase::kComparing, Phase::kFinished}) {
    const Step step = step_of(last, phase);
    const bool reached = now == Phase::kStopped ? step.from.has_value() : phase <= now;
    const bool here = phase == now && !over;
    std::string time;
    if (phase != Phase::kFinished && step.from) {
      time = step.to                    ? seconds_text(*step.to - *step.from)
             : here && last.view.holder ? since_html(*step.from)
                                        : "";
    }
    html += fmt::format("<li class=\"{}\"{}><b>{}</b><span>{}</span></li>\n",
                        here      ? "now"
                        : reached ? "done"
                                  : "to-come",
                        here ? " aria-current=\"step\"" : "", kPhases[phase], time);
  }
  return html + "</ol>\n";
}

// --- graph ---

Standing standing_of(const Parts& parts, const std::string& name, PartyId id, const Graph& graph) {
  for (const WatchedRun* part : parts) {
    if (part->live && std::ranges::count(part->live->progress.without, name) > 0) {
      return Standing::kLost;
    }
  }
  const auto own =
      std::ranges::find(parts, name, [](const WatchedRun* p) { return party_name(*p); });
  if (own != parts.end()) {
    const Phase phase = phase_of(**own);
    if (phase == Phase::kFinished) return Standing::kFinished;
    return phase == Phase::kStopped || !(*own)->view.holder ? Standing::kLost : Standing::kThere;
  }
  const WatchedRun& part = *parts.front();
  const Phase phase = phase_of(part);
  if (phase == Phase::kFinished) return Standing::kFinished;
  if (!part.live) return Standing::kUnknown;
  const LiveRun& live = *part.live;
  if (std::ranges::count(live.progress.waiting_for, name) > 0) return Standing::kWaitedFor;
  if (std::ranges::count(live.connected, name) > 0) return Standing::kThere;
  const auto self = std::ranges::find(live.parties, live.party) - live.parties.begin();
  // The graph may be another home's: the notes of one run should agree, and are files.
  if (static_cast<std::size_t>(self) >= graph.size()) return Standing::kUnknown;
  const auto near = graph.neighbours(static_cast<PartyId>(self));
  if (std::ranges::find(near, id) != near.end()) return Standing::kWaitedFor;
  // Whom nobody waits for past the meeting has said who it is.
  return phase == Phase::kMeeting ? Standing::kUnknown : Standing::kThere;
}

std::string graph_html(const Parts& parts) {
  const auto noted =
      std::ranges::find_if(parts, [](const WatchedRun* p) { return p->live.has_value(); });
  if (noted == parts.end()) return {};
  const LiveRun& live = *(*noted)->live;
  std::vector<Edge> edges;
  for (const auto& [a, b] : live.edges) {
    edges.push_back({static_cast<PartyId>(std::min(a, b)), static_cast<PartyId>(std::max(a, b))});
  }
  auto graph = Graph::make(live.parties.size(), std::move(edges));
  if (!graph) return {};
  GraphDrawing drawing{.title = "Parties", .names = live.parties, .graph = *graph};
  if (parts.size() == 1) {
    drawing.own =
        static_cast<PartyId>(std::ranges::find(live.parties, live.party) - live.parties.begin());
  }
  drawing.kinds = kStandings;
  for (PartyId id = 0; id < live.parties.size(); ++id) {
    drawing.standing.push_back(
        static_cast<std::size_t>(standing_of(parts, live.parties[id], id, *graph)));
  }
  Section section("");
  const InlineSvg svg{.wide = report::draw(drawing, Medium::kTelephone),
                      .narrow = report::draw(drawing, Medium::kTelephone)};
  section.figure(svg, parts.size() == 1 ? "Who talks with whom; the ring is this party."
                                        : "Who talks with whom.");
  return section.html();
}

// --- what it cost ---

std::string cost_text(const WatchedRun& part) {
  const RunCost cost = cost_of(part.view);
  std::vector<std::string> texts;
  if (cost.released()) {
    texts.push_back(fmt::format("{}, {} spent", report::equals("ε", cost.spent.epsilon),
                                report::equals("δ", cost.spent.delta)));
  }
  if (cost.held.epsilon > 0) {
    texts.push_back(fmt::format("{}, {} held back", report::equals("ε", cost.held.epsilon),
                                report::equals("δ", cost.held.delta)));
  }
  if (cost.looked) texts.emplace_back("looks at masked values booked");
  return texts.empty() ? "nothing" : fmt::format("{}", fmt::join(texts, "; "));
}

std::string left_text(const WatchedRun& part) {
  const RunCost cost = cost_of(part.view);
  if (cost.released()) return "its noisy sums";
  if (cost.looked || cost.held.epsilon > 0) return "nothing that anybody can read without its mask";
  return "nothing of its data";
}

std::string waiting_text(const WatchedRun& part) {
  if (!running(part)) return "nobody";
  if (!part.view.holder) return "a process: 'sotto join' resumes it";
  if (!part.live || part.live->progress.waiting_for.empty()) return "nobody";
  return fmt::format("{}", fmt::join(part.live->progress.waiting_for, ", "));
}

std::string duration_html(const WatchedRun& part) {
  const StoredRun& run = part.view.run;
  const std::int64_t from =
      part.live && !part.live->phases.empty() ? part.live->phases.front().at : run.started * 1000;
  if (run.state == RunState::kRunning) return part.view.holder ? since_html(from) : "";
  const auto finished = step_of(part, Phase::kFinished).from;
  return seconds_text(finished.value_or(run.ended.value_or(run.started) * 1000) - from);
}

std::string fact(std::string_view name, const std::string& html) {
  return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", name, html);
}

std::string facts_html(const WatchedRun& part) {
  std::string html = "<dl class=\"facts\">\n";
  html += fact("Party", escape(party_name(part)));
  html += fact("Waiting for", escape(waiting_text(part)));
  if (part.live && !part.live->progress.without.empty()) {
    html += fact("Went on without",
                 escape(fmt::format("{}", fmt::join(part.live->progress.without, ", "))));
  }
  if (part.live) {
    html += fact("Sent", bytes_text(part.live->bytes.sent));
    html += fact("Received", bytes_text(part.live->bytes.received));
  }
  html += fact("Time", duration_html(part));
  html += fact("Has left this party", escape(left_text(part)));
  html += fact("Cost", escape(cost_text(part)));
  for (const LedgerEntry& entry : part.view.entries) {
    if (!store::counts(entry)) continue;
    html += fact("Account", escape(entry.debit.data));
    break;
  }
  return html + "</dl>\n";
}

std::string parties_html(const Parts& parts) {
  std::string html =
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Parties\">\n"
      "<table class=\"cards\" role=\"table\">\n<thead role=\"rowgroup\"><tr role=\"row\">";
  const std::vector<std::string> heads{"Party",    "Phase", "Waiting for", "Sent",
                                       "Received", "Time",  "Cost"};
  for (std::size_t k = 0; k < heads.size(); ++k) {
    html += fmt::format("<th scope=\"col\" role=\"columnheader\"{}>{}</th>",
                        k >= 3 && k <= 5 ? " class=\"number\"" : "", heads[k]);
  }
  html += "</tr></thead>\n<tbody role=\"rowgroup\">\n";
  for (const WatchedRun* part : parts) {
    const auto cell = [&](std::size_t k, const std::string& text) {
      html += fmt::format("<td role=\"cell\" data-label=\"{}\"{}>{}</td>", heads[k],
                          k >= 3 && k <= 5 ? " class=\"number\"" : "", text);
    };
    html += fmt::format("<tr role=\"row\"><th scope=\"row\" role=\"rowheader\">{}</th>",
                        escape(party_name(*part)));
    cell(1, std::string(kPhases[phase_of(*part)]));
    cell(2, escape(waiting_text(*part)));
    cell(3, part->live ? bytes_text(part->live->bytes.sent) : "");
    cell(4, part->live ? bytes_text(part->live->bytes.received) : "");
    cell(5, duration_html(*part));
    cell(6, escape(cost_text(*part)));
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table>\n</div>\n";
}

// --- the card ---

std::string state_text(const Parts& parts) {
  if (std::ranges::any_of(parts, [](const WatchedRun* p) { return running(*p); })) {
    const bool held =
        std::ranges::any_of(parts, [](const WatchedRun* p) { return p->view.holder.has_value(); });
    return held ? "running" : "interrupted";
  }
  return std::string(kRunStates[parts.front()->view.run.state]);
}

std::string card_html(const Parts& parts) {
  const StoredRun& run = parts.front()->view.run;
  const std::string state = state_text(parts);
  std::string html = fmt::format(
      "<header><h3>{}</h3><span class=\"badge {}\">{}</span>"
      "<span class=\"quiet\">run {}, began {}</span></header>\n",
      escape(run.study), state, state, short_run(public_id(run)), utc_text(run.started));
  html += steps_html(parts);
  if (state == "running" && parts.size() == 1 && !run.phase.empty()) {
    html += fmt::format("<p class=\"say\">{}</p>\n", escape(run.phase));
  }
  if (!run.note.empty()) html += fmt::format("<p class=\"say\">{}</p>\n", escape(run.note));
  html += fmt::format("<div class=\"beside\">\n{}\n<div>\n{}", graph_html(parts),
                      parts.size() == 1 ? facts_html(*parts.front()) : parties_html(parts));
  if (run.state == RunState::kFinished) {
    html += fmt::format(
        "<p><a href=\"#models/{}\">Explore its models</a>: they cost nothing.</p>\n", run.run);
  }
  return html + "</div>\n</div>\n";
}

// Before all have met a run has no name that its parties share; its study has.
std::string key_of(const WatchedRun& part, const std::vector<WatchedRun>& all) {
  const StoredRun& run = part.view.run;
  if (!run.shared.empty() || !running(part)) return public_id(run);
  for (const WatchedRun& other : all) {
    const StoredRun& its = other.view.run;
    const bool same = its.study_hash == run.study_hash && running(other);
    if (same && !its.shared.empty()) return its.shared;
  }
  return "now-" + run.study_hash;
}

std::string problem_html(const Error& error) {
  Section section("");
  section.callout(Callout::kWarning, error.what, fmt::format("{}; {}", error.where, error.fix));
  return section.html();
}

}  // namespace

Json runs_json(const Watched& watched) {
  std::vector<std::pair<std::string, Parts>> groups;  // in the order they began
  for (const WatchedRun& part : watched.runs) {
    const std::string key = key_of(part, watched.runs);
    const auto found = std::ranges::find(groups, key, &std::pair<std::string, Parts>::first);
    if (found == groups.end()) {
      groups.push_back({key, {&part}});
    } else {
      found->second.push_back(&part);
    }
  }
  std::ranges::stable_sort(groups, std::greater{}, [](const auto& group) {
    return group.second.front()->view.run.started;
  });
  Json cards = Json::array();
  std::size_t count = 0;
  for (const auto& [key, parts] : groups) {
    const bool now = std::ranges::any_of(parts, [](const WatchedRun* p) { return running(*p); });
    if (now) ++count;
    if (cards.size() < kMostCards || now) {
      cards.push_back({{"key", key}, {"state", state_text(parts)}, {"html", card_html(parts)}});
    }
  }
  std::string problems;
  for (const Error& error : watched.problems) problems += problem_html(error);
  return {{"cards", std::move(cards)}, {"problems", problems}, {"running", count}};
}

}  // namespace sotto::view
