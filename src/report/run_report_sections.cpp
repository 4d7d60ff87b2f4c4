#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/chart.h"
#include "report/run_report.h"
#include "report/text.h"
#include "run/kept_json.h"
#include "run/model.h"
#include "solve/estimator_table.h"
#include "study/mechanism/mechanism.h"

// The sections with drawings or tables: model, network, agreement, and what stays with a party.
namespace sotto::report {
namespace {

std::string estimator_in_words(const RunRecord& record) {
  if (tracks_gradient(record.solver)) {
    return "Gradient tracking ends where the sum of the parties' noisy costs is lowest.";
  }
  return std::string(estimator_entry(record.estimator).words);
}

bool any_interval(const RunRecord& record) {
  return std::ranges::any_of(record.coefficients,
                             [](const auto& c) { return c.interval.has_value(); });
}

bool any_shrunk(const RunRecord& record) {
  return std::ranges::any_of(record.coefficients, [](const auto& c) {
    return c.unshrunk && std::abs(*c.unshrunk - c.value) > 1e-9 * std::abs(c.value);
  });
}

Table coefficient_table(const RunRecord& record) {
  const bool intervals = any_interval(record);
  const bool shrunk = intervals && any_shrunk(record);
  const bool tests =
      std::ranges::any_of(record.coefficients, [](const auto& c) { return c.p.has_value(); });
  Table table{.caption = "All coefficients",
              .columns = {{"Coefficient"}, {"Value", Align::kNumber}}};
  if (intervals) table.columns.push_back({"95 % interval", Align::kNumber});
  if (shrunk) table.columns.push_back({"Before shrinking", Align::kNumber});
  if (intervals) table.columns.push_back({"Standard error", Align::kNumber});
  if (tests) table.columns.push_back({"t", Align::kNumber});
  if (tests) table.columns.push_back({"p", Align::kNumber});
  for (const RunRecord::Coefficient& c : record.coefficients) {
    const double spread = c.standard_error.value_or(0);
    std::vector<std::string> row{c.name, value_text(c.value, spread)};
    if (intervals) {
      row.push_back(c.interval ? fmt::format("{} to {}", value_text(c.interval->first, spread),
                                             value_text(c.interval->second, spread))
                               : "none");
    }
    if (shrunk) row.push_back(c.unshrunk ? value_text(*c.unshrunk, spread) : "");
    if (intervals) row.push_back(c.standard_error ? value_text(spread, spread) : "none");
    if (tests) row.push_back(c.t ? with_minus_sign(fmt::format("{:.2f}", *c.t)) : "");
    if (tests) row.push_back(c.p ? p_text(*c.p) : "");
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string with_interval(const ModelSummary::Share& share) {
  return fmt::format("{} ({} to {})", with_minus_sign(fmt::format("{:.2f}", share.value)),
                     with_minus_sign(fmt::format("{:.2f}", share.interval.first)),
                     with_minus_sign(fmt::format("{:.2f}", at_most_one(share.interval.second))));
}

// What stands below the coefficients of every regression: each number, or why there is none.
Table fit_table(const RunRecord& record, const ModelSummary& summary) {
  Table table{.caption = "The model as a whole", .columns = {{"Measure"}, {"Value"}}};
  const auto add = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) table.rows.push_back({name, value});
  };
  const auto or_why = [&](const std::string& value, const std::string& why) {
    return value.empty() && !why.empty() ? why_none(record, why) : value;
  };
  if (summary.residual_sd) {
    add("Residual standard deviation",
        fmt::format("{}{}", value_text(*summary.residual_sd, residual_sd_error(summary)),
                    freedom_text(*summary.degrees_of_freedom)));
  }
  const std::string& why = summary.r_squared_refused;
  add("R²", or_why(summary.r_squared ? with_interval(*summary.r_squared) : "", why));
  if (summary.adjusted_r_squared) {
    add("Adjusted R²", with_interval(*summary.adjusted_r_squared));
  }
  add("F, all coefficients are 0",
      or_why(summary.f
                 ? fmt::format("{} on {:.0f} and {} degrees of freedom, p {}",
                               number_text(summary.f->f), summary.f->left_out,
                               count_of_freedom(summary.f->residual), p_text(summary.f->p, "= "))
                 : "",
             summary.f_refused));
  if (record.explained) {
    add("Variance that the model explains",
        fmt::format("about {:.0f} % ({:.0f} % to {:.0f} %)", 100 * record.explained->share,
                    100 * record.explained->low, 100 * at_most_one(record.explained->high)));
  }
  if (record.noisy_rows) add("Rows, with noise", fmt::format("about {:.0f}", *record.noisy_rows));
  return table;
}

// What the study says of its columns: numbers with their bounds, levels and splines with their
// base. Of a valid schema: categories have levels.
Table column_table(const Schema& schema, const ModelSummary& summary) {
  Table table{.caption = "The columns and their public bounds",
              .columns = {{"Column"}, {"Bounds, or levels"}, {"Compared with"}}};
  const auto number = [](Bounds bounds) {
    return fmt::format("{} to {}", number_text(bounds.lo), number_text(bounds.hi));
  };
  table.rows.push_back(
      {fmt::format("{} (the target)", schema.target.column), number(schema.target.bounds), ""});
  for (const Feature& feature : schema.features) {
    if (const auto* numeric = std::get_if<NumericFeature>(&feature)) {
      table.rows.push_back({numeric->column, number(numeric->bounds), ""});
      continue;
    }
    if (const auto* spline = std::get_if<SplineFeature>(&feature)) {
      std::vector<std::string> knots;
      for (const double knot : spline->knots) knots.push_back(number_text(knot));
      // The part that is left out is 1 at the lower bound, where all others are 0.
      table.rows.push_back(
          {name_of(feature),
           fmt::format("{}, a spline of degree {}{}{}", number(spline->bounds), spline->degree,
                       knots.empty() ? "" : " with knots at ", fmt::join(knots, ", ")),
           number_text(spline->bounds.lo)});
      continue;
    }
    const auto& levels = std::get<CategoricalFeature>(feature);
    const auto base = std::ranges::find(summary.bases, levels.column, &ModelSummary::Base::column);
    table.rows.push_back({levels.column, fmt::format("{}", fmt::join(levels.levels, ", ")),
                          base == summary.bases.end()
                              ? levels.levels.front()
                              : fmt::format("{}", fmt::join(base->levels, ", "))});
  }
  return table;
}

// The rate that was planned, from where the run began.
LineSeries planned(const RunRecord& record) {
  LineSeries line{.name = fmt::format("planned: × {} a round", number_text(record.rate))};
  double start = 1;
  for (const RunRecord::RoundPoint& p : record.convergence) {
    if (p.disagreement > 0 && std::isfinite(p.disagreement)) {
      start = p.disagreement / std::pow(record.rate, static_cast<double>(p.round));
      break;
    }
  }
  for (const RunRecord::RoundPoint& p : record.convergence) {
    line.x.push_back(static_cast<double>(p.round));
    line.y.push_back(start * std::pow(record.rate, static_cast<double>(p.round)));
  }
  return line;
}

// Which number in the drawing is which party. Where names are numbers anyway, one
// example says it all.
std::string numbers_in_words(const std::vector<std::string>& names) {
  bool regular = names.front().ends_with('1');
  const std::string prefix = regular ? names.front().substr(0, names.front().size() - 1) : "";
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    regular = regular && names[i] == fmt::format("{}{}", prefix, i + 1);
    list += fmt::format("{}{}\u00A0{}", i == 0 ? "" : ", ", i + 1, names[i]);
  }
  if (regular) return fmt::format("Number k is “{}k”.", prefix);
  return fmt::format("The numbers: {}.", list);
}

std::uint64_t clipped_values(const RunRecord::Own& own) {
  return std::accumulate(own.clipped.begin(), own.clipped.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& c) { return sum + c.below + c.above; });
}

