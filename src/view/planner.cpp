#include "view/planner.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>
#include <span>
#include <string_view>

#include "base/files.h"
#include "plan/plan.h"
#include "report/chart.h"
#include "report/guarantee_text.h"
#include "report/html.h"
#include "report/text.h"
#include "run/join/join_event.h"
#include "run/made_up/household_study.h"
#include "study/study_keys.h"

namespace sotto::view {
namespace {

namespace fs = std::filesystem;

constexpr double kUsualRows = 10'000;
constexpr std::size_t kMostNameBytes = 100;
constexpr std::size_t kMostIntervals = 40;

// A control and the key that it stands for.
constexpr std::pair<const char*, const char*> kControls[] = {
    {"solver", "study.solver"},     {"epsilon", "privacy.epsilon"},
    {"delta", "privacy.delta"},     {"colluders", "privacy.colluders"},
    {"topology", "graph.topology"}, {"parties", "graph.parties"}};

bool is_plain_name(const std::string& name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  return name.size() <= kMostNameBytes && name.ends_with(".toml") && name.size() > 5 &&
         name.front() != '.' && std::ranges::all_of(name, plain);
}

Result<StudySource> source_of(const std::string& folder, const std::string& name) {
  if (name == kMadeUpStudy) {
    return StudySource{household_study_text({.folder = "", .members = {}}), kMadeUpStudy, folder};
  }
  std::error_code problem;
  const fs::path path = fs::path(folder) / name;
  if (!is_plain_name(name) || !fs::is_regular_file(path, problem)) {
    return bad_input("E-view-study", "there is no such study in the folder that the page is for",
                     "choose one from the list; 'sotto view FOLDER' opens another folder")
        .at(folder);
  }
  return read_study_text(path.string());
}

// A number or a word as a control sends it; nothing else becomes TOML.
bool is_setting(const std::string& value) {
  return !value.empty() && value.size() <= 40 && std::ranges::all_of(value, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+';
  });
}

// Study and plan as the controls stand. The plan's accuracy over many numbers of rows is left out:
// it takes longer than all the rest, and the page asks for one number.
struct Made {
  Study study;
  Plan plan;
  Result<std::vector<ExpectedInterval>> intervals;
};

Result<Made> make(const PlanQuestion& question, std::span<const Setting> settings) {
  SOTTO_ASSIGN(auto study, study_with(question.source, settings));
  if (study.graph().size() > kMostPlannedParties) {
    return bad_input("E-view-control",
                     fmt::format("the page plans for at most {} parties", kMostPlannedParties),
                     "'sotto plan' has no such limit")
        .at("the page");
  }
  SOTTO_ASSIGN(auto plan, planning::plan_privacy(study, study.solver));
  SOTTO_TRY(planning::plan_for_losses(study, plan));
  plan.central_ratio = plan.sum_noise_sd / (study.privacy.sensitivity.value() / plan.kappa_bar);
  auto intervals = study.data
                       ? expected_intervals(study, plan.sum_noise_sd, question.rows)
                       : Result<std::vector<ExpectedInterval>>(std::vector<ExpectedInterval>{});
  return Made{std::move(study), std::move(plan), std::move(intervals)};
}

// What the report's words about observers need of a plan.
RunRecord as_record(const Made& made) {
  RunRecord record;
  record.study = made.study.name;
  record.solver = made.study.solver;
  record.epsilon = made.study.privacy.budget.epsilon.value();
  record.delta = made.study.privacy.budget.delta.value();
  record.unit = made.study.privacy.unit;
  if (record.unit == Unit::kRecord) record.neighbours = made.study.privacy.neighbours;
  record.sensitivity = made.study.privacy.sensitivity.value();
  record.kappa_bar = made.plan.kappa_bar;
  record.adversaries = made.plan.adversaries;
  return record;
}

std::string with_capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  return text;
}

double percent(const ExpectedInterval& interval) {
  return 100 * interval.share.value_or(0);
}

// Half widths beside those of the file as it stands.
void add_intervals(const Made& now, const Made* before, double rows, HtmlPage& page) {
  if (!now.study.data) return;
  Section& section = page.section("How wide the intervals will be");
  if (!now.intervals) {
    section.callout(Callout::kNote, "No intervals",
                    fmt::format("{}; {}", now.intervals.error().what, now.intervals.error().fix));
    return;
  }
  const std::string& target = now.study.data->target.column;
  WidthChart chart{
      .title = "Half of a 95 % interval",
      .x = fmt::format("% of {}’s bounds, from one end of a feature to the other", target),
      .now = "as the controls stand",
      .before = "as in the file"};
  const auto& intervals = *now.intervals;
  for (std::size_t k = 0; k < intervals.size() && chart.rows.size() < kMostIntervals; ++k) {
    if (!intervals[k].share) continue;
    WidthChart::Row row{.name = intervals[k].coefficient, .now = percent(intervals[k])};
    if (before != nullptr && before->intervals && before->intervals->size() == intervals.size()) {
      row.before = percent((*before->intervals)[k]);
    }
    chart.rows.push_back(std::move(row));
  }
  if (chart.rows.empty()) return;
  section.figure(inline_svg(chart),
                 fmt::format("Expected with {} rows in all, on the table that every plan assumes.",
                             report::count_text(static_cast<std::uint64_t>(rows))));
}

