#include "store/store.h"

#include <gmock/gmock.h>
#include <sys/file.h>

#include <fstream>

#include "support/stores.h"

namespace sotto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(StoreTest, RemembersRunsInTheOrderTheyBegan) {
  {
    Store store = open();
    ASSERT_TRUE(store.begin_run("ff", "energy", "beef"));
    now_ -= 1000;  // a clock may be set back
    ASSERT_TRUE(store.begin_run("a1", "income", "cafe"));
    ASSERT_TRUE(store.set_phase("a1", "waiting for south"));
  }
  const Store store = open();
  const auto runs = store.runs();
  ASSERT_TRUE(runs);
  ASSERT_EQ(runs->size(), 2U);
  EXPECT_EQ((*runs)[0].run, "ff");
  EXPECT_EQ((*runs)[0].started, 1'700'000'000);
  EXPECT_EQ((*runs)[1].run, "a1");
  EXPECT_EQ((*runs)[1].study, "income");
  EXPECT_EQ((*runs)[1].study_hash, "cafe");
  EXPECT_EQ((*runs)[1].started, 1'699'999'000);
  EXPECT_EQ((*runs)[1].phase, "waiting for south");
  EXPECT_EQ((*runs)[1].state, RunState::kRunning);
  EXPECT_FALSE((*runs)[1].ended);
}

TEST_F(StoreTest, FindsTheLastUnfinishedAndTheLastFinishedRunOfAStudy) {
  Store store = open();
  for (const char* run : {"01", "02", "03", "04", "05", "06"}) {
    ASSERT_TRUE(store.begin_run(run, "energy", "beef"));
  }
  ASSERT_TRUE(store.begin_run("07", "other", "cafe"));
  ASSERT_TRUE(store.finish("01", {"model.json"}));
  ASSERT_TRUE(store.finish("02", {"/b/model.json", "/b/report\n.html"}, "fine"));
  ASSERT_TRUE(store.fail("05", "south was lost"));
  ASSERT_TRUE(store.abort("06", "asked to"));
  const auto last = store.runs_of_study("beef");
  ASSERT_TRUE(last);
  EXPECT_EQ(last->unfinished.value().run, "04");
  EXPECT_EQ(last->finished.value().run, "02");
  EXPECT_EQ(last->finished->note, "fine");
  EXPECT_EQ(last->finished->ended, now_);
  EXPECT_THAT(last->finished->files, ElementsAre("/b/model.json", "/b/report\n.html"));
  EXPECT_EQ(store.run("05")->state, RunState::kFailed);
  EXPECT_EQ(store.run("05")->note, "south was lost");
  EXPECT_EQ(store.run("06")->state, RunState::kAborted);
  const auto none = store.runs_of_study("f00d");
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->unfinished || none->finished);
}

TEST_F(StoreTest, ARunEndsOnce) {
  Store store = open();
  ASSERT_TRUE(store.begin_run("a1", "energy", "beef"));
  ASSERT_TRUE(store.finish("a1", {"/out/model.json"}));
  now_ += 60;
  EXPECT_TRUE(store.finish("a1", {"another.json"})) << "a crash may come between finish and exit";
  EXPECT_EQ(name_of(store.fail("a1", "no")), "E-run-ended");
  EXPECT_EQ(name_of(store.abort("a1", "no")), "E-run-ended");
  EXPECT_EQ(name_of(store.set_phase("a1", "again")), "E-run-ended");
  EXPECT_EQ(name_of(store.request_abort("a1")), "E-run-ended");
  const auto run = store.run("a1");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->state, RunState::kFinished);
  EXPECT_EQ(run->ended, now_ - 60);
  EXPECT_THAT(run->files, ElementsAre("/out/model.json"));
}

TEST_F(StoreTest, NamesOfRunsAreHexadecimalAndUsedOnce) {
  Store store = open();
  for (const std::string& run : {std::string(), std::string("../x"), std::string("A1"),
                                 std::string("g"), std::string("a\0b", 3), std::string(129, 'a')}) {
    EXPECT_EQ(name_of(store.begin_run(run, "energy", "beef")), "E-run-id") << run;
    EXPECT_EQ(name_of(store.lock(run)), "E-run-id") << run;
  }
  ASSERT_TRUE(store.begin_run("a1", "energy", "beef"));
  EXPECT_EQ(name_of(store.begin_run("a1", "energy", "beef")), "E-run-id");
  for (const auto& name :
       {name_of(store.run("b2")), name_of(store.journal("b2")), name_of(store.finish("b2", {})),
        name_of(store.set_phase("b2", "")), name_of(store.request_abort("b2")),
        name_of(store.abort_requested("b2"))}) {
    EXPECT_EQ(name, "E-run-unknown");
  }
  EXPECT_EQ(store.runs()->size(), 1U);
}

TEST_F(StoreTest, ARequestToAbortIsSeenByTheProcessInTheRun) {
  Store running = open();
  ASSERT_TRUE(running.begin_run("a1", "energy", "beef"));
  ASSERT_TRUE(running.begin_run("b2", "energy", "beef"));
  EXPECT_FALSE(running.abort_requested("a1").value());
  const bool asked = in_child([&] {
    auto other = Store::open(home(), [] { return 0; });
    return other && other->request_abort("a1");
  });
  ASSERT_TRUE(asked);
  EXPECT_TRUE(running.abort_requested("a1").value());
  EXPECT_FALSE(running.abort_requested("b2").value());
}

