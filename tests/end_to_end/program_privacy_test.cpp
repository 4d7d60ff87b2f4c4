#include "support/program.h"

// Privacy that cannot be had: 2 where the question makes no sense, 3 where the
// answer would break what was asked for.

namespace sotto {
namespace {

using BadPrivacy = ProgramTest;

const std::vector<std::string> kNotPositive{"0", "0.0", "-0.0", "-1.0", "inf", "-inf", "nan"};

TEST_F(BadPrivacy, EpsilonIsAFiniteNumberAboveZero) {
  for (const std::string& value : kNotPositive) {
    expect_refused(paper_text().set("privacy", "epsilon", value), 2, "E-epsilon",
                   {"[privacy] epsilon, line 5, column 11", "finite number above 0"});
  }
}

TEST_F(BadPrivacy, DeltaLiesBetweenZeroAndOne) {
  for (const std::string& value : kNotPositive) {
    expect_refused(paper_text().set("privacy", "delta", value), 2, "E-delta",
                   {"[privacy] delta, line 6, column 9"});
  }
  for (const char* value : {"1", "1.0", "1.5", "1e300"}) {
    expect_refused(paper_text().set("privacy", "delta", value), 2, "E-delta",
                   {"strictly between 0 and 1"});
  }
}

TEST_F(BadPrivacy, MuIsAFiniteNumberAboveZero) {
  for (const std::string& value : kNotPositive) {
    expect_refused(paper_text().set("privacy", "mu", value), 2, "E-sensitivity",
                   {"[privacy] mu, line 8, column 6"});
  }
}

TEST_F(BadPrivacy, GIsAFiniteNumberAboveZero) {
  for (const std::string& value : kNotPositive) {
    for (const char* section : {"dishuf", "pairwise"}) {
      expect_refused(paper_text().set(section, "g", value), 2, "E-study-value",
                     {fmt::format("[{}] g, line ", section), "finite number above 0"});
    }
  }
}

TEST_F(BadPrivacy, NumbersPastWhatTheArithmeticHoldsAreRefusedAndDoNotCrash) {
  for (const char* value : {"1e-300", "1e308", "5e-324"}) {
    for (const char* key : {"epsilon", "mu"}) {
      expect_refused(paper_text().set("privacy", key, value), 2, "E-study-value", {"out of range"});
    }
    for (const char* section : {"dishuf", "pairwise"}) {
      expect_refused(paper_text().set(section, "g", value), 2, "E-study-value", {"out of range"});
    }
    expect_refused(paper_text().set("gt", "step", value), 2, "E-study-value", {"out of range"});
  }
  expect_refused(paper_text().set("privacy", "delta", "5e-324"), 2, "E-study-value");
  expect_refused(paper_text().set("dishuf", "a_bar", "1"), 2, "E-study-value");
  expect_refused(paper_text().set("dishuf", "a_bar", "4294967296"), 2, "E-study-value");
  expect_refused(paper_text().set("dishuf", "key_bits", "1024"), 2, "E-study-value");
}

TEST_F(BadPrivacy, ForgottenLinesChooseNobodysPrivacy) {
  for (const char* key : {"epsilon", "delta", "unit", "mu"}) {
    expect_refused(paper_text().remove("privacy", key), 2, "E-study-missing", {key});
  }
  expect_refused(record_text().remove("privacy", "neighbours"), 2, "E-study-missing");
}

TEST_F(BadPrivacy, AnUnstableStepIsRefusedWithTheLargestStableOne) {
  StudyText text = paper_text();
  text.set("study", "solver", "\"gt\"").set("gt", "step", "0.5");
  expect_refused(text, 2, "E-gt-step", {"unstable", "use a step below 0.00", "[gt] step"});
  const Finished run = sotto({"simulate", write("study.toml", text.text())});
  expect_error(run, 2, "E-gt-step");
}

TEST_F(BadPrivacy, ATruncationWithMoreDeltaThanAskedIsRefusedWithTheOneThatWouldDo) {
  StudyText text = paper_text();
  text.set("study", "solver", "\"gt\"").set("gt", "truncation", "3.1");
  // reference: 60-digit arithmetic, 0.35826104… and 3.27487904…
  expect_refused(text, 3, "E-gt-truncation",
                 {"δ = 0.358261", "truncation = 3.27487904", "[gt] truncation"});
  // What it names is accepted.
  text.set("gt", "truncation", "3.274879048");
  const Finished run = sotto({"plan", write("study.toml", text.text())});
  EXPECT_EQ(run.status, 0) << run.err;
}

TEST_F(BadPrivacy, TooLittleConvexityIsRefused) {
  StudyText text = paper_text();
  text.set("study", "solver", "\"gt\"").set("gt", "lambda_min", "50.0");
  expect_refused(text, 3, "E-gt-convexity", {"[gt] guarantee"});
  expect_refused(text.remove("gt", "lambda_min"), 2, "E-gt-lambda");
  for (const char* value : {"0", "-1", "inf", "nan"}) {
    expect_refused(text.set("gt", "lambda_min", value), 2, "E-study-value");
  }
}

TEST_F(BadPrivacy, GtHasNoGuaranteeForARow) {
  expect_refused(record_text().set("study", "solver", "\"gt\""), 3, "E-gt-record",
                 {"[study] solver", "unit = \"record\""});
  const std::string study = write("study.toml", record_text().text());
  expect_error(sotto({"plan", study, "--solver", "gt"}), 3, "E-gt-record");
}

TEST_F(BadPrivacy, AGraphThatColludersCanCutIsRefused) {
  StudyText text = paper_text();
  for (const char* solver : {"\"dishuf\"", "\"pairwise\""}) {
    text.set("study", "solver", solver);
    expect_refused(text.set("privacy", "colluders", "2"), 3, "E-colluders-cut",
                   {"can cut the others apart", "add edges"});
    expect_refused(text.set("privacy", "colluders", "9"), 3, "E-colluders");
  }
  text.set("graph", "topology", "\"star\"").set("graph", "weight", "0.05");
  expect_refused(text.set("privacy", "colluders", "1"), 3, "E-colluders-cut");
  expect_refused(text.set("privacy", "colluders", "-1"), 2, "E-study-value");
}

TEST_F(BadPrivacy, Lemma1RunsInExactArithmeticOnly) {
  StudyText text = paper_text();
  text.set("dishuf", "calibration", "\"lemma1\"");
  for (const char* method : {"\"plain\"", "\"chebyshev\""}) {
    expect_refused(StudyText(text).set("consensus", "method", method), 2, "E-lemma1-consensus",
                   {"[consensus] method", "\"exact\""});
  }
  expect_refused(StudyText(text).set("privacy", "colluders", "1"), 2, "E-lemma1-colluders");
}

}  // namespace
}  // namespace sotto
