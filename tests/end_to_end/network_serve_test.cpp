#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/json.h"
#include "support/party_processes.h"
#include "support/source_tree.h"

// One process and one port for several studies of a party.

namespace sotto {
namespace {

using testing::HasSubstr;

class NetworkServe : public testing::Test {
 protected:
  // Two studies of the same three parties, the second with another ε; party-1 serves both.
  NetworkServe() : parties_({.solver = "ac", .parties = 3}) {
    folder_ = parties_.folder() / "served";
    std::filesystem::create_directory(folder_);
    std::string text = read_text(parties_.study());
    std::ofstream(folder_ / "one.toml") << text;
    const auto name = text.find("name");
    text.replace(name, text.find('\n', name) - name, "name = \"the-other\"");
    std::ofstream(folder_ / "two.toml") << text;
    std::string serve = fmt::format("listen = \"{}\"\n", parties_.address(0));
    for (const char* study : {"one", "two"}) {
      serve += fmt::format(
          "[[study]]\nfile = \"{0}.toml\"\nas = \"party-1\"\ndata = \"{1}\"\naccount = "
          "\"{2}\"\nout = \"result-{0}\"\n",
          study, (parties_.folder() / "tables" / "party-1.csv").string(), kAccount);
    }
    std::ofstream(folder_ / "serve.toml") << serve;
  }

  [[nodiscard]] std::unique_ptr<Child> serve() const {
    return std::make_unique<Child>(
        std::vector<std::string>{SOTTO_PROGRAM, "serve", folder_.string(), "--home",
                                 parties_.home(0)},
        folder_ / "out", folder_ / "err");
  }
  [[nodiscard]] std::unique_ptr<Child> join(std::size_t party, const std::string& study) const {
    const std::string name = fmt::format("{}-{}", study, party + 1);
    return std::make_unique<Child>(
        std::vector<std::string>{
            SOTTO_PROGRAM, "join", (folder_ / (study + ".toml")).string(), "--as",
            Parties::name(party), "--home", parties_.home(party), "--account", kAccount, "--data",
            (parties_.folder() / "tables" / (Parties::name(party) + ".csv")).string(), "--listen",
            fmt::format("{}:{}", own_loopback(), port_of(party, study)), "--out",
            (folder_ / ("result-" + name)).string()},
        folder_ / (name + ".out"), folder_ / (name + ".err"));
  }
  // The others have a process, and so a port, for each study.
  [[nodiscard]] static std::uint16_t port_of(std::size_t party, const std::string& study) {
    static std::map<std::string, std::uint16_t> ports;
    auto& port = ports[fmt::format("{}-{}", study, party)];
    if (port == 0) port = free_port();
    return port;
  }
  [[nodiscard]] std::string model(const std::string& name) const {
    return read_text(folder_ / ("result-" + name) / "model.json");
  }
  bool serving_says(const std::string& words) const {
    return comes_true([&] { return read_text(folder_ / "err").find(words) != std::string::npos; },
                      kLongRun);
  }

  Parties parties_;
  std::filesystem::path folder_;
};

// party-3 dials party-2, so the second study's party-2 must be found at its own port.
TEST_F(NetworkServe, TakesPartInTwoStudiesAtOnceAndGoesOnAfterAPowerCut) {
  const std::string second = fmt::format("{}:{}", own_loopback(), port_of(1, "two"));
  std::string text = read_text(folder_ / "two.toml");
  text.replace(text.find(parties_.address(1)), parties_.address(1).size(), second);
  std::ofstream(folder_ / "two.toml") << text;
  const std::string first = fmt::format("{}:{}", own_loopback(), port_of(1, "one"));
  text = read_text(folder_ / "one.toml");
  text.replace(text.find(parties_.address(1)), parties_.address(1).size(), first);
  std::ofstream(folder_ / "one.toml") << text;

  auto server = serve();
  ASSERT_TRUE(serving_says("the-other: waiting for")) << read_text(folder_ / "err");
  auto one_2 = join(1, "one");
  auto two_2 = join(1, "two");
  ASSERT_TRUE(serving_says("the-other: connected to party-2")) << read_text(folder_ / "err");
  server->signal(SIGKILL);
  EXPECT_EQ(server->wait(kLongRun), -SIGKILL);
  server = serve();
  auto one_3 = join(2, "one");
  auto two_3 = join(2, "two");
  for (Child* child : {one_2.get(), two_2.get(), one_3.get(), two_3.get()}) {
    EXPECT_EQ(child->wait(kLongRun), 0)
        << read_text(folder_ / "err") << read_text(folder_ / "one-2.err")
        << read_text(folder_ / "two-3.err");
  }
  ASSERT_TRUE(serving_says("the-other: run")) << read_text(folder_ / "err");
  EXPECT_TRUE(comes_true([&] { return !model("one").empty() && !model("two").empty(); }, kLongRun));
  EXPECT_EQ(model("one"), model("one-2"));
  EXPECT_EQ(model("two"), model("two-3"));
  EXPECT_NE(model("one"), model("two"));
  server->signal(SIGTERM);
  EXPECT_EQ(server->wait(kLongRun), 0);
}

TEST_F(NetworkServe, AStudyWithAMistakeWaitsForItsCorrection) {
  const std::string right = read_text(folder_ / "two.toml");
  std::ofstream(folder_ / "two.toml") << "[study";
  auto server = serve();
  ASSERT_TRUE(serving_says("E-study-syntax")) << read_text(folder_ / "err");
  std::ofstream(folder_ / "two.toml") << right;
  EXPECT_TRUE(serving_says("the-other: waiting for")) << read_text(folder_ / "err");
  server->signal(SIGTERM);
  EXPECT_EQ(server->wait(kLongRun), 0);
}

}  // namespace
}  // namespace sotto
