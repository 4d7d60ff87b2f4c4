// One model over three parties' tables, none of which is shown, and a prediction with it. All
// parties are in this process, as in `sotto simulate --data`; between organisations each runs
// `sotto join`, and the model file is the same.

#include <sotto/simulate.h>

#include <cstdio>
#include <fstream>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr const char* kStudy = R"(
[study]
name   = "blood-pressure"
solver = "pairwise"

[privacy]
epsilon    = 1.0
delta      = 1e-6
unit       = "record"
neighbours = "add-remove"
colluders  = 1                  # holds even if one of the parties is curious

[graph]
topology = "complete"
parties  = 3
weight   = "metropolis"

[data]
target = { column = "systolic", bounds = [80, 200] }
[[data.feature]]
column = "age"
bounds = [18, 100]
[[data.feature]]
column = "smoker"
levels = ["no", "yes"]
)";

// Made-up people: 95 + 0.5·age, 6 more for smokers, and what nobody can explain.
std::string made_up_table(const std::string& file, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> age(20, 90);
  std::bernoulli_distribution smokes(0.3);
  std::normal_distribution<double> rest(0, 8);
  std::ofstream csv(file);
  csv << "age,smoker,systolic\n";
  for (int row = 0; row < 20'000; ++row) {
    const double years = age(random);
    const bool smoker = smokes(random);
    csv << years << (smoker ? ",yes," : ",no,")
        << 95 + 0.5 * years + (smoker ? 6 : 0) + rest(random) << '\n';
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
  const Result<Study> study = Study::parse(kStudy, "blood-pressure.toml");
  if (!study) return fail(study.error());
  std::vector<std::string> tables;
  for (const unsigned party : {1U, 2U, 3U}) {
    tables.push_back(made_up_table("party-" + std::to_string(party) + ".csv", party));
  }

  // The noise is drawn anew from the operating system with every run, and cannot be seeded.
  const Result<Model> model = simulate_tables(*study, tables);
  if (!model) return fail(model.error());
  std::printf("%-12s %10s   %s\n", model->target().c_str(), "value", "95 % interval");
  for (const Coefficient& c : model->coefficients()) {
    std::printf("%-12s %10.3f", c.name.c_str(), c.value);
    if (c.interval) std::printf("   %.3f to %.3f", c.interval->first, c.interval->second);
    std::printf("\n");
  }
  std::printf("the tables were made with 95, 0.5 and 6\n");

  std::ofstream("new.csv") << "smoker,age\nno,40\nyes,40\nyes,70\n";
  const Result<Predictions> predicted = model->predict("new.csv");
  if (!predicted) return fail(predicted.error());
  std::printf("\nsomebody of 40: %.1f; who smokes: %.1f; and is 70: %.1f\n", predicted->values[0],
              predicted->values[1], predicted->values[2]);
  if (const auto written = model->write("model.json"); !written) return fail(written.error());
}
