// Entries as rows of the file, and what each of them counts for an observer.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "privacy/observe/adversary.h"
#include "store/ledger.h"

namespace sotto::store {
namespace {

constexpr std::string_view kEntryColumns =
    "run, attempt, study, data, unit, epsilon, delta, guaranteed, colluders, laplace_epsilon, "
    "laplace_delta, excess_delta, state, shown, converted, time";

bool is_share(double epsilon, double delta) {
  return std::isfinite(epsilon) && epsilon >= 0 && delta >= 0 && delta < 1;
}

Result<LedgerEntry> entry_of(const Database& database, const Database::Rows& rows) {
  LedgerEntry entry;
  Debit& debit = entry.debit;
  debit.run = rows.bytes(0);
  debit.attempt = rows.bytes(1);
  debit.study = rows.bytes(2);
  debit.data = rows.bytes(3);
  debit.unit = rows.bytes(4);
  debit.epsilon = rows.real(5);
  debit.delta = rows.real(6);
  debit.guaranteed = rows.bytes(7);
  debit.colluders = static_cast<std::size_t>(rows.integer(8));
  debit.laplace_epsilon = rows.real(9);
  debit.laplace_delta = rows.real(10);
  debit.excess_delta = rows.real(11);
  const auto state = kEntryStates.find(rows.bytes(12));
  if (!state) return corrupt(database, fmt::format("a ledger entry is \"{}\"", rows.bytes(12)));
  entry.state = *state;
  entry.shown = rows.integer(13) != 0;
  entry.converted = rows.integer(14) != 0;
  entry.time = rows.integer(15);
  if (!is_time(entry.time)) return corrupt(database, "a ledger entry's time is none");
  if (!is_share(debit.epsilon, debit.delta) || debit.epsilon == 0 ||
      !is_share(debit.laplace_epsilon, debit.laplace_delta) || !is_share(0, debit.excess_delta)) {
    return corrupt(database, "a ledger entry's amount is none");
  }
  return entry;
}

using EntryKey = std::pair<std::string, std::string>;  // run and attempt

// What counts of an entry is what the guaranteed observer has learned. Without that it would count
// as nothing, and the account would allow too much.
Result<void> check_charged(const Database& database, const std::vector<LedgerEntry>& entries) {
  for (const LedgerEntry& entry : entries) {
    if (!counts(entry) || counted_squares(entry, entry.debit.guaranteed)) continue;
    return corrupt(database, fmt::format("an entry of run {} charges nobody for what it guarantees",
                                         entry.debit.run));
  }
  return {};
}

// `which` is what follows FROM entries: WHERE …
template <class... Arguments>
Result<std::vector<LedgerEntry>> entries_where(const Database& database, std::string_view which,
                                               const Arguments&... arguments) {
  std::vector<LedgerEntry> entries;
  std::map<EntryKey, std::size_t> place;
  // Three questions, one moment: no charge of an entry that came after the first.
  SOTTO_ASSIGN(const auto moment, Snapshot::take(database));
  SOTTO_ASSIGN(auto rows, database.query(fmt::format("SELECT {} FROM entries {} ORDER BY rowid",
                                                     kEntryColumns, which),
                                         arguments...));
  for (;;) {
    SOTTO_ASSIGN(const bool row, rows.step());
    if (!row) break;
    SOTTO_ASSIGN(auto entry, entry_of(database, rows));
    place[{entry.debit.run, entry.debit.attempt}] = entries.size();
    entries.push_back(std::move(entry));
  }
  SOTTO_ASSIGN(auto charges,
               database.query(fmt::format("SELECT run, attempt, observer, released, looks FROM "
                                          "entries JOIN charges USING (run, attempt) {} "
                                          "ORDER BY charges.rowid",
                                          which),
                              arguments...));
  for (;;) {
    SOTTO_ASSIGN(const bool row, charges.step());
    if (!row) break;
    const ObserverCharge charge{charges.bytes(2), charges.real(3), charges.real(4)};
    if (!(charge.released >= 0 && charge.looks >= 0)) {
      return corrupt(database, "a charge of the ledger is none");
    }
    entries[place.at({charges.bytes(0), charges.bytes(1)})].debit.charges.push_back(charge);
  }
  SOTTO_ASSIGN(auto booked,
               database.query(fmt::format("SELECT run, attempt, tag, observer, looks FROM entries "
                                          "JOIN bookings USING (run, attempt) {} "
                                          "ORDER BY bookings.rowid",
                                          which),
                              arguments...));
  for (;;) {
    SOTTO_ASSIGN(const bool row, booked.step());
    if (!row) break;
    auto& bookings = entries[place.at({booked.bytes(0), booked.bytes(1)})].bookings;
    const std::string tag = booked.bytes(2);
    if (!(booked.real(4) >= 0)) return corrupt(database, "a booking of the ledger is none");
    if (bookings.empty() || bookings.back().tag != tag) bookings.push_back({tag, {}});
    bookings.back().charges.push_back({booked.bytes(3), 0, booked.real(4)});
  }
  SOTTO_TRY(check_charged(database, entries));
  return entries;
}

const ObserverCharge* charge_for(const std::vector<ObserverCharge>& charges,
                                 const std::string& observer) {
  const double strength = observer_strength(observer);
  const ObserverCharge* found = nullptr;
  double weakest = 0;
  for (const ObserverCharge& charge : charges) {
    if (charge.observer == observer) return &charge;
    const double candidate = observer_strength(charge.observer);
    if (!(candidate >= strength) || (found != nullptr && candidate >= weakest)) continue;
    found = &charge;
    weakest = candidate;
  }
  return found;
}

}  // namespace

double observer_strength(const std::string& observer) {
  const auto known = observer_from(observer);
  if (!known) return std::numeric_limits<double>::quiet_NaN();  // compares with nobody
  switch (known->observer) {
    case Observer::kEavesdropper:
      return 0;
    case Observer::kNeighbour:
      return 1;
    case Observer::kColluders:
      return static_cast<double>(known->colluders);
    case Observer::kAllNeighbours:
      return std::numeric_limits<double>::infinity();
  }
  return 0;
}

bool counts(const LedgerEntry& entry) {
  if (!entry.bookings.empty()) return true;
  if (entry.state != EntryState::kGivenUp) return entry.state != EntryState::kRestored;
  return std::ranges::any_of(entry.debit.charges,
                             [](const ObserverCharge& charge) { return charge.looks > 0; });
}

std::optional<std::vector<double>> counted_squares(const LedgerEntry& entry,
                                                   const std::string& observer) {
  std::vector<double> parts;
  if (entry.state != EntryState::kRestored) {
    const ObserverCharge* charge = charge_for(entry.debit.charges, observer);
    if (charge == nullptr) return std::nullopt;
    parts.push_back(entry.state == EntryState::kSpent ? charge->released
                    : entry.state == EntryState::kReserved
                        ? std::max(charge->released, charge->looks)
                        : charge->looks);
  }
  for (const Booking& booking : entry.bookings) {
    if (booking.charges.empty()) continue;
    const ObserverCharge* charge = charge_for(booking.charges, observer);
    // Whoever is stronger than all that were named has seen at least what they have.
    const auto most = std::ranges::max_element(booking.charges, {}, &ObserverCharge::looks);
    parts.push_back(charge != nullptr ? charge->looks : most->looks);
  }
  return parts;
}

Result<std::vector<LedgerEntry>> read_entries(const Database& database) {
  return entries_where(database, "");
}

Result<std::vector<LedgerEntry>> entries_of_run(const Database& database, const std::string& run) {
  return entries_where(database, "WHERE entries.run = ?", run);
}

Result<std::vector<LedgerEntry>> entries_of_account(const Database& database,
                                                    const std::string& data) {
  return entries_where(database, "WHERE data = ?", data);
}

Result<void> insert_entry(Database& database, std::int64_t owner, const LedgerEntry& entry) {
  const Debit& debit = entry.debit;
  SOTTO_TRY(database.change(
      fmt::format("INSERT INTO entries (owner, {}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                  "?, ?, ?, ?)",
                  kEntryColumns),
      owner, debit.run, debit.attempt, debit.study, debit.data, debit.unit, debit.epsilon,
      debit.delta, debit.guaranteed, static_cast<std::int64_t>(debit.colluders),
      debit.laplace_epsilon, debit.laplace_delta, debit.excess_delta, kEntryStates[entry.state],
      std::int64_t{entry.shown}, std::int64_t{entry.converted}, entry.time));
  for (const ObserverCharge& charge : debit.charges) {
    SOTTO_TRY(database.change(
        "INSERT INTO charges (run, attempt, observer, released, looks) VALUES (?, ?, ?, ?, ?)",
        debit.run, debit.attempt, charge.observer, charge.released, charge.looks));
  }
  return {};
}

