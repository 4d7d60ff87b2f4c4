// The table of keys. What a key means is said here and nowhere else.
#include "study/study_keys.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <deque>

#include "graph/topologies.h"
#include "solve/estimator_table.h"
#include "study/mechanism/mechanism.h"
#include "study/named_section.h"

namespace sotto {
namespace {

// Sections of solvers come before [problem], from their mechanisms.
constexpr std::array<StudySection, 15> kSections{{
    {"[study]", "What the study is called and how the parties compute."},
    {"[privacy]",
     "What is promised to the people in the tables: ε, δ and the unit have no defaults."},
    {"[privacy] person",
     "Whose rows are, where somebody may have several: all of a person's rows at a party are "
     "protected together."},
    {"[graph]", "Who is neighbour to whom. Parties only ever talk to their neighbours."},
    {"[data]",
     "The columns of the tables, with bounds and levels that are known without them: a bound that "
     "somebody read off the data would itself give something away."},
    {"[data] target", "The column that the model explains, or a term of some."},
    {"[[data.feature]]",
     "What it is explained with: a column of numbers with bounds, one of categories with levels, a "
     "spline with bounds and knots, or a term."},
    {"[[data.column]]", "A column that only terms use, with its bounds."},
    {"[data] weight", "The column that says how much a row counts."},
    {"[solve]", "What is made of the noisy sums."},
    {"[consensus]", "How the parties come to the average."},
    {"[problem]",
     "For `unit = \"entry\"`: where the parties' costs come from, in place of tables."},
    {"[network]", "How long parties wait for each other, and how few may go on."},
    {"[faults]",
     "The network as it is, for `sotto simulate`: with this section it also drives the parties' "
     "own "
     "machines over one that loses, delays and crashes, and says what became of the run. `join` "
     "does not look at it."},
    {"[[party]]",
     "One for each party of a run between organisations, as `sotto keys new --out FILE` writes it; "
     "simulations need none."},
}};

constexpr std::string_view kAfterSolvers = "[problem]";

// "privacy" of "[privacy]"; empty for what is inside another, or a list.
std::string table_name(std::string_view section) {
  if (section.starts_with("[[") || !section.ends_with(']')) return {};
  return std::string(section.substr(1, section.size() - 2));
}

std::vector<std::string_view> topology_words() {
  std::vector<std::string_view> words;
  for (const TopologyEntry& entry : topology_table()) words.push_back(entry.name);
  return words;
}

// "The shape of the graph of neighbours: `cycle` a ring, …"
std::string topologies_in_words(std::string_view about) {
  std::vector<std::string> words;
  for (const TopologyEntry& entry : topology_table()) {
    words.push_back(fmt::format("`{}` {}", entry.name, entry.about));
  }
  return fmt::format("{}: {}.", about, fmt::join(words, "; "));
}

// Those that need nothing but sums.
std::vector<std::string_view> estimator_words() {
  std::vector<std::string_view> words;
  for (const EstimatorEntry& entry : estimator_table()) {
    if (entry.compute != nullptr) words.push_back(entry.name);
  }
  return words;
}

// A line for what a key is, and one for what it means.
// clang-format off
std::vector<StudyKey> own_keys() {
  return {
      {"[study]", "name", "text", kRequiredKey, {}, "",
       "What people call the study: in reports, and for `sotto report NAME`."},
      {"[study]", "solver", "text", kRequiredKey, {}, "",
       "How the parties add up without showing: `dishuf` shuffles under encryption, `pairwise` "
       "uses masks that cancel, with `ac` and `gt` everybody adds noise for itself, √n times as "
       "much."},

      {"[privacy]", "epsilon", "number", kRequiredKey, {}, "1e-9 to 1e6",
       "ε, the most by which the odds of any guess about a row may grow: a factor of e^ε, but for "
       "δ."},
      {"[privacy]", "delta", "number", kRequiredKey, {}, "1e-100 to 1, without 1",
       "δ, the probability that the factor e^ε need not cover: well below 1/rows."},
      {"[privacy]", "unit", "text", kRequiredKey, {"record", "entry"}, "",
       "What is protected: one row of a table, or, as in the paper, one entry of θ."},
      {"[privacy]", "neighbours", "text", "required with `unit = \"record\"`",
       {"add-remove", "replace"}, "",
       "Which tables must look alike: with a row and without it, or with another one in its "
       "place."},
      {"[privacy]", "mu", "number", "required with `unit = \"entry\"`", {}, "1e-100 to 1e100",
       "How far one entry of θ may move; a row's sensitivity is computed."},
      {"[privacy]", "colluders", "whole number", "0", {}, "0 to parties − 2",
       "How many curious parties may pool all that they hold without learning more than ε and δ."},
      {"[privacy]", "person", "table", "every row is somebody else's", {}, "",
       "Whose a row is, where a person may have several: `{ column = \"id\", rows = 1 }`."},

      {"[privacy] person", "column", "text", kRequiredKey, {}, "no feature, target or weight",
       "The column that tells persons apart, compared as text; it never leaves the party."},
      {"[privacy] person", "rows", "whole number", "1", {}, "1 to 1000",
       "As how many rows a person counts at most; all of a person's rows are protected whatever it "
       "is."},

      {"[graph]", "topology", "text", kRequiredKey, topology_words(), "",
       "The shape of the graph of neighbours"},
      {"[graph]", "parties", "whole number", "as many as there are `[[party]]`", {}, "2 to 10000000",
       "How many take part; `[[party]]` blocks may still be missing while a study is being made."},
      {"[graph]", "weight", "number, list of numbers, or text", "`\"metropolis\"`",
       {}, "above 0; less than 1 for all edges of a party together",
       "How much a neighbour's value counts in each round of averaging: the same for every edge, "
       "one number for each of `edges`, or `\"metropolis\"`."},
      {"[graph]", "degree", "whole number", "4", {}, "1 to parties − 1",
       "How many neighbours each party has in a `random-regular` graph, has on average in an "
       "`erdos-renyi` one, and has on its ring in a `small-world` one."},
      {"[graph]", "seed", "whole number", "1", {}, "0 to 2⁶³ − 1",
       "Where a `random-regular`, `erdos-renyi` or `small-world` graph is drawn from."},
      {"[graph]", "rewire", "number", "0.1", {}, "0 to 1",
       "With which probability an edge of a `small-world` ring gets another far end."},
      {"[graph]", "base", "whole number", "2", {}, "2 to 1000",
       "How many values a digit has at most in a `base` graph, k + 1: neighbours differ in one "
       "digit."},
      {"[graph]", "file", "text", "required with `topology = \"file\"`", {}, "",
       "A file with two numbers from 1 on each line, who is neighbour to whom; `#` begins a "
       "comment. For plans and simulations."},
      {"[graph]", "edges", "list of pairs", "required with `topology = \"edges\"`",
       {}, "numbers from 1, or names of parties",
       "Who is neighbour to whom: `[[1, 2], [\"north\", \"south\"]]`."},

      {"[data]", "target", "table", kRequiredKey, {}, "",
       "The column to explain: `{ column = \"kwh\", bounds = [0, 1000] }`."},
      {"[data]", "feature", "list of tables", "none", {}, "",
       "The columns to explain it with, each a `[[data.feature]]` of its own."},
      {"[data]", "column", "list of tables", "none", {}, "",
       "Columns that only terms use, each a `[[data.column]]` with its bounds."},
      {"[data]", "intercept", "true or false", "`true`", {}, "",
       "Whether the model has a constant; without one no number of rows can be told."},
      {"[data]", "missing", "text", "`\"drop\"`", {"drop", "error"}, "",
       "What happens to a row in which a value is missing: it is left out, or the run stops."},
      {"[data]", "missing_values", "list of texts", "`[\"\", \"NA\", \"NaN\", \"NULL\", \".\"]`",
       {}, "",
       "What stands for a value that is not known; an empty field always does."},
      {"[data]", "weighting", "text", "`\"none\"`", {"none", "bounded", "auto"}, "",
       "Whether all rows count alike, which is ordinary least squares, or less the farther they are "
       "from the middle of their bounds, at much less noise; `auto` decides from `rows`."},
      {"[data]", "rows", "whole number", "required with `weighting = \"auto\"`", {}, "1 to 1000000000000",
       "About how many rows all parties hold together, known without the data."},
      {"[data]", "weight", "table", "every row counts once", {}, "",
       "How much a row counts: `{ column = \"w\", bounds = [0, 10] }`."},
      {"[data]", "party", "text", "`\"none\"`", {"none", "effect"}, "",
       "Whether every party has an intercept of its own; the first party is the one that others are "
       "compared with."},
      {"[data]", "radius", "number", "the longest that a row can be",
       {}, "0.001 to √(features, and 1 for the intercept)",
       "Rows that are longer, with every column scaled to ±1, are shortened to it: less noise, "
       "and those rows are bent."},

      {"[data] target", "column", "text", "required without `term`", {}, "",
       "Its name in the tables' header."},
      {"[data] target", "term", "text", "none", {}, "as in `[[data.feature]]`",
       "What to explain where it is no column: `\"log(kwh)\"`."},
      {"[data] target", "bounds", "list of two numbers", "required without `term`",
       {}, "the smaller one first",
       "Between what it lies, known without the data; values outside are clipped."},

      {"[[data.feature]]", "column", "text", "required without `term`", {}, "",
       "Its name in the tables' header."},
      {"[[data.feature]]", "term", "text", "none",
       {}, "+ − * / ^ : of columns and numbers; log, sqrt, square, exp",
       "What is computed of columns with known bounds: `\"log(income)\"`, `\"age * income\"`. Times "
       "a category, `\"age * smoker\"`, it is one term for each level but the first; `smoker=yes` "
       "is one level as a number, 1 or 0."},
      {"[[data.feature]]", "bounds", "list of two numbers", "required for numbers",
       {}, "the smaller one first",
       "Between what a number lies, known without the data; values outside are clipped."},
      {"[[data.feature]]", "levels", "list of texts or numbers", "required for categories",
       {}, "two or more, each once",
       "What a category may be, known without the data; the first is the one that others are "
       "compared with. As numbers, 0 and 0.0 are one."},
      {"[[data.feature]]", "other", "true or false", "`false`", {}, "",
       "Whether all that `levels` does not have counts as one more level, `other`."},
      {"[[data.feature]]", "knots", "list of numbers", "no spline", {}, "ascending, inside the bounds",
       "Where the pieces of a spline of this column meet, known without the data."},
      {"[[data.feature]]", "degree", "whole number", "3", {}, "1, 2 or 3",
       "Of a spline's pieces: 1 is straight lines, 3 smooth."},

      {"[[data.column]]", "column", "text", kRequiredKey, {}, "",
       "Its name in the tables' header."},
      {"[[data.column]]", "bounds", "list of two numbers", kRequiredKey, {}, "the smaller one first",
       "Between what it lies, known without the data; values outside are clipped."},

      {"[data] weight", "column", "text", kRequiredKey, {}, "no feature or target",
       "Its name in the tables' header."},
      {"[data] weight", "bounds", "list of two numbers", kRequiredKey, {}, "from 0 on",
       "Between what weights lie, known without the data; one outside is an error."},

      {"[solve]", "estimator", "text", "`\"noise-aware\"`; with `unit = \"entry\"` `\"exact\"`",
       estimator_words(), "",
       "How coefficients are made of noisy sums."},
      {"[solve]", "error_bars", "true or false", "`true`", {}, "",
       "Whether Σy² is released, which intervals need; without it the noise is 6 % smaller."},

      {"[consensus]", "method", "text", "`\"exact\"`", {"exact", "plain", "chebyshev"}, "",
       "How the average of what was released is reached: `exact` carries every value to "
       "everybody, the others take rounds of averaging with neighbours, accelerated or not."},
      {"[consensus]", "tolerance", "number", "1e-9", {}, "above 0, below 1",
       "How close to the average rounds must come, relative to where they began."},
      {"[consensus]", "rounds", "whole number", "from the tolerance", {}, "1 to 100000000",
       "How many rounds, with `plain` and `chebyshev`: in place of the tolerance."},

      {"[problem]", "family", "text", "required without files", {"paper"}, "",
       "A random family of costs: the paper's."},
      {"[problem]", "m", "whole number", "3; with files, theirs", {}, "1 to 512",
       "How many columns the costs have."},
      {"[problem]", "seed", "whole number", "1", {}, "0 to 2⁶³ − 1",
       "Where the family is drawn from."},
      {"[problem]", "sum", "text", "`\"fixed\"`", {"fixed", "grows"}, "",
       "How large the family's costs are: with `fixed`, as in the paper, ΣA_i is the same for any "
       "number of parties, and each has 1/n of it; with `grows` a party's costs are of the size "
       "that they have among ten, ΣA_i is n/10 times as large (its smallest eigenvalue is 20·n), "
       "and so `gt` can keep its promise at any n. The solution is the same."},
      {"[problem]", "file", "text", "none", {}, "",
       "One JSON file with the costs of all parties."},
      {"[problem]", "files", "list of texts", "none", {}, "",
       "One JSON file for each party."},

      {"[network]", "min_parties", "whole number", "all", {}, "more than half of them",
       "How few may go on when somebody is lost before anything was released."},
      {"[network]", "start", "text", "as soon as each party is there", {},
       "2026-01-31T09:00:00Z",
       "When the meeting begins, UTC: everybody reads its table before, and dials nobody until then, "
       "so that how long that took shows nowhere."},
      {"[network]", "meeting_seconds", "number", "86400", {}, "1 to 2678400",
       "How long to wait until all have shown up."},
      {"[network]", "patience_seconds", "number", "300", {}, "1 to 2678400",
       "How long to wait for one that was there."},

      {"[faults]", "transport", "text", "`\"stream\"`", {"stream", "frames"}, "",
       "What carries them: a stream as TCP's, which delivers once and in order and sends again what "
       "is lost while the rest waits, or frames each by itself, which are lost, doubled and "
       "overtaken until the parties' own links send them again."},
      {"[faults]", "loss", "number", "0", {}, "0 to 0.9",
       "The share of frames that are lost on their way."},
      {"[faults]", "repeats", "number", "0", {}, "0 to 1",
       "The share of frames that arrive twice; for `transport = \"frames\"`."},
      {"[faults]", "latency_ms", "number", "20", {}, "0 to 100000",
       "How long a frame is on its way at least, in milliseconds."},
      {"[faults]", "jitter_ms", "number", "0", {}, "0 to 100000",
       "How much longer it takes on average: exponential, each frame by itself."},
      {"[faults]", "bandwidth_mbit", "number", "100", {}, "0.001 to 1000000",
       "What each party can send, in millions of bits per second."},
      {"[faults]", "crashes", "whole number", "0", {}, "0 to 1000",
       "How often, in all, a party's process dies while the run is under way."},
      {"[faults]", "restart_seconds", "number", "5", {}, "0 to 86400",
       "After how long it is there again, from its journal."},
      {"[faults]", "start_seconds", "number", "0", {}, "0 to 86400",
       "Within how long the parties start, each at a moment of its own."},
      {"[faults]", "rushing", "whole number", "nobody", {}, "a party, from 1",
       "A party that lies: it waits until it has heard what all others release, and releases what "
       "makes the mean of the first entry 0. With `exact` averaging; it hears all others first where "
       "everybody is its neighbour."},
      {"[faults]", "cipher_ms", "number", "as measured, by `key_bits`", {}, "0 to 100000",
       "How long a party computes for one ciphertext of the shuffle, in milliseconds: to make it, "
       "to answer it and to read the answer."},
      {"[faults]", "seed", "whole number", "1", {}, "0 to 2⁶³ − 1",
       "Where losses, delays and crashes are drawn from."},

      {"[[party]]", "name", "text", kRequiredKey, {}, "each once",
       "What `--as` and everybody else calls the party."},
      {"[[party]]", "address", "text", "it dials out only", {}, "host:port",
       "Where the others reach it; one end of every edge needs one."},
      {"[[party]]", "fingerprint", "text, or list of two", "required on a network",
       {}, "sha256: and 64 digits 0-9a-f",
       "Which certificate is the party's, as `sotto keys show` prints it; two while a key is "
       "exchanged."},
  };
}
// clang-format on

// All of it, made once, when solvers, estimators and topologies are known. What it shows of a
// solver is the mechanism's, which is never taken away.
struct WholeTable {
  std::deque<std::string> texts;
  std::vector<StudySection> sections;
  std::vector<StudyKey> keys;
  std::vector<std::string> tables;

