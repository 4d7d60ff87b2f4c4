#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "base/words.h"
#include "run/kept_json.h"
#include "run/model.h"
#include "run/refit/refit.h"

// A model on a terminal: its coefficients as a statistician knows them, and what they mean.
namespace sotto {
namespace model_text {

constexpr std::size_t kLineWidth = 96;
constexpr std::size_t kMostNameWidth = 24;

std::string or_dash(const std::optional<double>& value, double error) {
  return value ? rounded_to(*value, error) : "–";
}

// Columns of a person's terminal, where ε is one of them.
std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

// A space that no line ends at.
constexpr char kGlue = '\x1f';

// `text` in lines, the first after `begin`, the others below where it starts.
std::string wrapped(const std::string& begin, const std::string& text) {
  const std::string indent(columns_of(begin), ' ');
  std::string all;
  std::string line = begin;
  std::size_t from = 0;
  bool first = true;
  while (from < text.size()) {
    const std::size_t to = std::min(text.find(' ', from), text.size());
    const std::string word = text.substr(from, to - from);
    if (!first && columns_of(line) + 1 + columns_of(word) > kLineWidth) {
      all += line + '\n';
      line = indent + word;
    } else {
      line += first ? word : " " + word;
    }
    first = false;
    from = to + 1;
  }
  all += line + '\n';
  std::ranges::replace(all, kGlue, ' ');
  return all;
}

std::string coefficient_table(const RunRecord& record) {
  std::size_t width = to_string(record.estimator).size();
  bool shrunk = false;
  for (const RunRecord::Coefficient& c : record.coefficients) {
    width = std::max(width, columns_of(c.name));
    shrunk = shrunk || (c.unshrunk && std::abs(*c.unshrunk - c.value) > 1e-9 * std::abs(c.value));
  }
  width = std::min(width, kMostNameWidth);
  const bool errors = record.errors_refused.empty();
  const auto row = [&](const std::string& name, const std::string& value,
                       const std::string& unshrunk, const std::string& error, const std::string& t,
                       const std::string& p, const std::string& interval) {
    std::string text = fmt::format("  {:<{}} {:>11}", name, width, value);
    if (!errors) return text + '\n';
    if (shrunk) text += fmt::format(" {:>11}", unshrunk);
    return text + fmt::format(" {:>10} {:>7} {:>8}  {:>20}\n", error, t, p, interval);
  };
  std::string text = row(std::string(to_string(record.estimator)), "value", "unshrunk",
                         "std. error", "t", "p", "95 % interval");
  for (const RunRecord::Coefficient& c : record.coefficients) {
    const double error = c.standard_error.value_or(0);
    text += row(c.name, rounded_to(c.value, error), or_dash(c.unshrunk, error),
                or_dash(c.standard_error, error), c.t ? fmt::format("{:.2f}", *c.t) : "–",
                c.p ? p_text(*c.p) : "–", interval_text(c));
  }
  return text;
}

std::string share_text(const ModelSummary::Share& share) {
  return fmt::format("{:.2f} ({:.2f} to {:.2f})", share.value, share.interval.first,
                     at_most_one(share.interval.second));
}

// "residuals", "R²", "F": each with its number or why there is none.
std::string fit_lines(const RunRecord& record, const ModelSummary& summary) {
  std::string text;
  const auto line = [&](const std::string& name, const std::string& rest) {
    text += wrapped(fmt::format("  {:<12} ", name), rest);
  };
  const auto none = [&](const std::string& name, const std::string& why) {
    if (!why.empty()) line(name, why_none(record, why));
  };
  if (summary.residual_sd) {
    line("residuals", fmt::format("standard deviation {}{}",
                                  rounded_to(*summary.residual_sd, residual_sd_error(summary)),
                                  freedom_text(*summary.degrees_of_freedom)));
  }
  if (summary.r_squared) {
    const auto& adjusted = summary.adjusted_r_squared;
    line("R²", share_text(*summary.r_squared) +
                   (adjusted ? fmt::format(", adjusted {:.2f}", adjusted->value) : ""));
  } else {
    none("R²", summary.r_squared_refused);
  }
  if (summary.f) {
    const std::string value = fmt::format("{:.{}f}", summary.f->f, summary.f->f < 100 ? 2 : 0);
    line("F",
         fmt::format("{} on {:.0f} and {} degrees of freedom, p {}", value, summary.f->left_out,
                     count_of_freedom(summary.f->residual), p_text(summary.f->p, "= ")));
  } else {
    none("F", summary.f_refused);
  }
  return text;
}

// How many rows, as they count: by their weight over its upper bound, a person's as at most k.
std::string rows_text(const RunRecord& record) {
  std::string text = fmt::format("  rows         about {:.0f}", std::max(*record.noisy_rows, 0.0));
  if (record.encoding.contains("weight")) {
    text += fmt::format(", each counted as its {} over {:g}",
                        record.encoding["weight"]["column"].get<std::string>(),
                        record.encoding["weight"]["bounds"][1].get<double>());
  }
  if (record.protects_persons()) {
    text += fmt::format(", those of a person as at most {}",
                        record.encoding["person"]["rows"].get<std::int64_t>());
  }
  return text + "\n";
}

// Whether the parties' own intercepts differ, where the study has them.
std::string parties_text(const RunRecord& record) {
  const auto test = party_test(*record.release);
  if (test && !*test) return "";
  if (!test) {
    const std::string& why = test.error().what;
    return fmt::format("  parties      whether they differ cannot be said{}\n",
                       why == record.errors_refused ? ", for the same reason" : ": " + why);
  }
  return fmt::format(
      "  parties      differ with F = {:.4g} on {:.0f} and {:.0f} degrees, p = {:.3g}\n",
      (*test)->f, (*test)->left_out, (*test)->residual, (*test)->p);
}

// A share that noise may have moved below nothing or above everything, as far as it can be true.
double percent_of_all(double share) {
  return 100 * std::clamp(share, 0.0, 1.0);
}

std::string table_text(const RunRecord& record) {
  std::string text =
      record.refit_of.empty()
          ? fmt::format("{}: {} over {} parties' tables, {}\n\n", record.study, record.target,
                        // A model file does not say how many there were.
                        record.parties.empty() ? "all" : std::to_string(record.parties.size()),
                        to_string(record.solver))
          : fmt::format("{}: {}, from what was released before\n\n", record.study, record.target);
  text += coefficient_table(record);
  if (!record.errors_refused.empty()) {
    text += '\n' + wrapped("  ", record.errors_refused);
  }
  text += '\n';
  if (record.summary) text += fit_lines(record, *record.summary);
  if (record.noisy_rows) text += rows_text(record);
  if (record.release && record.refit_of.empty()) text += parties_text(record);
  if (record.explained) {
    text +=
        fmt::format("  explains     about {:.0f} % of the variance ({:.0f} % to {:.0f} %)\n",
                    percent_of_all(record.explained->share), percent_of_all(record.explained->low),
                    percent_of_all(record.explained->high));
  }
  const auto listed = [&](const char* name, std::vector<std::string> items) {
    for (std::string& item : items) std::ranges::replace(item, ' ', kGlue);
    if (!items.empty()) {
      text += wrapped(fmt::format("  {:<12} ", name), fmt::format("{}", fmt::join(items, ", ")));
    }
  };
  listed("base levels", base_texts(record));
  listed("bounds", bounds_texts(record));
  if (record.release) {
    text += wrapped("  weighting    ", weighting_text(*record.release));
  }
  text += fmt::format("  privacy      ε = {:g}, δ = {:g} for one {} ({})\n", record.epsilon,
                      record.delta, record.protects_persons() ? "person" : "row",
                      record.neighbours == Neighbours::kReplace ? "replaced" : "added or removed");
  for (const RunRecord::Own& own : record.own) {
    std::uint64_t clipped = 0;
    for (const RunRecord::Clipped& column : own.clipped) clipped += column.below + column.above;
    text += fmt::format("  {:<12} {}, {} left out, {} clipped (for its eyes only)\n", own.party,
                        counted(own.rows, "row", "rows"), own.dropped,
                        counted(clipped, "value", "values"));
  }
  if (record.summary && !record.summary->words.empty()) {
    text += '\n';
    for (const std::string& sentence : record.summary->words) text += wrapped("  - ", sentence);
  }
  if (!record.warnings.empty()) text += '\n';
  for (const std::string& warning : record.warnings) text += wrapped("  ! ", warning);
  return text;
}

std::string entries_text(const RunRecord& record) {
  std::string text = fmt::format("{}: {} over {} parties\n\n", record.study,
                                 to_string(record.solver), record.parties.size());
  for (const auto& c : record.coefficients) {
    text += fmt::format("  {:<8} {:>14.8g}\n", c.name, c.value);
  }
  return text + fmt::format("\n  privacy      ε = {:g}, δ = {:g} for one entry\n", record.epsilon,
                            record.delta);
}

}  // namespace model_text

std::string rounded_to(double value, double error) {
  constexpr int kMostDecimals = 7;
  if (!(error > 0) || !std::isfinite(error) || !std::isfinite(value)) {
    return fmt::format("{:.5g}", value);
  }
  const int decimals = 1 - static_cast<int>(std::floor(std::log10(error)));
  if (decimals > kMostDecimals || std::abs(value) >= 1e9) return fmt::format("{:.4g}", value);
  const double step = std::pow(10, -decimals);
  const double rounded = decimals < 0 ? std::round(value / step) * step : value;
  const std::string text = fmt::format("{:.{}f}", rounded, std::max(decimals, 0));
  const bool zero = text.find_first_of("123456789") == std::string::npos;
  return zero && text.starts_with('-') ? text.substr(1) : text;
}

std::string why_none(const RunRecord& record, const std::string& why) {
  return why == record.errors_refused ? "none, for the same reason" : fmt::format("none: {}", why);
}

double at_most_one(double share) {
  return std::min(share, 1.0);
}

double residual_sd_error(const ModelSummary& summary) {
  return *summary.residual_sd / std::sqrt(2 * *summary.degrees_of_freedom);
}

std::string p_text(double p, std::string_view equals) {
  constexpr double kSmallest = 1e-4;
  if (p < kSmallest) return "< 0.0001";
  if (p >= 0.1) return fmt::format("{}{:.2f}", equals, p);
  return fmt::format("{}{:.{}f}", equals, p, 1 - static_cast<int>(std::floor(std::log10(p))));
}

std::string count_of_freedom(double degrees) {
  constexpr double kMany = 1e9;
  return degrees < kMany ? fmt::format("{:.0f}", degrees) : "∞";
}

std::string freedom_text(double degrees) {
  return fmt::format(" on {} degrees of freedom", count_of_freedom(degrees));
}

std::vector<std::string> base_texts(const RunRecord& record) {
  std::vector<std::string> texts;
  if (!record.summary) return texts;
  for (const ModelSummary::Base& base : record.summary->bases) {
    texts.push_back(fmt::format("{}={}", base.column, fmt::join(base.levels, " or ")));
  }
  return texts;
}

std::vector<std::string> bounds_texts(const RunRecord& record) {
  std::string problem;
  const Schema schema = schema_from(record.encoding, "encoding", problem);
  std::vector<std::string> texts;
  if (!problem.empty()) return texts;
  const auto add = [&](const std::string& column, Bounds bounds) {
    texts.push_back(fmt::format("{} {:g} … {:g}", column, bounds.lo, bounds.hi));
  };
  add(schema.target.column, schema.target.bounds);
  for (const Feature& feature : schema.features) {
    if (const auto* numeric = std::get_if<NumericFeature>(&feature)) {
      add(numeric->column, numeric->bounds);
    }
  }
  return texts;
}

std::string weighting_text(const Release& release) {
  const std::string name(weighting_name(release));
  switch (release.schema.weighting) {
    case Weighting::kNone:
      return name + ", all rows count alike";
    case Weighting::kBounded:
      break;
  }
  return name + ", rows far from the middle of the bounds count less";
}

std::string interval_text(const RunRecord::Coefficient& c) {
  if (!c.interval) return "–";
  const double error = c.standard_error.value_or(0);
  return fmt::format("{} … {}", rounded_to(c.interval->first, error),
                     rounded_to(c.interval->second, error));
}

std::string to_text(const Model& model) {
  return model.record.unit == Unit::kEntry ? model_text::entries_text(model.record)
                                           : model_text::table_text(model.record);
}

}  // namespace sotto