Result<void> insert_booking(Database& database, const Debit& of, const Booking& booking) {
  for (const ObserverCharge& charge : booking.charges) {
    SOTTO_TRY(database.change(
        "INSERT INTO bookings (run, attempt, tag, observer, looks) VALUES (?, ?, ?, ?, ?)", of.run,
        of.attempt, booking.tag, charge.observer, charge.looks));
  }
  return {};
}

Result<void> insert_foreseen(Database& database, const Debit& of, const Booking& booking) {
  for (const ObserverCharge& charge : booking.charges) {
    SOTTO_TRY(database.change(
        "INSERT INTO foreseen (run, attempt, tag, observer, looks) VALUES (?, ?, ?, ?, ?) ON "
        "CONFLICT DO NOTHING",
        of.run, of.attempt, booking.tag, charge.observer, charge.looks));
  }
  return {};
}

Result<void> forget_foreseen(Database& database, const Debit& of) {
  SOTTO_TRY(
      database.change("DELETE FROM foreseen WHERE run = ? AND attempt = ?", of.run, of.attempt));
  return {};
}

Result<std::vector<Foreseen>> foreseen_of(const Database& database, std::int64_t owner) {
  SOTTO_ASSIGN(auto rows,
               database.query("SELECT run, attempt, tag, observer, looks FROM entries JOIN "
                              "foreseen USING (run, attempt) WHERE owner = ? AND state = "
                              "'reserved' ORDER BY run, attempt, tag, foreseen.rowid",
                              owner));
  std::vector<Foreseen> found;
  for (;;) {
    SOTTO_ASSIGN(const bool row, rows.step());
    if (!row) return found;
    if (!(rows.real(4) >= 0)) return corrupt(database, "what the ledger foresees is none");
    const std::string run = rows.bytes(0);
    const std::string attempt = rows.bytes(1);
    const std::string tag = rows.bytes(2);
    if (found.empty() || found.back().of.run != run || found.back().of.attempt != attempt ||
        found.back().booking.tag != tag) {
      Foreseen& next = found.emplace_back();
      next.of.run = run;
      next.of.attempt = attempt;
      next.booking.tag = tag;
    }
    found.back().booking.charges.push_back({rows.bytes(3), 0, rows.real(4)});
  }
}

}  // namespace sotto::store
