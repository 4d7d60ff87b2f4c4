// The audit on small studies: it reaches what is claimed, not more, and finds a claim that is
// false.
#include "run/audit/audit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "run/audit/attack.h"
#include "study/study.h"

namespace sotto {
namespace {

Study study_of(const std::string& privacy, const std::string& rest) {
  const std::string text = "[study]\nname = \"small\"\nsolver = \"ac\"\n[privacy]\n" + privacy +
                           "colluders = 1\n[graph]\ntopology = \"cycle\"\nparties = 4\n"
                           "weight = 0.3\n" +
                           rest;
  auto study = parse_study(text, "small.toml");
  EXPECT_TRUE(study.has_value()) << (study ? "" : study.error().to_string());
  return std::move(*study);
}

Study entries() {
  return study_of("epsilon = 1\ndelta = 0.05\nunit = \"entry\"\nmu = 1\n",
                  "[problem]\nfamily = \"paper\"\nm = 1\nseed = 1\n[gt]\nlambda_min = 200\n");
}

Study entries_under_shared_masks() {
  return study_of("epsilon = 1\ndelta = 0.05\nunit = \"entry\"\nmu = 1\n",
                  "[problem]\nfamily = \"paper\"\nm = 1\nseed = 1\n[dishuf]\nnoise = \"shared\"\n");
}

Study rows(const std::string& neighbours) {
  return study_of(
      "epsilon = 1\ndelta = 1e-6\nunit = \"record\"\nneighbours = \"" + neighbours + "\"\n",
      "[data]\ntarget = { column = \"y\", bounds = [0, 2] }\n"
      "[[data.feature]]\ncolumn = \"x\"\nbounds = [0, 1]\n");
}

PlannedStudy planned(const Study& study, Solver solver) {
  auto result = plan_study(study, solver);
  EXPECT_TRUE(result.has_value()) << (result ? "" : result.error().to_string());
  return std::move(*result);
}

// Masks as small as the noise that stays: otherwise the best test hardly looks at what they hide.
PlannedStudy with_small_masks(PlannedStudy study) {
  auto& noise = std::get<ShuffleNoise>(study.plan.noise);
  noise.sigma_eta = 2 * noise.sigma_gamma;
  return study;
}

// z ~ N(distance·s, 1), whoever watches: the model that the likelihood ratio rests on is what the
// machines do.
TEST(AuditAttack, SeesWhatItsModelSays) {
  const PlannedStudy shared = planned(entries_under_shared_masks(), Solver::kDishuf);
  const PlannedStudy studies[] = {planned(entries(), Solver::kAc),
                                  planned(entries(), Solver::kPairwise),
                                  planned(entries(), Solver::kDishuf),
                                  with_small_masks(planned(entries(), Solver::kDishuf)),
                                  shared,
                                  with_small_masks(shared)};
  for (std::size_t k = 0; k < std::size(studies); ++k) {
    const PlannedStudy& study = studies[k];
    SCOPED_TRACE(testing::Message() << to_string(study.plan.solver) << ", study " << k);
    // Shared masks are on several edges: a model that forgets it is off by some tenths.
    const int runs = k + 1 == std::size(studies) ? 8000 : 300;
    for (const std::vector<PartyId>& members :
         {std::vector<PartyId>{}, std::vector<PartyId>{1}, std::vector<PartyId>{1, 3}}) {
      // Over a network `pairwise` agrees on its masks by X25519: once here, for all the audits that
      // do without.
      const auto agreement = members.empty() ? Agreement::kX25519 : Agreement::kIdeal;
      const auto attack =
          attack_on_release(study, entry_moved(study, 0), 0, members, exact_noise, agreement);
      for (const double distance : {0.0, 3.0}) {
        double sum = 0;
        double squares = 0;
        for (std::uint64_t run = 0; run < static_cast<std::uint64_t>(runs); ++run) {
          const auto seen = attack->sight(distance, 5, run);
          ASSERT_TRUE(seen.has_value()) << seen.error().to_string();
          const double residual = seen->z - distance * seen->s;
          sum += residual;
          squares += residual * residual;
        }
        EXPECT_NEAR(sum / runs, 0, 5 / std::sqrt(runs));
        EXPECT_NEAR(squares / runs, 1, 5 * std::sqrt(2.0 / runs));
      }
    }
  }
}

TEST(AuditAttack, KnowsTheMostThatARunCanAdd) {
  const PlannedStudy study = planned(entries(), Solver::kAc);
  const auto attack = attack_on_release(study, entry_moved(study, 0), 0, {});
  for (const double epsilon : {0.5, 2.0}) {
    for (const double distance : {1.5, 4.0, 23.0}) {
      for (const double s : {0.2, 1.0}) {
        double most = -1e9;
        for (int k = 0; k < 40'000; ++k) {
          const Sighting run{.z = 1e-3 * k, .s = s, .seen = {}};
          const double ratio = attack->log_ratio(run, 0, 1);
          if (ratio <= epsilon) continue;
          most = std::max(
              most, attack->log_ratio(run, distance, 1) + std::log(-std::expm1(epsilon - ratio)));
        }
        EXPECT_NEAR(most, attack->log_largest_excess(epsilon, distance, s), 1e-3);
      }
    }
  }
}

// Of Laplace noise δ falls with the scale and rises again, so the ends of an interval say nothing
// of what is between them; but what one run adds is no less there than at one of them.
TEST(AuditAttack, OfLaplaceNoiseARunAddsNoLessBetweenTwoScalesThanAtOneOfThem) {
  const PlannedStudy study = planned(entries(), Solver::kGt);
  const auto attack = attack_on_cost(study, entry_moved(study, 0), 0);
  ASSERT_FALSE(attack->rises_with_stretch());
  const double far = attack->tilt(1, 1);
  int compared = 0;
  const double reach = std::get<GradientNoise>(study.plan.noise).on_grid.largest() + 1;
  for (const double distance : {1.0, far}) {
    for (const double epsilon : {0.5, 0.9, 1.0, 1.1}) {
      for (double z = -1; z < reach; z += 0.01) {
        const auto adds = [&](double stretch) {
          const Sighting run = attack->as_measured({.z = z, .s = 1, .seen = {}}, distance,
                                                   {.slope = 1, .scatter = 1, .error = 0}, stretch);
          const double ratio = attack->log_ratio(run, 0, 1);
          return ratio <= epsilon
                     ? 0
                     : std::exp(attack->log_ratio(run, distance, 1)) * -std::expm1(epsilon - ratio);
        };
        const double least = std::min(adds(0.9), adds(1.1));
        compared += least > 0 ? 1 : 0;
        for (const double between : {0.95, 1.0, 1.05}) {
          EXPECT_GE(adds(between), least * (1 - 1e-12)) << z << " " << distance;
        }
      }
    }
  }
  EXPECT_GT(compared, 1000);
}

TEST(AuditAttack, MovesARowAsFarAsTheSensitivityAllowsAndNoFarther) {
  for (const char* neighbours : {"add-remove", "replace"}) {
    const PlannedStudy study = planned(rows(neighbours), Solver::kAc);
    const double share = row_moved(study, 1).moved / study.study.privacy.sensitivity.value();
    EXPECT_LE(share, 1 + 1e-9) << neighbours;
    EXPECT_GE(share, 0.9) << neighbours;
  }
}

TEST(Audit, ProvesNoMoreThanIsClaimedAndMostOfIt) {
  for (const Solver solver : {Solver::kAc, Solver::kDishuf, Solver::kGt}) {
    const auto report = audit_study(planned(entries(), solver), {.seed = 3, .runs = 1000});
    ASSERT_TRUE(report.has_value()) << report.error().to_string();
    EXPECT_FALSE(report->disproved()) << to_string(solver);
    for (const AuditedObserver& observer : report->observers) {
      EXPECT_GE(observer.provable(), 0.6 * observer.claimed.epsilon_at_delta)
          << to_string(solver) << " " << observer_name(observer.claimed) << " " << observer.change;
    }
  }
}

TEST(Audit, WorksAtATinyDelta) {
  const auto report =
      audit_study(planned(rows("add-remove"), Solver::kPairwise), {.seed = 3, .runs = 2000});
  ASSERT_TRUE(report.has_value()) << report.error().to_string();
  EXPECT_FALSE(report->disproved());
  EXPECT_GE(report->observers[0].likelihood, 0.8 * report->observers[0].claimed.epsilon_at_delta);
}

TEST(Audit, HasARowForEveryObserverOfThePlan) {
  for (const Solver solver : {Solver::kAc, Solver::kGt}) {
    const PlannedStudy study = planned(entries(), solver);
    const auto report = audit_study(study, {.seed = 3, .runs = 1000});
    ASSERT_TRUE(report.has_value()) << report.error().to_string();
    ASSERT_EQ(report->observers.size(), study.plan.adversaries.size());
    for (std::size_t k = 0; k < report->observers.size(); ++k) {
      EXPECT_EQ(observer_name(report->observers[k].claimed),
                observer_name(study.plan.adversaries[k]));
    }
  }
}

// The coalitions of twenty among forty are 10¹¹: some of them are ranked, and no others are gone
// through.
TEST(Audit, DoesNotGoThroughMoreCoalitionsThanItRanks) {
  const auto study = parse_study(
      "[study]\nname = \"many\"\nsolver = \"ac\"\n[privacy]\nepsilon = 1\ndelta = 0.05\n"
      "unit = \"entry\"\nmu = 1\ncolluders = 20\n[graph]\ntopology = \"complete\"\nparties = 40\n"
      "weight = \"metropolis\"\n[problem]\nfamily = \"paper\"\nm = 1\nseed = 1\n",
      "many.toml");
  ASSERT_TRUE(study.has_value()) << study.error().to_string();
  const auto report = audit_study(planned(*study, Solver::kAc), {.seed = 3, .runs = 50});
  ASSERT_TRUE(report.has_value()) << report.error().to_string();
  EXPECT_EQ(report->observers.at(2).members.size(), 20U);
}

// Noise that is smaller than its sampler was asked for.
class WeakNoise final : public NoiseSource {
 public:
  WeakNoise(RandomSource& random, double gaussian, double laplace)
      : noise_(exact_noise(random)), gaussian_(gaussian), laplace_(laplace) {}
  [[nodiscard]] Integer gaussian(const Integer& sigma) override {
    return noise_->gaussian(floor(Rational(sigma) * gaussian_));
  }
  [[nodiscard]] Integer truncated_laplace(const Rational& scale, const Integer& bound) override {
    return noise_->truncated_laplace(scale * laplace_, bound);
  }
  [[nodiscard]] Integer laplace(const Rational& scale) override {
    return noise_->laplace(scale * laplace_);
  }
  [[nodiscard]] Integer uniform(const Integer& low, const Integer& high) override {
    return noise_->uniform(low, high);
  }

