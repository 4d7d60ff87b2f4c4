#include <gmock/gmock.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <fstream>

#include "base/random.h"
#include "support/store_crash.h"

namespace sotto {
namespace {

using testing::HasSubstr;

class StoreTrouble : public StoreTest {
 protected:
  void write_file(const std::string& bytes) const {
    std::filesystem::create_directories(home());
    ::chmod(home().c_str(), 0700);
    std::ofstream(file(), std::ios::binary) << bytes;
    ::chmod(file().c_str(), 0600);
  }
  [[nodiscard]] std::string read_file() const {
    std::ifstream stream(file(), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  // An error for a person: a name, what is wrong, where, and what would be right.
  template <class T>
  void expect_error(const Result<T>& result, const std::string& name) const {
    ASSERT_EQ(name_of(result), name);
    EXPECT_THAT(result.error().what, HasSubstr(home()));
    EXPECT_FALSE(result.error().fix.empty());
  }
  [[nodiscard]] Result<Store> try_open() const {
    return Store::open(home(), [] { return 0; });
  }
};

TEST_F(StoreTrouble, WhatIsNoDatabaseIsLeftAlone) {
  for (const std::string& bytes :
       {std::string("not a database, and long enough to look at ").append(200, '.'),
        std::string(100, '\0'), std::string(4096, '\0'), std::string("xy")}) {
    write_file(bytes);
    expect_error(try_open(), "E-store-foreign");
    EXPECT_TRUE(read_file() == bytes);
  }
}

TEST_F(StoreTrouble, AnEmptyFileIsANewStore) {
  write_file("");
  EXPECT_TRUE(try_open()) << "a crash may come between making the file and filling it";
}

TEST_F(StoreTrouble, AnotherProgramsDatabaseIsLeftAlone) {
  write_file("");
  tamper("CREATE TABLE bookmarks (url TEXT); PRAGMA user_version = 1");
  expect_error(try_open(), "E-store-foreign");
  tamper("PRAGMA application_id = 1");
  expect_error(try_open(), "E-store-foreign");
  tamper("INSERT INTO bookmarks VALUES ('still here')");
}

TEST_F(StoreTrouble, ALaterVersionsFileIsLeftAlone) {
  { const Store store = open(); }
  tamper("PRAGMA user_version = 3");
  expect_error(try_open(), "E-store-newer");
  tamper("PRAGMA user_version = 2");
  EXPECT_TRUE(try_open());
}

TEST_F(StoreTrouble, AFolderOrPipeInTheFilesPlaceIsAnError) {
  std::filesystem::create_directories(file());
  ::chmod(home().c_str(), 0700);
  expect_error(try_open(), "E-store-foreign");
  std::filesystem::remove(file());
  ASSERT_EQ(::mkfifo(file().c_str(), 0600), 0);
  expect_error(try_open(), "E-store-foreign");
  std::filesystem::remove_all(home());
  std::ofstream(home()) << "a file where the folder should be";
  expect_error(try_open(), "E-store-open");
}

// Whatever a disk does to the file's bytes: an error for people, or contents that are whole.
TEST_F(StoreTrouble, ADamagedFileIsAnErrorOrWhole) {
  {
    Store store = open_with_account();
    const auto kept = journal(store);
    for (std::size_t k = 0, first = 0; k < 40; first += Diary::records_in(k++)) {
      ASSERT_TRUE(Diary::write(*kept, k, first));
    }
  }
  const std::string whole = read_file();
  ASSERT_GT(whole.size(), 50'000U);
  constexpr std::uint64_t kSeed = 3;
  SeededRandom random(kSeed);
  int errors = 0;
  for (int round = 0; round < 150; ++round) {
    SCOPED_TRACE(fmt::format("seed {}, round {}", kSeed, round));
    std::string damaged = whole;
    const std::size_t at = random.below(round % 3 == 0 ? 4096 : damaged.size());
    if (round % 10 == 9) {
      damaged.resize(at);
    } else {
      const std::size_t length = 1 + random.below(round % 2 == 0 ? 1 : 600);
      for (std::size_t k = at; k < std::min(at + length, damaged.size()); ++k) {
        damaged[k] = static_cast<char>(random.below(256));
      }
    }
    std::filesystem::remove_all(home());
    write_file(damaged);
    auto store = try_open();
    const auto read = [&]() -> Result<std::vector<std::string>> {
      if (!store) return store.error();
      auto kept = store->journal("a1");
      if (!kept) return kept.error();
      if (auto entries = store->ledger(); !entries) return entries.error();
      return (*kept)->records();
    }();
    if (!read) {
      ++errors;
      EXPECT_THAT(read.error().name,
                  testing::AnyOf(testing::StartsWith("E-store-"), "E-run-unknown"));
      continue;
    }
    const std::size_t commits = Diary::commits_in(*read);
    EXPECT_EQ(commits, 40U);
    Diary::expect_ledger(store->ledger().value(), commits);
  }
  EXPECT_GT(errors, 30) << "the damage must be felt";
}

// Fills a disk, looks at what is there, makes room, and goes on. In a process of its own.
bool survives_a_full_disk(const std::string& home, const std::function<bool(bool)>& set_full) {
  auto store = Store::open(home, [] { return 0; });
  if (!store || !store->new_account_without_limit("table", 1e-5)) return false;
  if (!store->begin_run("a1", "energy", "beef")) return false;
  auto kept = store->journal("a1");
  if (!kept) return false;
  std::size_t count = 0;
  std::size_t commit = 0;
  const auto step = [&]() {
    auto written = Diary::write(**kept, commit, count);
    if (written) count += Diary::records_in(commit++);
    return written;
  };
  for (int k = 0; k < 5; ++k) {
    if (!step()) return false;
  }
  if (!set_full(true)) return false;
  std::string error;
  for (int k = 0; k < 1000 && error.empty(); ++k) error = name_of(step());
  if (error != "E-store-full") {
    fmt::print(stderr, "the full disk gave \"{}\"\n", error);
    return false;
  }
  // Whoever looks now sees whole commits, those that were acknowledged.
  const auto records = (*kept)->records();
  if (!records || records->size() != count) return false;
  if (!set_full(false)) return false;
  // What was staged stayed staged: only the commit is tried again.
  if (!(*kept)->commit()) return false;
  count += Diary::records_in(commit++);
  if (!step()) return false;
  kept->reset();
  store = Error{};
  auto again = Store::open(home, [] { return 0; });
  if (!again) return false;
  kept = again->journal("a1");
  if (!kept) return false;
  Diary::expect_ledger(again->ledger().value(), commit);
  return Diary::commits_in((*kept)->records().value()) == commit && !testing::Test::HasFailure();
}

TEST_F(StoreTrouble, AFileThatMayNotGrowLosesNothing) {
  EXPECT_TRUE(in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    return survives_a_full_disk(home(), [](bool full) {
      rlimit limit{};
      ::getrlimit(RLIMIT_FSIZE, &limit);
      limit.rlim_cur = full ? 300'000 : limit.rlim_max;
      return ::setrlimit(RLIMIT_FSIZE, &limit) == 0;
    });
  }));
}

TEST_F(StoreTrouble, AFullDiskLosesNothing) {
  const std::string disk = folder() + "/disk";
  std::filesystem::create_directories(disk);
  // A tiny file system that only this process sees, and that goes away with it.
  const auto mount_disk = [&] {
    return ::unshare(CLONE_NEWNS) == 0 &&
           ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
           ::mount("none", disk.c_str(), "tmpfs", 0, "size=512k") == 0;
  };
  if (!in_child(mount_disk)) GTEST_SKIP() << "NOT TESTED: mounting a small disk needs root";
  EXPECT_TRUE(in_child([&] {
    if (!mount_disk()) return false;
    return survives_a_full_disk(disk + "/home", [&](bool full) {
      const std::string ballast = disk + "/ballast";
      if (!full) return std::filesystem::remove(ballast);
      std::ofstream(ballast) << std::string(200'000, 'x');
      return true;
    });
  }));
}

TEST_F(StoreTrouble, AFullDiskLetsNoStoreBeMade) {
  EXPECT_TRUE(in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{.rlim_cur = 10'000, .rlim_max = 10'000};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
    return name_of(try_open()) == "E-store-full";
  }));
  EXPECT_TRUE(try_open()) << "with space, it is made";
}

TEST_F(StoreTrouble, AFileOrFolderThatCannotBeWrittenIsAnError) {
  { const Store store = open(); }
  // Root may write everything, so a child becomes nobody.
  constexpr uid_t kNobody = 65534;
  const bool root = ::geteuid() == 0;
  const std::vector<std::string> ours{folder(), home(), home() + "/locks", file(),
                                      home() + "/locks/open.lock"};
  const auto as_nobody = [&](const auto& body) {
    return in_child(
        [&] { return (!root || ::setresuid(kNobody, kNobody, kNobody) == 0) && body(); });
  };
  if (root) {
    for (const std::string& path : ours) ASSERT_EQ(::chown(path.c_str(), kNobody, kNobody), 0);
  }
  const auto name = [&] { return name_of(try_open()); };
  EXPECT_TRUE(as_nobody([&] { return name().empty(); }));
  ::chmod(file().c_str(), 0400);
  EXPECT_TRUE(as_nobody([&] { return name() == "E-store-read-only"; }));
  ::chmod(file().c_str(), 0600);
  ::chmod((home() + "/locks/open.lock").c_str(), 0400);
  EXPECT_TRUE(as_nobody([&] { return name() == "E-store-read-only"; }));
  ::chmod((home() + "/locks/open.lock").c_str(), 0600);
  std::filesystem::remove(file());
  ::chmod(home().c_str(), 0500);
  EXPECT_TRUE(as_nobody([&] { return name() == "E-store-read-only"; }));
  ::chmod(home().c_str(), 0700);
  EXPECT_TRUE(as_nobody([&] { return name().empty(); }));
}

}  // namespace
}  // namespace sotto
