// What an audit found, for a script and for a person.
#include <fmt/format.h>

#include "base/json.h"
#include "run/audit/audit.h"

namespace sotto {
namespace {

// Parties count from 1.
std::string watchers(const AuditedObserver& observer) {
  if (observer.members.empty()) return "who reads all traffic watches";
  std::string list;
  for (const PartyId member : observer.members) {
    list += fmt::format("{}{}", list.empty() ? "" : ", ", member + 1);
  }
  return observer.members.size() == 1 ? fmt::format("party {} watches", list)
                                      : fmt::format("parties {} watch", list);
}

}  // namespace

nlohmann::ordered_json to_json(const Study& study, const AuditReport& report) {
  Json json{{"study", study.name},
            {"study_hash", study.hash},
            {"solver", to_string(report.solver)},
            {"disproved", report.disproved()},
            {"observers", Json::array()}};
  for (const AuditedObserver& observer : report.observers) {
    Json members = Json::array();
    for (const PartyId member : observer.members) members.push_back(member + 1);
    const audit::Estimate& shift = observer.measured_shift;
    Json row{{"name", observer_name(observer.claimed)},
             {"claimed_epsilon", observer.claimed.epsilon_at_delta},
             {"delta", study.privacy.budget.delta.value()},
             {"provable_epsilon", observer.provable()},
             {"by", kAuditTests[observer.best_test()]},
             {"tests",
              {{"likelihood", observer.likelihood},
               {"counting", observer.counting},
               {"learned", observer.learned}}},
             {"delta_at_claimed",
              {{"value", observer.at_claimed.value}, {"error", observer.at_claimed.error}}},
             {"measured_shift", {{"value", shift.value}, {"error", shift.error}}},
             {"disproved", observer.disproved()},
             {"runs", observer.runs},
             {"members", members},
             {"victim", observer.victim + 1},
             {"change", {{"what", observer.change}, {"share_of_sensitivity", observer.moved}}},
             {"trade_off",
              {{"false_alarm", observer.curve.false_alarm}, {"missed", observer.curve.missed}}}};
    json["observers"].push_back(std::move(row));
  }
  return json;
}

std::string to_text(const Study& study, const AuditReport& report) {
  const Budget& budget = study.privacy.budget;
  std::string text = fmt::format(
      "{}: {} over {} parties, attacked at δ = {:.4g}\n\n"
      "  {:<16} {:>10} {:>11} {:>6}  {:<11} {:>8}\n",
      study.name, to_string(report.solver), study.graph().size(), budget.delta.value(),
      "who watches", "claimed ε", "provable ε", "share", "by", "runs");
  for (const AuditedObserver& observer : report.observers) {
    const double claimed = observer.claimed.epsilon_at_delta;
    text += fmt::format("  {:<16} {:>10.4g} {:>11.4g} {:>5.0f}%  {:<11} {:>8}\n",
                        observer_name(observer.claimed), claimed, observer.provable(),
                        claimed > 0 ? 100 * observer.provable() / claimed : 0,
                        kAuditTests[observer.best_test()], observer.runs);
  }
  text += '\n';
  for (const AuditedObserver& observer : report.observers) {
    text += fmt::format(
        "  {}: {} party {}; {}, {:.4g} % of what may change.\n"
        "    ε by likelihood {:.4g}, by counting {:.4g}, by a test without a model {:.4g}; "
        "δ at the claimed ε is {:.3g} ± {:.1g}.\n",
        observer_name(observer.claimed), watchers(observer), observer.victim + 1, observer.change,
        100 * observer.moved, observer.likelihood, observer.counting, observer.learned,
        observer.at_claimed.value, observer.at_claimed.error);
  }
  text += report.disproved()
              ? "\n  A claim is disproved: an attack proves more than the study says.\n"
              : "\n  No attack proved more than is claimed. All bounds hold at once with a "
                "confidence of 99.9 %;\n  those by likelihood take it that the noise has the shape "
                "that was proven, and measure its size.\n";
  return text;
}

}  // namespace sotto