// The table, and the same as a drawing, which may stand elsewhere.
EpsilonChart add_observers(const Made& made, HtmlPage& page) {
  const RunRecord record = as_record(made);
  Section& section = page.section("Who could learn how much");
  EpsilonChart chart{.title = "ε by who is watching",
                     .x = fmt::format("ε at {}", report::equals("δ", record.delta)),
                     .asked = record.epsilon};
  Table table{
      .caption = "",
      .columns = {{"Who is watching"},
                  {fmt::format("ε at {}", report::equals("δ", record.delta)), Align::kNumber},
                  {fmt::format("δ at {}", report::equals("ε", record.epsilon)), Align::kNumber},
                  {"Best guess right", Align::kNumber},
                  {"As asked for"}},
      .cards = true};
  for (const Adversary& observer : record.adversaries) {
    const std::string who = with_capital(report::observer_in_words(observer));
    const bool limited = std::isfinite(observer.epsilon_at_delta);
    chart.rows.push_back({who, observer.epsilon_at_delta});
    table.rows.push_back(
        {who, limited ? report::number_text(observer.epsilon_at_delta) : "no limit",
         report::number_text(observer.delta_at_epsilon),
         fmt::format("≤ {}", report::percent_at_most(report::best_guess(record, observer))),
         report::holds_against(record, observer) ? "✓ yes" : "✗ no"});
  }
  section.table(table);
  return chart;
}

std::string plan_facts_html(const Made& made, const Made* before) {
  const auto fact = [](std::string_view name, const std::string& value, const std::string& was) {
    const bool changed = !was.empty() && was != value;
    return fmt::format(
        "<div><dt>{}</dt><dd>{}{}</dd></div>\n", name, report::escape(value),
        changed ? fmt::format(" <span class=\"quiet\">in the file {}</span>", report::escape(was))
                : "");
  };
  const auto noise = [](const Made& of) { return report::number_text(of.plan.sum_noise_sd); };
  const auto ratio = [](const Made& of) {
    return fmt::format("{} ×", report::number_text(of.plan.central_ratio));
  };
  const auto median = [](const Made& of) -> std::string {
    if (!of.intervals) return "none";
    std::vector<double> shares;
    for (const ExpectedInterval& interval : *of.intervals) {
      if (interval.share) shares.push_back(percent(interval));
    }
    if (shares.empty()) return "";
    const auto middle = shares.begin() + static_cast<std::ptrdiff_t>(shares.size() / 2);
    std::ranges::nth_element(shares, middle);
    return fmt::format("± {} %", report::number_text(*middle));
  };
  const auto was = [&](const auto& of) { return before == nullptr ? std::string() : of(*before); };
  std::string html = "<dl class=\"facts\">\n";
  html += fact("Noise on a sum", noise(made), was(noise));
  html += fact("Against a trusted centre’s", ratio(made), was(ratio));
  if (const std::string width = median(made); !width.empty()) {
    html += fact("Median interval, of the target’s bounds", width, was(median));
  }
  html += fact("Columns", fmt::format("{}", made.plan.dimension), "");
  return html + "</dl>\n";
}

std::string warnings_html(const Made& made, double rows) {
  Section section("");
  for (const std::string& warning : made.plan.warnings) {
    section.callout(Callout::kWarning, "", warning);
  }
  const Budget& budget = made.study.privacy.budget;
  if (const auto weak = weak_epsilon(budget)) section.callout(Callout::kWarning, "", *weak);
  if (const auto weak = weak_delta(budget, static_cast<std::uint64_t>(rows))) {
    section.callout(Callout::kWarning, "", *weak);
  }
  return section.html();
}

std::string unquoted(std::string text) {
  std::erase_if(text, [](char c) { return c == '"' || c == '\''; });
  return text;
}

