// Folder, free ports, identities, tables, the study that names them all, and an account each.
#include <fmt/format.h>

#include <filesystem>

#include "base/files.h"
#include "base/random.h"
#include "cli/demo/demo.h"
#include "network/identity.h"
#include "network/transport.h"
#include "run/account.h"
#include "run/made_up/household_study.h"
#include "store/store.h"

namespace sotto {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMark = ".sotto-demo";
constexpr const char* kHost = "127.0.0.1";
// Below what systems give to outgoing connections: no dialling party takes another's port
// before that one listens there.
constexpr std::uint16_t kFirstPort = 20'000;
constexpr std::uint16_t kLastPort = 32'000;
constexpr int kPortTries = 1000;
constexpr std::size_t kFewParties = 20;
constexpr std::size_t kDegree = 4;
// What a party of a demo allows in all: 71 such runs, where adding up ε would allow 10.
constexpr LedgerLimit kLimit{.epsilon = 10, .delta = 1e-5};

// A folder that is not there, is empty, or holds an earlier demo.
bool may_replace(const fs::path& folder) {
  std::error_code problem;
  if (!fs::exists(fs::symlink_status(folder, problem))) return true;
  if (!fs::is_directory(folder, problem)) return false;
  return fs::exists(folder / kMark, problem) || fs::is_empty(folder, problem);
}

Result<fs::path> choose_folder(const DemoSettings& settings) {
  const fs::path folder(settings.folder);
  std::error_code problem;
  if (settings.keep) {
    fs::path beside = folder;
    for (int k = 2; fs::exists(beside, problem); ++k) {
      beside = fmt::format("{}-{}", folder.string(), k);
    }
    return beside;
  }
  if (!may_replace(folder)) {
    return bad_input("E-demo-folder", "there is something that no demo has made",
                     "name another folder with --out, or add --keep")
        .at(folder.string());
  }
  fs::remove_all(folder, problem);
  if (problem) {
    return failed("E-file-write",
                  fmt::format("the earlier demo cannot be removed: {}", problem.message()),
                  "check the folder's permissions, or name another with --out")
        .at(folder.string());
  }
  return folder;
}

Result<std::vector<std::uint16_t>> free_ports(std::size_t count) {
  std::vector<std::uint16_t> ports;
  OsRandom random;
  for (int tries = 0; ports.size() < count && tries < kPortTries; ++tries) {
    const auto port = static_cast<std::uint16_t>(
        kFirstPort + random.below(std::uint64_t{kLastPort} - kFirstPort + 1));
    const bool taken = std::ranges::find(ports, port) != ports.end();
    if (!taken && listen_problem({.host = kHost, .port = port}).empty()) ports.push_back(port);
  }
  if (ports.size() == count) return ports;
  return failed(
      "E-demo-ports",
      fmt::format("no {} free ports from {} to {} on {}", count, kFirstPort, kLastPort, kHost),
      "end what listens there; inside a sandbox, allow loopback");
}

}  // namespace

Result<DemoSetup> set_up_demo(const DemoSettings& settings) {
  SOTTO_ASSIGN(const auto folder, choose_folder(settings));
  SOTTO_ASSIGN(const auto ports, free_ports(settings.parties));
  SOTTO_TRY(write_file(folder / kMark, "sotto demo may replace this folder\n"));

  DemoSetup setup{.folder = folder.string(), .study = {}, .parties = {}};
  HouseholdStudy households{
      .folder = setup.folder, .parties = settings.parties, .rows = settings.rows};
  households.solver = settings.solver;
  // On a cycle a release passes half of the parties; here a few, whatever their number.
  if (settings.parties > kFewParties) households.degree = kDegree;
  for (std::size_t i = 0; i < settings.parties; ++i) {
    DemoParty party;
    party.name = fmt::format("party-{}", i + 1);
    party.home = (folder / party.name).string();
    party.log = (folder / (party.name + ".log")).string();
    SOTTO_ASSIGN(const auto identity, Identity::make(party.name, {kHost}));
    SOTTO_TRY(identity.save(party.home));
    households.members.push_back({.name = party.name,
                                  .address = fmt::format("{}:{}", kHost, ports[i]),
                                  .fingerprint = identity.fingerprint()});
    setup.parties.push_back(std::move(party));
  }
  SOTTO_ASSIGN(auto files, write_household_study(households));
  setup.study = files.study;
  SOTTO_ASSIGN(const auto study, read_study(setup.study));
  for (std::size_t i = 0; i < settings.parties; ++i) {
    setup.parties[i].table = files.tables[i];
    SOTTO_ASSIGN(auto store, Store::open(setup.parties[i].home, unix_seconds));
    SOTTO_TRY(store.new_account(default_account(study, static_cast<PartyId>(i)), kLimit));
  }
  return setup;
}

}  // namespace sotto
