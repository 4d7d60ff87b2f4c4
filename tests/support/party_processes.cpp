// Starting, watching and killing `sotto join`, and reading what it left behind.

#include "support/party_processes.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <mutex>
#include <random>
#include <regex>
#include <set>
#include <thread>

#include "base/digest.h"
#include "base/json.h"
#include "store/store.h"
#include "support/source_tree.h"

namespace sotto {
namespace {

namespace fs = std::filesystem;

// What `sotto simulate` converges with, in a few rounds.
constexpr const char* kPaperStudy = R"([study]
name = "paper"
solver = "{}"
[privacy]
epsilon = 10.0
delta = 0.2
unit = "entry"
mu = 3.0
[graph]
topology = "{}"
[problem]
family = "paper"
m = 3
seed = 1
)";

std::string with_line(const std::string& text, const std::string& pattern,
                      const std::string& line) {
  return std::regex_replace(text, std::regex("(^|\n)" + pattern + "[^\n]*\n"), "$1" + line);
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

Child::Child(std::vector<std::string> words, const fs::path& out, const fs::path& err,
             const std::vector<std::string>& variables) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::vector<std::string> environment = variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    environment.emplace_back(*variable);
  }
  std::vector<char*> envp;
  for (std::string& variable : environment) envp.push_back(variable.data());
  envp.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND;
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out.c_str(), flags, 0600);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, err.c_str(), flags, 0600);
  const int failure = posix_spawnp(&id_, argv[0], &files, nullptr, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&files);
  if (failure != 0) status_ = 127;
}

Child::~Child() {
  if (status_) return;
  signal(SIGKILL);
  waitpid(id_, nullptr, 0);
}

std::optional<int> Child::wait(milliseconds at_most) {
  (void)comes_true(
      [this] {
        int state = 0;
        rusage usage{};
        if (!status_ && wait4(id_, &state, WNOHANG, &usage) == id_) {
          cpu_seconds_ = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
          status_ = WIFEXITED(state) ? WEXITSTATUS(state) : -WTERMSIG(state);
        }
        return status_.has_value();
      },
      at_most);
  return status_;
}

void Child::signal(int number) const {
  if (!status_) ::kill(id_, number);
}

bool comes_true(const std::function<bool()>& holds, milliseconds at_most) {
  const auto end = std::chrono::steady_clock::now() + at_most;
  while (!holds()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(milliseconds(2));
  }
  return true;
}

std::string own_loopback() {
  const auto id = static_cast<unsigned>(getpid());
  return fmt::format("127.{}.{}.{}", 1 + id / 254 / 256 % 250, id / 254 % 256, 1 + id % 254);
}

// Below the ports that the kernel gives to those who dial: one of them could take it away again
// before its owner comes.
std::uint16_t free_port() {
  static std::mutex mutex;
  static std::set<std::uint16_t> given;
  static std::mt19937 random(std::random_device{}());
  const std::lock_guard lock(mutex);
  std::uniform_int_distribution<std::uint16_t> any(12'000, 32'000);
  while (true) {
    const std::uint16_t port = any(random);
    if (!given.insert(port).second) continue;
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(port);
    inet_pton(AF_INET, own_loopback().c_str(), &place.sin_addr);
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool free = ::bind(socket, reinterpret_cast<const sockaddr*>(&place), sizeof(place)) == 0;
    ::close(socket);
    if (free) return port;
  }
}

Parties::Parties(const NetworkOptions& options) : tables_(options.tables) {
  std::string text = tables_
                         ? table_study(options)
                         : fmt::format(fmt::runtime(kPaperStudy), options.solver, options.topology);
  if (options.degree > 0) {
    text = with_line(text, "topology",
                     fmt::format("topology = \"{}\"\ndegree = {}\nseed = 1\n", options.topology,
                                 options.degree));
  }
  text += options.sections + "[network]\n" + options.network;
  for (std::size_t p = 0; p < options.parties; ++p) {
    const auto given = options.addresses.find(p);
    addresses_.push_back(given != options.addresses.end()
                             ? given->second
                             : fmt::format("{}:{}", own_loopback(), free_port()));
    const std::string host = addresses_[p].substr(0, addresses_[p].rfind(':'));
    (void)sotto({"keys", "new", "--name", name(p), "--host", host.empty() ? own_loopback() : host,
                 "--home", home(p)});
    make_account(p);
    const auto shown = parse_json(sotto({"keys", "show", "--home", home(p), "--format", "json"}));
    EXPECT_TRUE(shown.is_object());
    text += fmt::format("[[party]]\nname = \"{}\"\nfingerprint = \"{}\"\n", name(p),
                        shown.value("fingerprint", ""));
    if (!addresses_[p].empty()) text += fmt::format("address = \"{}\"\n", addresses_[p]);
  }
  std::ofstream(study()) << text;
}

std::string Parties::table_study(const NetworkOptions& options) const {
  (void)sotto({"generate", fmt::format("{}", options.rows), "--parties",
               fmt::format("{}", options.parties), "--out", (folder_ / "tables").string()});
  std::string text = read_text(folder_ / "tables" / "study.toml");
  text = with_line(text, "solver", fmt::format("solver = \"{}\"\n", options.solver));
  text = with_line(text, "topology", fmt::format("topology = \"{}\"\n", options.topology));
  return with_line(text, "parties", "");
}

