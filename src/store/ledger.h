#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/integer.h"
#include "session/journal.h"
#include "store/database.h"

// What was spent on which table, and whether more may be: the rules are in ledger.cpp, and the
// file's own triggers hold them too.
namespace sotto {

enum class EntryState { kReserved, kSpent, kRestored };
inline constexpr EnumNames<EntryState, 3> kEntryStates{{"reserved", "spent", "restored"}};

// One attempt's cost. What is reserved counts like what is spent.
struct LedgerEntry {
  Debit debit;
  EntryState state = EntryState::kReserved;
  std::int64_t time = 0;  // of the last change, seconds since 1970
};

struct LedgerAmount {
  double epsilon = 0;
  double delta = 0;
};

// Everything that was released about one table: (Σε, Σδ), basic composition. The sums
// are rounded up and what is left is rounded down. Proof: docs/proofs/ledger.md.
struct LedgerAccount {
  std::string data;
  std::string unit;  // empty as long as nothing was debited
  LedgerAmount spent;
  std::optional<LedgerAmount> limit;
  std::optional<LedgerAmount> left;
};

// A limit is kept to one part in 2⁴⁰ ≈ 10¹²: without that, three runs at ε = 0.1 would
// not fit into 0.3, because neither is a binary fraction. The sums themselves are exact.
inline constexpr int kLimitSlackBits = 40;

inline constexpr std::size_t kMaxLedgerNameBytes = 1024;

namespace store {

// A change that a journal has staged.
struct LedgerMove {
  EntryState to = EntryState::kReserved;
  Debit debit;  // only run and attempt count unless `to` is kReserved
};

// Each of these is called inside a transaction of the caller's, on behalf of the
// stored run `owner`, and checks the move against all that came before it.
// Reserving: E-ledger-overdrawn, E-ledger-unit, E-ledger-second, E-ledger-differs,
// E-ledger-amount. Spending what was never reserved is a bug, and stops the process.
[[nodiscard]] Result<void> apply_move(Database& database, std::int64_t owner,
                                      const LedgerMove& move, std::int64_t now);

// Frees what the run `owner` still holds back: nothing of it has left.
[[nodiscard]] Result<void> free_reserved(Database& database, std::int64_t owner, std::int64_t now);

[[nodiscard]] Result<std::vector<LedgerEntry>> read_entries(const Database& database);
[[nodiscard]] Result<std::vector<LedgerAccount>> read_accounts(const Database& database);
[[nodiscard]] Result<void> write_limit(Database& database, const std::string& data,
                                       LedgerAmount limit, std::int64_t now);

// The smallest double that is not below, and the largest that is not above.
[[nodiscard]] double double_above(const Rational& value);
[[nodiscard]] double double_below(const Rational& value);

}  // namespace store
}  // namespace sotto
