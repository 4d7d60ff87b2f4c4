#include "run/consent/consent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "run/account.h"
#include "run/join/join_event.h"
#include "support/studies.h"
#include "support/temporary_folder.h"

namespace sotto {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class AccountOfAParty : public testing::Test {
 protected:
  [[nodiscard]] Store open() const {
    return Store::open(folder_ / "home", [] { return std::int64_t{1'700'000'000}; }).value();
  }
  [[nodiscard]] Result<AccountCost> cost(const Store& store) const {
    return account_cost(store, "table", study_, plan_,
                        store.runs_of_study("beef").value().unfinished);
  }
  // A run of another study, or of this one, that has come so far.
  void reserve(Store& store, const std::string& run, const std::string& study_hash) const {
    ASSERT_TRUE(store.begin_run(run, "energy", study_hash));
    const auto journal = store.journal(run).value();
    Debit debit = debit_of(study_, plan_, "table");
    debit.run = run;
    debit.attempt = "01";
    ASSERT_TRUE(journal->reserve(debit));
    ASSERT_TRUE(journal->commit());
  }

  const TemporaryFolder folder_;
  Study study_ = study_of(record_text());
  Plan plan_ = make_plan(study_, study_.solver).value();
};

TEST_F(AccountOfAParty, MustBeThere) {
  const Store store = open();
  EXPECT_EQ(cost(store).error().name, "E-account-unknown");
}

TEST_F(AccountOfAParty, IsAskedAgainForARunWhoseAmountWasGivenBack) {
  Store store = open();
  ASSERT_TRUE(store.new_account("table", {.epsilon = 1.2, .delta = 1e-6}));
  reserve(store, "a1", "beef");
  const auto journal = store.journal("a1").value();
  journal->restore("a1", "01");
  ASSERT_TRUE(journal->commit());
  const auto now = cost(store);
  ASSERT_TRUE(now) << now.error().to_string();
  EXPECT_FALSE(now->counted);
  EXPECT_GT(now->with_this.epsilon, now->spent.epsilon);
}

TEST_F(AccountOfAParty, WithoutALimitSaysSo) {
  Store store = open();
  ASSERT_TRUE(store.new_account_without_limit("table", 1e-6));
  const auto now = cost(store);
  ASSERT_TRUE(now) << now.error().to_string();
  EXPECT_EQ(now->asked.epsilon, 1);
  EXPECT_EQ(now->spent.epsilon, 0);
  EXPECT_NEAR(now->with_this.epsilon, 1, 1e-6);
  EXPECT_FALSE(now->limit || now->runs_left);
  EXPECT_THAT(cost_text(*now), AllOf(HasSubstr("ε = 1, δ = 1e-06 for this run of \"table\""),
                                     HasSubstr("no limit is set")));
}

TEST_F(AccountOfAParty, SaysWhatWasSpentAndWhetherTheRestIsEnough) {
  Store store = open();
  ASSERT_TRUE(store.new_account("table", {.epsilon = 1.2, .delta = 1e-6}));
  ASSERT_TRUE(cost(store));
  reserve(store, "a1", "cafe");
  const auto another = cost(store);
  ASSERT_FALSE(another) << "two runs are ε = 1.46 at 1e-6";
  EXPECT_EQ(another.error().name, "E-ledger-overdrawn");
  ASSERT_TRUE(store.set_limit("table", {.epsilon = 2, .delta = 1e-6}));
  const auto now = cost(store);
  ASSERT_TRUE(now) << now.error().to_string();
  EXPECT_NEAR(now->spent.epsilon, 1, 1e-6);
  EXPECT_GT(now->with_this.epsilon, 1.4);
  EXPECT_LT(now->with_this.epsilon, 1.5);
  EXPECT_NEAR(now->basic.epsilon, 2, 1e-6);
  EXPECT_FALSE(now->counted);
  EXPECT_THAT(cost_text(*now), HasSubstr("limit ε = 2, δ = 1e-06, 2 such runs fit"));
}

TEST_F(AccountOfAParty, IsNotChargedTwiceForARunThatGoesOn) {
  Store store = open();
  ASSERT_TRUE(store.new_account("table", {.epsilon = 1, .delta = 1e-6}));
  reserve(store, "a1", "beef");
  const auto now = cost(store);
  ASSERT_TRUE(now) << now.error().to_string();
  EXPECT_TRUE(now->counted);
  EXPECT_EQ(now->with_this.epsilon, now->spent.epsilon);
  EXPECT_THAT(cost_text(*now), HasSubstr("which the ledger holds already"));
}

Consent sample_consent() {
  const Study study = study_of(record_text());
  return {.study = study.name,
          .party = "north",
          .asked = study.privacy,
          .observers = make_plan(study, study.solver).value().adversaries,
          .cost = AccountCost{.account = "all data",
                              .asked = {1, 1e-6},
                              .spent = {2, 1e-6},
                              .with_this = {2.3, 1e-6},
                              .basic = {3, 2e-6},
                              .limit = std::nullopt,
                              .runs_left = std::nullopt},
          .items = {{CheckSubject::kData, CheckVerdict::kOk, "4711 rows", ""},
                    {CheckSubject::kBudget, CheckVerdict::kWarning, "no limit", "set one"}}};
}

TEST(ConsentLine, SaysWhatIsPromisedAgainstWhomAndWhatItCosts) {
  const std::string line = to_json_line(sample_consent(), 1'700'000'000);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto json = parse_json(line);
  EXPECT_EQ(json["time"], "2023-11-14T22:13:20Z");
  EXPECT_EQ(json["event"], "consent");
  EXPECT_EQ(json["promises"]["epsilon"], 1.0);
  EXPECT_EQ(json["promises"]["adversaries"][0]["name"], "eavesdropper");
  EXPECT_GE(json["promises"]["adversaries"].size(), 3U);
  EXPECT_EQ(json["cost"]["asked"]["epsilon"], 1.0);
  EXPECT_EQ(json["cost"]["spent"]["epsilon"], 2.0);
  EXPECT_TRUE(json["cost"]["limit"].is_null());
  EXPECT_EQ(json["checks"][1]["verdict"], "warning");
  EXPECT_THAT(json["text"].get<std::string>(),
              AllOf(HasSubstr("one row added or removed"), HasSubstr("no limit is set"),
                    HasSubstr("0 problems, 1 warning"), Not(HasSubstr("4711"))));
}

TEST(ConsentLine, IsANoteToAProgramThatDoesNotKnowIt) {
  const auto event = join_event_from(to_json_line(sample_consent(), 0));
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->kind, JoinEvent::Kind::kNote);
  EXPECT_THAT(event->text, HasSubstr("promises ε = 1"));
}

}  // namespace
}  // namespace sotto
