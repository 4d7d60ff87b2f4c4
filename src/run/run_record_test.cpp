#include "run/run_record.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "base/files.h"
#include "base/json.h"
#include "support/run_records.h"
#include "support/temporary_folder.h"

namespace sotto {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The dump of both is compared: it has every field, and a null for every infinity.
void expect_same(const RunRecord& record) {
  const std::string text = to_json(record).dump();
  const auto back = record_from_json(parse_json(text), "record.json");
  ASSERT_TRUE(back) << back.error().to_string();
  EXPECT_EQ(to_json(*back).dump(), text);
}

double finite_number() {
  return *rc::gen::map(
      rc::gen::pair(rc::gen::inRange(-1000000, 1000000), rc::gen::inRange(-30, 30)),
      [](std::pair<int, int> p) { return p.first * std::pow(10.0, p.second); });
}

double up_to_infinity() {
  return *rc::gen::inRange(0, 4) == 0 ? kInfinity : std::abs(finite_number());
}

std::optional<double> perhaps(double value) {
  return *rc::gen::arbitrary<bool>() ? std::optional(value) : std::nullopt;
}

RunRecord any_record() {
  const auto text = [] {
    return *rc::gen::element<std::string>("", "x", "ε \"quoted\" \\ /", "Süd\n", "<b>", "\u0001");
  };
  RunRecord r;
  r.study = text();
  r.study_hash = text();
  r.solver = *rc::gen::element(Solver::kGt, Solver::kDishuf, Solver::kAc, Solver::kPairwise);
  r.estimator = *rc::gen::element(Estimator::kNoiseAware, Estimator::kExact, Estimator::kPsdRidge,
                                  Estimator::kAdassp);
  r.simulated = *rc::gen::arbitrary<bool>();
  r.seed = *rc::gen::arbitrary<std::uint64_t>();
  r.epsilon = std::min(std::abs(finite_number()), 1e9);
  r.delta = *rc::gen::element(0.0, 1e-300, 1e-6, 0.1 + 0.2, 0.999);
  r.unit = *rc::gen::element(Unit::kRecord, Unit::kEntry);
  if (r.unit == Unit::kRecord || *rc::gen::arbitrary<bool>()) {
    r.neighbours = *rc::gen::element(Neighbours::kAddRemove, Neighbours::kReplace);
  }
  r.sensitivity = finite_number();
  r.kappa_bar = finite_number();
  for (int k = *rc::gen::inRange(0, 4); k > 0; --k) {
    const auto observer = *rc::gen::element(Observer::kEavesdropper, Observer::kNeighbour,
                                            Observer::kColluders, Observer::kAllNeighbours);
    const std::size_t colluders =
        observer == Observer::kColluders ? *rc::gen::inRange<std::size_t>(1, 12) : 0;
    r.adversaries.push_back({observer, up_to_infinity(), 0.25, up_to_infinity(), colluders});
  }
  r.parties = {text(), text(), text()};
  for (std::size_t k = 0; k < *rc::gen::inRange<std::size_t>(0, 3); ++k) {
    r.edges.emplace_back(k, (k + 1) % 3);
  }
  r.sum_noise_sd = up_to_infinity();
  r.central_ratio = up_to_infinity();
  r.consensus = *rc::gen::element<std::optional<ConsensusMethod>>(
      std::nullopt, ConsensusMethod::kExact, ConsensusMethod::kPlain, ConsensusMethod::kChebyshev);
  r.rounds = *rc::gen::arbitrary<std::uint64_t>();
  r.rate = finite_number();
  for (int k = *rc::gen::inRange(0, 5); k > 0; --k) {
    r.convergence.push_back({*rc::gen::arbitrary<std::uint64_t>(), up_to_infinity()});
  }
  for (int k = *rc::gen::inRange(0, 4); k > 0; --k) {
    RunRecord::Coefficient c;
    c.name = text();
    c.value = finite_number();
    c.standard_error = perhaps(std::abs(finite_number()));
    const double low = finite_number();
    if (*rc::gen::arbitrary<bool>()) c.interval = {low, low + std::abs(finite_number())};
    c.unshrunk = perhaps(finite_number());
    c.t = perhaps(finite_number());
    if (c.t) c.degrees_of_freedom = 1e-3 + up_to_infinity();
    c.p = perhaps(0.25);
    c.noise_share = perhaps(0.5);
    r.coefficients.push_back(c);
  }
  if (*rc::gen::arbitrary<bool>()) {
    const auto share = [] {
      const double value = finite_number();
      return ModelSummary::Share{.value = value, .interval = {value, value}};
    };
    ModelSummary summary;
    if (*rc::gen::arbitrary<bool>()) {
      summary.residual_sd = std::abs(finite_number());
      summary.degrees_of_freedom = 1e-3 + up_to_infinity();
      summary.r_squared = share();
      summary.f = NestedTest{.f = 2, .left_out = 3, .residual = up_to_infinity(), .p = 0.1};
      const auto d = static_cast<Eigen::Index>(r.coefficients.size());
      summary.covariance = Eigen::MatrixXd::Constant(d, d, 0.1);
    }
    summary.f_refused = text();
    summary.bases = {{.column = text(), .levels = {text(), text()}}};
    summary.words = {text()};
    r.summary = summary;
    r.explained = Explained{.share = finite_number(), .low = -1, .high = 1};
  }
  r.finished = text();
  r.version = text();
  r.errors_refused = text();
  r.noisy_rows = perhaps(finite_number());
  r.target = text();
  r.encoding = *rc::gen::element<Json>(Json(nullptr), Json{{"a", {1, 2}}}, Json::array({"b"}));
  r.warnings = {text()};
  for (int k = *rc::gen::inRange(0, 3); k > 0; --k) {
    r.own.push_back({text(), *rc::gen::arbitrary<std::uint64_t>(), 7, {{text(), 0, 12}}});
    if (*rc::gen::arbitrary<bool>()) {
      r.own.back().sources = {{"csv", text(), "", text(), text()},
                              {"postgresql", text(), text(), "", text()}};
    }
  }
  r.transcript_hash = text();
  return r;
}

RC_GTEST_PROP(RunRecord, ComesBackFromJsonAsItWas, ()) {
  const RunRecord record = any_record();
  const std::string text = to_json(record).dump();
  const auto back = record_from_json(parse_json(text), "record.json");
  RC_ASSERT(back.has_value());
  RC_ASSERT(to_json(*back).dump() == text);
}

TEST(RunRecord, ComesBackFromJsonForEverySample) {
  for (const RunRecord& record : sample::all_records()) expect_same(record);
}

// The dump alone could forget a field both ways.
TEST(RunRecord, KeepsEachFieldInItsPlace) {
  const auto back = record_from_json(to_json(sample::energy()), "record.json");
  ASSERT_TRUE(back);
  EXPECT_EQ(back->study, "energy");
  EXPECT_EQ(back->solver, Solver::kDishuf);
  EXPECT_EQ(back->estimator, Estimator::kNoiseAware);
  EXPECT_FALSE(back->simulated);
  EXPECT_EQ(back->epsilon, 1);
  EXPECT_EQ(back->delta, 1e-6);
  EXPECT_EQ(back->unit, Unit::kRecord);
  EXPECT_EQ(back->neighbours, Neighbours::kAddRemove);
  EXPECT_EQ(back->consensus, ConsensusMethod::kPlain);
  EXPECT_EQ(back->adversaries.at(1).observer, Observer::kNeighbour);
  EXPECT_EQ(back->adversaries.at(2).epsilon_at_delta, 2.4701);
  EXPECT_EQ(back->parties.at(4), "harbour");
  EXPECT_EQ(back->edges.at(4), std::pair(std::size_t{4}, std::size_t{0}));
  EXPECT_EQ(back->rate, 0.7854);
  EXPECT_EQ(back->convergence.at(7).round, 7U);
  EXPECT_EQ(back->coefficients.at(1).name, "temperature");
  EXPECT_EQ(back->coefficients.at(1).unshrunk, -1.873);
  EXPECT_EQ(back->noisy_rows, 48211.4);
  EXPECT_EQ(back->own.at(0).clipped.at(1).above, 118U);
  EXPECT_EQ(back->central_ratio, 1.001);
  EXPECT_EQ(back->target, "load_kwh");
}

TEST(RunRecord, WritesInfinityAsNullAndReadsItBack) {
  const Json json = to_json(sample::entries_by_gt());
  const Json& observer = json["privacy"]["adversaries"][2];
  EXPECT_TRUE(observer["shift"].is_null());
  EXPECT_TRUE(observer["epsilon_at_delta"].is_null());
  const auto back = record_from_json(json, "f");
  ASSERT_TRUE(back);
  EXPECT_EQ(back->adversaries.at(2).shift, kInfinity);
  EXPECT_EQ(back->adversaries.at(2).epsilon_at_delta, kInfinity);
}

// Calls `visit` with the path and the parent of every field, depth first.
void each_field(Json& json, const std::string& path,
                const std::function<void(Json&, const std::string&, const std::string&)>& visit) {
  if (json.is_object()) {
    std::vector<std::string> names;
    for (const auto& [name, value] : json.items()) names.push_back(name);
    for (const std::string& name : names) {
      const std::string full = path.empty() ? name : fmt::format("{}.{}", path, name);
      visit(json, name, full);
      if (full != "encoding") each_field(json[name], full, visit);
    }
  } else if (json.is_array()) {
    for (std::size_t i = 0; i < json.size(); ++i) {
      each_field(json[i], fmt::format("{}[{}]", path, i), visit);
    }
  }
}

RunRecord small_record() {
  RunRecord record = sample::energy();
  record.convergence.resize(2);
  record.coefficients.resize(1);
  record.summary->covariance = Eigen::MatrixXd::Ones(1, 1);
  return record;
}

void expect_complaint(const Json& json, const std::string& about) {
  const auto back = record_from_json(json, "runs/7/record.json");
  ASSERT_FALSE(back) << about;
  EXPECT_EQ(back.error().name, "E-record-json");
  EXPECT_THAT(back.error().what, HasSubstr(about));
  EXPECT_THAT(back.error().to_string(), HasSubstr("runs/7/record.json"));
  EXPECT_EQ(back.error().status, Status::kBadInput);
}

TEST(RunRecord, NamesAnyFieldThatIsMissingOrOfTheWrongType) {
  Json whole = to_json(small_record());
  std::size_t fields = 0;
  each_field(whole, "", [&](Json& parent, const std::string& name, const std::string& path) {
    ++fields;
    const Json original = parent;
    parent.erase(name);
    // How a row was obtained is not in earlier records: what is gone is then seen by the digest.
    if (name != "method") expect_complaint(whole, path + " is missing");
    parent = original;
    if (path == "encoding") return;
    parent[name] = Json::object({{"odd", 1}});
    expect_complaint(whole, path);
    parent = original;
  });
  EXPECT_GT(fields, 50U);
  EXPECT_TRUE(record_from_json(whole, "f"));
}

TEST(RunRecord, RefusesFieldsItDoesNotKnow) {
  for (const char* pointer :
       {"", "/privacy", "/privacy/adversaries/1", "/graph", "/consensus", "/accuracy",
        "/coefficients/0", "/own/0", "/own/0/clipped/2", "/summary", "/summary/f",
        "/summary/r_squared", "/summary/base_levels/0"}) {
    Json json = to_json(small_record());
    json[Json::json_pointer(pointer)]["caveat"] = "read me";
    expect_complaint(json, "caveat is not known here");
  }
}

TEST(RunRecord, RefusesValuesThatCannotBe) {
  const std::vector<std::pair<const char*, Json>> bad{
      {"/privacy/epsilon", -1},
      {"/privacy/epsilon", 1e308},
      {"/privacy/delta", 1.5},
      {"/privacy/delta", 1},
      {"/solver", "magic"},
      {"/estimator", ""},
      {"/consensus/method", "gossip"},
      {"/privacy/unit", "person"},
      {"/privacy/neighbours", ""},
      {"/privacy/adversaries/0/name", "colluders-0"},
      {"/privacy/adversaries/0/name", "colluders-02"},
      {"/privacy/adversaries/0/name", "somebody"},
      {"/privacy/adversaries/0/delta_at_epsilon", 2},
      {"/privacy/adversaries/0/shift", -0.1},
      {"/graph/edges/0", Json::array({0, 5})},
      {"/graph/edges/0", Json::array({1, 1})},
      {"/graph/edges/0", Json::array({0, 1, 2})},
      {"/coefficients/0/interval", Json::array({2, 1})},
      {"/coefficients/0/interval", Json::array({1})},
      {"/coefficients/0/standard_error", -1},
      {"/coefficients/0/value", nullptr},
      {"/coefficients/0/p", 1.5},
      {"/coefficients/0/degrees_of_freedom", 0},
      {"/summary/residual_sd", -1},
      {"/summary/degrees_of_freedom", -1},
      {"/summary/f/p", -0.1},
      {"/summary/covariance", Json::array({1, 2})},
      {"/summary/covariance", Json::array({-1})},
      {"/summary/r_squared/interval", Json::array({1})},
      {"/explained/interval", nullptr},
      {"/own/0/rows", -3},
      {"/own/0/rows", 1.5},
  };
  for (const auto& [pointer, value] : bad) {
    Json json = to_json(small_record());
    json[Json::json_pointer(pointer)] = value;
    const std::string last = std::string(pointer).substr(std::string(pointer).rfind('/') + 1);
    expect_complaint(json, last == "0" ? "graph.edges[0]" : last);
  }
  expect_complaint(Json::array(), "the record must be an object");
}

TEST(RunRecord, RefusesAFileThatWasEditedOrIsOfANewerVersion) {
  Json edited = to_json(sample::energy());
  edited["privacy"]["epsilon"] = 0.5;
  EXPECT_EQ(record_from_json(edited, "record.json").error().name, "E-model-digest");
  Json newer = to_json(sample::energy());
  newer["format"] = "sotto-run-4";
  const auto refused = record_from_json(newer, "record.json");
  EXPECT_EQ(refused.error().name, "E-model-version");
  EXPECT_THAT(refused.error().to_string(), HasSubstr("sotto-run-3"));
}

// What versions before the third did not have.
void forget_summary(Json& json) {
  for (const char* field : {"summary", "explained", "finished", "version"}) json.erase(field);
  for (Json& c : json["coefficients"]) {
    for (const char* field : {"t", "p", "degrees_of_freedom", "noise_share"}) c.erase(field);
  }
}

TEST(RunRecord, OfEarlierVersionsIsStillRead) {
  Json old = to_json(sample::energy());
  forget_summary(old);
  Json second = old;
  second["format"] = "sotto-run-2";
  const auto middle = record_from_json(with_digest(second), "record.json");
  ASSERT_TRUE(middle) << middle.error().to_string();
  EXPECT_FALSE(middle->summary.has_value());
  EXPECT_FALSE(middle->coefficients[1].p.has_value());
  old["format"] = "sotto-run-1";
  old.erase("release");
  old.erase("digest");
  const auto back = record_from_json(old, "record.json");
  ASSERT_TRUE(back) << back.error().to_string();
  EXPECT_FALSE(back->release.has_value());
  EXPECT_EQ(back->coefficients[1].standard_error, 0.0962);
}

class RecordFile : public testing::Test {
 protected:
  const TemporaryFolder folder_;
};

TEST_F(RecordFile, IsReadByItsOwnNameOrItsFolders) {
  ASSERT_TRUE(write_record(folder_ / "run" / kRecordFile, sample::energy()));
  const auto by_file = read_record(folder_ / "run" / "record.json");
  const auto by_folder = read_record(folder_ / "run");
  ASSERT_TRUE(by_file && by_folder);
  EXPECT_EQ(to_json(*by_file), to_json(sample::energy()));
  EXPECT_EQ(to_json(*by_folder), to_json(*by_file));
}

TEST_F(RecordFile, SaysWhatIsWrongWithAFileThatIsNone) {
  const auto expect = [&](const fs::path& path, const std::string& about) {
    const auto record = read_record(path);
    ASSERT_FALSE(record);
    EXPECT_EQ(record.error().name, "E-record-file");
    EXPECT_THAT(record.error().what, HasSubstr(about));
  };
  expect(folder_ / "nowhere", "nowhere");
  expect(folder_.path(), "record.json: No such file");
  ASSERT_TRUE(write_file(folder_ / "text.json", "{\"study\": "));
  expect(folder_ / "text.json", "it was cut short");
  ASSERT_TRUE(write_file(folder_ / "text.json", "[1, 2} "));
  expect(folder_ / "text.json", "it is not JSON");
}

TEST_F(RecordFile, IsReadableByItsOwnerOnlyWhenItHoldsAPartysOwnCounts) {
  const fs::path file = folder_ / kRecordFile;
  RunRecord record = sample::energy();
  record.own.clear();
  ASSERT_TRUE(write_record(file, record));
  fs::permissions(file, fs::perms{0644});
  record.own.push_back({.party = "north", .rows = 10, .dropped = 0, .clipped = {}});
  // A draft that anybody may read, as an interrupted run could leave it.
  const fs::path draft = folder_ / fmt::format("{}.{}.part", kRecordFile, ::getpid());
  ASSERT_TRUE(write_file(draft, ""));
  fs::permissions(draft, fs::perms{0644});
  ASSERT_TRUE(write_record(file, record));
  EXPECT_EQ(fs::status(file).permissions(), fs::perms{0600});
}

TEST_F(RecordFile, IsNotLostToANameThatIsNotUtf8) {
  RunRecord record = sample::energy();
  record.coefficients[0].name = "caf\xE9";
  ASSERT_TRUE(write_record(folder_ / "r.json", record));
  const auto back = read_record(folder_ / "r.json");
  ASSERT_TRUE(back);
  EXPECT_EQ(back->coefficients[0].name, "caf\uFFFD");
}

}  // namespace
}  // namespace sotto
