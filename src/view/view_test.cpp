#include "view/view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>

#include "base/digest.h"
#include "base/json.h"
#include "run/home.h"
#include "run/ledger_view.h"
#include "run/run_record.h"
#include "support/raw_http.h"
#include "support/source_tree.h"
#include "support/viewed_demo.h"
#include "view/budgets.h"
#include "view/models.h"
#include "view/runs.h"

namespace sotto::view {
namespace {

using testing::HasSubstr;
using testing::Not;

class ViewOfADemo : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(ViewedDemo::get().made());
    auto opened = View::open({.folder = demo_.folder(), .homes = demo_.homes()});
    ASSERT_TRUE(opened.has_value()) << opened.error().to_string();
    view_ = std::move(*opened);
    const std::string address = view_->address();
    const auto slash = address.find('/', 7);
    authority_ = address.substr(7, slash - 7);
    token_ = address.substr(slash);
    port_ = static_cast<std::uint16_t>(std::stoi(authority_.substr(authority_.find(':') + 1)));
  }

  std::string get(const std::string& path) const {
    return raw_http::ask(
        port_, fmt::format("GET {}{} HTTP/1.1\r\nHost: {}\r\n\r\n", token_, path, authority_));
  }
  static std::string body(const std::string& answer) {
    const auto end = answer.find("\r\n\r\n");
    return end == std::string::npos ? "" : answer.substr(end + 4);
  }

  const ViewedDemo& demo_ = ViewedDemo::get();
  std::unique_ptr<View> view_;
  std::string authority_;
  std::string token_;
  std::uint16_t port_ = 0;
};

TEST_F(ViewOfADemo, HasItsPageAndItsParts) {
  EXPECT_THAT(get(""), HasSubstr("<title>sotto</title>"));
  for (const char* file : {"main.js", "parts.js", "runs.js", "plan.js", "models.js", "ledger.js"}) {
    EXPECT_THAT(get(file), HasSubstr("Content-Type: text/javascript")) << file;
  }
  EXPECT_THAT(get("style.css"), HasSubstr("--series-1"));
  EXPECT_THAT(get("icon.svg"), HasSubstr("<svg"));
  EXPECT_EQ(parse_json(body(get("about")))["studies"].size(), 2U);
  EXPECT_THAT(get("no-such-thing"), HasSubstr("HTTP/1.1 404"));
}

TEST_F(ViewOfADemo, ShowsOneRunOfFivePartiesWithItsCost) {
  const Json json = runs_json(look_at_homes(demo_.homes()));
  ASSERT_EQ(json.at("cards").size(), 1U) << "all parties share a card";
  const std::string html = json.at("cards")[0].at("html");
  for (int party = 1; party <= 5; ++party) {
    EXPECT_THAT(html, HasSubstr(fmt::format("party-{}", party)));
  }
  EXPECT_THAT(html, HasSubstr("finished"));
  EXPECT_THAT(html, HasSubstr("spent"));
  EXPECT_THAT(html, HasSubstr(" kB"));
  EXPECT_EQ(json.at("running"), 0);
  // One home alone has its own card with what its party knows.
  const Json alone = runs_json(look_at_homes({{.folder = demo_.home(2), .name = "party-2"}}));
  const std::string own = alone.at("cards")[0].at("html");
  EXPECT_THAT(own, HasSubstr("its noisy sums"));
  EXPECT_THAT(own, HasSubstr("the ring is this party"));
}

