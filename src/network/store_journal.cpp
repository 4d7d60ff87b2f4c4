#include "network/store_journal.h"

#include <fmt/format.h>

#include "session/digest.h"

namespace sotto {
namespace {

std::string chain_next(const std::string& previous, std::string_view record) {
  return Digest("sotto record").add(std::string_view(previous)).add(record).value();
}

class StoreJournal final : public Journal {
 public:
  StoreJournal(std::shared_ptr<Database> database, UnixClock clock, std::string run,
               std::int64_t owner)
      : database_(std::move(database)),
        clock_(std::move(clock)),
        run_(std::move(run)),
        owner_(owner),
        head_(journal_head(run_)) {}

  // Goes to the end of what is kept, and checks it on the way.
  Result<void> catch_up() {
    std::string digest = journal_head(run_);
    std::int64_t count = 0;
    auto walked = walk([&](const std::string&) { ++count; }, digest);
    if (!walked) return walked;
    count_ = count;
    head_ = digest;
    return {};
  }

  Result<std::vector<std::string>> records() const override {
    std::vector<std::string> records;
    std::string digest = journal_head(run_);
    auto walked = walk([&](std::string bytes) { records.push_back(std::move(bytes)); }, digest);
    if (!walked) return tl::unexpected(walked.error());
    return records;
  }

  void append(std::string_view record) override { staged_records_.emplace_back(record); }

  // A rehearsal of commit()'s moves: checked where they will count, then taken back.
  Result<void> reserve(const Debit& debit) override {
    staged_moves_.push_back({.to = EntryState::kReserved, .debit = debit});
    auto possible = [&]() -> Result<void> {
      auto transaction = Transaction::begin(*database_);
      if (!transaction) return tl::unexpected(transaction.error());
      return apply_moves();
    }();
    if (!possible) staged_moves_.pop_back();
    return possible;
  }

  void spend(std::string_view run, std::string_view attempt) override {
    stage(EntryState::kSpent, run, attempt);
  }

  void restore(std::string_view run, std::string_view attempt) override {
    stage(EntryState::kRestored, run, attempt);
  }

  Result<void> commit() override {
    if (staged_records_.empty() && staged_moves_.empty()) return {};
    auto transaction = Transaction::begin(*database_);
    if (!transaction) return tl::unexpected(transaction.error());
    if (auto moved = apply_moves(); !moved) return moved;
    auto digest = write_records();
    if (!digest) return tl::unexpected(digest.error());
    if (auto committed = transaction->commit(); !committed) return committed;
    count_ += static_cast<std::int64_t>(staged_records_.size());
    head_ = std::move(*digest);
    staged_records_.clear();
    staged_moves_.clear();
    return {};
  }

 private:
  void stage(EntryState to, std::string_view run, std::string_view attempt) {
    LedgerMove move{.to = to, .debit = {}};
    move.debit.run = run;
    move.debit.attempt = attempt;
    staged_moves_.push_back(std::move(move));
  }

  Result<void> apply_moves() {
    if (staged_moves_.empty()) return {};
    auto rows = database_->query("SELECT state FROM runs WHERE id = ?", owner_);
    if (!rows) return tl::unexpected(rows.error());
    const auto row = rows->step();
    if (!row) return tl::unexpected(row.error());
    if (!*row || rows->bytes(0) != to_string(RunState::kRunning)) {
      return failed("E-run-ended", fmt::format("run {} has ended, and can release nothing", run_),
                    "start a new run");
    }
    const std::int64_t now = clock_();
    for (const LedgerMove& move : staged_moves_) {
      if (auto moved = apply_move(*database_, owner_, move, now); !moved) return moved;
    }
    return {};
  }

  // Returns the new head.
  Result<std::string> write_records() {
    std::string digest = head_;
    std::int64_t number = count_;
    for (const std::string& record : staged_records_) {
      digest = chain_next(digest, record);
      auto written = database_->change(
          "INSERT INTO records (owner, number, bytes, digest) VALUES (?, ?, ?, ?) ON CONFLICT "
          "(owner, number) DO NOTHING",
          owner_, number++, Blob{record}, Blob{digest});
      if (!written) return tl::unexpected(written.error());
    }
    // Two processes in one run would each begin where the other does not expect it.
    auto moved = database_->change(
        "UPDATE runs SET records = ?, head = ? WHERE id = ? AND records = ? AND head = ?", number,
        Blob{digest}, owner_, count_, Blob{head_});
    if (!moved) return tl::unexpected(moved.error());
    if (*moved != 1) return other_writer();
    return digest;
  }

  tl::unexpected<Error> other_writer() const {
    return failed("E-store-busy", fmt::format("another process writes the journal of run {}", run_),
                  "wait for it to end, or end it");
  }

  // A journal that lost its end would draw noise a second time.
  Result<void> check_end(std::int64_t count, const std::string& digest) const {
    auto rows = database_->query("SELECT records, head FROM runs WHERE id = ?", owner_);
    if (!rows) return tl::unexpected(rows.error());
    const auto row = rows->step();
    if (!row) return tl::unexpected(row.error());
    if (*row && rows->integer(0) == count && rows->bytes(1) == digest) return {};
    return store_is_corrupt(database_->path(),
                            fmt::format("the journal of run {} lacks its end", run_));
  }

  template <class Take>
  Result<void> walk(const Take& take, std::string& digest) const {
    auto rows = database_->query(
        "SELECT number, bytes, digest FROM records WHERE owner = ? ORDER BY number", owner_);
    if (!rows) return tl::unexpected(rows.error());
    for (std::int64_t number = 0;; ++number) {
      const auto row = rows->step();
      if (!row) return tl::unexpected(row.error());
      if (!*row) return check_end(number, digest);
      std::string bytes = rows->bytes(1);
      digest = chain_next(digest, bytes);
      if (rows->integer(0) != number || rows->bytes(2) != digest) {
        return store_is_corrupt(
            database_->path(),
            fmt::format("record {} of run {} is not what was written", number, run_));
      }
      take(std::move(bytes));
    }
  }

  std::shared_ptr<Database> database_;
  UnixClock clock_;
  std::string run_;
  std::int64_t owner_;
  std::int64_t count_ = 0;  // records that are kept
  std::string head_;
  std::vector<std::string> staged_records_;
  std::vector<LedgerMove> staged_moves_;
};

}  // namespace

std::string journal_head(const std::string& run) {
  return Digest("sotto journal").add(std::string_view(run)).value();
}

Result<std::unique_ptr<Journal>> open_store_journal(std::shared_ptr<Database> database,
                                                    UnixClock clock, std::string run,
                                                    std::int64_t owner) {
  auto journal =
      std::make_unique<StoreJournal>(std::move(database), std::move(clock), std::move(run), owner);
  if (auto ready = journal->catch_up(); !ready) return tl::unexpected(ready.error());
  return journal;
}

}  // namespace sotto
