// Accounts: what all entries come to, for every observer, and what the limit allows. Sums are exact
// fractions; what is shown of them is rounded up, and what is left is rounded down.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "privacy/composition.h"
#include "store/ledger.h"
#include "store/ledger_history.h"

namespace sotto::store {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Before units said by how much an entry may move it was "entry" alone. What was released then
// stays with the one μ that its account goes on with.
constexpr std::string_view kEntryByUnknown = "entry";
constexpr std::string_view kEntryBy = "entry by ";

bool go_together(const std::string& before, const std::string& now) {
  return before == now || (before == kEntryByUnknown && now.starts_with(kEntryBy));
}

// A sum of numbers that may be infinite.
struct ExactSum {
  Rational finite = 0;
  bool infinite = false;
  void add(double more) {
    if (std::isinf(more)) {
      infinite = true;
    } else {
      finite += Rational(more);
    }
  }
  [[nodiscard]] double above() const { return infinite ? kInfinity : double_above(finite); }
};

// What counts of an account against its limit.
struct Counted {
  ExactSum squares;      // each entry's, for the observer that its study guarantees
  Rational epsilon = 0;  // as the studies asked for it
  Rational delta = 0;
  Rational laplace_epsilon = 0;
  Rational laplace_delta = 0;
  Rational excess = 0;
};

// What is reserved or spent has its Laplace part; a given-up attempt has no value that left.
bool may_have_left(const LedgerEntry& entry) {
  return entry.state == EntryState::kReserved || entry.state == EntryState::kSpent;
}

void add_to(Counted& sum, const LedgerEntry& entry) {
  if (!counts(entry)) return;
  const Debit& debit = entry.debit;
  const auto parts = counted_squares(entry, debit.guaranteed);
  for (const double part : parts.value_or(std::vector<double>{})) sum.squares.add(part);
  sum.excess += Rational(debit.excess_delta);
  if (!may_have_left(entry)) return;
  sum.epsilon += Rational(debit.epsilon);
  sum.delta += Rational(debit.delta);
  sum.laplace_epsilon += Rational(debit.laplace_epsilon);
  sum.laplace_delta += Rational(debit.laplace_delta);
}

Counted count(const std::vector<LedgerEntry>& entries) {
  Counted sum;
  for (const LedgerEntry& entry : entries) add_to(sum, entry);
  return sum;
}

// What each entry's own ε adds up to, for one observer or, without a name, for the guaranteed ones.
double basic_epsilon(const std::vector<LedgerEntry>& entries, const std::string& observer = {}) {
  ExactSum sum;
  for (const LedgerEntry& entry : entries) {
    if (!counts(entry)) continue;
    const Debit& debit = entry.debit;
    if (may_have_left(entry)) sum.add(debit.laplace_epsilon);
    ExactSum squares;
    const auto parts = counted_squares(entry, observer.empty() ? debit.guaranteed : observer);
    for (const double part : parts.value_or(std::vector<double>{})) squares.add(part);
    sum.add(composed_epsilon(squares.above(), debit.delta));
  }
  return sum.above();
}

// ε at δ of Gaussian releases with these squares beside a Laplace part and an excess.
double epsilon_at(const ExactSum& squares, const Counted& sum, double delta) {
  const double left = double_below(Rational(delta) - sum.laplace_delta - sum.excess);
  const Rational laplace = sum.laplace_epsilon;
  if (laplace > 0 && !(left >= 0)) return kInfinity;
  const double gaussian = composed_epsilon(squares.above(), left);
  return std::isinf(gaussian) ? kInfinity : double_above(Rational(gaussian) + laplace);
}

// What of δ is set aside for the excess of the discrete mechanism, beforehand.
Rational excess_share(double delta) {
  return Rational(delta) * power_of_two(-kExcessShareBits);
}

double squares_allowed(const LedgerLimit& limit) {
  const Rational delta =
      Rational(limit.delta) - Rational(limit.gt_delta) - excess_share(limit.delta);
  return largest_squares(double_below(Rational(limit.epsilon) - Rational(limit.gt_epsilon)),
                         double_below(delta));
}

// Σ ≤ limit·(1 + 2⁻⁴⁰), exactly.
bool within(const Rational& sum, double limit) {
  return sum <= Rational(limit) * (1 + power_of_two(-kLimitSlackBits));
}

double left_of(const Rational& spent, double limit) {
  const Rational left = Rational(limit) - spent;
  return left > 0 ? double_below(left) : 0.0;
}

// The largest ε whose release has no more squares than are left: no more than the limit, which a
// file that was changed may have where ε of squares is past a double's range.
double epsilon_left(double squares, const LedgerLimit& limit) {
  if (squares == 0 || !(limit.delta > 0)) return 0;
  const double slack = 1 - std::ldexp(1.0, -kLimitSlackBits + 2);
  return std::min(slack * gaussian_epsilon(slack * std::sqrt(squares), limit.delta), limit.epsilon);
}

LedgerLeft left_of(const Counted& sum, const LedgerLimit& limit) {
  LedgerLeft left;
  if (!sum.squares.infinite) left.squares = left_of(sum.squares.finite, squares_allowed(limit));
  left.epsilon = epsilon_left(left.squares, limit);
  left.gt_epsilon = left_of(sum.laplace_epsilon, limit.gt_epsilon);
  left.gt_delta = left_of(sum.laplace_delta, limit.gt_delta);
  return left;
}

std::vector<std::string> observers_of(const std::vector<LedgerEntry>& entries) {
  std::vector<std::string> names;
  for (const LedgerEntry& entry : entries) {
    if (!counts(entry)) continue;
    for (const ObserverCharge& charge : entry.debit.charges) names.push_back(charge.observer);
    for (const Booking& booking : entry.bookings) {
      for (const ObserverCharge& charge : booking.charges) names.push_back(charge.observer);
    }
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  // "neighbour" before "colluders-1", who are as many.
  std::ranges::stable_sort(names, [](const std::string& a, const std::string& b) {
    const double x = observer_strength(a);
    const double y = observer_strength(b);
    if (std::isnan(x) || std::isnan(y)) return !std::isnan(x) && std::isnan(y);
    return x != y ? x < y : a == "neighbour" && b != "neighbour";
  });
  return names;
}

ObserverTotal total_for(const std::string& observer, const std::vector<LedgerEntry>& entries,
                        const Counted& sum, double delta) {
  ObserverTotal total{.observer = observer};
  ExactSum squares;
  for (const LedgerEntry& entry : entries) {
    if (!counts(entry)) continue;
    const auto parts = counted_squares(entry, observer);
    if (!parts) ++total.unknown;
    for (const double part : parts.value_or(std::vector<double>{})) squares.add(part);
  }
  total.squares = squares.above();
  total.epsilon = epsilon_at(squares, sum, delta);
  total.basic_epsilon = basic_epsilon(entries, observer);
  return total;
}

void fill_in(LedgerAccount& account, const std::vector<LedgerEntry>& entries) {
  const Counted sum = count(entries);
  for (const LedgerEntry& entry : entries) {
    if (!counts(entry)) continue;
    if (account.unit.empty() || go_together(account.unit, entry.debit.unit)) {
      account.unit = entry.debit.unit;
    }
    account.colluders =
        std::min(account.colluders.value_or(entry.debit.colluders), entry.debit.colluders);
    if (entry.converted) ++account.converted;
  }
  account.guaranteed = {.observer = "guaranteed",
                        .squares = sum.squares.above(),
                        .epsilon = epsilon_at(sum.squares, sum, account.delta),
                        .basic_epsilon = basic_epsilon(entries)};
  account.basic = {.epsilon = double_above(sum.epsilon), .delta = double_above(sum.delta)};
  account.laplace = {.epsilon = double_above(sum.laplace_epsilon),
                     .delta = double_above(sum.laplace_delta)};
  account.excess_delta = double_above(sum.excess);
  for (const std::string& observer : observers_of(entries)) {
    account.observers.push_back(total_for(observer, entries, sum, account.delta));
  }
  if (account.limit) account.left = left_of(sum, *account.limit);
}

// Whatever was written there by hand: exact sums know no infinity, and a δ is a probability.
Result<LedgerAccount> account_of(const Database& database, const Database::Rows& rows) {
  const LedgerLimit limit{.epsilon = rows.real(1),
                          .delta = rows.real(2),
                          .gt_epsilon = rows.real(3),
                          .gt_delta = rows.real(4)};
  const auto is_delta = [](double delta) { return delta >= 0 && delta < 1; };
  const bool limited = !rows.null(1);
  if ((limited && !(std::isfinite(limit.epsilon) && limit.epsilon > 0)) ||
      !(std::isfinite(limit.gt_epsilon) && limit.gt_epsilon >= 0) || !is_delta(limit.delta) ||
      !is_delta(limit.gt_delta)) {
    return corrupt(database, "the terms of an account are none");
  }
  LedgerAccount account;
  account.data = rows.bytes(0);
  account.delta = limit.delta;
  account.limit_changes = static_cast<std::size_t>(rows.integer(5));
  if (limited) account.limit = limit;
  return account;
}

Result<std::vector<LedgerAccount>> accounts_where(const Database& database, std::string_view which,
                                                  const std::string& argument) {
  SOTTO_ASSIGN(auto rows,
               database.query(fmt::format("SELECT data, epsilon, delta, gt_epsilon, gt_delta, "
                                          "changes FROM accounts WHERE {} ORDER BY data",
                                          which),
                              argument));
  std::vector<LedgerAccount> accounts;
  for (;;) {
    SOTTO_ASSIGN(const bool row, rows.step());
    if (!row) return accounts;
    SOTTO_ASSIGN(auto account, account_of(database, rows));
    accounts.push_back(std::move(account));
  }
}

// The account without what was spent from it.
Result<LedgerAccount> bare_account(const Database& database, const std::string& data) {
  SOTTO_ASSIGN(auto found, accounts_where(database, "data = ?", data));
  if (!found.empty()) return std::move(found.front());
  SOTTO_ASSIGN(const auto others, accounts_where(database, "data != ?", data));
  std::vector<std::string> names;
  for (const LedgerAccount& account : others) names.push_back(fmt::format("\"{}\"", account.data));
  return bad_input(
      "E-account-unknown",
      fmt::format("the ledger has no account \"{}\"; {}", data,
                  names.empty() ? std::string("it has none yet")
                                : fmt::format("it has {}", fmt::join(names, ", "))),
      fmt::format("{}for people whom no account is about yet, make one: "
                  "sotto ledger new \"{}\" --epsilon E --delta D",
                  names.empty() ? "" : "name the account of these people with --account; or, ",
                  data));
}

Result<void> check_name(const std::string& data) {
  if (!data.empty() && data.size() <= kMaxLedgerNameBytes) return {};
  return bad_input("E-ledger-data", "an account needs a name",
                   fmt::format("a name of 1 to {} bytes", kMaxLedgerNameBytes));
}

Result<void> check_terms(double delta, const std::optional<LedgerLimit>& limit) {
  if (!(delta > 0 && delta < 1)) {
    return bad_input("E-ledger-amount",
                     fmt::format("an account states its ε at a δ, and {} is none", delta),
                     "δ above 0 and below 1, for example 1e-5");
  }
  if (!limit) return {};
  const auto& [epsilon, all_delta, gt_epsilon, gt_delta] = *limit;
  if (!(epsilon > 0 && epsilon <= kMaxLedgerEpsilon)) {
    return bad_input("E-ledger-amount", fmt::format("ε = {} is no limit", epsilon),
                     fmt::format("ε above 0 and at most {:g}; an account may have no limit at all",
                                 kMaxLedgerEpsilon));
  }
  const bool share = gt_epsilon >= 0 && gt_epsilon <= epsilon && gt_delta >= 0 &&
                     gt_delta <= all_delta && (gt_epsilon > 0) == (gt_delta > 0);
  if (share) return {};
  return bad_input("E-ledger-amount",
                   fmt::format("ε = {}, δ = {} is no share of ε = {}, δ = {} for gt", gt_epsilon,
                               gt_delta, epsilon, all_delta),
                   "both 0, or both above 0 and no more than the limit");
}

std::string amounts_text(double epsilon, double basic_epsilon, double basic_delta) {
  return fmt::format("ε = {:.6g} (basic composition: ε = {:.6g}, δ = {:.6g})", epsilon,
                     basic_epsilon, basic_delta);
}

// How the entries would stand with one more.
LedgerEntry reserved_entry(const Debit& debit) {
  LedgerEntry entry;
  entry.debit = debit;
  return entry;
}

Error overdrawn(const LedgerAccount& account, std::vector<LedgerEntry> entries, const Debit& asked,
                const std::string& which) {
  const Counted before = count(entries);
  const double basic_before = basic_epsilon(entries);
  entries.push_back(reserved_entry(asked));
  const Counted after = count(entries);
  std::string seen;
  for (const std::string& observer : observers_of(entries)) {
    const ObserverTotal total = total_for(observer, entries, after, account.delta);
    seen += fmt::format("{}{} ε = {:.6g} (basic {:.6g})", seen.empty() ? "" : ", ", observer,
                        total.epsilon, total.basic_epsilon);
  }
  return refused(
      "E-ledger-overdrawn",
      fmt::format("{} of account \"{}\" would be passed, ε = {:.6g} at δ = {:.6g}: spent {}; with "
                  "this study {}; then, by observer at that δ: {}",
                  which, account.data, account.limit->epsilon, account.delta,
                  amounts_text(epsilon_at(before.squares, before, account.delta), basic_before,
                               double_above(before.delta)),
                  amounts_text(epsilon_at(after.squares, after, account.delta),
                               basic_epsilon(entries), double_above(after.delta)),
                  seen),
      "a study that asks for no more than is left ('sotto ledger' shows it); or, if those whom the "
      "data is about may lose more privacy, a higher 'sotto ledger limit'");
}

}  // namespace

double double_above(const Rational& value) {
  const double near = nearest_double(value);
  return std::isfinite(near) && Rational(near) < value ? std::nextafter(near, kInfinity) : near;
}

double double_below(const Rational& value) {
  return -double_above(-value);
}

Result<std::vector<LedgerAccount>> read_accounts(const Database& database) {
  SOTTO_ASSIGN(auto accounts, accounts_where(database, "data != ?", ""));
  for (LedgerAccount& account : accounts) {
    SOTTO_ASSIGN(const auto entries, entries_of_account(database, account.data));
    fill_in(account, entries);
  }
  return accounts;
}

Result<LedgerAccount> read_account(const Database& database, const std::string& data,
                                   const Debit* more) {
  SOTTO_ASSIGN(auto account, bare_account(database, data));
  SOTTO_ASSIGN(auto entries, entries_of_account(database, data));
  if (more != nullptr) entries.push_back(reserved_entry(*more));
  fill_in(account, entries);
  return account;
}

std::vector<AccountStep> account_history(const LedgerAccount& account,
                                         std::vector<LedgerEntry> entries) {
  std::erase_if(entries, [&](const LedgerEntry& entry) {
    return entry.debit.data != account.data || !counts(entry);
  });
  std::ranges::stable_sort(entries, {}, &LedgerEntry::time);
  std::vector<AccountStep> steps;
  std::vector<LedgerEntry> so_far;
  for (const LedgerEntry& entry : entries) {
    so_far.push_back(entry);
    LedgerAccount after;
    after.data = account.data;
    after.delta = account.delta;
    after.limit = account.limit;
    after.limit_changes = account.limit_changes;
    fill_in(after, so_far);
    steps.push_back({.entry = entry, .after = std::move(after)});
  }
  return steps;
}

Result<void> make_account(Database& database, const std::string& data, double delta,
                          const std::optional<LedgerLimit>& limit, std::int64_t now) {
  SOTTO_TRY(check_name(data));
  SOTTO_TRY(check_terms(delta, limit));
  const LedgerLimit terms = limit.value_or(LedgerLimit{.delta = delta});
  constexpr const char* kInsert =
      "INSERT INTO accounts (data, epsilon, delta, gt_epsilon, gt_delta, made, changes) VALUES (?, "
      "nullif(?, 0.0), ?, ?, ?, ?, 0) ON CONFLICT (data) DO NOTHING";
  SOTTO_ASSIGN(const int made, database.change(kInsert, data, terms.epsilon, delta,
                                               terms.gt_epsilon, terms.gt_delta, now));
  if (made == 1) return {};
  return bad_input("E-account-exists", fmt::format("there is an account \"{}\" already", data),
                   "another name; 'sotto ledger limit' changes what may be spent from it");
}

Result<void> write_limit(Database& database, const std::string& data, const LedgerLimit& limit,
                         std::int64_t now) {
  SOTTO_TRY(check_name(data));
  SOTTO_TRY(check_terms(limit.delta, limit));
  SOTTO_ASSIGN(const auto account, read_account(database, data));
  const bool same_share = account.limit && account.limit->gt_epsilon == limit.gt_epsilon &&
                          account.limit->gt_delta == limit.gt_delta;
  if (account.limit && !same_share && account.guaranteed.squares > 0) {
    return refused(
        "E-ledger-share",
        fmt::format("from \"{}\" Gaussian releases were made, and gt's share of its limit "
                    "was fixed before them",
                    data),
        "leave the share as it is: traded afterwards, the limit can be passed "
        "(docs/proofs/ledger.md)");
  }
  const bool released = account.colluders.has_value();
  SOTTO_TRY(database.change(
      "UPDATE accounts SET epsilon = ?, delta = ?, gt_epsilon = ?, gt_delta = ?, changed = ?, "
      "changes = changes + ? WHERE data = ?",
      limit.epsilon, limit.delta, limit.gt_epsilon, limit.gt_delta, now, std::int64_t{released},
      data));
  return {};
}

Result<void> check_affordable(const Database& database, const Debit& debit) {
  SOTTO_ASSIGN(const auto account, bare_account(database, debit.data));
  SOTTO_ASSIGN(const auto entries, entries_of_account(database, debit.data));
  for (const LedgerEntry& entry : entries) {
    if (!counts(entry) || go_together(entry.debit.unit, debit.unit)) continue;
    return refused(
        "E-ledger-unit",
        fmt::format("from \"{}\" was released by {}, and what is private per {} cannot be "
                    "added to that",
                    debit.data, entry.debit.unit, debit.unit),
        fmt::format("a study with unit {}, or an account of its own for the other",
                    entry.debit.unit));
  }
  if (!account.limit) return {};
  const LedgerLimit& limit = *account.limit;
  Counted sum = count(entries);
  add_to(sum, reserved_entry(debit));
  if (!within(sum.laplace_epsilon, limit.gt_epsilon) ||
      !within(sum.laplace_delta, limit.gt_delta)) {
    return overdrawn(account, entries, debit,
                     fmt::format("gt's share, ε = {:.6g}, δ = {:.6g}, of the limit",
                                 limit.gt_epsilon, limit.gt_delta));
  }
  if (sum.squares.infinite || !within(sum.squares.finite, squares_allowed(limit)) ||
      sum.excess > excess_share(limit.delta)) {
    return overdrawn(account, entries, debit, "the limit");
  }
  return {};
}

}  // namespace sotto::store
