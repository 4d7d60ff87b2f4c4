#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "privacy/budget.h"
#include "store/store.h"
#include "support/temporary_folder.h"

namespace sotto {

// A folder of its own for each test, that goes away with it.
class StoreTest : public testing::Test {
 protected:
  [[nodiscard]] std::string folder() const { return folder_.path(); }
  [[nodiscard]] std::string home() const { return folder_ / "home"; }
  [[nodiscard]] std::string file() const { return home() + "/party.db"; }

  // Opens what must open.
  [[nodiscard]] Store open() {
    auto store = Store::open(home(), [this] { return now_; });
    if (!store) throw std::runtime_error(store.error().to_string());
    return std::move(*store);
  }
  // The account that debit() names.
  [[nodiscard]] Store open_with_account() {
    Store store = open();
    if (!store.account("table") && !store.new_account_without_limit("table", 1e-5)) {
      throw std::runtime_error("cannot make an account");
    }
    return store;
  }
  // A store with one run that has begun, and its journal.
  [[nodiscard]] std::unique_ptr<Journal> journal(Store& store, const std::string& run = "a1") {
    if (!store.run(run) && !store.begin_run(run, "energy", "beef")) {
      throw std::runtime_error("cannot begin a run");
    }
    auto opened = store.journal(run);
    if (!opened) throw std::runtime_error(opened.error().to_string());
    return std::move(*opened);
  }

  // SQL behind the store's back. Closing this drops locks of the same process, so
  // not while a store is open.
  void tamper(const std::string& sql) const {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(file().c_str(), &handle), SQLITE_OK);
    char* message = nullptr;
    const int code = sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, &message);
    const std::string reason = message != nullptr ? message : "";
    sqlite3_free(message);
    sqlite3_close(handle);
    ASSERT_EQ(code, SQLITE_OK) << reason;
  }

  std::int64_t now_ = 1'700'000'000;

 private:
  // In memory where that can be had: these tests sync thousands of times.
  const TemporaryFolder folder_{::access("/dev/shm", W_OK) == 0
                                    ? std::filesystem::path("/dev/shm")
                                    : std::filesystem::temp_directory_path()};
};

// Costs an eavesdropper `released`, and nobody knows of others.
inline Debit debit(const std::string& attempt, double released, double looks = 0,
                   const std::string& run = "a1", const std::string& data = "table") {
  Debit made;
  made.run = run;
  made.attempt = attempt;
  made.study = "energy";
  made.data = data;
  made.unit = "record";
  made.epsilon = 1;
  made.delta = 1e-6;
  made.charges = {{"eavesdropper", released, looks}};
  made.guaranteed = "eavesdropper";
  return made;
}

// A limit that allows this Σs², to a part in 10¹¹.
inline LedgerLimit limit_of_squares(double squares) {
  return {.epsilon = gaussian_epsilon(std::sqrt(squares), 1e-5), .delta = 1e-5};
}

template <class T>
std::string name_of(const Result<T>& result) {
  return result ? "" : result.error().name;
}

// Runs `body` in a process of its own; true if it says so and ends in peace. SQLite must
// not cross a fork, so the body opens what it needs.
template <class Body>
bool in_child(const Body& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body() ? 0 : 1);
  int state = 0;
  ::waitpid(child, &state, 0);
  return WIFEXITED(state) && WEXITSTATUS(state) == 0;
}

inline mode_t mode_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

}  // namespace sotto