TEST_F(ViewOfADemo, ExploresModelsWithoutTouchingTheLedger) {
  const std::string before = body(get("ledger"));
  const Json runs = parse_json(body(get("models")));
  ASSERT_EQ(runs["runs"].size(), 1U) << "five parties, one release";
  const std::string run = runs["runs"][0]["id"];
  const Json own = parse_json(body(get("model?run=" + run)));
  ASSERT_TRUE(own.contains("html")) << own.dump();
  EXPECT_THAT(own["html"].get<std::string>(), HasSubstr("area_m2"));
  EXPECT_THAT(own["html"].get<std::string>(), HasSubstr("Correlations"));
  const Json other = parse_json(
      body(get("model?run=" + run + "&target=people&features=area_m2,heating&estimator=exact")));
  ASSERT_TRUE(other.contains("html")) << other.dump();
  EXPECT_THAT(other["html"].get<std::string>(), Not(HasSubstr("outdoor_c")));
  const Json ridge =
      parse_json(body(get("model?run=" + run + "&estimator=ridge&ridge=100&features=area_m2")));
  EXPECT_TRUE(ridge.contains("html")) << ridge.dump();
  EXPECT_EQ(body(get("ledger")), before);
}

TEST_F(ViewOfADemo, SaysWhatIsWrongWithAModelThatCannotBe) {
  const std::string run = parse_json(body(get("models")))["runs"][0]["id"];
  const auto error = [&](const std::string& query) {
    const Json json = parse_json(body(get("model?run=" + run + query)));
    return json.contains("error") ? json["error"].value("name", "") : "";
  };
  EXPECT_EQ(error("&target=nobody"), "E-refit-column");
  EXPECT_EQ(error("&estimator=best"), "E-solve-estimator");
  EXPECT_EQ(error("&estimator=ridge&ridge=x"), "E-view-control");
  EXPECT_EQ(parse_json(body(get("model?run=../../etc/passwd")))["error"]["name"], "E-view-run");
}

TEST_F(ViewOfADemo, DrawsEveryAccountOverTime) {
  const std::string html = budgets_json(demo_.homes()).at("html");
  for (int party = 1; party <= 5; ++party) {
    EXPECT_THAT(html, HasSubstr(fmt::format("<h3>party-{}/", party)));
  }
  EXPECT_THAT(html, HasSubstr("ε over time"));
  EXPECT_THAT(html, HasSubstr("limit: 10"));
  EXPECT_THAT(html, HasSubstr("all neighbours"));
}

// Whatever is asked for: no key, no journal, no count of a party's own rows.
TEST_F(ViewOfADemo, ServesNoKeyNoJournalAndNoCountOfOwnRows) {
  const std::string run = parse_json(body(get("models")))["runs"][0]["id"];
  std::string all;
  for (const std::string& path :
       {std::string(""), std::string("about"), std::string("plan?study=study.toml"),
        std::string("models"), "model?run=" + run, std::string("ledger")}) {
    const std::string answer = get(path);
    EXPECT_THAT(answer, HasSubstr("200 OK")) << path;
    all += answer;
  }
  raw_http::Connection stream(port_);
  stream.send(fmt::format("GET {}events HTTP/1.1\r\nHost: {}\r\n\r\n", token_, authority_));
  std::string events;
  while (events.find("\n\n", events.find("data: ")) == std::string::npos) {
    const std::string more = stream.read(1);
    ASSERT_FALSE(more.empty());
    events += more;
  }
  all += events;
  for (const char* path :
       {"../party-1/identity.key", "party-1/identity.key", "%2e%2e/party-1/identity.key",
        "party-1/party.db", "..%2fparty-1.csv", "study.toml", "party-1.log"}) {
    const std::string answer = get(path);
    EXPECT_THAT(answer, HasSubstr("HTTP/1.1 404")) << path;
    all += answer;
  }
  EXPECT_THAT(all, Not(HasSubstr("PRIVATE KEY")));
  const auto views = look_at_runs(demo_.home(1));
  ASSERT_TRUE(views.has_value());
  const auto record =
      read_record(std::filesystem::path(views->front().run.files.front()).parent_path());
  ASSERT_TRUE(record.has_value());
  ASSERT_FALSE(record->own.empty());
  const std::uint64_t rows = record->own.front().rows;
  const std::regex as_a_number(
      fmt::format("[^0-9a-f.]({}|{},{:03})[^0-9a-f]", rows, rows / 1000, rows % 1000));
  EXPECT_FALSE(std::regex_search(all, as_a_number)) << rows;
}

