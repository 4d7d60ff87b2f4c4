// Reads the parties' models back, compares them with a fit that no real run could have, and prints.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/json.h"
#include "cli/demo/demo.h"
#include "plan/plan.h"
#include "run/kept_json.h"
#include "run/model.h"
#include "run/tables.h"
#include "solve/estimators.h"
#include "solve/fit.h"
#include "store/store.h"

namespace sotto {
namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The files of a party's last finished run: its model first.
Result<std::vector<std::string>> files_of(const DemoParty& party, const std::string& study_hash) {
  SOTTO_ASSIGN(auto store, Store::open(party.home, unix_seconds));
  SOTTO_ASSIGN(auto runs, store.runs_of_study(study_hash));
  if (!runs.finished || runs.finished->files.empty()) {
    return failed("E-demo-result", fmt::format("{} has kept no result", party.name),
                  fmt::format("what it said is in {}", party.log));
  }
  return runs.finished->files;
}

Result<std::vector<double>> fit_without_noise(const Study& study, const DemoSetup& setup) {
  TableFiles files{.files = {}, .digest = false};
  for (const DemoParty& party : setup.parties) files.files.push_back(party.table);
  SOTTO_ASSIGN(const auto tables, read_tables(study, files));
  Moments moments = tables.front().moments;
  for (std::size_t i = 1; i < tables.size(); ++i) moments += tables[i].moments;
  std::vector<double> sums;
  for (const Integer& sum : moments.sums) sums.push_back(moments_grid().value(sum));
  const Release release = release_of(fit_terms(study, 0), sums);
  SOTTO_ASSIGN(const auto fit,
               fit_release(release, own_selection(release), {.estimator = Estimator::kExact}));
  std::vector<double> values;
  for (const Fit::Coefficient& coefficient : fit.coefficients) values.push_back(coefficient.value);
  return values;
}

std::string coefficient_rows(const DemoResult& result) {
  constexpr const char* kRow = "  {:<24} {:>10} {:>24} {:>15}\n";
  std::string text =
      fmt::format(kRow, result.record.target, "value", "95 % interval", "without noise*");
  for (std::size_t k = 0; k < result.record.coefficients.size(); ++k) {
    const auto& c = result.record.coefficients[k];
    text += fmt::format(kRow, c.name, rounded_to(c.value, c.standard_error.value_or(0)),
                        interval_text(c),
                        rounded_to(result.without_noise[k], c.standard_error.value_or(0)));
  }
  if (!result.record.errors_refused.empty()) {
    text += fmt::format("  no intervals: {}\n", result.record.errors_refused);
  }
  text +=
      "\n  * all tables together, no privacy. Shown because the data are made up: in a real run\n"
      "    nobody has these numbers.";
  if (const auto inside = inside_intervals(result)) {
    text += fmt::format(" {} of {} lie inside the intervals.", *inside,
                        result.record.coefficients.size());
  }
  return text + "\n\n";
}

std::string privacy_rows(const RunRecord& record) {
  std::string text = fmt::format("  {:<20} {:>16} {:>18}\n", "who watches",
                                 fmt::format("δ at ε = {:g}", record.epsilon),
                                 fmt::format("ε at δ = {:g}", record.delta));
  for (const Adversary& adversary : record.adversaries) {
    text += fmt::format("  {:<20} {:>16.4g} {:>18.4g}\n", observer_name(adversary),
                        adversary.delta_at_epsilon, adversary.epsilon_at_delta);
  }
  return text + '\n';
}

std::string summary_rows(const DemoRun& run, const DemoResult& result) {
  const RunRecord& record = result.record;
  std::string text;
  if (record.noisy_rows) {
    text += fmt::format("  rows         about {:.0f}\n", std::max(*record.noisy_rows, 0.0));
  }
  if (const auto explained = result.model.find("explained");
      explained != result.model.end() && explained->is_object()) {
    text += fmt::format("  explains     about {:.0f} % of the variance ({:.0f} % to {:.0f} %)\n",
                        100 * explained->at("share").get<double>(),
                        100 * explained->at("interval").at(0).get<double>(),
                        100 * at_most_one(explained->at("interval").at(1).get<double>()));
  }
  text += fmt::format("  asked for    ε = {:g}, δ = {:g} for one row added or removed\n\n",
                      record.epsilon, record.delta);
  text += privacy_rows(record);
  text += fmt::format("  same bits    {}\n",
                      result.same_bits ? fmt::format("all {} parties hold the same model file",
                                                     record.parties.size())
                                       : "NO: the parties' model files differ");
  text += fmt::format("  on the wire  {:.1f} kB in all, {:.1f} kB from the busiest party\n",
                      static_cast<double>(run.sent_bytes) / 1000,
                      static_cast<double>(run.most_bytes) / 1000);
  return text + fmt::format("  time         {:.1f} s from the first process to the last result\n\n",
                            run.seconds);
}

std::string files_and_next(const DemoSetup& setup, const DemoResult& result,
                           const std::string& program) {
  const DemoParty& first = setup.parties.front();
  const std::filesystem::path run = std::filesystem::path(result.models.front()).parent_path();
  std::string text =
      fmt::format("  study        {}\n  tables       {} …\n", setup.study, first.table);
  text += fmt::format("  homes        {} …: key, journal, ledger, results\n", first.home);
  text += fmt::format("  model        {}\n  report       {}\n", (run / "model.json").string(),
                      (run / "report.html").string());
  text += fmt::format("  log          {} …\n\n  Try next:\n", first.log);
  text += fmt::format("    {} demo --view\n", program);
  text += fmt::format("    {} view {} --home {}\n", program, setup.folder, setup.folder);
  text += fmt::format("    {} predict {} {}\n", program, (run / "model.json").string(),
                      setup.parties.back().table);
  text += fmt::format("    {} report {} --share --out for-everybody.html\n", program, run.string());
  text += fmt::format("    {} ledger --home {}\n", program, first.home);
  text += fmt::format("    {} join {} --as {} --data {} --home {} --again\n", program, setup.study,
                      first.name, first.table, first.home);
  return text +
         "  The last one for every party, each in a terminal of its own; end one with kill -9,\n"
         "  type its line again, and it goes on where it was, with the same noise.\n";
}

}  // namespace

