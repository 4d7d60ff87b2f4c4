// Reserve, spend, give up, restore, book: each move is checked against all entries before it.

#include "store/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace sotto::store {
namespace {

bool same_debit(const Debit& a, const Debit& b) {
  return a.data == b.data && a.unit == b.unit && a.epsilon == b.epsilon && a.delta == b.delta &&
         a.charges == b.charges && a.guaranteed == b.guaranteed && a.colluders == b.colluders &&
         a.laplace_epsilon == b.laplace_epsilon && a.laplace_delta == b.laplace_delta &&
         a.excess_delta == b.excess_delta;
}

Error second_release(const std::string& run) {
  return refused("E-ledger-second",
                 fmt::format("run {} has released its value, and would release another", run),
                 "start a new run, which is debited on its own");
}

const LedgerEntry* find_attempt(const std::vector<LedgerEntry>& of_run, const Debit& debit) {
  for (const LedgerEntry& entry : of_run) {
    if (entry.debit.attempt == debit.attempt) return &entry;
  }
  return nullptr;
}

bool another_is_spent(const std::vector<LedgerEntry>& of_run, const Debit& debit) {
  return std::ranges::any_of(of_run, [&](const LedgerEntry& entry) {
    return entry.debit.attempt != debit.attempt && entry.state == EntryState::kSpent;
  });
}

Result<void> reserve(Database& database, std::int64_t owner, const Debit& debit, std::int64_t now) {
  SOTTO_TRY(check_debit(debit));
  SOTTO_ASSIGN(const auto of_run, entries_of_run(database, debit.run));
  const LedgerEntry* before = find_attempt(of_run, debit);
  if (before != nullptr && !same_debit(before->debit, debit)) {
    return refused("E-ledger-differs",
                   fmt::format("run {} was debited before, with other amounts", debit.run),
                   "the study and the data that the run began with");
  }
  if (before != nullptr && before->state == EntryState::kSpent) return {};
  if (another_is_spent(of_run, debit)) return second_release(debit.run);
  if (before != nullptr && before->state == EntryState::kReserved) {
    SOTTO_TRY(database.change("UPDATE entries SET owner = ? WHERE run = ? AND attempt = ?", owner,
                              debit.run, debit.attempt));
    return {};
  }
  // A given-up attempt's looks are in what is asked for now: the same attempt draws the same noise.
  // Counted twice for this check, they can only refuse too early.
  SOTTO_TRY(check_affordable(database, debit));
  if (before != nullptr) {
    SOTTO_TRY(database.change(
        "UPDATE entries SET state = 'reserved', owner = ?, time = ? WHERE run = ? AND attempt = ?",
        owner, now, debit.run, debit.attempt));
    return {};
  }
  LedgerEntry entry;
  entry.debit = debit;
  entry.time = now;
  return insert_entry(database, owner, entry);
}

Result<void> spend(Database& database, const Debit& debit, std::int64_t now) {
  SOTTO_ASSIGN(const auto of_run, entries_of_run(database, debit.run));
  if (another_is_spent(of_run, debit)) return second_release(debit.run);
  const LedgerEntry* entry = find_attempt(of_run, debit);
  check(entry != nullptr &&
            (entry->state == EntryState::kReserved || entry->state == EntryState::kSpent),
        "what is spent was reserved");
  SOTTO_TRY(database.change(
      "UPDATE entries SET state = 'spent', time = ? WHERE run = ? AND attempt = ? AND state = "
      "'reserved'",
      now, debit.run, debit.attempt));
  return forget_foreseen(database, debit);
}

// What was spent stays spent.
Result<void> give_up(Database& database, const Debit& debit, std::int64_t now) {
  SOTTO_ASSIGN(const auto of_run, entries_of_run(database, debit.run));
  const LedgerEntry* entry = find_attempt(of_run, debit);
  check(entry != nullptr && entry->state != EntryState::kRestored, "what is given up was reserved");
  SOTTO_TRY(
      database.change("UPDATE entries SET state = 'given-up', shown = 1, time = ? WHERE run = ? "
                      "AND attempt = ? AND "
                      "state = 'reserved'",
                      now, debit.run, debit.attempt));
  return forget_foreseen(database, debit);
}

// What was spent stays spent, what was shown once was shown, and what was never held back need not
// be freed.
Result<void> restore(Database& database, const Debit& debit, std::int64_t now) {
  SOTTO_TRY(database.change(
      "UPDATE entries SET state = iif(shown, 'given-up', 'restored'), time = ? WHERE run = ? AND "
      "attempt = ? AND state = 'reserved'",
      now, debit.run, debit.attempt));
  return forget_foreseen(database, debit);
}

Result<void> foresee(Database& database, const Debit& debit, const Booking& booking) {
  SOTTO_ASSIGN(const auto of_run, entries_of_run(database, debit.run));
  const LedgerEntry* entry = find_attempt(of_run, debit);
  check(entry != nullptr && entry->state == EntryState::kReserved, "what is foreseen was reserved");
  return insert_foreseen(database, debit, booking);
}

Result<void> book(Database& database, const Debit& debit, const Booking& booking) {
  SOTTO_ASSIGN(const auto of_run, entries_of_run(database, debit.run));
  const LedgerEntry* entry = find_attempt(of_run, debit);
  check(entry != nullptr &&
            (entry->state == EntryState::kGivenUp || entry->state == EntryState::kSpent),
        "more is booked of what was given up or spent");
  const auto is_this = [&](const Booking& other) { return other.tag == booking.tag; };
  if (std::ranges::any_of(entry->bookings, is_this)) return {};
  return insert_booking(database, debit, booking);
}

}  // namespace

