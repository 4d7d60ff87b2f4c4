// Transcripts: trials sealed in words, with what was drawn, and of that what an observer sees.
#include "run/lab/transcript.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "base/json.h"
#include "moments/quadratic.h"
#include "privacy/trial_seal.h"
#include "run/simulate.h"

namespace sotto {
namespace transcripts {

Json head_of(const PlannedStudy& planned, const TranscriptRequest& request, const char* what) {
  return {{"sotto", what},
          {"version", request.version},
          {"observer", request.observer.name},
          {"seed", request.seed},
          {"trials", request.trials},
          {"plan", to_json(planned.study, planned.plan)},
          {"graph", graph_json(planned.study)}};
}

// θ of some parties, by their numbers from 1.
Json thetas_of(const Problem& problem, std::span<const PartyId> parties) {
  Json json = Json::object();
  for (const PartyId i : parties) {
    json[fmt::format("{}", i + 1)] =
        std::vector<double>(problem.costs.theta(i).begin(), problem.costs.theta(i).end());
  }
  return json;
}

bool among(std::span<const PartyId> members, std::size_t party) {
  return std::ranges::find(members, static_cast<PartyId>(party)) != members.end();
}

// One solver's trials, told as JSON.
class Teller {
 public:
  Teller(const PlannedStudy& planned, TrialSeal seal, const TranscriptRequest& request)
      : planned_(planned),
        seal_(std::move(seal)),
        request_(request),
        entries_(seal_.entries()),
        indices_(seal_.parties() * entries_) {}

  void draw(std::uint64_t trial) {
    seal_.seal({.seed = request_.seed, .number = trial}, indices_, &trace_);
  }

  [[nodiscard]] Json seen(std::uint64_t trial) const {
    Json json{{"trial", trial}, {"releases", by_party(indices_)}};
    const auto& members = request_.observer.members;
    if (members.empty()) return json;
    Json own = Json::object();
    for (const PartyId i : members) {
      own[fmt::format("{}", i + 1)] = values(trace_.own, i, &TrialSeal::value);
    }
    json["own"] = own;
    if (trace_.masks.empty()) return json;
    if (!shuffles()) {
      Json masks = Json::array();
      for (std::size_t e = 0; e < seal_.edges().size(); ++e) {
        const auto& edge = seal_.edges()[e];
        if (among(members, edge.from) || among(members, edge.to)) masks.push_back(mask(e));
      }
      json["masks"] = masks;
      return json;
    }
    Json looks = Json::array();
    for (const TrialSeal::Edge& edge : seal_.edges()) {
      if (among(members, edge.from)) looks.push_back(look(edge.from, edge.to, edge.there));
      if (among(members, edge.to)) looks.push_back(look(edge.to, edge.from, edge.back));
    }
    json["looks"] = looks;
    return json;
  }

  [[nodiscard]] Json truth(std::uint64_t trial) const {
    Json json{{"trial", trial}, {"gamma", by_party(trace_.own)}};
    if (trace_.masks.empty()) return json;
    Json edges = Json::array();
    for (std::size_t e = 0; e < seal_.edges().size(); ++e) {
      const TrialSeal::Edge& edge = seal_.edges()[e];
      if (!shuffles()) {
        edges.push_back(mask(e));
        continue;
      }
      for (const bool there : {true, false}) {
        const std::size_t at = there ? edge.there : edge.back;
        edges.push_back({{"from", (there ? edge.from : edge.to) + 1},
                         {"to", (there ? edge.to : edge.from) + 1},
                         {"eta", values(trace_.masks, at, &TrialSeal::whole_value)},
                         {"multiplier", trace_.multipliers[at]}});
      }
    }
    json[shuffles() ? "eta" : "masks"] = edges;
    return json;
  }

 private:
  using ToValue = double (TrialSeal::*)(TrialSeal::Index) const;

  [[nodiscard]] bool shuffles() const {
    return std::holds_alternative<ShuffleNoise>(planned_.plan.noise);
  }
  [[nodiscard]] Json values(std::span<const TrialSeal::Index> all, std::size_t row,
                            ToValue value) const {
    Json json = Json::array();
    for (std::size_t k = 0; k < entries_; ++k) {
      json.push_back((seal_.*value)(all[row * entries_ + k]));
    }
    return json;
  }
  [[nodiscard]] Json by_party(std::span<const TrialSeal::Index> all) const {
    Json json = Json::array();
    for (std::size_t i = 0; i < seal_.parties(); ++i) {
      json.push_back(values(all, i, &TrialSeal::value));
    }
    return json;
  }
  // The lower party adds it, the higher one subtracts it.
  [[nodiscard]] Json mask(std::size_t edge) const {
    return {{"from", seal_.edges()[edge].from + 1},
            {"to", seal_.edges()[edge].to + 1},
            {"mask", values(trace_.masks, edge, &TrialSeal::whole_value)}};
  }
  // What `self` decrypts of the neighbour's answer, with what it drew itself for that neighbour:
  // `own` is the directed edge. The integers too, which are wider than a double.
  [[nodiscard]] Json look(std::size_t self, std::size_t neighbour, std::size_t own) const {
    Json steps = Json::array();
    for (std::size_t k = 0; k < entries_; ++k) {
      steps.push_back(fmt::format("{}", trace_.looks[own * entries_ + k]));
    }
    return {{"by", self + 1},
            {"of", neighbour + 1},
            {"decrypted", values(trace_.looks, own, &TrialSeal::whole_value)},
            {"decrypted_steps", std::move(steps)},
            {"own_multiplier", trace_.multipliers[own]},
            {"own_eta", values(trace_.masks, own, &TrialSeal::whole_value)}};
  }

