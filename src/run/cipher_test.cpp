#include <gtest/gtest.h>

#include "paillier/packing.h"
#include "run/simulate.h"
#include "support/studies.h"

namespace sotto {
namespace {

TEST(StudyCipher, GivesTheSameAnswersRealOrIdeal) {
  const Study study = study_of(paper_text(3).set("dishuf", "key_bits", "2048"));
  RunOptions options{.solvers = {Solver::kDishuf}, .seed = 3, .trials = 2};
  const auto ideal = simulate_study(study, options);
  options.cipher = CipherChoice::kPaillier;
  const auto real = simulate_study(study, options);
  ASSERT_TRUE(ideal.has_value() && real.has_value());
  ASSERT_EQ(real->runs.size(), 1U);
  ASSERT_EQ(real->runs[0].size(), 2U);
  EXPECT_EQ(ideal->runs[0].answers, real->runs[0].answers);
}

TEST(StudyCipher, NeedsAKeyThatHoldsLemma1sMaskAndSaysHowLong) {
  const auto with_key = [](std::size_t bits) {
    return study_of(paper_text(250)
                        .set("dishuf", "calibration", "\"lemma1\"")
                        .set("dishuf", "key_bits", std::to_string(bits)));
  };
  const auto refused = make_plan(with_key(2048), Solver::kDishuf);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().name, "E-key-too-short");
  EXPECT_EQ(refused.error().where, "[dishuf] key_bits");
  // 10^676.4 in steps of 2^−38.4 are 2286 bits; 32σ, ā = 1000, the difference, sign and guard: 18.
  EXPECT_NE(refused.error().fix.find("2368"), std::string::npos) << refused.error().fix;
  EXPECT_TRUE(make_plan(with_key(2368), Solver::kDishuf).has_value());
  EXPECT_FALSE(make_plan(with_key(2304), Solver::kDishuf).has_value());
  EXPECT_TRUE(make_plan(with_key(2048), Solver::kPairwise).has_value());
}

TEST(StudyCipher, MakesThePlanCountPackedCiphertexts) {
  const auto bytes = [](const char* key_bits, const char* randomness) {
    const Study study = study_of(
        paper_text(10).set("dishuf", "key_bits", key_bits).set("dishuf", "randomness", randomness));
    return make_plan(study, Solver::kDishuf)->traffic.bytes;
  };
  // m = 3, nine entries: one ciphertext each way to two neighbours, and the key: N and h.
  EXPECT_EQ(bytes("3072", "\"half\"") - bytes("2048", "\"half\""),
            2U * ((384 + 768 + 768 + 768) - (256 + 512 + 512 + 512)));
  EXPECT_EQ(bytes("3072", "\"half\"") - bytes("3072", "\"full\""), 2U * 768);
}

TEST(StudyCipher, TakesOnlyKeysThatFillWords) {
  for (const char* bits : {"2047", "2049", "2100", "16448"}) {
    const auto study = paper_text().set("dishuf", "key_bits", bits).parse();
    ASSERT_FALSE(study.has_value()) << bits;
    EXPECT_EQ(study.error().name, "E-study-value");
  }
}

}  // namespace
}  // namespace sotto