std::string share_text(std::uint64_t part, std::uint64_t all) {
  if (part == 0 || all == 0) return "0 %";
  const double share = 100 * static_cast<double>(part) / static_cast<double>(all);
  return share < 0.01 ? "< 0.01 %" : fmt::format("{:.2g} %", share);
}

void add_one_own(const RunRecord::Own& own, Section& section) {
  section.paragraph(fmt::format(
      "{} used {} {}{}. {}", own.party, count_text(own.rows), own.rows == 1 ? "row" : "rows",
      own.dropped == 0
          ? ", and left out none"
          : fmt::format(", and left out {} with missing values", count_text(own.dropped)),
      clipped_values(own) == 0
          ? "No value lay outside the study's public bounds."
          : "Values outside the study's public bounds were moved to the nearest bound before "
            "anything else was done with them."));
  Table table{.caption = fmt::format("Values of {} outside the bounds", own.party),
              .columns = {{"Column"},
                          {"Below", Align::kNumber},
                          {"Above", Align::kNumber},
                          {"Share of rows", Align::kNumber}}};
  for (const RunRecord::Clipped& c : own.clipped) {
    table.rows.push_back({c.column, count_text(c.below), count_text(c.above),
                          share_text(c.below + c.above, own.rows)});
  }
  if (!table.rows.empty()) section.table(table);
  Table sources{.caption = fmt::format("What {} read", own.party),
                .columns = {{"Table"}, {"Query"}, {"SHA-256"}}};
  for (const SourceFacts& source : own.sources) {
    sources.rows.push_back({source.place, source.query, source.sha256});
  }
  if (!sources.rows.empty()) section.table(sources);
}