std::string Parties::name(std::size_t party) {
  return fmt::format("party-{}", party + 1);
}

std::string Parties::home(std::size_t party) const {
  return (folder_ / fmt::format("home-{}", party + 1)).string();
}

fs::path Parties::out(std::size_t party) const {
  return folder_ / fmt::format("result-{}", party + 1);
}

std::string Parties::sotto(const std::vector<std::string>& words) const {
  std::vector<std::string> all{SOTTO_PROGRAM};
  all.insert(all.end(), words.begin(), words.end());
  Child child(all, folder_ / ".out", folder_ / ".err");
  EXPECT_EQ(child.wait(kLongRun), 0) << words.front() << read_text(folder_ / ".err");
  return read_text(folder_ / ".out");
}

std::string Parties::study_hash() const {
  return from_hex(
      parse_json(sotto({"plan", study(), "--format", "json"}))["study_hash"].get<std::string>());
}

std::string Parties::table(std::size_t party) const {
  return (folder_ / "tables" / (name(party) + ".csv")).string();
}

void Parties::start(std::size_t party, const Start& how) {
  std::vector<std::string> words = how.before;
  for (const std::string& word :
       {std::string(SOTTO_PROGRAM), std::string("join"), study(), std::string("--as"), name(party),
        std::string("--home"), home(party), std::string("--out"), out(party).string(),
        std::string("--account"), std::string(kAccount)}) {
    words.push_back(word);
  }
  if (tables_) {
    words.emplace_back("--data");
    words.push_back(how.data.empty() ? table(party) : how.data);
  }
  words.insert(words.end(), how.words.begin(), how.words.end());
  processes_.erase(party);
  processes_[party] =
      std::make_unique<Child>(words, folder_ / fmt::format("out-{}", party + 1),
                              folder_ / fmt::format("err-{}", party + 1), how.variables);
}

void Parties::start_all(const Start& how) {
  for (std::size_t p = 0; p < size(); ++p) start(p, how);
}

std::optional<int> Parties::wait(std::size_t party, milliseconds at_most) {
  return processes_.at(party)->wait(at_most);
}

void Parties::expect_all_end(int status, milliseconds at_most) {
  const auto end = std::chrono::steady_clock::now() + at_most;
  for (const auto& [party, process] : processes_) {
    const auto left =
        std::chrono::duration_cast<milliseconds>(end - std::chrono::steady_clock::now());
    EXPECT_EQ(process->wait(std::max(left, milliseconds(0))), status) << name(party) << "\n"
                                                                      << said_by_all();
  }
}

std::string Parties::said(std::size_t party) const {
  return read_text(folder_ / fmt::format("err-{}", party + 1));
}

std::string Parties::said_by_all() const {
  std::string all;
  for (const auto& [party, process] : processes_) {
    all += fmt::format("--- {}\n{}", name(party), said(party));
  }
  return all;
}

std::uint64_t Parties::bytes_sent(std::size_t party) const {
  std::smatch found;
  const std::string text = said(party);
  EXPECT_TRUE(std::regex_search(text, found, std::regex("sent ([0-9]+) bytes"))) << text;
  return found.empty() ? 0 : std::stoull(found[1]);
}

bool Parties::says(std::size_t party, const std::string& words, milliseconds at_most) const {
  return comes_true([&] { return said(party).find(words) != std::string::npos; }, at_most);
}

std::string Parties::model(std::size_t party) const {
  return read_text(out(party) / "model.json");
}

void Parties::expect_same_models(const std::vector<std::size_t>& parties) const {
  EXPECT_NE(model(parties.front()), "");
  for (const std::size_t p : parties) EXPECT_EQ(model(p), model(parties.front())) << name(p);
}

void Parties::make_account(std::size_t party) const {
  (void)sotto({"ledger", "new", kAccount, "--no-limit", "--delta", "1e-6", "--home", home(party)});
}

std::vector<LedgerEntry> Parties::ledger(std::size_t party) const {
  const auto store = Store::open(home(party), [] { return std::int64_t{0}; });
  EXPECT_TRUE(store) << store.error().to_string();
  if (!store) return {};
  const auto entries = store->ledger();
  EXPECT_TRUE(entries);
  return entries ? *entries : std::vector<LedgerEntry>{};
}

bool Parties::spent_once(std::size_t party) const {
  const auto entries = ledger(party);
  return std::ranges::count(entries, EntryState::kSpent, &LedgerEntry::state) == 1 &&
         std::ranges::count(entries, EntryState::kReserved, &LedgerEntry::state) == 0;
}

void Parties::keep_homes() const {
  for (std::size_t p = 0; p < size(); ++p) {
    fs::copy(home(p), home(p) + ".kept", fs::copy_options::recursive);
  }
}

void Parties::restore_homes() {
  processes_.clear();
  for (std::size_t p = 0; p < size(); ++p) {
    fs::remove_all(home(p));
    fs::remove_all(out(p));
    fs::copy(home(p) + ".kept", home(p), fs::copy_options::recursive);
  }
}

void Parties::begin_runs_and_kill() {
  for (std::size_t p = 0; p < size(); ++p) {
    start(p);
    EXPECT_TRUE(says(p, "waiting for")) << said(p);
    process(p).signal(SIGKILL);
    EXPECT_EQ(wait(p), -SIGKILL);
  }
}

}  // namespace sotto
