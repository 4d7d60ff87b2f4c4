#include "run/summary/summary.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

// A summary as model.json and record.json keep it.
namespace sotto {
namespace summary_json {

Json of_share(const std::optional<ModelSummary::Share>& share) {
  if (!share) return nullptr;
  return {{"value", share->value}, {"interval", {share->interval.first, share->interval.second}}};
}

std::optional<ModelSummary::Share> share_from(JsonFields& all, const char* name,
                                              std::string& problem) {
  const Json json = all.json(name);
  if (json.is_null()) return std::nullopt;
  JsonFields fields(json, fmt::format("summary.{}", name), problem);
  ModelSummary::Share share{.value = fields.number("value")};
  const Json& ends = fields.json("interval");
  const bool pair =
      ends.is_array() && ends.size() == 2 && ends[0].is_number() && ends[1].is_number();
  if (pair) share.interval = {ends[0].get<double>(), ends[1].get<double>()};
  fields.expect(pair, "interval", "a lower and an upper end");
  fields.finish();
  return share;
}

Json of_test(const std::optional<NestedTest>& test) {
  if (!test) return nullptr;
  return {{"value", test->f},
          {"numerator", test->left_out},
          {"denominator", number_or_null(test->residual)},
          {"p", test->p}};
}

std::optional<NestedTest> test_from(const Json& json, std::string& problem) {
  if (json.is_null()) return std::nullopt;
  JsonFields fields(json, "summary.f", problem);
  const NestedTest test{.f = fields.number("value"),
                        .left_out = fields.number("numerator"),
                        .residual = fields.number("denominator", Numbers::kOrInfinite),
                        .p = fields.number("p")};
  fields.expect(test.p >= 0 && test.p <= 1, "p", "a probability");
  fields.finish();
  return test;
}

Json of_base(const ModelSummary::Base& base) {
  return {{"column", base.column}, {"levels", base.levels}};
}

Json of_covariance(const Eigen::MatrixXd& covariance) {
  Json list = Json::array();
  for (Eigen::Index r = 0; r < covariance.rows(); ++r) {
    for (Eigen::Index c = r; c < covariance.cols(); ++c) {
      list.push_back(number_or_null(covariance(r, c)));
    }
  }
  return list;
}

// 0×0 for an empty list.
Eigen::MatrixXd covariance_from(JsonFields& fields, Eigen::Index size) {
  const Json& list = fields.json("covariance");
  const auto entries = static_cast<std::size_t>(size * (size + 1) / 2);
  bool fine = list.is_array() && (list.empty() || list.size() == entries);
  Eigen::MatrixXd covariance;
  if (fine && !list.empty()) {
    covariance.resize(size, size);
    std::size_t k = 0;
    for (Eigen::Index r = 0; r < size; ++r) {
      for (Eigen::Index c = r; c < size; ++c, ++k) {
        fine = fine && list[k].is_number();
        covariance(r, c) = covariance(c, r) = fine ? list[k].get<double>() : 0;
      }
      fine = fine && covariance(r, r) >= 0;
    }
  }
  fields.expect(fine, "covariance",
                fmt::format("empty, or {} numbers with none below 0 on the diagonal", entries));
  return covariance;
}

}  // namespace summary_json

Json to_json(const ModelSummary& s) {
  using namespace summary_json;
  Json refused = Json::object();
  if (!s.r_squared_refused.empty()) refused["r_squared"] = s.r_squared_refused;
  if (!s.f_refused.empty()) refused["f"] = s.f_refused;
  return {{"residual_sd", number_or_null(s.residual_sd)},
          {"degrees_of_freedom", number_or_null(s.degrees_of_freedom)},
          {"r_squared", of_share(s.r_squared)},
          {"adjusted_r_squared", of_share(s.adjusted_r_squared)},
          {"f", of_test(s.f)},
          {"refused", refused},
          {"base_levels", json_list(s.bases, of_base)},
          {"words", s.words},
          {"covariance", of_covariance(s.covariance)}};
}

ModelSummary summary_from(const Json& json, std::size_t coefficients, std::string& problem) {
  using namespace summary_json;
  JsonFields fields(json, "summary", problem);
  ModelSummary s;
  s.residual_sd = fields.optional_number("residual_sd");
  fields.expect(!s.residual_sd || *s.residual_sd >= 0, "residual_sd", "0 or more");
  s.degrees_of_freedom = fields.optional_number("degrees_of_freedom");
  fields.expect(!s.degrees_of_freedom || *s.degrees_of_freedom > 0, "degrees_of_freedom",
                "above 0");
  if (s.residual_sd && !s.degrees_of_freedom) {
    s.degrees_of_freedom = std::numeric_limits<double>::infinity();
  }
  s.r_squared = share_from(fields, "r_squared", problem);
  s.adjusted_r_squared = share_from(fields, "adjusted_r_squared", problem);
  s.f = test_from(fields.json("f"), problem);
  const Json& refused = fields.json("refused");
  JsonFields reasons(refused, "summary.refused", problem);
  if (reasons.has("r_squared")) s.r_squared_refused = reasons.text("r_squared");
  if (reasons.has("f")) s.f_refused = reasons.text("f");
  reasons.finish();
  for (const auto& [element, path] : fields.elements("base_levels")) {
    JsonFields base(*element, path, problem);
    s.bases.push_back({.column = base.text("column"), .levels = base.texts("levels")});
    base.finish();
  }
  s.words = fields.texts("words");
  s.covariance = covariance_from(fields, static_cast<Eigen::Index>(coefficients));
  fields.finish();
  return s;
}

}  // namespace sotto
