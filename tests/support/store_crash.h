#pragma once

#include <gmock/gmock.h>
#include <signal.h>

#include <array>
#include <vector>

#include "base/random.h"
#include "support/stores.h"

namespace sotto {

// What a party does, as a function of the number of its commits: commit b holds 1 + b mod 3
// records whose bytes depend on their number only, and moves the ledger one step:
// attempts are reserved, and then restored or given up with a booking. So the store's contents
// tell how many commits it holds, twice.
struct Diary {
  static std::size_t records_in(std::size_t commit) { return 1 + commit % 3; }
  static std::string record(std::size_t number) {
    return std::string(1 + number * 131 % 5000, static_cast<char>('a' + number % 26));
  }
  static std::string attempt(std::size_t commit) { return fmt::format("{:04x}", commit / 2); }

  static bool given_up(std::size_t attempt) { return attempt % 2 == 1; }

  static Result<void> write(Journal& journal, std::size_t commit, std::size_t first_record) {
    for (std::size_t k = 0; k < records_in(commit); ++k) journal.append(record(first_record + k));
    if (commit % 2 == 0) {
      if (auto held = journal.reserve(debit(attempt(commit), 0.5, 0.125)); !held) return held;
    } else if (given_up(commit / 2)) {
      journal.give_up("a1", attempt(commit));
      journal.book("a1", attempt(commit), "lost", std::vector<ObserverCharge>{{"neighbour", 0, 1}});
    } else {
      journal.restore("a1", attempt(commit));
    }
    return journal.commit();
  }

  // The number of commits that lead to exactly these records; fails the test if there is none.
  static std::size_t commits_in(const std::vector<std::string>& records) {
    std::size_t commits = 0;
    std::size_t count = 0;
    while (count < records.size()) count += records_in(commits++);
    EXPECT_EQ(count, records.size()) << "the records end in the middle of a commit";
    for (std::size_t k = 0; k < records.size(); ++k) EXPECT_EQ(records[k], record(k));
    return commits;
  }

  // Whether the ledger is the one after so many commits.
  static void expect_ledger(const std::vector<LedgerEntry>& entries, std::size_t commits) {
    ASSERT_EQ(entries.size(), (commits + 1) / 2);
    for (std::size_t k = 0; k < entries.size(); ++k) {
      EXPECT_EQ(entries[k].debit.attempt, fmt::format("{:04x}", k));
      EXPECT_EQ(entries[k].debit.charges.size(), 1U);
      const bool ended = 2 * k + 1 < commits;
      EXPECT_EQ(entries[k].state, !ended        ? EntryState::kReserved
                                  : given_up(k) ? EntryState::kGivenUp
                                                : EntryState::kRestored);
      EXPECT_EQ(entries[k].bookings.size(), ended && given_up(k) ? 1U : 0U);
    }
  }
};

// A process that writes its diary for ever, and tells after each commit how many it has made.
[[noreturn]] inline void write_diary(const std::string& home, int acknowledge) {
  auto store = Store::open(home, [] { return 0; });
  if (!store) ::_exit(1);
  if (!store->account("table") && !store->new_account_without_limit("table", 1e-5)) ::_exit(7);
  if (!store->run("a1") && !store->begin_run("a1", "energy", "beef")) ::_exit(2);
  auto journal = store->journal("a1");
  if (!journal) ::_exit(3);
  const auto records = (*journal)->records();
  if (!records) ::_exit(4);
  std::size_t count = records->size();
  std::size_t commit = 0;
  for (std::size_t k = 0; k < count; k += Diary::records_in(commit++)) {
  }
  for (;; ++commit) {
    if (!Diary::write(**journal, commit, count)) ::_exit(5);
    count += Diary::records_in(commit);
    const std::uint64_t made = commit + 1;
    if (::write(acknowledge, &made, sizeof(made)) != sizeof(made)) ::_exit(6);
  }
}

class StoreCrash : public StoreTest {
 protected:
  // Kills the writer `kills` times, at instants drawn from the seed, and looks at what is
  // left after each. Returns the number of commits made.
  std::size_t kill_again_and_again(int kills, std::uint64_t seed) {
    SeededRandom random(seed);
    std::size_t kept = 0;
    for (int round = 0; round < kills && !HasFailure(); ++round) {
      SCOPED_TRACE(fmt::format("seed {}, kill {}", seed, round));
      // In every fifth round as early as while the store is being opened.
      const std::size_t told = kill_after(round % 5 != 0, random.below(10'000));
      Store store = open();
      if (!store.run("a1")) {
        EXPECT_EQ(kept, 0U);
        continue;
      }
      const auto records = journal(store)->records();
      EXPECT_TRUE(records);
      if (!records) return kept;
      const std::size_t found = Diary::commits_in(*records);
      EXPECT_GE(found, told) << "a commit that had returned is gone";
      EXPECT_GE(found, kept);
      EXPECT_LE(found, std::max(told, kept) + 1) << "more than the one that was under way";
      Diary::expect_ledger(store.ledger().value(), found);
      kept = found;
    }
    return kept;
  }

 private:
  // The last number that the writer told before it was killed: so long after it began, or
  // after its first commit.
  std::size_t kill_after(bool first_commit, std::uint64_t microseconds) {
    std::array<int, 2> pipe{};
    if (::pipe(pipe.data()) != 0) throw std::runtime_error("no pipe");
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(pipe[0]);
      write_diary(home(), pipe[1]);
    }
    ::close(pipe[1]);
    std::uint64_t told = 0;
    if (first_commit && ::read(pipe[0], &told, sizeof(told)) != sizeof(told)) told = 0;
    ::usleep(static_cast<useconds_t>(microseconds));
    ::kill(child, SIGKILL);
    int state = 0;
    ::waitpid(child, &state, 0);
    EXPECT_TRUE(WIFSIGNALED(state)) << "the writer gave up, status " << WEXITSTATUS(state);
    std::uint64_t number = 0;
    while (::read(pipe[0], &number, sizeof(number)) == sizeof(number)) told = number;
    ::close(pipe[0]);
    return told;
  }
};

}  // namespace sotto