  const PlannedStudy& planned_;
  TrialSeal seal_;
  const TranscriptRequest& request_;
  std::size_t entries_;
  std::vector<TrialSeal::Index> indices_;
  TrialTrace trace_;
};

// gt's releases are the perturbed costs: every round follows from them.
Transcript of_tracking(const TrackingSetup& setup, const Secrets& secrets, const Problem& problem,
                       const TranscriptRequest& request) {
  Transcript result;
  for (std::uint64_t trial = 0; trial < request.trials; ++trial) {
    Json releases = Json::array();
    Json noise = Json::array();
    const auto costs = draw_costs(setup, secrets, request.seed, trial);
    for (std::size_t i = 0; i < costs.size(); ++i) {
      const std::vector<double> released = to_theta({.a = costs[i].g, .b = costs[i].h});
      const auto theta = problem.costs.theta(i);
      std::vector<double> drawn(theta.begin(), theta.end());
      for (std::size_t k = 0; k < drawn.size(); ++k) drawn[k] = released[k] - drawn[k];
      releases.push_back(released);
      noise.push_back(drawn);
    }
    result.seen += json_line({{"trial", trial}, {"releases", releases}}) + '\n';
    result.truth += json_line({{"trial", trial}, {"gamma", noise}}) + '\n';
  }
  return result;
}

}  // namespace transcripts

Result<TranscriptObserver> transcript_observer_from(const std::string& words, std::size_t parties) {
  const auto unknown = [&](const std::string& what) {
    return bad_input("E-observer", what,
                     fmt::format("\"eavesdropper\", \"neighbour:3\", \"coalition:1,4\" or \"all\", "
                                 "parties from 1 to {}",
                                 parties))
        .at("--observer");
  };
  TranscriptObserver observer{.name = words, .members = {}};
  if (words == "eavesdropper") return observer;
  if (words == "all") {
    observer.members.resize(parties);
    std::iota(observer.members.begin(), observer.members.end(), PartyId{0});
    return observer;
  }
  const std::size_t colon = words.find(':');
  const std::string kind = words.substr(0, colon);
  if (colon == std::string::npos || (kind != "neighbour" && kind != "coalition")) {
    return unknown(fmt::format("no observer is called \"{}\"", words));
  }
  std::string_view rest = std::string_view(words).substr(colon + 1);
  while (true) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + comma, number);
    if (error != std::errc{} || end != rest.data() + comma || number == 0 || number > parties) {
      return unknown(fmt::format("\"{}\" is no party of this study", rest.substr(0, comma)));
    }
    if (!transcripts::among(observer.members, number - 1)) {
      observer.members.push_back(static_cast<PartyId>(number - 1));
    }
    if (comma == rest.size()) break;
    rest.remove_prefix(comma + 1);
  }
  if (kind == "neighbour" && observer.members.size() != 1) {
    return unknown("a neighbour is one party");
  }
  return observer;
}

Result<Transcript> record_transcript(const PlannedStudy& planned, const Problem& problem,
                                     const TranscriptRequest& request) {
  const auto secrets = secrets_of(problem, planned.study.privacy.sensitivity);
  Transcript result;
  if (const auto* noise = std::get_if<GradientNoise>(&planned.plan.noise)) {
    TrackingSetup setup{.weights = planned.study.weights,
                        .dimension = problem.dimension(),
                        .laplace = noise->on_grid,
                        .sigma = noise->sigma_eta};
    result = transcripts::of_tracking(setup, secrets, problem, request);
  } else if (std::holds_alternative<LaplaceNoise>(planned.plan.noise)) {
    return bad_input("E-transcript-wide",
                     "a transcript has Gaussian draws, and this solver's noise is Laplace",
                     "use one of the four solvers, or Gaussian noise");
  } else {
    auto seal = TrialSeal::make(planned.plan.noise, planned.study.graph(), secrets);
    if (!seal) {
      return bad_input("E-transcript-wide",
                       "the masks of this study are past what a transcript's numbers hold",
                       "use calibration = \"graph\", or less noise");
    }
    transcripts::Teller teller(planned, std::move(*seal), request);
    for (std::uint64_t trial = 0; trial < request.trials; ++trial) {
      teller.draw(trial);
      result.seen += json_line(teller.seen(trial)) + '\n';
      result.truth += json_line(teller.truth(trial)) + '\n';
    }
  }
  Json seen = transcripts::head_of(planned, request, "transcript");
  if (!request.observer.members.empty()) {
    seen["own_theta"] = transcripts::thetas_of(problem, request.observer.members);
  }
  Json truth = transcripts::head_of(planned, request, "ground truth");
  std::vector<PartyId> everybody(planned.plan.parties);
  std::iota(everybody.begin(), everybody.end(), PartyId{0});
  truth["theta"] = transcripts::thetas_of(problem, everybody);
  result.seen = json_line(seen) + '\n' + result.seen;
  result.truth = json_line(truth) + '\n' + result.truth;
  return result;
}

}  // namespace sotto
