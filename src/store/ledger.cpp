// Reserve, spend, restore: each move is checked against all entries before it, with exact sums.

#include "store/ledger.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>

#include "base/check.h"

namespace sotto::store {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct ExactAmount {
  Rational epsilon;
  Rational delta;
  void add(double more_epsilon, double more_delta) {
    epsilon += Rational(more_epsilon);
    delta += Rational(more_delta);
  }
};

bool is_amount(double epsilon, double delta) {
  return std::isfinite(epsilon) && epsilon > 0 && delta >= 0 && delta < 1;
}

constexpr std::string_view kColumns =
    "run, attempt, study, data, unit, epsilon, delta, state, time FROM entries";

Result<LedgerEntry> entry_of(const Database& database, const Database::Rows& rows) {
  LedgerEntry entry;
  entry.debit.run = rows.bytes(0);
  entry.debit.attempt = rows.bytes(1);
  entry.debit.study = rows.bytes(2);
  entry.debit.data = rows.bytes(3);
  entry.debit.unit = rows.bytes(4);
  entry.debit.epsilon = rows.real(5);
  entry.debit.delta = rows.real(6);
  const auto state = kEntryStates.find(rows.bytes(7));
  if (!state) return corrupt(database, fmt::format("a ledger entry is \"{}\"", rows.bytes(7)));
  entry.state = *state;
  entry.time = rows.integer(8);
  if (!is_amount(entry.debit.epsilon, entry.debit.delta)) {
    return corrupt(database, "a ledger entry's amount is none");
  }
  return entry;
}

// `which` is what follows the columns: WHERE …, ORDER BY …
template <class... Arguments>
Result<std::vector<LedgerEntry>> entries_of(const Database& database, std::string_view which,
                                            const Arguments&... arguments) {
  SOTTO_ASSIGN(auto rows,
               database.query(fmt::format("SELECT {} {}", kColumns, which), arguments...));
  std::vector<LedgerEntry> entries;
  for (;;) {
    SOTTO_ASSIGN(const bool row, rows.step());
    if (!row) return entries;
    SOTTO_ASSIGN(auto entry, entry_of(database, rows));
    entries.push_back(std::move(entry));
  }
}

Result<std::optional<LedgerAmount>> limit_of(const Database& database, const std::string& data) {
  SOTTO_ASSIGN(auto rows, database.query("SELECT epsilon, delta FROM limits WHERE data = ?", data));
  SOTTO_ASSIGN(const bool row, rows.step());
  if (!row) return std::nullopt;
  return LedgerAmount{.epsilon = rows.real(0), .delta = rows.real(1)};
}

double left_of(const Rational& spent, double limit) {
  const Rational left = Rational(limit) - spent;
  return left > 0 ? double_below(left) : 0.0;
}

// Σ ≤ limit·(1 + 2⁻⁴⁰), exactly.
bool within(const Rational& sum, double limit) {
  return sum <= Rational(limit) * (1 + power_of_two(-kLimitSlackBits));
}

Result<void> check_limit(const Database& database, const Debit& asked,
                         const std::vector<LedgerEntry>& about_data) {
  ExactAmount spent;
  for (const LedgerEntry& entry : about_data) spent.add(entry.debit.epsilon, entry.debit.delta);
  SOTTO_ASSIGN(const auto limit, limit_of(database, asked.data));
  if (!limit) return {};
  ExactAmount total = spent;
  total.add(asked.epsilon, asked.delta);
  const auto [epsilon, delta] = *limit;
  if (within(total.epsilon, epsilon) && within(total.delta, delta)) return {};
  return refused(
      "E-ledger-overdrawn",
      fmt::format("the ledger of {} would be overdrawn: spent ε = {:.10g}, δ = {:.10g}; asked "
                  "ε = {:.10g}, δ = {:.10g}; left ε = {:.10g}, δ = {:.10g}",
                  asked.data, double_above(spent.epsilon), double_above(spent.delta), asked.epsilon,
                  asked.delta, left_of(spent.epsilon, epsilon), left_of(spent.delta, delta)),
      "a study that asks for no more than is left; or, if those whom the data is about may "
      "lose more privacy, a higher 'sotto ledger limit'");
}

Result<void> check_debit(const Debit& debit) {
  if (!is_amount(debit.epsilon, debit.delta)) {
    return bad_input(
        "E-ledger-amount",
        fmt::format("ε = {}, δ = {} is no amount to debit", debit.epsilon, debit.delta),
        "a finite ε above 0, and δ from 0 to below 1");
  }
  for (const std::string* name : {&debit.run, &debit.attempt, &debit.data, &debit.unit}) {
    if (!name->empty() && name->size() <= kMaxLedgerNameBytes) continue;
    return bad_input("E-ledger-data", "a run, attempt, table or unit to debit has no name",
                     fmt::format("a name of 1 to {} bytes", kMaxLedgerNameBytes));
  }
  return {};
}

bool same_debit(const Debit& a, const Debit& b) {
  return a.data == b.data && a.unit == b.unit && a.epsilon == b.epsilon && a.delta == b.delta;
}

Error second_release(const std::string& run) {
  return refused("E-ledger-second",
                 fmt::format("run {} has released its value, and would release another", run),
                 "start a new run, which is debited on its own");
}

Result<void> reserve(Database& database, std::int64_t owner, const Debit& debit, std::int64_t now) {
  SOTTO_TRY(check_debit(debit));
  SOTTO_ASSIGN(const auto of_run, entries_of(database, "WHERE run = ?", debit.run));
  const LedgerEntry* before = nullptr;
  bool another_is_spent = false;
  for (const LedgerEntry& entry : of_run) {
    if (entry.debit.attempt == debit.attempt) {
      before = &entry;
    } else if (entry.state == EntryState::kSpent) {
      another_is_spent = true;
    }
  }
  if (before != nullptr && !same_debit(before->debit, debit)) {
    return refused("E-ledger-differs",
                   fmt::format("run {} was debited before, with other amounts", debit.run),
                   "the study and the data that the run began with");
  }
  if (before != nullptr && before->state == EntryState::kSpent) return {};
  if (another_is_spent) return second_release(debit.run);
  if (before != nullptr && before->state == EntryState::kReserved) {
    SOTTO_TRY(database.change("UPDATE entries SET owner = ? WHERE run = ? AND attempt = ?", owner,
                              debit.run, debit.attempt));
    return {};
  }
  SOTTO_ASSIGN(const auto about_data,
               entries_of(database, "WHERE data = ? AND state != 'restored'", debit.data));
  for (const LedgerEntry& entry : about_data) {
    if (entry.debit.unit == debit.unit) continue;
    return refused("E-ledger-unit",
                   fmt::format("{} was released about by {}, and ε per {} cannot be added to that",
                               debit.data, entry.debit.unit, debit.unit),
                   fmt::format("a study with unit {}", entry.debit.unit));
  }
  SOTTO_TRY(check_limit(database, debit, about_data));
  SOTTO_TRY(database.change(
      "INSERT INTO entries (run, attempt, owner, study, data, unit, epsilon, delta, state, time) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'reserved', ?) ON CONFLICT (run, attempt) DO UPDATE SET "
      "state = 'reserved', owner = excluded.owner, time = excluded.time",
      debit.run, debit.attempt, owner, debit.study, debit.data, debit.unit, debit.epsilon,
      debit.delta, now));
  return {};
}

Result<void> spend(Database& database, const Debit& debit, std::int64_t now) {
  SOTTO_ASSIGN(const auto of_run, entries_of(database, "WHERE run = ?", debit.run));
  bool held = false;
  for (const LedgerEntry& entry : of_run) {
    const bool same_attempt = entry.debit.attempt == debit.attempt;
    if (same_attempt) held = entry.state != EntryState::kRestored;
    if (!same_attempt && entry.state == EntryState::kSpent) return second_release(debit.run);
  }
  check(held, "what is spent was reserved");
  SOTTO_TRY(database.change(
      "UPDATE entries SET state = 'spent', time = ? WHERE run = ? AND attempt = ? AND state = "
      "'reserved'",
      now, debit.run, debit.attempt));
  return {};
}

}  // namespace