void add_all_own(const RunRecord& record, Section& section) {
  Table table{.caption = "Rows and values outside the bounds, by party",
              .columns = {{"Party"},
                          {"Rows", Align::kNumber},
                          {"Left out", Align::kNumber},
                          {"Values outside", Align::kNumber},
                          {"Most of them in"}}};
  for (const RunRecord::Own& own : record.own) {
    const auto most = std::ranges::max_element(
        own.clipped, {}, [](const RunRecord::Clipped& c) { return c.below + c.above; });
    const std::uint64_t values = clipped_values(own);
    table.rows.push_back({own.party, count_text(own.rows), count_text(own.dropped),
                          count_text(values), values == 0 ? "" : most->column});
  }
  section.table(table);
}

}  // namespace

void add_coefficients(const RunRecord& record, HtmlPage& page) {
  if (record.coefficients.empty()) return;
  Section& section = page.section("The model");
  const bool intervals = any_interval(record);
  std::string text = estimator_in_words(record);
  if (intervals && any_shrunk(record)) {
    text +=
        " The intervals are about the values before shrinking: those are what the errors are known "
        "of.";
  }
  if (record.summary && !record.summary->words.empty()) section.list(record.summary->words);
  if (!text.empty()) section.paragraph(text);
  // Where rows are weighted, the warnings say so.
  if (record.release && record.release->schema.weighting == Weighting::kNone) {
    const std::string question = weighting_in_words(record.release->schema);
    if (!question.empty()) section.paragraph(question);
  }

  std::string note;
  if (!intervals) {
    note = record.errors_refused.empty() ? "This run gives no intervals."
                                         : fmt::format("No intervals: {}", record.errors_refused);
  }
  CoefficientChart chart{
      .title = record.target.empty()
                   ? "Coefficients"
                   : fmt::format("Coefficients of the model of {}", record.target),
      .x = record.unit == Unit::kRecord ? "coefficient, in its column's own units" : "coefficient",
      .note = note};
  for (const RunRecord::Coefficient& c : record.coefficients) {
    chart.rows.push_back({c.name, c.value, c.interval, c.unshrunk, c.name == "intercept"});
  }
  std::string caption =
      intervals ? "Intervals count both the spread of the data and the noise added for privacy."
                : "Dots are the model's values.";
  const std::size_t n = record.coefficients.size();
  if (intervals && n >= 10) {
    caption += fmt::format(" Of {} such intervals, about {} miss{} the truth by chance.", n,
                           (n + 10) / 20, (n + 10) / 20 == 1 ? "es" : "");
  }
  section.figure(inline_svg(chart), caption);
  section.table(coefficient_table(record));
  if (!record.summary) return;
  section.table(fit_table(record, *record.summary));
  std::string problem;
  const Schema schema = schema_from(record.encoding, "encoding", problem);
  if (problem.empty() && schema.validate()) section.table(column_table(schema, *record.summary));
}

