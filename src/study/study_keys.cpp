// The table of keys. What a key means is said here and nowhere else.
#include "study/study_keys.h"

#include <algorithm>
#include <array>

namespace sotto {
namespace {

constexpr std::array<StudySection, 17> kSections{{
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
    {"[dishuf]", "Settings of the solver `dishuf`."},
    {"[pairwise]", "Settings of the solver `pairwise`."},
    {"[gt]", "Settings of the solver `gt`."},
    {"[problem]",
     "For `unit = \"entry\"`: where the parties' costs come from, in place of tables."},
    {"[network]", "How long parties wait for each other, and how few may go on."},
    {"[[party]]",
     "One for each party of a run between organisations, as `sotto keys new --out FILE` writes it; "
     "simulations need none."},
}};

// A line for what a key is, and one for what it means.
// clang-format off
const std::vector<StudyKey>& table() {
  static const std::vector<StudyKey> keys{
      {"[study]", "name", "text", kRequiredKey, {}, "",
       "What people call the study: in reports, and for `sotto report NAME`."},
      {"[study]", "solver", "text", kRequiredKey, {"dishuf", "pairwise", "gt", "ac"}, "",
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

      {"[graph]", "topology", "text", kRequiredKey,
       {"cycle", "path", "star", "complete", "grid", "petersen", "random-regular", "edges"}, "",
       "The shape of the graph of neighbours."},
      {"[graph]", "parties", "whole number", "as many as there are `[[party]]`", {}, "2 to 10000",
       "How many take part; `[[party]]` blocks may still be missing while a study is being made."},
      {"[graph]", "weight", "number, list of numbers, or text", "`\"metropolis\"`",
       {}, "above 0; less than 1 for all edges of a party together",
       "How much a neighbour's value counts in each round of averaging: the same for every edge, "
       "one number for each of `edges`, or `\"metropolis\"`."},
      {"[graph]", "degree", "whole number", "4", {}, "1 to parties − 1",
       "How many neighbours each party has, with `topology = \"random-regular\"`."},
      {"[graph]", "seed", "whole number", "1", {}, "0 to 2⁶³ − 1",
       "Where a `random-regular` graph is drawn from."},
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
       "What is computed of columns with known bounds: `\"log(income)\"`, `\"age * income\"`."},
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
       {"noise-aware", "exact", "psd-ridge", "adassp"}, "",
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

      {"[dishuf]", "g", "number", "0.001", {}, "1e-6 to 1000",
       "By how much the noise on the sum exceeds a trusted centre's, a factor of 1 + g: the "
       "smaller, the larger the masks."},
      {"[dishuf]", "noise", "text", "`\"per-neighbour\"`; with `lemma1` `\"shared\"`",
       {"per-neighbour", "shared"}, "",
       "Whether every neighbour sees a mask of its own, or all the same one, as in the paper, "
       "which protects from eavesdroppers only."},
      {"[dishuf]", "a_bar", "whole number", "1000", {}, "2 to 2³¹",
       "The largest multiplier of the shuffle, ā."},
      {"[dishuf]", "calibration", "text", "`\"graph\"`", {"graph", "lemma1"}, "",
       "How large masks are: computed for this graph, or as the paper's Lemma 1 says."},
      {"[dishuf]", "key_bits", "whole number", "3072", {}, "2048 to 16384, in steps of 64",
       "Bits of the Paillier keys."},
      {"[dishuf]", "randomness", "text", "`\"half\"`", {"half", "full"}, "",
       "How long the random exponents of the cipher are: half of the modulus, which also rests on "
       "the DJN assumption and is faster, or all of it."},

      {"[pairwise]", "g", "number", "0.001", {}, "1e-6 to 1000",
       "By how much the noise on the sum exceeds a trusted centre's, a factor of 1 + g: the "
       "smaller, the larger the masks."},

      {"[gt]", "truncation", "number", "the smallest that keeps δ", {}, "at least mu",
       "Where the Laplace noise is cut off."},
      {"[gt]", "keep_delta", "true or false", "`true`", {}, "",
       "Whether a truncation that has a larger δ than was asked for is refused; `false`, as in the "
       "paper's figures, is for costs of `[problem] family` alone."},
      {"[gt]", "guarantee", "text", "`\"certain\"`", {"certain", "paper"}, "",
       "Whether the noisy problem is convex for every draw, or by the paper's condition, which "
       "does not keep it so."},
      {"[gt]", "lambda_min", "number", "required for `gt`", {}, "1e-100 to 1e100",
       "A lower bound on the eigenvalues of ΣA_i that is known without the data."},
      {"[gt]", "step", "number or text", "`\"auto\"`", {}, "1e-100 to 1e100",
       "The step of gradient tracking; on a network it must be a number."},
      {"[gt]", "rounds", "whole number", "from the rate and the tolerance", {}, "1 to 100000000",
       "How many rounds; required on a network."},

      {"[problem]", "family", "text", "required without files", {"paper"}, "",
       "A random family of costs: the paper's."},
      {"[problem]", "m", "whole number", "3; with files, theirs", {}, "1 to 512",
       "How many columns the costs have."},
      {"[problem]", "seed", "whole number", "1", {}, "0 to 2⁶³ − 1",
       "Where the family is drawn from."},
      {"[problem]", "file", "text", "none", {}, "",
       "One JSON file with the costs of all parties."},
      {"[problem]", "files", "list of texts", "none", {}, "",
       "One JSON file for each party."},

      {"[network]", "min_parties", "whole number", "all", {}, "more than half of them",
       "How few may go on when somebody is lost before anything was released."},
      {"[network]", "meeting_seconds", "number", "86400", {}, "1 to 2678400",
       "How long to wait until all have shown up."},
      {"[network]", "patience_seconds", "number", "300", {}, "1 to 2678400",
       "How long to wait for one that was there."},

      {"[[party]]", "name", "text", kRequiredKey, {}, "each once",
       "What `--as` and everybody else calls the party."},
      {"[[party]]", "address", "text", "it dials out only", {}, "host:port",
       "Where the others reach it; one end of every edge needs one."},
      {"[[party]]", "fingerprint", "text, or list of two", "required on a network",
       {}, "sha256: and 64 digits 0-9a-f",
       "Which certificate is the party's, as `sotto keys show` prints it; two while a key is "
       "exchanged."},
  };
  return keys;
}
// clang-format on

}  // namespace

std::span<const StudySection> study_sections() {
  return kSections;
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