double double_above(const Rational& value) {
  const double near = nearest_double(value);
  return std::isfinite(near) && Rational(near) < value ? std::nextafter(near, kInfinity) : near;
}

double double_below(const Rational& value) {
  return -double_above(-value);
}

Result<void> apply_move(Database& database, std::int64_t owner, const LedgerMove& move,
                        std::int64_t now) {
  if (move.to == EntryState::kReserved) return reserve(database, owner, move.debit, now);
  if (move.to == EntryState::kSpent) return spend(database, move.debit, now);
  // What was spent stays spent, and what was never held back need not be freed.
  SOTTO_TRY(database.change(
      "UPDATE entries SET state = 'restored', time = ? WHERE run = ? AND attempt = ? AND state = "
      "'reserved'",
      now, move.debit.run, move.debit.attempt));
  return {};
}

Result<void> free_reserved(Database& database, std::int64_t owner, std::int64_t now) {
  SOTTO_TRY(database.change(
      "UPDATE entries SET state = 'restored', time = ? WHERE owner = ? AND state = 'reserved'", now,
      owner));
  return {};
}

Result<std::vector<LedgerEntry>> read_entries(const Database& database) {
  return entries_of(database, "ORDER BY rowid");
}

Result<std::vector<LedgerAccount>> read_accounts(const Database& database) {
  SOTTO_ASSIGN(const auto entries, read_entries(database));
  std::map<std::string, LedgerAccount> accounts;
  std::map<std::string, ExactAmount> sums;
  for (const auto& [debit, state, time] : entries) {
    LedgerAccount& account = accounts[debit.data];
    if (state == EntryState::kRestored) continue;
    account.unit = debit.unit;
    sums[debit.data].add(debit.epsilon, debit.delta);
  }
  SOTTO_ASSIGN(auto rows, database.query("SELECT data, epsilon, delta FROM limits"));
  for (;;) {
    SOTTO_ASSIGN(const bool row, rows.step());
    if (!row) break;
    accounts[rows.bytes(0)].limit = {.epsilon = rows.real(1), .delta = rows.real(2)};
  }
  std::vector<LedgerAccount> list;
  for (auto& [data, account] : accounts) {
    const ExactAmount& sum = sums[data];
    account.data = data;
    account.spent = {.epsilon = double_above(sum.epsilon), .delta = double_above(sum.delta)};
    if (account.limit) {
      account.left = {.epsilon = left_of(sum.epsilon, account.limit->epsilon),
                      .delta = left_of(sum.delta, account.limit->delta)};
    }
    list.push_back(std::move(account));
  }
  return list;
}

Result<void> write_limit(Database& database, const std::string& data, LedgerAmount limit,
                         std::int64_t now) {
  if (data.empty() || data.size() > kMaxLedgerNameBytes) {
    return bad_input(
        "E-ledger-data", "a limit needs the name of what it protects",
        fmt::format("a name of 1 to {} bytes, as 'sotto ledger' shows it", kMaxLedgerNameBytes));
  }
  if (!is_amount(limit.epsilon, limit.delta)) {
    return bad_input("E-ledger-amount",
                     fmt::format("ε = {}, δ = {} is no limit", limit.epsilon, limit.delta),
                     "a finite ε above 0, and δ from 0 to below 1");
  }
  SOTTO_TRY(database.change(
      "INSERT INTO limits (data, epsilon, delta, time) VALUES (?, ?, ?, ?) ON CONFLICT (data) DO "
      "UPDATE SET epsilon = excluded.epsilon, delta = excluded.delta, time = excluded.time",
      data, limit.epsilon, limit.delta, now));
  return {};
}

}  // namespace sotto::store