// What the file says, before any control is moved.
Json controls_json(const PlanQuestion& question, const Study& study) {
  const auto topology = setting_in(question.source, "graph.topology");
  // Parties with names, or a graph by its edges: how many there are is not a number to drag.
  const bool named = setting_in(question.source, "party").has_value() ||
                     !setting_in(question.source, "graph.parties").has_value();
  return {{"solver", to_string(study.solver)},
          {"epsilon", study.privacy.budget.epsilon.value()},
          {"delta", study.privacy.budget.delta.value()},
          {"colluders", study.privacy.colluders},
          {"topology", unquoted(topology.value_or(""))},
          {"parties", study.graph().size()},
          {"named", named},
          {"tables", study.data.has_value()},
          {"rows", question.rows}};
}

}  // namespace

Json plan_words() {
  const auto words_of = [](std::string_view section, std::string_view key,
                           const std::set<std::string_view>& without) {
    Json words = Json::array();
    for (const std::string_view word : study_key(section, key)->choices) {
      if (!without.contains(word)) words.push_back(word);
    }
    return words;
  };
  return {{"solvers", words_of("[study]", "solver", {})},
          {"topologies", words_of("[graph]", "topology", {"edges", "file"})}};
}

std::vector<std::string> studies_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(folder, problem)) {
    const std::string name = entry.path().filename().string();
    if (!is_plain_name(name) || !entry.is_regular_file(problem)) continue;
    names.push_back(name);
  }
  std::ranges::sort(names);
  if (names.size() > kMostStudies) names.resize(kMostStudies);
  std::erase_if(names, [&](const std::string& name) {
    const auto source = read_study_text((fs::path(folder) / name).string());
    return !source || !setting_in(*source, "privacy.epsilon") ||
           !setting_in(*source, "study.solver");
  });
  return names;
}

Result<PlanQuestion> plan_question(const std::string& folder, const Query& query) {
  const auto named = query.find("study");
  PlanQuestion question;
  SOTTO_ASSIGN(question.source,
               source_of(folder, named == query.end() ? std::string(kMadeUpStudy) : named->second));
  for (const auto& [control, key] : kControls) {
    const auto given = query.find(control);
    if (given == query.end()) continue;
    if (!is_setting(given->second)) {
      return bad_input("E-view-control", fmt::format("{} is no number or word", control),
                       "a value that the control can have")
          .at("the page");
    }
    question.settings.push_back({.key = key, .value = given->second});
  }
  question.rows = kUsualRows;
  if (const auto rows = setting_in(question.source, "data.rows")) {
    std::from_chars(rows->data(), rows->data() + rows->size(), question.rows);
  }
  if (const auto rows = query.find("rows"); rows != query.end()) {
    const std::string& text = rows->second;
    const auto [end, fault] =
        std::from_chars(text.data(), text.data() + text.size(), question.rows);
    if (fault != std::errc{} || end != text.data() + text.size() || !(question.rows >= 1) ||
        question.rows > kMaxExpectedRows) {
      return bad_input("E-view-control", "rows is no number of rows",
                       fmt::format("1 to {:.0e}", kMaxExpectedRows))
          .at("the page");
    }
  }
  return question;
}

Result<Json> plan_json(const std::string& folder, const Query& query) {
  SOTTO_ASSIGN(const auto question, plan_question(folder, query));
  SOTTO_ASSIGN(const auto study, study_with(question.source, {}));
  Json json{{"controls", controls_json(question, study)}};
  const auto now = make(question, question.settings);
  if (!now) {
    json["error"] = to_json(now.error());
    return json;
  }
  const bool moved = !question.settings.empty();
  const auto file = moved ? make(question, {}) : Result<Made>(failed("", "", ""));
  const Made* before = file ? &*file : nullptr;
  HtmlPage page("");
  const EpsilonChart observers = add_observers(*now, page);
  add_intervals(*now, before, question.rows, page);
  page.section("The observers once more")
      .figure(inline_svg(observers), "A smaller ε protects better.");
  json["html"] =
      plan_facts_html(*now, before) + warnings_html(*now, question.rows) + page.fragment();
  return json;
}

Result<Json> save_study(const std::string& folder, const std::string& name, bool replace,
                        const Query& query) {
  if (!is_plain_name(name)) {
    return bad_input("E-view-name", "that is no name for a study's file",
                     "letters, digits, - and _, and .toml at its end, without a folder")
        .at("the page");
  }
  SOTTO_ASSIGN(const auto question, plan_question(folder, query));
  SOTTO_ASSIGN(const auto text, study_text_with(question.source, question.settings));
  const fs::path path = fs::path(folder) / name;
  struct stat found {};
  const bool there = ::lstat(path.c_str(), &found) == 0;
  if (there && (!replace || !S_ISREG(found.st_mode))) {
    return bad_input("E-view-exists", fmt::format("there is a {} already", name),
                     "another name, or say that it is to be replaced")
        .at(folder);
  }
  SOTTO_TRY(write_file(path, text));
  return Json{{"saved", name}};
}

}  // namespace sotto::view
