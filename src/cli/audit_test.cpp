#include "cli/audit.h"

#include <gmock/gmock.h>

#include "support/command_line.h"

namespace sotto {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class AuditVerb : public FolderTest {
 protected:
  static CommandRun audit(std::vector<std::string> more) {
    std::vector<std::string> words{"audit", SOTTO_SOURCE_DIR "/examples/paper.toml", "--runs",
                                   "1000"};
    words.insert(words.end(), more.begin(), more.end());
    return run_sotto(std::move(words));
  }
};

TEST_F(AuditVerb, SaysWhatWasProvenOfEachObserverAndDrawsIt) {
  const CommandRun run =
      audit({"--solver", "ac", "--set", "graph.parties=4", "--chart", path("chart.svg")});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("paper: ac over 4 parties, attacked at δ = 0.2"),
                             HasSubstr("claimed ε  provable ε"), HasSubstr("all-neighbours"),
                             HasSubstr("No attack proved more than is claimed"),
                             HasSubstr("written: " + path("chart.svg"))));
  EXPECT_THAT(read(path("chart.svg")), AllOf(HasSubstr("<svg"), HasSubstr("eavesdropper"),
                                             HasSubstr("the limit at ε = 10")));
}

TEST_F(AuditVerb, PlaysNoMorePartiesThanItCan) {
  const CommandRun run = audit({"--solver", "ac", "--set", "graph.parties=100"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, AllOf(HasSubstr("error[E-audit-parties]"), HasSubstr("more than 64")));
}

TEST_F(AuditVerb, RefusesMasksThatNoLikelihoodCanTellFromNothing) {
  const CommandRun run = audit({"--set", "graph.parties=30", "--set", "privacy.colluders=0",
                                "--set", "dishuf.calibration=lemma1"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("error[E-audit-noise]"));
}

TEST_F(AuditVerb, FailsAfterItsTableWhereAClaimIsDisproved) {
  AuditReport report;
  report.observers.resize(2);
  for (AuditedObserver& observer : report.observers) {
    observer.claimed.epsilon_at_delta = 1;
    observer.likelihood = 0.97;
  }
  EXPECT_EQ(audit_outcome(report, "a table").value_or("nothing"), "a table");
  report.observers.back().counting = 1.01;
  testing::internal::CaptureStdout();
  const auto outcome = audit_outcome(report, "a table");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "a table");
  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.error().name, "E-audit");
  EXPECT_EQ(outcome.error().status, Status::kFailed) << "exit status 1";
}

}  // namespace
}  // namespace sotto
