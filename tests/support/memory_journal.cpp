// What a journal on a disk does, with maps: staged moves, and a state that a crash goes back to.

#include "support/memory_journal.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"

namespace sotto {
namespace {

Error second_release(const std::string& run) {
  return refused("E-ledger-second",
                 fmt::format("run {} has released its value, and would release another", run),
                 "start a new run, which is debited on its own");
}

bool same_debit(const Debit& a, const Debit& b) {
  return a.data == b.data && a.unit == b.unit && a.epsilon == b.epsilon && a.delta == b.delta &&
         a.charges == b.charges && a.guaranteed == b.guaranteed && a.colluders == b.colluders &&
         a.laplace_epsilon == b.laplace_epsilon && a.laplace_delta == b.laplace_delta &&
         a.excess_delta == b.excess_delta;
}

}  // namespace

void MemoryJournal::append(std::string_view record) {
  staged_records_.emplace_back(record);
}

bool MemoryJournal::another_is_spent(const std::string& run, const std::string& attempt) const {
  for (const auto& [key, entry] : staged_entries_) {
    if (key.first == run && key.second != attempt && entry.hold == Hold::kSpent) return true;
  }
  return false;
}

Result<void> MemoryJournal::reserve(const Debit& debit) {
  // As on the disk, where all that is staged is tried again.
  if (second_spend_) return second_release(debit.run);
  const auto found = staged_entries_.find({debit.run, debit.attempt});
  if (found != staged_entries_.end()) {
    if (!same_debit(found->second.debit, debit)) {
      return refused("E-ledger-differs",
                     fmt::format("run {} was debited before, with other amounts", debit.run),
                     "the study and the data that the run began with");
    }
    if (found->second.hold == Hold::kSpent) return {};
  }
  if (another_is_spent(debit.run, debit.attempt)) return second_release(debit.run);
  if (found != staged_entries_.end() && found->second.hold == Hold::kReserved) return {};
  double asked = 0;
  for (const ObserverCharge& charge : debit.charges) {
    if (charge.observer == debit.guaranteed) asked = std::max(charge.released, charge.looks);
  }
  if (refuse_reserves_ || sum(staged_entries_, "", debit.guaranteed) + asked > limit_) {
    return refused("E-ledger-overdrawn",
                   fmt::format("the ledger of {} would be overdrawn", debit.data),
                   "a study that asks for no more than is left");
  }
  Entry& entry = staged_entries_[{debit.run, debit.attempt}];
  entry.debit = debit;
  entry.hold = Hold::kReserved;
  ++entry.moves.reserved;
  moved_ = true;
  return {};
}

MemoryJournal::Entry* MemoryJournal::staged(std::string_view run, std::string_view attempt) {
  const auto found = staged_entries_.find({std::string(run), std::string(attempt)});
  return found == staged_entries_.end() ? nullptr : &found->second;
}

void MemoryJournal::spend(std::string_view run, std::string_view attempt) {
  Entry* entry = staged(run, attempt);
  check(entry != nullptr && (entry->hold == Hold::kReserved || entry->hold == Hold::kSpent),
        "what is spent was reserved");
  if (entry->hold == Hold::kSpent) return;
  if (another_is_spent(entry->debit.run, entry->debit.attempt)) second_spend_ = true;
  entry->hold = Hold::kSpent;
  entry->foreseen.clear();
  ++entry->moves.spent;
  moved_ = true;
}

void MemoryJournal::give_up(std::string_view run, std::string_view attempt) {
  Entry* entry = staged(run, attempt);
  check(entry != nullptr && entry->hold != Hold::kRestored, "what is given up was reserved");
  if (entry->hold != Hold::kReserved) return;
  entry->hold = Hold::kGivenUp;
  entry->foreseen.clear();
  entry->shown = true;
  ++entry->moves.given_up;
  moved_ = true;
}

void MemoryJournal::restore(std::string_view run, std::string_view attempt) {
  Entry* entry = staged(run, attempt);
  if (entry == nullptr || entry->hold != Hold::kReserved) return;
  entry->hold = entry->shown ? Hold::kGivenUp : Hold::kRestored;
  entry->foreseen.clear();
  ++entry->moves.restored;
  moved_ = true;
}

void MemoryJournal::foresee(std::string_view run, std::string_view attempt, std::string_view tag,
                            std::span<const ObserverCharge> charges) {
  Entry* entry = staged(run, attempt);
  check(entry != nullptr && entry->hold == Hold::kReserved, "what is foreseen was reserved");
  moved_ |= entry->foreseen.try_emplace(std::string(tag), charges.begin(), charges.end()).second;
}

void MemoryJournal::book(std::string_view run, std::string_view attempt, std::string_view tag,
                         std::span<const ObserverCharge> charges) {
  Entry* entry = staged(run, attempt);
  check(entry != nullptr && (entry->hold == Hold::kGivenUp || entry->hold == Hold::kSpent),
        "more is booked of what was given up or spent");
  const bool is_new =
      entry->bookings.try_emplace(std::string(tag), charges.begin(), charges.end()).second;
  if (!is_new) return;
  ++entry->moves.booked;
  moved_ = true;
}

Result<void> MemoryJournal::commit() {
  if (staged_records_.empty() && !moved_) return {};
  if (second_spend_) return second_release("of this journal");
  if (fail_commits_) {
    return failed("E-store-full", "there is no space left to write the journal",
                  "free some space and start again: nothing that was kept is lost");
  }
  for (std::string& record : staged_records_) records_.push_back(std::move(record));
  staged_records_.clear();
  if (moved_) entries_ = staged_entries_;
  moved_ = false;
  ++commits_;
  return {};
}

void MemoryJournal::crash() {
  staged_records_.clear();
  if (moved_) staged_entries_ = entries_;
  moved_ = false;
  second_spend_ = false;
}

void MemoryJournal::end_from_outside(const std::string& run) {
  crash();
  for (auto& [key, entry] : entries_) {
    if (key.first != run || entry.hold != Hold::kReserved) continue;
    entry.shown = entry.shown || !entry.foreseen.empty() ||
                  std::ranges::any_of(entry.debit.charges, [](const ObserverCharge& charge) {
                    return charge.looks > 0;
                  });
    entry.hold = entry.shown ? Hold::kGivenUp : Hold::kRestored;
    ++(entry.shown ? entry.moves.given_up : entry.moves.restored);
    entry.moves.booked -= static_cast<int>(entry.bookings.size());
    entry.bookings.merge(entry.foreseen);
    entry.moves.booked += static_cast<int>(entry.bookings.size());
    entry.foreseen.clear();
  }
  staged_entries_ = entries_;
}

MemoryJournal::Moves MemoryJournal::moves(const std::string& run,
                                          const std::string& attempt) const {
  const auto found = entries_.find({run, attempt});
  return found == entries_.end() ? Moves{} : found->second.moves;
}

MemoryJournal::Moves MemoryJournal::moves(const std::string& run) const {
  Moves all;
  for (const auto& [key, entry] : entries_) {
    if (key.first != run) continue;
    all.reserved += entry.moves.reserved;
    all.spent += entry.moves.spent;
    all.given_up += entry.moves.given_up;
    all.booked += entry.moves.booked;
    all.restored += entry.moves.restored;
  }
  return all;
}

double MemoryJournal::sum(const Entries& entries, const std::string& run,
                          const std::string& observer) {
  double total = 0;
  for (const auto& [key, entry] : entries) {
    if (!run.empty() && key.first != run) continue;
    for (const ObserverCharge& charge : entry.debit.charges) {
      if (charge.observer != observer) continue;
      if (entry.hold == Hold::kReserved) total += std::max(charge.released, charge.looks);
      if (entry.hold == Hold::kSpent) total += charge.released;
      if (entry.hold == Hold::kGivenUp) total += charge.looks;
    }
    for (const auto& [tag, charges] : entry.bookings) {
      for (const ObserverCharge& charge : charges) {
        if (charge.observer == observer) total += charge.looks;
      }
    }
  }
  return total;
}

std::set<std::string> MemoryJournal::booked(const std::string& run,
                                            const std::string& attempt) const {
  std::set<std::string> tags;
  const auto found = entries_.find({run, attempt});
  if (found == entries_.end()) return tags;
  for (const auto& [tag, charges] : found->second.bookings) tags.insert(tag);
  return tags;
}

bool MemoryJournal::within_limit() const {
  return std::ranges::all_of(
      entries_, [&](const auto& entry) { return total(entry.second.debit.guaranteed) <= limit_; });
}

std::size_t MemoryJournal::bytes() const {
  std::size_t total = 0;
  for (const std::string& record : records_) total += record.size();
  return total;
}

int MemoryJournal::held(const std::string& run) const {
  int count = 0;
  for (const auto& [key, entry] : entries_) {
    if (key.first == run && entry.hold == Hold::kReserved) ++count;
  }
  return count;
}

}  // namespace sotto
