// A plan for scripts, and for people.
#include <fmt/format.h>

#include <cmath>

#include "base/json.h"
#include "base/words.h"
#include "data/encoding.h"
#include "data/row_weight.h"
#include "moments/quadratic.h"
#include "plan/plan.h"
#include "study/mechanism/mechanism.h"

namespace sotto {
namespace {

Json weighting_json(const Schema& schema) {
  return {{"kind", kWeightings[schema.weighting]},
          {"rows", schema.rows == 0 ? Json(nullptr) : Json(schema.rows)},
          {"bounded_below", number_or_null(schema.bounded_below)}};
}

// What the noise on a table's sums is, kind by kind, for features and target in [−1, 1].
struct TableNoise {
  double rows;             // Σw, or their number
  double features;         // Σwu
  double products;         // Σwuu'
  double target;           // Σwy
  double target_products;  // Σwuy
  double target_squares;   // Σwy²; infinite: stays at home
};

TableNoise table_noise(const Study& study, double sigma) {
  const double scale = Encoding::make(*study.data)->grid_scale() / kGridOne;
  const EntryShares in = released_shares(*study.data, study.privacy.neighbours, study.solve);
  const auto sd = [&](double share, double units) { return sigma / (std::sqrt(share) * units); };
  return {.rows = sd(in.n, scale * scale),
          .features = sd(in.s, scale * scale),
          .products = sd(2 * in.g, scale * scale),
          .target = sd(in.t, scale),
          .target_products = sd(in.q, scale),
          .target_squares = sd(in.c, 1)};
}

Json accuracy_json(const Study& study, const Plan& plan) {
  Json json{{"sum_noise_sd", plan.sum_noise_sd}, {"central_ratio", plan.central_ratio}};
  if (study.data) {
    const TableNoise noise = table_noise(study, plan.sum_noise_sd);
    json["noise_sd"] = {{"rows", number_or_null(noise.rows)},
                        {"features", number_or_null(noise.features)},
                        {"products", noise.products},
                        {"target", number_or_null(noise.target)},
                        {"target_products", noise.target_products},
                        {"target_squares", number_or_null(noise.target_squares)}};
  }
  if (plan.sum_noise_of_a) json["sum_noise_sd_of_a"] = *plan.sum_noise_of_a;
  if (!plan.expected) return json;
  json["rows_needed"] =
      plan.expected->rows_needed ? Json(*plan.expected->rows_needed) : Json(nullptr);
  json["expected_errors"] =
      json_list(plan.expected->errors, [](const ExpectedAccuracy::Point& point) -> Json {
        return {{"rows", point.rows}, {"error", number_or_null(point.error)}};
      });
  return json;
}

// 12345 as "about 12,000": two digits are all that the assumptions carry.
std::string about(std::uint64_t rows) {
  std::uint64_t unit = 1;
  while (rows / unit >= 100) unit *= 10;
  std::string digits = std::to_string((rows + unit / 2) / unit * unit);
  for (std::size_t k = digits.size(); k > 3; k -= 3) digits.insert(k - 3, ",");
  return fmt::format("about {}", digits);
}

std::string accuracy_text(const Plan& plan) {
  const ExpectedAccuracy& expected = *plan.expected;
  const AssumedTable assumed;
  std::string text;
  if (expected.rows_needed) {
    text = fmt::format("  {:<12} {} rows in all to do better than predicting the mean\n", "needs",
                       about(*expected.rows_needed));
  } else {
    text = fmt::format("  {:<12} more than {:.0e} rows to do better than predicting the mean\n",
                       "needs", kMaxExpectedRows);
  }
  text += fmt::format("  {:<12} ", "error");
  for (const ExpectedAccuracy::Point& point : expected.errors) {
    text +=
        fmt::format("{}{:.2f} at 10^{:.0f} rows", point.rows == expected.errors[0].rows ? "" : ", ",
                    point.error, std::log10(static_cast<double>(point.rows)));
  }
  return text + fmt::format(
                    " (1: the mean's; {:.2f}: without noise)\n  {:<12} if features spread "
                    "over {:.0f} % of their bounds and explain {:.0f} % of the target\n",
                    1 - assumed.explained, "", 100 * assumed.feature_sd, 100 * assumed.explained);
}

std::string human_bytes(std::uint64_t bytes) {
  if (bytes < 10'000) return fmt::format("{} bytes", bytes);
  if (bytes < 10'000'000) return fmt::format("{:.1f} kB", static_cast<double>(bytes) / 1e3);
  if (bytes < 10'000'000'000) return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
  return fmt::format("{:.1f} GB", static_cast<double>(bytes) / 1e9);
}

std::string epsilon_text(double epsilon) {
  return std::isfinite(epsilon) ? fmt::format("{:.4g}", epsilon) : "none";
}

// Where gt's promise ends.
std::string convexity_text(const Study& study, const Plan& plan) {
  const double lambda_min = *study.gt.lambda_min;
  const std::string bound = study.gt.guarantee == Convexity::kCertain
                                ? "every draw of the noise"
                                : "the paper's bound on the noise";
  const std::string now =
      fmt::format("{} stays below {:.2g} of lambda_min", bound, plan.convexity->margin);
  if (plan.convexity->most_parties) {
    return fmt::format("{}; the promise ends beyond {:.0f} parties with this lambda_min", now,
                       *plan.convexity->most_parties);
  }
  return fmt::format("{}, at any number of parties if lambda_min/n stays {:.4g}", now,
                     lambda_min / static_cast<double>(plan.parties));
}

}  // namespace

Json privacy_json(const Study& study, const Plan& plan) {
  return {{"epsilon", study.privacy.budget.epsilon.value()},
          {"delta", study.privacy.budget.delta.value()},
          {"unit", to_string(study.privacy.unit)},
          {"sensitivity", study.privacy.sensitivity.value()},
          {"kappa_bar", plan.kappa_bar}};
}

Json adversary_json(const Adversary& adversary) {
  return {{"name", observer_name(adversary)},
          {"shift", number_or_null(adversary.shift)},
          {"delta_at_epsilon", adversary.delta_at_epsilon},
          {"epsilon_at_delta", number_or_null(adversary.epsilon_at_delta)},
          {"method", kRowMethods[adversary.method]}};
}

std::string rounds_name(std::optional<ConsensusMethod> method) {
  return method ? to_string(*method) : "gradient-tracking";
}

namespace {

// Null where there are too many parties to meet.
Json traffic_json(const TrafficPlan& traffic) {
  if (traffic.messages == 0) return nullptr;
  return {{"messages", traffic.messages}, {"bytes", traffic.bytes}};
}

}  // namespace

Json to_json(const Study& study, const Plan& plan) {
  Json rounds{{"method", rounds_name(plan.rounds.method)}};
  rounds["rounds"] = plan.rounds.rounds ? Json(*plan.rounds.rounds) : Json(nullptr);
  rounds["rate"] = number_or_null(plan.rounds.rate);
  Json json{{"study", study.name},
            {"study_hash", study.hash},
            {"solver", to_string(plan.solver)},
            {"parties", plan.parties},
            {"entries", plan.entries},
            {"privacy", privacy_json(study, plan)},
            {"noise", mechanism_of(plan.solver).noise_json(plan.noise)},
            {"adversaries", json_list(plan.adversaries, adversary_json)},
            {"consensus", rounds},
            {"accuracy", accuracy_json(study, plan)},
            {"traffic", traffic_json(plan.traffic)},
            {"warnings", plan.warnings}};
  if (study.data) json["weighting"] = weighting_json(*study.data);
  if (plan.convexity) {
    json["convexity"] = {{"margin", plan.convexity->margin},
                         {"most_parties", number_or_null(plan.convexity->most_parties)}};
  }
  return json;
}

std::string to_text(const Study& study, const Plan& plan) {
  const PrivacyTerms& terms = study.privacy;
  std::string text;
  auto line = [&](std::string_view label, const std::string& value) {
    text += fmt::format("  {:<12} {}\n", label, value);
  };
  text += fmt::format("{}: {} with {} parties on a {}, {} each\n\n", study.name,
                      to_string(plan.solver), plan.parties, to_string(study.graph().topology()),
                      counted(plan.entries, "entry", "entries"));
  line(
      "asked for",
      fmt::format("ε = {:g}, δ = {:g} for one {}", terms.budget.epsilon.value(),
                  terms.budget.delta.value(),
                  terms.unit == Unit::kRecord
                      ? fmt::format("{} ({})", protected_unit(terms),
                                    terms.neighbours == Neighbours::kReplace ? "replaced by another"
                                                                             : "added or removed")
                      : fmt::format("entry of θ that moves by {:g}", terms.sensitivity.value())));
  line("sensitivity",
       fmt::format("{:.6g}, so shifts up to κ̄ = {:.6g} standard deviations are allowed",
                   terms.sensitivity.value(), plan.kappa_bar));
  if (terms.person) {
    line("person",
         fmt::format("all rows with one \"{}\" at one party, counted as at most {}; of a "
                     "person with rows at two parties each party's are hidden by themselves",
                     terms.person->column, terms.person->rows));
  }
  line("noise", mechanism_of(plan.solver).noise_text(plan.noise));
  if (study.data && study.data->weighting == Weighting::kBounded) {
    const TableNoise noise = table_noise(study, plan.sum_noise_sd);
    line("on the sum",
         fmt::format(
             "sd {:.4g} on Σw·y, {:.4g} on Σw·u·y, {:.4g} on Σw·u·u', {:.4g} times a trusted "
             "centre's",
             noise.target, noise.target_products, noise.products, plan.central_ratio));
  } else {
    line("on the sum",
         plan.sum_noise_of_a
             ? fmt::format("sd {:.6g} in every entry of A, {:.6g} of B; {:.4g} and {:.4g} times a "
                           "trusted centre's",
                           *plan.sum_noise_of_a, plan.sum_noise_sd,
                           plan.central_ratio * *plan.sum_noise_of_a / plan.sum_noise_sd,
                           plan.central_ratio)
             : fmt::format("sd {:.6g} in every entry, {:.4g} times a trusted centre's",
                           plan.sum_noise_sd, plan.central_ratio));
  }
  if (plan.convexity) line("convex", convexity_text(study, plan));
  if (study.data) {
    std::string question = weighting_in_words(*study.data);
    for (std::size_t at = 0; (at = question.find(". ", at)) != std::string::npos;) {
      question.replace(at, 2, fmt::format(".\n  {:<12} ", ""));  // a sentence a line
    }
    if (!question.empty()) line("weighting", question);
  }
  if (plan.expected) text += accuracy_text(plan);
  std::string rounds = rounds_name(plan.rounds.method);
  rounds += plan.rounds.rounds
                ? fmt::format(", {}", counted(*plan.rounds.rounds, "round", "rounds"))
                : ", as many rounds as the perturbed costs take";
  if (plan.rounds.rate && *plan.rounds.rate > 0) {
    rounds += fmt::format(", error times {:.8g} a round", *plan.rounds.rate);
  }
  line("averaging", rounds);
  line("traffic", plan.traffic.messages == 0
                      ? fmt::format("none: more than {} parties cannot meet", kMaxNamedParties)
                      : fmt::format("up to {} and {} sent by one party",
                                    counted(plan.traffic.messages, "message", "messages"),
                                    human_bytes(plan.traffic.bytes)));

  text += fmt::format("\n  {:<16} {:>10} {:>14} {:>14}  {}\n", "who watches", "shift",
                      fmt::format("δ at ε = {:g}", terms.budget.epsilon.value()),
                      fmt::format("ε at δ = {:g}", terms.budget.delta.value()), "by");
  for (const Adversary& adversary : plan.adversaries) {
    text += fmt::format("  {:<16} {:>10.4f} {:>14.4g} {:>14}  {}\n", observer_name(adversary),
                        adversary.shift, adversary.delta_at_epsilon,
                        epsilon_text(adversary.epsilon_at_delta), kRowMethods[adversary.method]);
  }
  for (const std::string& warning : plan.warnings) text += fmt::format("\n  ! {}", warning);
  if (!plan.warnings.empty()) text += '\n';
  return text;
}

}  // namespace sotto
