#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/integer.h"
#include "session/journal.h"
#include "store/database.h"

// What was spent on which account, and whether more may be: the moves are in ledger.cpp, what an
// entry is and counts in ledger_entries.cpp, sums and limits in ledger_accounts.cpp. The file's own
// triggers hold the rules too.
namespace sotto {

enum class EntryState { kReserved, kSpent, kRestored, kGivenUp };
inline constexpr EnumNames<EntryState, 4> kEntryStates{
    {"reserved", "spent", "restored", "given-up"}};

// More that an attempt turned out to have shown: `looks` of the charges count.
struct Booking {
  std::string tag;
  std::vector<ObserverCharge> charges;
};

// One attempt's cost. What counts of it: while it is reserved, the larger of `released` and
// `looks`; spent, `released`; given up, `looks`; restored, nothing; and always what was booked
// besides.
struct LedgerEntry {
  Debit debit;
  EntryState state = EntryState::kReserved;
  std::int64_t time = 0;  // of the last change, seconds since 1970
  bool shown = false;     // its looks were booked once, and stay
  bool converted = false;  // from a ledger that kept (ε, δ) alone: observers beyond its are unknown
  std::vector<Booking> bookings = {};
};

struct LedgerAmount {
  double epsilon = 0;
  double delta = 0;
};

// What may be lost in all: (E, D), and what of it truncated Laplace noise may take, (E_L, D_L). A
// release is allowed as long as, with it,
//
//     Σs² ≤ κ̄_{E−E_L}(D − D_L − D_x)²,   Σε_L ≤ E_L,   Σδ_L ≤ D_L,   Σexcess ≤ D_x = D·2⁻⁴⁵,
//
// s the shift against the observer that its study guarantees. Fixed beforehand, this is a filter:
// whatever is chosen from what came before, all of it together is (E, D)-private.
// docs/proofs/ledger.md
struct LedgerLimit {
  double epsilon = 0;
  double delta = 0;
  double gt_epsilon = 0;
  double gt_delta = 0;
  bool operator==(const LedgerLimit&) const = default;
};

// Everything that one kind of observer has learned. Rounded up.
struct ObserverTotal {
  std::string observer;
  double squares = 0;        // Σs²; infinite where a study hid nothing from it
  double epsilon = 0;        // at the account's δ, all taken together
  double basic_epsilon = 0;  // the sum of each one's ε, at basic_delta
  std::size_t unknown = 0;   // entries that do not say what it learned
};

// What a limit leaves. Rounded down.
struct LedgerLeft {
  double squares = 0;
  double epsilon = 0;  // of one more Gaussian release, at the account's δ
  double gt_epsilon = 0;
  double gt_delta = 0;
};

// Everything that was released about the people of one account.
struct LedgerAccount {
  std::string data;
  std::string unit;  // empty as long as nothing was debited
  double delta = 0;  // at which its ε is stated
  // None: what is shown was spent, and is no guarantee about what comes.
  std::optional<LedgerLimit> limit;
  std::size_t limit_changes = 0;  // after something had been released: by then no filter
  ObserverTotal guaranteed;       // each study by the observer that it guarantees: what is limited
  // Against coalitions of how many that holds: the smallest of all studies. None: nothing counts.
  std::optional<std::size_t> colluders;
  std::vector<ObserverTotal> observers;  // weakest first
  LedgerAmount basic;                    // Σε, Σδ as the studies asked for them
  LedgerAmount laplace;                  // of it, what truncated Laplace noise takes
  double excess_delta = 0;
  std::size_t converted = 0;  // entries of an older ledger that count
  std::optional<LedgerLeft> left;
};

// A limit is kept to one part in 2⁴⁰ ≈ 10¹²: without that, a study for all of it, or three at a
// third, would miss it by a unit in the last place. The sums themselves are exact.
inline constexpr int kLimitSlackBits = 40;
inline constexpr int kExcessShareBits = 45;

inline constexpr std::size_t kMaxLedgerNameBytes = 1024;
inline constexpr std::size_t kMaxObservers = 64;
// A thousand studies at the largest ε that one may have: more is no limit.
inline constexpr double kMaxLedgerEpsilon = 1e9;

namespace store {

// A change that a journal has staged.
struct LedgerMove {
  enum class Kind { kReserve, kSpend, kGiveUp, kRestore, kForesee, kBook };
  Kind kind = Kind::kReserve;
  Debit debit;      // only run and attempt count unless it is to be reserved
  Booking booking;  // of kForesee and kBook
};

// Each of these is called inside a transaction of the caller's, on behalf of the
// stored run `owner`, and checks the move against all that came before it.
// Reserving: E-account-unknown, E-ledger-overdrawn, E-ledger-unit, E-ledger-second,
// E-ledger-differs, E-ledger-amount. Spending or giving up what was never reserved is a bug, and
// stops the process; so is booking on an attempt that was neither given up nor spent, and
// foreseeing anything of one that is not held back.
[[nodiscard]] Result<void> apply_move(Database& database, std::int64_t owner,
                                      const LedgerMove& move, std::int64_t now);

// The end of the run `owner`: what it still holds back is given up, because nobody can tell whether
// its offers were answered, and what was foreseen of it is booked. An attempt without looks is free
// again.
[[nodiscard]] Result<void> free_reserved(Database& database, std::int64_t owner, std::int64_t now);

// In the order they came.
[[nodiscard]] Result<std::vector<LedgerEntry>> read_entries(const Database& database);
[[nodiscard]] Result<std::vector<LedgerEntry>> entries_of_run(const Database& database,
                                                              const std::string& run);
[[nodiscard]] Result<std::vector<LedgerEntry>> entries_of_account(const Database& database,
                                                                  const std::string& data);
[[nodiscard]] Result<void> insert_entry(Database& database, std::int64_t owner,
                                        const LedgerEntry& entry);
[[nodiscard]] Result<void> insert_booking(Database& database, const Debit& of,
                                          const Booking& booking);
// What is to be booked of an entry if it ends and nobody moves it: see Journal::foresee.
[[nodiscard]] Result<void> insert_foreseen(Database& database, const Debit& of,
                                           const Booking& booking);
[[nodiscard]] Result<void> forget_foreseen(Database& database, const Debit& of);
struct Foreseen {
  Debit of;  // run and attempt
  Booking booking;
};
// Of everything that the run `owner` holds back.
[[nodiscard]] Result<std::vector<Foreseen>> foreseen_of(const Database& database,
                                                        std::int64_t owner);

// Whether anything of an entry counts.
[[nodiscard]] bool counts(const LedgerEntry& entry);
// What it counts for an observer, in parts that add up. An observer that the entry does not name is
// charged as the weakest one that is at least as strong; none where there is no such one.
[[nodiscard]] std::optional<std::vector<double>> counted_squares(const LedgerEntry& entry,
                                                                 const std::string& observer);
// How many parties one has to be to be this observer: 0 eavesdropper, 1 neighbour, …, infinity.
[[nodiscard]] double observer_strength(const std::string& observer);

[[nodiscard]] Result<std::vector<LedgerAccount>> read_accounts(const Database& database);
// E-account-unknown lists those that there are. With `more` as it would stand with that reserved.
[[nodiscard]] Result<LedgerAccount> read_account(const Database& database, const std::string& data,
                                                 const Debit* more = nullptr);
// E-account-exists, E-ledger-data, E-ledger-amount. Without a limit ε is stated at `delta`.
[[nodiscard]] Result<void> make_account(Database& database, const std::string& data, double delta,
                                        const std::optional<LedgerLimit>& limit, std::int64_t now);
// E-account-unknown, E-ledger-amount; E-ledger-share if the Laplace share would change after
// squares were spent: afterwards it is no filter any more.
[[nodiscard]] Result<void> write_limit(Database& database, const std::string& data,
                                       const LedgerLimit& limit, std::int64_t now);
// Whether the account's limit allows the debit: E-ledger-overdrawn, E-ledger-unit,
// E-account-unknown.
[[nodiscard]] Result<void> check_affordable(const Database& database, const Debit& debit);
// E-ledger-amount, E-ledger-data.
[[nodiscard]] Result<void> check_debit(const Debit& debit);

// The smallest double that is not below, and the largest that is not above.
[[nodiscard]] double double_above(const Rational& value);
[[nodiscard]] double double_below(const Rational& value);

}  // namespace store
}  // namespace sotto
