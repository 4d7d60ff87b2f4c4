// Store::journal(): the records of one run, each tied to those before it by a digest, and its moves
// in the ledger, in one transaction.

#include <fmt/format.h>

#include "base/digest.h"
#include "store/store.h"

namespace sotto {
namespace {

using store::Blob;
using store::Database;
using store::LedgerMove;
using store::Transaction;

std::string chain_next(const std::string& previous, std::string_view record) {
  return Digest("sotto record").add(std::string_view(previous)).add(record).value();
}

class StoreJournal final : public Journal {
 public:
  // `owner` is the run's row, `first_head` the digest before its first record.
  StoreJournal(std::shared_ptr<Database> database, UnixClock clock, std::string run,
               std::int64_t owner, const std::string& first_head)
      : database_(std::move(database)),
        clock_(std::move(clock)),
        run_(std::move(run)),
        owner_(owner),
        first_head_(first_head),
        head_(first_head) {}

  // Goes to the end of what is kept, and checks it on the way.
  Result<void> catch_up() {
    std::string digest = first_head_;
    std::int64_t count = 0;
    SOTTO_TRY(walk([&](const std::string&) { ++count; }, digest));
    count_ = count;
    head_ = digest;
    return {};
  }

  Result<std::vector<std::string>> records() const override {
    std::vector<std::string> records;
    std::string digest = first_head_;
    SOTTO_TRY(walk([&](std::string bytes) { records.push_back(std::move(bytes)); }, digest));
    return records;
  }

  void append(std::string_view record) override { staged_records_.emplace_back(record); }

  // A rehearsal of commit()'s moves: checked where they will count, then taken back.
  Result<void> reserve(const Debit& debit) override {
    staged_moves_.push_back({.kind = LedgerMove::Kind::kReserve, .debit = debit, .booking = {}});
    auto possible = [&]() -> Result<void> {
      SOTTO_ASSIGN(auto transaction, Transaction::begin(*database_));
      return apply_moves();
    }();
    if (!possible) staged_moves_.pop_back();
    return possible;
  }

  void spend(std::string_view run, std::string_view attempt) override {
    stage(LedgerMove::Kind::kSpend, run, attempt);
  }

  void give_up(std::string_view run, std::string_view attempt) override {
    stage(LedgerMove::Kind::kGiveUp, run, attempt);
  }

  void restore(std::string_view run, std::string_view attempt) override {
    stage(LedgerMove::Kind::kRestore, run, attempt);
  }

  void foresee(std::string_view run, std::string_view attempt, std::string_view tag,
               std::span<const ObserverCharge> charges) override {
    stage(LedgerMove::Kind::kForesee, run, attempt);
    staged_moves_.back().booking = {std::string(tag), {charges.begin(), charges.end()}};
  }

  void book(std::string_view run, std::string_view attempt, std::string_view tag,
            std::span<const ObserverCharge> charges) override {
    stage(LedgerMove::Kind::kBook, run, attempt);
    staged_moves_.back().booking = {std::string(tag), {charges.begin(), charges.end()}};
  }

  Result<void> commit() override {
    if (staged_records_.empty() && staged_moves_.empty()) return {};
    SOTTO_ASSIGN(auto transaction, Transaction::begin(*database_));
    SOTTO_TRY(apply_moves());
    SOTTO_ASSIGN(std::string digest, write_records());
    SOTTO_TRY(transaction.commit());
    count_ += static_cast<std::int64_t>(staged_records_.size());
    head_ = std::move(digest);
    staged_records_.clear();
    staged_moves_.clear();
    return {};
  }

 private:
  void stage(LedgerMove::Kind kind, std::string_view run, std::string_view attempt) {
    LedgerMove move{.kind = kind, .debit = {}, .booking = {}};
    move.debit.run = run;
    move.debit.attempt = attempt;
    staged_moves_.push_back(std::move(move));
  }

  Result<void> apply_moves() {
    if (staged_moves_.empty()) return {};
    SOTTO_ASSIGN(auto rows, database_->query("SELECT state FROM runs WHERE id = ?", owner_));
    SOTTO_ASSIGN(const bool row, rows.step());
    if (!row || rows.bytes(0) != kRunStates[RunState::kRunning]) {
      return failed("E-run-ended", fmt::format("run {} has ended, and can release nothing", run_),
                    "start a new run");
    }
    const std::int64_t now = clock_();
    for (const LedgerMove& move : staged_moves_) {
      SOTTO_TRY(store::apply_move(*database_, owner_, move, now));
    }
    return {};
  }

  // Returns the new head.
  Result<std::string> write_records() {
    std::string digest = head_;
    std::int64_t number = count_;
    for (const std::string& record : staged_records_) {
      digest = chain_next(digest, record);
      SOTTO_TRY(database_->change(
          "INSERT INTO records (owner, number, bytes, digest) VALUES (?, ?, ?, ?) ON CONFLICT "
          "(owner, number) DO NOTHING",
          owner_, number++, Blob{record}, Blob{digest}));
    }
    // Two processes in one run would each begin where the other does not expect it.
    SOTTO_ASSIGN(
        const int moved,
        database_->change(
            "UPDATE runs SET records = ?, head = ? WHERE id = ? AND records = ? AND head = ?",
            number, Blob{digest}, owner_, count_, Blob{head_}));
    if (moved == 1) return digest;
    return failed("E-store-busy", fmt::format("another process writes the journal of run {}", run_),
                  "wait for it to end, or end it");
  }

  // A journal that lost its end would draw noise a second time.
  Result<void> check_end(std::int64_t count, const std::string& digest) const {
    SOTTO_ASSIGN(auto rows,
                 database_->query("SELECT records, head FROM runs WHERE id = ?", owner_));
    SOTTO_ASSIGN(const bool row, rows.step());
    if (row && rows.integer(0) == count && rows.bytes(1) == digest) return {};
    return store::corrupt(*database_, fmt::format("the journal of run {} lacks its end", run_));
  }

  template <class Take>
  Result<void> walk(const Take& take, std::string& digest) const {
    SOTTO_ASSIGN(
        auto rows,
        database_->query(
            "SELECT number, bytes, digest FROM records WHERE owner = ? ORDER BY number", owner_));
    for (std::int64_t number = 0;; ++number) {
      SOTTO_ASSIGN(const bool row, rows.step());
      if (!row) return check_end(number, digest);
      std::string bytes = rows.bytes(1);
      digest = chain_next(digest, bytes);
      if (rows.integer(0) != number || rows.bytes(2) != digest) {
        return store::corrupt(
            *database_, fmt::format("record {} of run {} is not what was written", number, run_));
      }
      take(std::move(bytes));
    }
  }

  std::shared_ptr<Database> database_;
  UnixClock clock_;
  std::string run_;
  std::int64_t owner_;
  std::string first_head_;
  std::int64_t count_ = 0;  // records that are kept
  std::string head_;
  std::vector<std::string> staged_records_;
  std::vector<LedgerMove> staged_moves_;
};

}  // namespace

std::string Store::journal_head(const std::string& run) {
  return Digest("sotto journal").add(std::string_view(run)).value();
}

Result<std::unique_ptr<Journal>> Store::journal(const std::string& run) {
  SOTTO_ASSIGN(const std::int64_t owner, row_number(run));
  auto journal = std::make_unique<StoreJournal>(database_, clock_, run, owner, journal_head(run));
  SOTTO_TRY(journal->catch_up());
  return journal;
}

}  // namespace sotto
