#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "store/ledger.h"
#include "support/temporary_folder.h"

// Parties as people run them: one process each, with TLS, a journal and a ledger of its own.
namespace sotto {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A program beside the test. It ends with this object at the latest.
class Child {
 public:
  // The first word is the program; `variables` ("NAME=value") come on top of the test's own.
  Child(std::vector<std::string> words, const std::filesystem::path& out,
        const std::filesystem::path& err, const std::vector<std::string>& variables = {});
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  // Its exit status, −9 if signal 9 ended it; none if it is still there when the time is over.
  [[nodiscard]] std::optional<int> wait(milliseconds at_most);
  void signal(int number) const;
  // What it took of the processors. Precondition: it has ended.
  [[nodiscard]] double cpu_seconds() const { return cpu_seconds_; }

 private:
  pid_t id_ = -1;
  std::optional<int> status_;
  double cpu_seconds_ = 0;
};

// Looks every other millisecond. False: the time was over.
[[nodiscard]] bool comes_true(const std::function<bool()>& holds, milliseconds at_most);

// A port of own_loopback() that nobody listens at.
[[nodiscard]] std::uint16_t free_port();
// An address of loopback that no other test process uses.
[[nodiscard]] std::string own_loopback();

// Long enough for a machine that has much else to do.
inline constexpr seconds kLongRun{90};

// The account of every party, without a limit.
inline constexpr const char* kAccount = "all data";

struct NetworkOptions {
  std::string solver = "ac";
  std::size_t parties = 3;
  std::string topology = "cycle";
  std::size_t degree = 0;  // of "random-regular"
  bool tables = true;      // made-up tables, a record each; otherwise the paper's costs, by entry
  std::size_t rows = 200;
  std::string sections = {};  // more TOML, with its own headings
  std::string network = "meeting_seconds = 60\npatience_seconds = 60\n";
  // By party: host:port, or empty for one that only dials out. Missing: loopback.
  std::map<std::size_t, std::string> addresses = {};
};

struct Start {
  std::vector<std::string> before = {};     // words in front of the program: ip netns exec NAME
  std::vector<std::string> words = {};      // more options
  std::string data = {};                    // its table; empty: the CSV file that was made up
  std::vector<std::string> variables = {};  // of the environment
};

// The files of a study's parties in a folder that goes away with the test, and the
// processes that are running. Parties count from 0; the study calls them party-1, party-2, …
class Parties {
 public:
  explicit Parties(const NetworkOptions& options);
  Parties(const Parties&) = delete;
  Parties& operator=(const Parties&) = delete;

  [[nodiscard]] std::size_t size() const { return addresses_.size(); }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }
  [[nodiscard]] std::string study() const { return (folder_ / "study.toml").string(); }
  [[nodiscard]] std::string study_hash() const;  // 32 bytes
  [[nodiscard]] std::string home(std::size_t party) const;
  [[nodiscard]] std::string table(std::size_t party) const;  // made up, CSV
  [[nodiscard]] const std::string& address(std::size_t party) const { return addresses_[party]; }
  [[nodiscard]] static std::string name(std::size_t party);

  // sotto join. A second start of a party takes the place of the first, which is over.
  void start(std::size_t party, const Start& how = {});
  void start_all(const Start& how = {});
  [[nodiscard]] Child& process(std::size_t party) { return *processes_.at(party); }
  [[nodiscard]] std::optional<int> wait(std::size_t party, milliseconds at_most = kLongRun);
  // Everybody ends with this status; what they said is shown if not.
  void expect_all_end(int status, milliseconds at_most = kLongRun);

  // What a party has said since its last start, and whether it says this in time.
  [[nodiscard]] std::string said(std::size_t party) const;
  [[nodiscard]] bool says(std::size_t party, const std::string& words,
                          milliseconds at_most = kLongRun) const;
  [[nodiscard]] std::string said_by_all() const;
  // Frames that it sent, as it says at its end.
  [[nodiscard]] std::uint64_t bytes_sent(std::size_t party) const;

  [[nodiscard]] std::string model(std::size_t party) const;  // model.json; empty if there is none
  void expect_same_models(const std::vector<std::size_t>& parties) const;
  // Every party has one; who loses its store needs another.
  void make_account(std::size_t party) const;
  [[nodiscard]] std::vector<LedgerEntry> ledger(std::size_t party) const;
  // One attempt is spent, and nothing is held back for another.
  [[nodiscard]] bool spent_once(std::size_t party) const;

  // Homes as they are now, and back to that; results go.
  void keep_homes() const;
  void restore_homes();

  // Every party has drawn the key of its run, has journalled it, and was killed.
  void begin_runs_and_kill();

  // Runs the program to its end.
  [[nodiscard]] std::string sotto(const std::vector<std::string>& words) const;

 private:
  [[nodiscard]] std::string table_study(const NetworkOptions& options) const;
  [[nodiscard]] std::filesystem::path out(std::size_t party) const;

  const TemporaryFolder folder_;
  bool tables_ = true;
  std::vector<std::string> addresses_;
  std::map<std::size_t, std::unique_ptr<Child>> processes_;
};

}  // namespace sotto