// All that is remembered of a home's runs, and its ledger, as text.
std::string remembered(const std::string& home) {
  std::string all;
  const auto runs = look_at_runs(home);
  EXPECT_TRUE(runs.has_value());
  for (const auto& [run, entries, holder] : *runs) {
    all += fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {}\n", run.run, run.shared, run.study,
                       run.study_hash, run.started, run.ended.value_or(0),
                       static_cast<int>(run.state), run.phase, fmt::join(run.files, ","), run.note,
                       run.abort_requested, entries.size(), holder.value_or("nobody"));
  }
  const auto ledger = read_ledger(home, "");
  EXPECT_TRUE(ledger.has_value());
  return all + to_json(*ledger).dump(1);
}

// Every file below a folder, with what is in it. SQLite's own are left out: to open one may empty
// its log, and what they hold is compared by what is remembered. A lock is a file while it is held.
std::map<std::string, std::string> files_below(const std::string& folder) {
  namespace fs = std::filesystem;
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().lexically_relative(folder).string();
    const bool of_sqlite = entry.path().filename().string().starts_with("party.db");
    if (of_sqlite || name.find("locks") != std::string::npos) continue;
    files[name] = "a folder";
    if (entry.is_directory()) continue;
    std::ifstream stream(entry.path(), std::ios::binary);
    files[name] = sha256(std::string{std::istreambuf_iterator<char>(stream), {}});
  }
  return files;
}

TEST_F(ViewOfADemo, ChangesNothingByLooking) {
  view_.reset();
  const auto all_remembered = [&] {
    std::string all;
    for (int party = 1; party <= 5; ++party) all += remembered(demo_.home(party));
    return all;
  };
  const std::string before = all_remembered();
  const auto files_before = files_below(demo_.folder());
  EXPECT_GT(files_before.size(), 20U);
  SetUp();
  const std::string run = parse_json(body(get("models")))["runs"][0]["id"];
  for (const std::string& path :
       {std::string(""), std::string("about"), std::string("models"), "model?run=" + run,
        "model?run=" + run + "&estimator=exact", std::string("ledger"),
        std::string("plan?study=study.toml"), std::string("plan?study=twenty.toml")}) {
    EXPECT_THAT(get(path), HasSubstr("200 OK")) << path;
  }
  raw_http::Connection stream(port_);
  stream.send(fmt::format("GET {}events HTTP/1.1\r\nHost: {}\r\n\r\n", token_, authority_));
  EXPECT_FALSE(stream.read(1).empty());
  EXPECT_THAT(get("save"), HasSubstr("404")) << "a link cannot save";
  view_.reset();
  EXPECT_EQ(all_remembered(), before);
  EXPECT_EQ(files_below(demo_.folder()), files_before);
}

TEST_F(ViewOfADemo, SavesOnlyWhatThePageCanSend) {
  for (const char* query : {"5", "[\"a\"]", "null", "\"text\"", "{\"epsilon\": 3}"}) {
    const std::string sent =
        fmt::format(R"({{"name": "new.toml", "replace": false, "query": {}}})", query);
    const std::string answer =
        raw_http::ask(port_, fmt::format("POST {}save HTTP/1.1\r\nHost: {}\r\nOrigin: http://{}\r\n"
                                         "Content-Type: application/json\r\nContent-Length: {}\r\n"
                                         "Connection: close\r\n\r\n{}",
                                         token_, authority_, authority_, sent.size(), sent));
    EXPECT_THAT(answer, HasSubstr("E-view-control")) << query;
    EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(demo_.folder()) / "new.toml"));
  }
}

TEST(ViewFolder, HasToBeThere) {
  const auto opened = View::open({.folder = "/no/such/folder", .homes = {}});
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().name, "E-view-folder");
  EXPECT_EQ(find_homes("/no/such/home").error().name, "E-home-missing");
}

}  // namespace
}  // namespace sotto::view
