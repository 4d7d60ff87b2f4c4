#include <sqlite3.h>

#include <cstring>
#include <map>

#include "support/store_crash.h"

// Power cuts. A killed process leaves its writes to the kernel; a machine without power
// keeps only what was synced. These tests put a layer under SQLite that copies a file to
// another folder each time it is synced: that folder is the disk after a power cut.

namespace sotto {
namespace {

struct PowerCut {
  std::string from;                  // the folder that is watched
  std::string disk;                  // what has reached the disk
  std::map<std::string, int> syncs;  // by file
  std::function<void()> after_sync;
};
PowerCut& power() {
  static PowerCut instance;
  return instance;
}

struct WatchedFile {
  sqlite3_file base;
  std::string* path;
};
sqlite3_file* real(sqlite3_file* file) {
  return reinterpret_cast<sqlite3_file*>(reinterpret_cast<char*>(file) + sizeof(WatchedFile));
}
sqlite3_vfs* real_vfs() {
  static sqlite3_vfs* vfs = sqlite3_vfs_find(nullptr);
  return vfs;
}

void remove_what_is_gone() {
  std::vector<std::filesystem::path> gone;
  for (const auto& entry : std::filesystem::directory_iterator(power().disk)) {
    const auto there = std::filesystem::path(power().from) / entry.path().filename();
    if (!std::filesystem::exists(there)) gone.push_back(entry.path());
  }
  for (const auto& path : gone) std::filesystem::remove_all(path);
}

int sync_file(sqlite3_file* file, int flags) {
  const int code = real(file)->pMethods->xSync(real(file), flags);
  const std::string& path = *reinterpret_cast<WatchedFile*>(file)->path;
  if (code != SQLITE_OK || !path.starts_with(power().from)) return code;
  ++power().syncs[std::filesystem::path(path).filename()];
  // A descriptor that is closed here would drop SQLite's locks on the file; a single
  // process has no use for them.
  std::filesystem::copy_file(path, power().disk + path.substr(power().from.size()),
                             std::filesystem::copy_options::overwrite_existing);
  // With the first sync of a new log SQLite syncs its folder, and with it what was removed.
  if (path.ends_with("-wal")) remove_what_is_gone();
  if (power().after_sync) power().after_sync();
  return code;
}

int close_file(sqlite3_file* file) {
  const int code = real(file)->pMethods->xClose(real(file));
  delete reinterpret_cast<WatchedFile*>(file)->path;
  return code;
}

const sqlite3_io_methods kMethods{
    .iVersion = 3,
    .xClose = close_file,
    .xRead = [](sqlite3_file* f, void* to, int n,
                sqlite3_int64 at) { return real(f)->pMethods->xRead(real(f), to, n, at); },
    .xWrite = [](sqlite3_file* f, const void* from, int n,
                 sqlite3_int64 at) { return real(f)->pMethods->xWrite(real(f), from, n, at); },
    .xTruncate = [](sqlite3_file* f,
                    sqlite3_int64 n) { return real(f)->pMethods->xTruncate(real(f), n); },
    .xSync = sync_file,
    .xFileSize = [](sqlite3_file* f,
                    sqlite3_int64* n) { return real(f)->pMethods->xFileSize(real(f), n); },
    .xLock = [](sqlite3_file* f, int level) { return real(f)->pMethods->xLock(real(f), level); },
    .xUnlock = [](sqlite3_file* f,
                  int level) { return real(f)->pMethods->xUnlock(real(f), level); },
    .xCheckReservedLock =
        [](sqlite3_file* f, int* out) {
          return real(f)->pMethods->xCheckReservedLock(real(f), out);
        },
    .xFileControl = [](sqlite3_file* f, int op,
                       void* out) { return real(f)->pMethods->xFileControl(real(f), op, out); },
    .xSectorSize = [](sqlite3_file* f) { return real(f)->pMethods->xSectorSize(real(f)); },
    .xDeviceCharacteristics =
        [](sqlite3_file* f) { return real(f)->pMethods->xDeviceCharacteristics(real(f)); },
    .xShmMap =
        [](sqlite3_file* f, int page, int size, int extend, void volatile** out) {
          return real(f)->pMethods->xShmMap(real(f), page, size, extend, out);
        },
    .xShmLock = [](sqlite3_file* f, int offset, int n,
                   int flags) { return real(f)->pMethods->xShmLock(real(f), offset, n, flags); },
    .xShmBarrier = [](sqlite3_file* f) { real(f)->pMethods->xShmBarrier(real(f)); },
    .xShmUnmap = [](sqlite3_file* f,
                    int remove) { return real(f)->pMethods->xShmUnmap(real(f), remove); },
    .xFetch = [](sqlite3_file* f, sqlite3_int64 at, int n,
                 void** out) { return real(f)->pMethods->xFetch(real(f), at, n, out); },
    .xUnfetch = [](sqlite3_file* f, sqlite3_int64 at,
                   void* page) { return real(f)->pMethods->xUnfetch(real(f), at, page); }};

int open_file(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out) {
  auto* watched = reinterpret_cast<WatchedFile*>(file);
  watched->base.pMethods = nullptr;
  const int code = real_vfs()->xOpen(real_vfs(), name, real(file), flags, out);
  if (code != SQLITE_OK) return code;
  watched->path = new std::string(name != nullptr ? name : "");
  watched->base.pMethods = &kMethods;
  return code;
}

class StorePower : public StoreTest {
 protected:
  StorePower() {
    vfs_ = *real_vfs();
    vfs_.zName = "watched";
    vfs_.szOsFile = static_cast<int>(sizeof(WatchedFile)) + real_vfs()->szOsFile;
    vfs_.xOpen = open_file;
    vfs_.pNext = nullptr;
    power() = {.from = home(), .disk = folder() + "/disk", .syncs = {}, .after_sync = {}};
    std::filesystem::create_directories(power().disk + "/locks");
    ::chmod(power().disk.c_str(), 0700);
    ::chmod((power().disk + "/locks").c_str(), 0700);
    sqlite3_vfs_register(&vfs_, 1);
  }
  ~StorePower() override {
    sqlite3_vfs_unregister(&vfs_);
    sqlite3_vfs_register(real_vfs(), 1);
  }