Result<void> check_debit(const Debit& debit) {
  const auto bad_amount = [](const std::string& what, const std::string& fix) {
    return bad_input("E-ledger-amount", what, fix);
  };
  const auto is_delta = [](double delta) { return delta >= 0 && delta < 1; };
  if (!(std::isfinite(debit.epsilon) && debit.epsilon > 0 && is_delta(debit.delta))) {
    return bad_amount(
        fmt::format("ε = {}, δ = {} is no amount to debit", debit.epsilon, debit.delta),
        "a finite ε above 0, and δ from 0 to below 1");
  }
  if (!(std::isfinite(debit.laplace_epsilon) && debit.laplace_epsilon >= 0) ||
      !is_delta(debit.laplace_delta) || !is_delta(debit.excess_delta)) {
    return bad_amount("the part of gt, or the excess, is no amount to debit",
                      "a finite ε, and δ from 0 to below 1");
  }
  bool guaranteed = false;
  for (const ObserverCharge& charge : debit.charges) {
    if (!(charge.released >= 0 && charge.looks >= 0)) {
      return bad_amount(fmt::format("{} is charged no square of a shift", charge.observer),
                        "numbers from 0 on");
    }
    if (charge.observer != debit.guaranteed) continue;
    guaranteed = std::isfinite(charge.released) && std::isfinite(charge.looks);
  }
  std::vector<std::string> names;
  for (const ObserverCharge& charge : debit.charges) names.push_back(charge.observer);
  std::ranges::sort(names);
  const bool twice = std::ranges::adjacent_find(names) != names.end();
  if (!guaranteed || twice || debit.charges.size() > kMaxObservers) {
    return bad_amount("a debit charges each observer once, and the guaranteed one a finite amount",
                      fmt::format("at most {} observers", kMaxObservers));
  }
  for (const std::string* name : {&debit.run, &debit.attempt, &debit.data, &debit.unit}) {
    if (!name->empty() && name->size() <= kMaxLedgerNameBytes) continue;
    return bad_input("E-ledger-data", "a run, attempt, account or unit to debit has no name",
                     fmt::format("a name of 1 to {} bytes", kMaxLedgerNameBytes));
  }
  return {};
}

Result<void> apply_move(Database& database, std::int64_t owner, const LedgerMove& move,
                        std::int64_t now) {
  switch (move.kind) {
    case LedgerMove::Kind::kReserve:
      return reserve(database, owner, move.debit, now);
    case LedgerMove::Kind::kSpend:
      return spend(database, move.debit, now);
    case LedgerMove::Kind::kGiveUp:
      return give_up(database, move.debit, now);
    case LedgerMove::Kind::kRestore:
      return restore(database, move.debit, now);
    case LedgerMove::Kind::kForesee:
      return foresee(database, move.debit, move.booking);
    case LedgerMove::Kind::kBook:
      return book(database, move.debit, move.booking);
  }
  return {};
}

Result<void> free_reserved(Database& database, std::int64_t owner, std::int64_t now) {
  SOTTO_ASSIGN(const auto foreseen, foreseen_of(database, owner));
  SOTTO_TRY(database.change(
      "UPDATE entries SET state = 'given-up', shown = 1, time = ? WHERE owner = ? AND state = "
      "'reserved' AND (shown OR EXISTS (SELECT 1 FROM charges WHERE charges.run = entries.run AND "
      "charges.attempt = entries.attempt AND looks > 0) OR EXISTS (SELECT 1 FROM foreseen WHERE "
      "foreseen.run = entries.run AND foreseen.attempt = entries.attempt))",
      now, owner));
  for (const auto& [of, booking] : foreseen) {
    SOTTO_TRY(book(database, of, booking));
    SOTTO_TRY(forget_foreseen(database, of));
  }
  SOTTO_TRY(database.change(
      "UPDATE entries SET state = 'restored', time = ? WHERE owner = ? AND state = 'reserved'", now,
      owner));
  return {};
}

}  // namespace sotto::store