TEST_F(StoreTest, OnlyTheOwnerMayReadWhatItWritesWhateverTheUmask) {
  for (const mode_t mask : {0000, 0022, 0077, 0277}) {
    const mode_t before = ::umask(mask);
    const Store store = open();
    EXPECT_TRUE(store.lock("a1"));
    ::umask(before);
    EXPECT_EQ(mode_of(home()), 0700U);
    int files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(home())) {
      const bool is_folder = entry.is_directory();
      // A file that the umask made narrower than asked is as private.
      EXPECT_EQ(mode_of(entry.path()) & 077, 0U) << entry.path();
      if (!is_folder) ++files;
    }
    EXPECT_GE(files, 4) << "party.db, its -wal and -shm, and a lock";
    for (const char* name : {"party.db", "party.db-wal", "party.db-shm"}) {
      EXPECT_EQ(mode_of(home() + "/" + name), 0600U) << name;
    }
    std::filesystem::remove_all(home());
  }
}

TEST_F(StoreTest, WhatOthersMayReadOrReplaceIsRefused) {
  { const Store store = open(); }
  ::chmod(file().c_str(), 0640);
  const auto readable = Store::open(home(), [] { return 0; });
  EXPECT_EQ(name_of(readable), "E-store-mode");
  EXPECT_EQ(readable.error().status, Status::kRefused);
  ::chmod(file().c_str(), 0600);
  ::chmod(home().c_str(), 0770);
  EXPECT_EQ(name_of(Store::open(home(), [] { return 0; })), "E-store-mode");
  ::chmod(home().c_str(), 0755);
  EXPECT_TRUE(Store::open(home(), [] { return 0; })) << "the files are still private";
}

TEST_F(StoreTest, AHomeIsPrivateUnderANameWithASlashAtItsEndToo) {
  const mode_t before = ::umask(002);
  for (const char* end : {"/", "//", "/."}) {
    std::filesystem::remove_all(home());
    EXPECT_EQ(name_of(Store::open(home() + end, [] { return 0; })), "");
    EXPECT_EQ(mode_of(home()), 0700U) << end;
    EXPECT_EQ(mode_of(home() + "/locks"), 0700U) << end;
  }
  ::umask(before);
}

TEST_F(StoreTest, ALockIsHeldOnceAndNamesItsHolder) {
  const Store store = open();
  auto lock = store.lock("a1");
  ASSERT_TRUE(lock);
  const auto second = open().lock("a1");
  EXPECT_EQ(name_of(second), "E-store-busy");
  EXPECT_THAT(second.error().what, HasSubstr(fmt::format("process {} ", ::getpid())));
  EXPECT_TRUE(store.lock("b2")) << "another run is another lock";
  StoreLock moved = std::move(*lock);
  EXPECT_EQ(name_of(store.lock("a1")), "E-store-busy") << "a lock may move";
  { const StoreLock gone = std::move(moved); }
  EXPECT_TRUE(store.lock("a1"));
}

TEST_F(StoreTest, ALockOfAKilledProcessIsFree) {
  { const Store store = open(); }
  std::array<int, 2> ready{};
  ASSERT_EQ(::pipe(ready.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    auto store = Store::open(home(), [] { return 0; });
    auto lock = store->lock("a1");
    const char sign = lock ? 'y' : 'n';
    if (::write(ready[1], &sign, 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char sign = 0;
  ASSERT_EQ(::read(ready[0], &sign, 1), 1);
  ASSERT_EQ(sign, 'y');
  const Store store = open();
  const auto busy = store.lock("a1");
  EXPECT_EQ(name_of(busy), "E-store-busy");
  EXPECT_THAT(busy.error().what, HasSubstr(fmt::format("process {} ", child)));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(store.lock("a1"));
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_F(StoreTest, ManyProcessesMayOpenANewStoreAtOnce) {
  std::vector<pid_t> children;
  for (int k = 0; k < 8; ++k) {
    const pid_t child = ::fork();
    if (child == 0) {
      auto store = Store::open(home(), [] { return 0; });
      const bool begun = store && store->begin_run(fmt::format("{:x}", k), "energy", "beef");
      ::_exit(begun ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int state = 0;
    ::waitpid(child, &state, 0);
    EXPECT_TRUE(WIFEXITED(state) && WEXITSTATUS(state) == 0);
  }
  EXPECT_EQ(open().runs()->size(), 8U);
}

TEST_F(StoreTest, KnowsWhetherThereIsOne) {
  EXPECT_FALSE(Store::exists(home()));
  { const Store store = open(); }
  EXPECT_TRUE(Store::exists(home()));
}

TEST_F(StoreTest, ARunHasEveryPartysNameBesideItsOwn) {
  {
    Store store = open();
    ASSERT_TRUE(store.begin_run("aa", "energy", "beef"));
    EXPECT_EQ(public_id(*store.run("aa")), "aa");
    ASSERT_TRUE(store.share_name("aa", "c0ffee"));
    ASSERT_TRUE(store.share_name("aa", "c0ffee01"));
    EXPECT_EQ(store.share_name("bb", "c0ffee").error().name, "E-run-unknown");
    EXPECT_EQ(store.share_name("aa", "not hexadecimal").error().name, "E-run-id");
  }
  EXPECT_EQ(open().run("aa")->shared, "c0ffee01");
  EXPECT_EQ(public_id(*open().run("aa")), "c0ffee01");
}

TEST_F(StoreTest, WithTimesThatNoClockHasShownIsDamaged) {
  {
    Store store = open();
    ASSERT_TRUE(store.begin_run("a1", "energy", "beef"));
    ASSERT_TRUE(store.fail("a1", "so it ended"));
  }
  for (const char* times : {"started = -1", "started = 1099511627776",
                            "started = 0, ended = 9223372036854775807", "ended = -1"}) {
    tamper(fmt::format("UPDATE runs SET {}", times));
    EXPECT_EQ(name_of(open().runs()), "E-store-corrupt") << times;
  }
}

}  // namespace
}  // namespace sotto