  // The machine comes back with what the disk has, as a copy: the power may go again.
  void look_at_the_disk(std::size_t told) {
    const std::string after = folder() + "/after";
    std::filesystem::remove_all(after);
    std::filesystem::copy(power().disk, after, std::filesystem::copy_options::recursive);
    ::chmod(after.c_str(), 0700);
    auto store = Store::open(after, [] { return 0; });
    ASSERT_TRUE(store) << store.error().to_string();
    auto kept = store->journal("a1");
    ASSERT_TRUE(kept) << kept.error().to_string();
    const auto records = (*kept)->records();
    ASSERT_TRUE(records) << records.error().to_string();
    const std::size_t found = Diary::commits_in(*records);
    EXPECT_GE(found, told) << "a commit that had returned was not on the disk";
    EXPECT_LE(found, told + 1);
    Diary::expect_ledger(store->ledger().value(), found);
  }

 private:
  sqlite3_vfs vfs_{};
};

TEST_F(StorePower, ACommitIsOnTheDiskWhenItReturnsAndHalfACommitNever) {
  Store store = open_with_account();
  const auto kept = journal(store);
  std::size_t count = 0;
  std::size_t told = 0;
  // At every sync around a fold of the log into the file, and at every eighth otherwise.
  int since_fold = 0;
  int folds = power().syncs["party.db"];
  int looks = 0;
  power().after_sync = [&] {
    since_fold = folds == power().syncs["party.db"] ? since_fold + 1 : 0;
    folds = power().syncs["party.db"];
    if (since_fold > 2 && since_fold % 8 != 0) return;
    ++looks;
    look_at_the_disk(told);
  };
  // Long enough for the log to be folded into the file, and begun anew, several times.
  constexpr std::size_t kCommits = 250;
  for (std::size_t commit = 0; commit < kCommits && !HasFailure(); ++commit) {
    ASSERT_TRUE(Diary::write(*kept, commit, count));
    count += Diary::records_in(commit);
    told = commit + 1;
    if (commit % 10 == 0) look_at_the_disk(told);
  }
  power().after_sync = {};
  EXPECT_GE(looks, 30);
  EXPECT_GE(power().syncs["party.db-wal"], static_cast<int>(kCommits));
  EXPECT_GE(power().syncs["party.db"], 3) << "the log was never folded into the file";
}

}  // namespace
}  // namespace sotto
