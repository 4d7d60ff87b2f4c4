// The questions of `sotto new`, in the order in which people can answer them.
#include "cli/new/questions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "cli/command_line.h"
#include "cli/terminal/terminal.h"
#include "plan/comparison.h"

namespace sotto {
namespace asking {

constexpr std::array<double, 5> kShownEpsilons{0.1, 0.3, 1, 3, 10};
constexpr int kMostTries = 5;

std::string without_blanks(const std::string& text) {
  const auto from = text.find_first_not_of(" \t\r");
  if (from == std::string::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t\r") - from + 1);
}

std::optional<double> number_in(const std::string& text) {
  double number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// "0:1000", "0 1000", "0, 1000", "0 to 1000"
std::optional<Bounds> bounds_in(std::string text) {
  if (const auto to = text.find(" to "); to != std::string::npos) text.replace(to, 4, " ");
  std::ranges::replace_if(
      text, [](char c) { return c == ':' || c == ',' || c == '\t'; }, ' ');
  const std::string words = without_blanks(text);
  const std::size_t gap = words.find(' ');
  if (gap == std::string::npos) return std::nullopt;
  const auto low = number_in(words.substr(0, gap));
  const auto high = number_in(without_blanks(words.substr(gap)));
  if (!low || !high || !(*low < *high)) return std::nullopt;
  return Bounds{*low, *high};
}

std::vector<std::string> levels_in(const std::string& text) {
  std::vector<std::string> levels;
  for (const std::string& level : between_commas(text)) levels.push_back(without_blanks(level));
  return levels;
}

// What a name suggests, before anybody has said anything. Never what the data say.
std::string proposed_kind(const std::string& column) {
  std::string low = column;
  for (char& c : low) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  for (const char* word : {"id", "name", "email", "phone", "address", "key", "uuid", "household"}) {
    if (low == word || low.ends_with(fmt::format("_{}", word))) return "skip";
  }
  for (const char* word :
       {"is_", "has_", "sex", "gender", "type", "status", "category", "region"}) {
    if (low.starts_with(word)) return "category";
  }
  return "number";
}

class Asker {
 public:
  explicit Asker(std::istream& answers) : answers_(answers), echo_(isatty(STDIN_FILENO) != 1) {}

  void say(const std::string& text) const { fmt::print(stderr, "{}", text); }

  // `fallback` is what an empty answer means; none: an answer is needed. `accept` says what is
  // wrong with an answer, or nothing.
  [[nodiscard]] Result<std::string> ask(
      const std::string& question, const std::optional<std::string>& fallback,
      const std::string& flag, const std::function<std::string(const std::string&)>& accept) {
    for (int tries = 0; tries < kMostTries; ++tries) {
      say(fallback && !fallback->empty() ? fmt::format("{} [{}]: ", question, *fallback)
                                         : fmt::format("{}: ", question));
      std::string line;
      if (!std::getline(answers_, line)) {
        say("\n");
        return bad_input("E-new-answer", fmt::format("nobody answered \"{}\"", question),
                         fmt::format("answer, or say it with {}", flag));
      }
      std::string answer = without_blanks(line);
      if (echo_) say(escape_for_terminal(answer) + "\n");
      if (answer.empty() && fallback) return *fallback;
      const std::string wrong = answer.empty() ? "An answer is needed." : accept(answer);
      if (wrong.empty()) return answer;
      say(fmt::format("  {}\n", wrong));
    }
    return bad_input("E-new-answer", fmt::format("no answer to \"{}\" could be used", question),
                     fmt::format("say it with {}", flag));
  }

 private:
  std::istream& answers_;
  bool echo_;  // where no terminal shows the answer, so that a log can be read
};

std::string any(const std::string&) {
  return {};
}

std::string must_be_bounds(const std::string& text) {
  return bounds_in(text) ? "" : "Two numbers, the smaller one first: 0 1000";
}

std::string must_be_levels(const std::string& text) {
  const auto levels = levels_in(text);
  const bool empty = std::ranges::find(levels, "") != levels.end();
  return levels.size() >= 2 && !empty ? "" : "Two or more between commas: no,yes";
}

std::string must_be_above_zero(const std::string& text) {
  const auto number = number_in(text);
  return number && std::isfinite(*number) && *number > 0 ? "" : "A number above 0.";
}

std::string must_be_probability(const std::string& text) {
  const auto number = number_in(text);
  return number && *number > 0 && *number < 1 ? "" : "A number above 0 and below 1: 1e-6";
}

std::function<std::string(const std::string&)> must_be_whole(std::uint64_t least,
                                                             std::uint64_t most) {
  return [=](const std::string& text) -> std::string {
    std::uint64_t number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool fits = fault == std::errc{} && end == text.data() + text.size();
    if (fits && number >= least && number <= most) return {};
    return fmt::format("A whole number from {} to {}.", least, most);
  };
}

std::function<std::string(const std::string&)> must_be_one_of(std::vector<std::string> words) {
  return [words = std::move(words)](const std::string& text) -> std::string {
    if (std::ranges::find(words, text) != words.end()) return {};
    return fmt::format("One of: {}.", fmt::join(words, ", "));
  };
}

Result<void> ask_target(Asker& asker, NewStudy& study) {
  if (study.has_target) return {};
  SOTTO_ASSIGN(study.draft.schema.target.column,
               asker.ask("Which column is to be explained", std::nullopt, "--target NAME=LOW:HIGH",
                         study.header.empty() ? any : must_be_one_of(study.header)));
  const std::string& column = study.draft.schema.target.column;
  SOTTO_ASSIGN(const auto bounds,
               asker.ask(fmt::format("Between what does {} lie? Say it without looking at the data",
                                     escape_for_terminal(column)),
                         std::nullopt, "--target NAME=LOW:HIGH", must_be_bounds));
  study.draft.schema.target.bounds = *bounds_in(bounds);
  return {};
}

// One feature more, unless it is skipped.
Result<void> ask_feature(Asker& asker, NewStudy& study, const std::string& column) {
  const std::string shown = escape_for_terminal(column);
  SOTTO_ASSIGN(const auto kind, asker.ask(fmt::format("{}: number, category or skip", shown),
                                          proposed_kind(column), "--number and --category",
                                          must_be_one_of({"number", "category", "skip"})));
  if (kind == "skip") return {};
  if (kind == "number") {
    SOTTO_ASSIGN(const auto bounds,
                 asker.ask(fmt::format("Between what does {} lie", shown), std::nullopt,
                           "--number NAME=LOW:HIGH", must_be_bounds));
    study.draft.schema.features.emplace_back(NumericFeature{column, *bounds_in(bounds)});
    return {};
  }
  const bool yes_or_no = column.starts_with("is_") || column.starts_with("has_");
  SOTTO_ASSIGN(
      const auto levels,
      asker.ask(fmt::format("What can {} be? The first is what others are compared with", shown),
                yes_or_no ? std::optional<std::string>("no,yes") : std::nullopt,
                "--category NAME=A,B", must_be_levels));
  study.draft.schema.features.emplace_back(CategoricalFeature{column, levels_in(levels)});
  return {};
}

Result<void> ask_features(Asker& asker, NewStudy& study) {
  if (study.has_features) return {};
  if (study.header.empty()) {
    while (true) {
      SOTTO_ASSIGN(const auto column,
                   asker.ask("A column to explain it with; nothing if there are no more", "",
                             "--number and --category", any));
      if (column.empty()) return {};
      SOTTO_TRY(ask_feature(asker, study, column));
    }
  }
  for (const std::string& column : study.header) {
    if (column == study.draft.schema.target.column) continue;
    SOTTO_TRY(ask_feature(asker, study, column));
  }
  return {};
}

// What each ε buys, if the study is one already.
std::string epsilon_table(const NewStudy& study) {
  StudyDraft draft = study.draft;
  draft.epsilon = 1;
  const auto planned = parse_study(study_text(draft), "the new study");
  if (!planned) return {};
  const auto comparison =
      compare_plans(*planned, kShownEpsilons, std::array{planned->solver}, *study.rows);
  return comparison ? "\n" + to_text(*comparison) + "\n" : "";
}

Result<void> ask_privacy(Asker& asker, NewStudy& study) {
  if (!study.rows) {
    SOTTO_ASSIGN(const auto rows,
                 asker.ask("How many rows do all tables have together, about", "10000", "--rows",
                           must_be_whole(1, 1'000'000'000'000)));
    study.rows = std::stoull(rows);
  }
  if (!study.has_delta) {
    SOTTO_ASSIGN(const auto delta,
                 asker.ask("δ, the probability that ε need not cover: well below 1/rows",
                           fmt::format("{:g}", proposed_delta(*study.rows)), "--delta",
                           must_be_probability));
    study.draft.delta = *number_in(delta);
  }
  if (study.has_epsilon) return {};
  asker.say(epsilon_table(study));
  // No default: nobody but the parties can say what their people may lose.
  SOTTO_ASSIGN(const auto epsilon, asker.ask("ε", std::nullopt, "--epsilon", must_be_above_zero));
  study.draft.epsilon = *number_in(epsilon);
  return {};
}

}  // namespace asking

double proposed_delta(std::uint64_t rows) {
  double delta = 1e-6;
  while (delta * static_cast<double>(rows) > 0.01) delta /= 10;
  return delta;
}

Result<NumericFeature> number_column(const std::string& words) {
  const std::size_t equals = words.rfind('=');
  const auto bounds =
      equals == std::string::npos ? std::nullopt : asking::bounds_in(words.substr(equals + 1));
  if (bounds && equals > 0) return NumericFeature{words.substr(0, equals), *bounds};
  return bad_input("E-new-column", fmt::format("\"{}\" is no column with its bounds", words),
                   "write NAME=LOW:HIGH, as area_m2=20:220, with bounds that are known without the "
                   "data");
}

Result<CategoricalFeature> category_column(const std::string& words) {
  const std::size_t equals = words.find('=');
  if (equals != std::string::npos && equals > 0 &&
      asking::must_be_levels(words.substr(equals + 1)).empty()) {
    return CategoricalFeature{words.substr(0, equals), asking::levels_in(words.substr(equals + 1))};
  }
  return bad_input("E-new-column", fmt::format("\"{}\" is no column with its levels", words),
                   "write NAME=A,B, as heating=gas,district, the one that others are compared with "
                   "first");
}

Result<void> ask_what_is_missing(NewStudy& study, std::istream& answers) {
  asking::Asker asker(answers);
  StudyDraft& draft = study.draft;
  if (!study.has_name) {
    SOTTO_ASSIGN(draft.name,
                 asker.ask("What is the study called", draft.name, "--name", asking::any));
  }
  if (!study.header.empty() && !study.has_target) {
    asker.say(fmt::format("  columns: {}\n",
                          escape_for_terminal(fmt::format("{}", fmt::join(study.header, ", ")))));
  }
  SOTTO_TRY(asking::ask_target(asker, study));
  SOTTO_TRY(asking::ask_features(asker, study));
  if (!study.has_parties) {
    const auto known = std::max<std::size_t>(draft.members.size(), 2);
    SOTTO_ASSIGN(
        const auto parties,
        asker.ask("How many parties take part",
                  draft.members.empty() ? std::nullopt : std::optional(fmt::format("{}", known)),
                  "--parties", asking::must_be_whole(known, kMaxNamedParties)));
    draft.parties = std::stoull(parties);
  }
  draft.topology = draft.parties < 3 ? "path" : "cycle";
  if (!study.has_colluders) {
    const std::size_t most = draft.parties - 2;
    draft.colluders = 0;
    if (most > 0) {
      SOTTO_ASSIGN(const auto colluders,
                   asker.ask("Against how many curious parties together must it hold", "1",
                             "--colluders", asking::must_be_whole(0, most)));
      draft.colluders = std::stoull(colluders);
    }
  }
  return asking::ask_privacy(asker, study);
}

}  // namespace sotto