 private:
  std::unique_ptr<NoiseSource> noise_;
  Rational gaussian_;
  Rational laplace_;
};

bool found_with(const PlannedStudy& study, double gaussian, double laplace, std::size_t runs) {
  AuditRequest request{.seed = 3, .runs = runs};
  request.noise = [=](RandomSource& random) {
    return std::make_unique<WeakNoise>(random, gaussian, laplace);
  };
  const auto report = audit_study(study, request);
  EXPECT_TRUE(report.has_value()) << report.error().to_string();
  return report && report->disproved();
}

// The plan and its model are as they should be, and what parties draw is four fifths of it.
TEST(Audit, FindsPartiesThatDrawLessThanThePlanSays) {
  EXPECT_TRUE(found_with(planned(entries(), Solver::kAc), 0.8, 1, 4000));
  EXPECT_FALSE(found_with(planned(entries(), Solver::kAc), 1, 1, 1000));
  for (const Solver solver : {Solver::kAc, Solver::kPairwise, Solver::kDishuf}) {
    EXPECT_TRUE(found_with(planned(rows("replace"), solver), 0.8, 1, 2000)) << to_string(solver);
  }
  const PlannedStudy tracking = planned(entries(), Solver::kGt);
  EXPECT_TRUE(found_with(tracking, 0.8, 1, 8000));
  EXPECT_TRUE(found_with(tracking, 1, 0.8, 8000));
  EXPECT_FALSE(found_with(tracking, 1, 1, 1000));
}

// The plan has less noise than its rows were computed for, and parties draw what it says.
TEST(Audit, FindsAPlanThatClaimsTooMuch) {
  const auto found = [](PlannedStudy study, const auto& spoil) {
    spoil(study.plan.noise);
    const auto report = audit_study(study, {.seed = 3, .runs = 4000});
    EXPECT_TRUE(report.has_value());
    return report && report->disproved();
  };
  EXPECT_TRUE(found(planned(entries(), Solver::kAc),
                    [](Noise& noise) { std::get<LocalNoise>(noise).sigma *= 0.8; }));
  EXPECT_TRUE(found(planned(entries(), Solver::kGt),
                    [](Noise& noise) { std::get<GradientNoise>(noise).sigma_eta *= 0.8; }));
  const PlannedStudy pairwise = planned(rows("add-remove"), Solver::kPairwise);
  const PlannedStudy shuffle = planned(rows("add-remove"), Solver::kDishuf);
  EXPECT_TRUE(
      found(pairwise, [](Noise& noise) { std::get<PairwiseNoise>(noise).sigma_gamma *= 0.8; }));
  EXPECT_TRUE(found(
      shuffle, [](Noise& noise) { std::get<ShuffleNoise>(noise).sigma_gamma *= Rational(4, 5); }));
  // Masks are so much larger than γ that four fifths of them would change ε by less than a
  // hundredth; a twentieth does not hide.
  EXPECT_TRUE(
      found(pairwise, [](Noise& noise) { std::get<PairwiseNoise>(noise).sigma_edge /= 20; }));
  EXPECT_TRUE(found(
      shuffle, [](Noise& noise) { std::get<ShuffleNoise>(noise).sigma_eta *= Rational(1, 20); }));
}

TEST(Audit, GivesTheSameBitsOnAnyNumberOfThreads) {
  const PlannedStudy study = planned(entries(), Solver::kAc);
  const auto one = audit_study(study, {.seed = 9, .runs = 1000, .threads = 1});
  const auto two = audit_study(study, {.seed = 9, .runs = 1000, .threads = 2});
  ASSERT_TRUE(one.has_value() && two.has_value());
  for (std::size_t k = 0; k < one->observers.size(); ++k) {
    EXPECT_EQ(one->observers[k].provable(), two->observers[k].provable());
  }
}

}  // namespace
}  // namespace sotto