void add_graph(const RunRecord& record, HtmlPage& page, Audience audience) {
  if (record.parties.empty()) return;
  Section& section = page.section("Who talked with whom");
  std::vector<Edge> edges;
  for (const auto& [a, b] : record.edges) {
    edges.push_back({static_cast<PartyId>(std::min(a, b)), static_cast<PartyId>(std::max(a, b))});
  }
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  auto graph = Graph::make(record.parties.size(), std::move(edges));
  if (!graph) {
    section.paragraph(fmt::format("The graph is not drawn: {}.", graph.error().what));
    return;
  }
  const std::string words = graph_in_words(*graph);
  GraphDrawing drawing{.title = "The network", .names = record.parties, .graph = std::move(*graph)};
  const bool known = audience == Audience::kOwn && !record.simulated && record.own.size() == 1;
  if (known) {
    const auto found = std::ranges::find(record.parties, record.own.front().party);
    if (found != record.parties.end()) {
      drawing.own = static_cast<PartyId>(found - record.parties.begin());
    }
  }
  section.figure(inline_svg(drawing),
                 fmt::format("{}.{}", words, drawing.own ? " The ringed one is you." : ""));
  if (record.parties.size() > kMostNumbered || shows_all_names(drawing)) return;
  section.paragraph(numbers_in_words(record.parties));
}

void add_convergence(const RunRecord& record, HtmlPage& page) {
  if (record.parties.empty()) return;
  Section& section = page.section("How they came to agree");
  if (record.consensus == ConsensusMethod::kExact) {
    section.paragraph(fmt::format(
        "Every party passed on what it had heard. After {} round{}, as many as the longest way "
        "through the network has steps, all hold everything that was released, add it up in whole "
        "numbers, and so hold identical bits: there is no disagreement left to draw.",
        record.rounds, record.rounds == 1 ? "" : "s"));
    return;
  }
  section.paragraph(fmt::format(
      "Method: {}, {} round{}, fixed before the run from the public graph. Rounds come after the "
      "noise, so how many there are costs no privacy.",
      rounds_name(record.consensus), count_text(record.rounds), record.rounds == 1 ? "" : "s"));
  if (record.convergence.empty()) {
    section.paragraph("The record does not say how the disagreement fell.");
    return;
  }
  LineSeries measured{.name = "measured"};
  for (const RunRecord::RoundPoint& p : record.convergence) {
    measured.x.push_back(static_cast<double>(p.round));
    measured.y.push_back(p.disagreement);
  }
  LineChart chart{.labels = {.title = "Disagreement, round by round",
                             .x = "round",
                             .y = "largest distance from the average, relative to the start"},
                  .y_scale = Scale::kLog10,
                  .series = {std::move(measured)}};
  if (record.rate > 0 && record.rate < 1) chart.series.push_back(planned(record));
  section.figure(inline_svg(chart), "How far the party that is furthest off still is.");
}

void add_own(const RunRecord& record, HtmlPage& page) {
  if (record.own.empty()) return;
  const bool one = record.own.size() == 1;
  Section& section = page.section(one ? fmt::format("For {} alone", record.own.front().party)
                                      : "For each party alone");
  section.callout(Callout::kWarning, "This section stays with you",
                  "These are exact counts of real rows, without noise, and no part of what is "
                  "promised above. Before you pass the page on, write it again with sotto report "
                  "--share, which leaves this section out.");
  if (one) {
    add_one_own(record.own.front(), section);
  } else {
    add_all_own(record, section);
  }
}

}  // namespace sotto::report
