// What became of a run on the network as it is, beside the same run on one without a fault.
#include "run/lab/faults.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/json.h"
#include "base/words.h"
#include "run/lab/simulated_network.h"

namespace sotto {
namespace {

FaultTerms without_faults(FaultTerms terms) {
  terms.loss = 0;
  terms.repeats = 0;
  terms.jitter_ms = 0;
  terms.crashes = 0;
  terms.start_seconds = 0;
  terms.rushing = {};
  return terms;
}

double last_end(const FaultNetwork& network) {
  double last = 0;
  for (const FaultNetwork::End& end : network.ends()) last = std::max(last, end.seconds);
  return last;
}

}  // namespace

CipherCost cipher_cost(const Study& study) {
  constexpr double kMeasuredBits = 3072;
  const double ratio = static_cast<double>(study.dishuf.key_bits) / kMeasuredBits;
  CipherCost cost;
  cost.key_pair_ms *= std::pow(ratio, 4);
  double scale = std::pow(ratio, 3);
  if (study.faults && study.faults->cipher_ms) {
    scale = *study.faults->cipher_ms / (cost.make_ms + cost.answer_ms + cost.read_ms);
  }
  cost.make_ms *= scale;
  cost.answer_ms *= scale;
  cost.read_ms *= scale;
  return cost;
}

Result<FaultReport> simulate_faults(const PlannedStudy& planned, const Costs& costs) {
  check(planned.study.faults.has_value(), "the study has [faults]");
  const FaultTerms& faults = *planned.study.faults;
  const double frames = static_cast<double>(planned.plan.traffic.messages) *
                        static_cast<double>(planned.plan.parties);
  if (frames > kMaxFaultFrames) {
    return bad_input("E-faults-long",
                     fmt::format("{} would send about {:.1g} frames, each through the parties' "
                                 "machines",
                                 to_string(planned.plan.solver), frames),
                     "method = \"exact\", fewer parties or rounds, or no [faults]")
        .at("[faults]");
  }
  FaultNetwork calm(planned, costs, without_faults(faults));
  SOTTO_TRY(calm.run());
  FaultNetwork network(planned, costs, faults);
  SOTTO_TRY(network.run());
  FaultReport report = network.counts();
  report.rounds = planned.plan.rounds.rounds;
  report.seconds = last_end(network);
  report.undisturbed_seconds = last_end(calm);
  report.same_transcript = true;
  report.as_undisturbed = true;
  const FaultNetwork::End* first = nullptr;
  for (PartyId p = 0; p < report.parties; ++p) {
    const FaultNetwork::End& end = network.ends()[p];
    const std::string& name = planned.study.parties[p].name;
    if (!end.error.empty() || end.result.empty()) {
      report.ended.push_back(fmt::format("{}: {}", name, end.error));
      continue;
    }
    ++report.finished;
    if (first == nullptr) first = &end;
    report.same_transcript = report.same_transcript && end.transcript == first->transcript;
    report.as_undisturbed = report.as_undisturbed && end.result == calm.ends()[p].result;
  }
  if (first == nullptr) {
    report.same_transcript = report.as_undisturbed = false;
    return report;
  }
  for (PartyId p = 0; p < report.parties; ++p) {
    if (std::ranges::find(first->members, p) == first->members.end()) {
      report.lost.push_back(planned.study.parties[p].name);
    }
  }
  return report;
}

Json to_json(const FaultTerms& terms, const Result<FaultReport>& made) {
  if (!made) {
    const Error& error = made.error();
    return {
        {"error",
         {{"name", error.name}, {"what", error.what}, {"where", error.where}, {"fix", error.fix}}}};
  }
  const FaultReport& report = *made;
  return {{"transport", terms.transport == FaultTransport::kStream ? "stream" : "frames"},
          {"loss", terms.loss},
          {"repeats", terms.repeats},
          {"latency_ms", terms.latency_ms},
          {"jitter_ms", terms.jitter_ms},
          {"bandwidth_mbit", terms.bandwidth_mbit},
          {"seed", terms.seed},
          {"parties", report.parties},
          {"finished", report.finished},
          {"same_transcript", report.same_transcript},
          {"as_undisturbed", report.as_undisturbed},
          {"lost_parties", report.lost},
          {"ended", report.ended},
          {"attempts", report.attempts},
          {"rounds", report.rounds ? Json(*report.rounds) : Json(nullptr)},
          {"frames", report.frames},
          {"resent", report.resent},
          {"lost_frames", report.lost_frames},
          {"repeated", report.repeated},
          {"crashes", report.crashes},
          {"bytes", report.bytes},
          {"most_bytes", report.most_bytes},
          {"seconds", report.seconds},
          {"undisturbed_seconds", report.undisturbed_seconds},
          {"cipher_seconds", report.cipher_seconds}};
}

std::string to_text(const FaultTerms& terms, const Result<FaultReport>& made) {
  if (!made) {
    return fmt::format("on the network of [faults]: not simulated: {} ({})\n", made.error().what,
                       made.error().fix);
  }
  const FaultReport& report = *made;
  std::string text = fmt::format(
      "on a network that loses {:g} % of all frames{}, {:g} ms{} away, {:g} Mbit/s:\n",
      100 * terms.loss, terms.transport == FaultTransport::kFrames ? " and keeps no order" : "",
      terms.latency_ms,
      terms.jitter_ms > 0 ? fmt::format(" and {:g} more on average", terms.jitter_ms) : "",
      terms.bandwidth_mbit);
  const bool all = report.finished == report.parties;
  text += fmt::format(
      "    {} of {} parties finished{}{}\n", report.finished, report.parties,
      !report.same_transcript ? ", not all with the same run"
      : report.as_undisturbed ? ", with the same bits as without a fault"
                              : ", all with the same run",
      report.lost.empty() || all ? "" : fmt::format("; lost: {}", fmt::join(report.lost, ", ")));
  for (const std::string& end : report.ended) text += fmt::format("    {}\n", end);
  text += fmt::format("    {:.3g} s until the last had its result, {:.3g} s without a fault",
                      report.seconds, report.undisturbed_seconds);
  if (report.cipher_seconds > 0) {
    text += fmt::format("; up to {:.3g} s of it a party's cipher", report.cipher_seconds);
  }
  text += fmt::format("\n    {}, {:.3g} MB; {} lost, {} sent again, {} doubled; {}; {}\n",
                      counted(report.frames, "frame", "frames"),
                      static_cast<double>(report.bytes) / 1e6, report.lost_frames, report.resent,
                      report.repeated, counted(report.crashes, "crash", "crashes"),
                      counted(report.attempts, "attempt", "attempts"));
  return text;
}

}  // namespace sotto
