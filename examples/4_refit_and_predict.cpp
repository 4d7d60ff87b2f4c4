// One release, many models: a run over made-up tables, then another model of the same columns and
// predictions with intervals, both from the model file alone. Nobody is asked again, nothing more
// is spent.

#include <sotto/simulate.h>

#include <cstdio>
#include <fstream>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr const char* kStudy = R"(
[study]
name   = "rents"
solver = "pairwise"

[privacy]
epsilon    = 1.0
delta      = 1e-6
unit       = "record"
neighbours = "add-remove"

[graph]
topology = "path"
parties  = 2
weight   = "metropolis"

[data]
target = { column = "rent", bounds = [0, 3000] }
[[data.feature]]
column = "area"
bounds = [15, 200]
[[data.feature]]
column = "place"
levels = ["village", "suburb", "town"]
)";

// Made-up flats: 200 + 9 for each square metre, 150 more in a suburb and 400 in a town.
std::string made_up_table(const std::string& file, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> area(20, 150);
  std::uniform_int_distribution<int> place(0, 2);
  std::normal_distribution<double> rest(0, 80);
  const char* const names[] = {"village", "suburb", "town"};
  const double more[] = {0, 150, 400};
  std::ofstream csv(file);
  csv << "area,place,rent\n";
  for (int row = 0; row < 30'000; ++row) {
    const double size = area(random);
    const int where = place(random);
    csv << size << ',' << names[where] << ',' << 200 + 9 * size + more[where] + rest(random)
        << '\n';
  }
  return file;
}

int fail(const sotto::Error& error) {
  std::fprintf(stderr, "%s\n", error.to_string().c_str());
  return static_cast<int>(error.status);
}

}  // namespace

int main() {
  using namespace sotto::v1;
  const Result<Study> study = Study::parse(kStudy, "rents.toml");
  if (!study) return fail(study.error());
  const std::vector<std::string> tables{made_up_table("north.csv", 1),
                                        made_up_table("south.csv", 2)};
  const Result<Model> model = simulate_tables(*study, tables);
  if (!model) return fail(model.error());
  std::printf("%s\n", model->text().c_str());

  // The same model, with towns in place of villages as what others are compared with.
  const Result<Model> towns = model->refit({.bases = {"place=town"}});
  if (!towns) return fail(towns.error());
  for (const Coefficient& c : towns->coefficients()) {
    std::printf("%-14s %9.2f", c.name.c_str(), c.value);
    if (c.p) std::printf("   p = %.2g", *c.p);
    std::printf("\n");
  }

  std::ofstream("new.csv") << "area,place\n60,town\n60,village\n";
  const Result<Predictions> predicted = model->predict("new.csv", 0.9);
  if (!predicted) return fail(predicted.error());
  for (std::size_t row = 0; row < predicted->values.size(); ++row) {
    const PredictionInterval& interval = predicted->intervals[row];
    std::printf("\nflat %zu: %.0f; such flats on average %.0f to %.0f, one of them %.0f to %.0f",
                row + 1, predicted->values[row], interval.mean.first, interval.mean.second,
                interval.row.first, interval.row.second);
  }
  std::printf("\n(9 times in 10)\n");
}