  WholeTable() {
    std::vector<std::string_view> solvers;
    for (const auto& mechanism : mechanisms()) {
      solvers.push_back(texts.emplace_back(to_string(mechanism->solver())));
    }
    const auto add_mechanisms = [&] {
      for (const auto& mechanism : mechanisms()) {
        if (mechanism->keys().empty()) continue;
        const std::string name = to_string(mechanism->solver());
        sections.push_back({texts.emplace_back(fmt::format("[{}]", name)),
                            texts.emplace_back(fmt::format("Settings of the solver `{}`.", name))});
        keys.insert(keys.end(), mechanism->keys().begin(), mechanism->keys().end());
        tables.push_back(name);
      }
      for (const NamedSection& section : named_sections()) {
        const auto described = described_keys(section.name, section.keys, texts);
        sections.push_back({described.front().section, texts.emplace_back(section.about)});
        keys.insert(keys.end(), described.begin(), described.end());
        tables.push_back(section.name);
      }
    };
    std::vector<StudyKey> own = own_keys();
    for (const StudySection& section : kSections) {
      if (section.name == kAfterSolvers) add_mechanisms();
      sections.push_back(section);
      if (const auto table = table_name(section.name); !table.empty()) tables.push_back(table);
      for (StudyKey& key : own) {
        if (key.section != section.name) continue;
        if (key.section == "[study]" && key.name == "solver") key.choices = solvers;
        if (key.section == "[graph]" && key.name == "topology") {
          key.about = texts.emplace_back(topologies_in_words(key.about));
        }
        keys.push_back(key);
      }
    }
  }
};

const WholeTable& whole() {
  static const WholeTable table;
  return table;
}

const std::vector<StudyKey>& table() {
  return whole().keys;
}

}  // namespace

std::span<const StudySection> study_sections() {
  return whole().sections;
}

std::span<const std::string> study_tables() {
  return whole().tables;
}

bool is_study_section(std::string_view name) {
  return name == "party" || std::ranges::any_of(kSections, [&](const StudySection& section) {
           return table_name(section.name) == name;
         });
}

std::span<const StudyKey> study_keys() {
  return table();
}

std::vector<const StudyKey*> study_keys_of(std::string_view section) {
  std::vector<const StudyKey*> found;
  for (const StudyKey& key : table()) {
    if (key.section == section) found.push_back(&key);
  }
  return found;
}

const StudyKey* study_key(std::string_view section, std::string_view name) {
  const auto found = std::ranges::find_if(
      table(), [&](const StudyKey& key) { return key.section == section && key.name == name; });
  return found == table().end() ? nullptr : &*found;
}

}  // namespace sotto