Result<DemoResult> demo_result(const DemoSetup& setup) {
  SOTTO_ASSIGN(const auto study, read_study(setup.study));
  DemoResult result;
  std::string first;
  result.same_bits = true;
  for (const DemoParty& party : setup.parties) {
    SOTTO_ASSIGN(const auto files, files_of(party, study.hash));
    result.models.push_back(files.front());
    const std::string bytes = bytes_of(files.front());
    if (result.models.size() == 1) first = bytes;
    result.same_bits = result.same_bits && !bytes.empty() && bytes == first;
  }
  result.model = parse_json(first);
  SOTTO_ASSIGN(result.record,
               read_record(std::filesystem::path(result.models.front()).parent_path()));
  SOTTO_ASSIGN(result.without_noise, fit_without_noise(study, setup));
  return result;
}

std::optional<std::size_t> inside_intervals(const DemoResult& result) {
  std::size_t inside = 0;
  for (std::size_t k = 0; k < result.record.coefficients.size(); ++k) {
    const auto& interval = result.record.coefficients[k].interval;
    if (!interval) return std::nullopt;
    const double value = result.without_noise[k];
    if (interval->first <= value && value <= interval->second) ++inside;
  }
  return inside;
}

std::string demo_text(const DemoSetup& setup, const DemoRun& run, const DemoResult& result,
                      const std::string& program) {
  return fmt::format("\n{}: {} over {} parties, {}, mutual TLS on loopback\n\n",
                     result.record.study, result.record.target, setup.parties.size(),
                     to_string(result.record.solver)) +
         coefficient_rows(result) + summary_rows(run, result) +
         files_and_next(setup, result, program);
}

Json demo_json(const DemoSetup& setup, const DemoRun& run, const DemoResult& result) {
  Json json = result.model;
  for (std::size_t k = 0; k < result.without_noise.size(); ++k) {
    json["coefficients"][k]["without_noise"] = result.without_noise[k];
  }
  json["made_up_data"] = true;
  json["same_bits"] = result.same_bits;
  json["seconds"] = run.seconds;
  json["bytes"] = {{"sent", run.sent_bytes}, {"busiest_party", run.most_bytes}};
  Json parties = Json::array();
  for (std::size_t i = 0; i < setup.parties.size(); ++i) {
    const DemoParty& party = setup.parties[i];
    const std::filesystem::path run_folder = std::filesystem::path(result.models[i]).parent_path();
    parties.push_back({{"name", party.name},
                       {"home", party.home},
                       {"table", party.table},
                       {"log", party.log},
                       {"model", result.models[i]},
                       {"report", (run_folder / "report.html").string()}});
  }
  json["files"] = {{"folder", setup.folder}, {"study", setup.study}, {"parties", parties}};
  return with_digest(std::move(json));
}

}  // namespace sotto
