#pragma once

// What was spent on whose data, and what may be: `sotto ledger`, and accounts that a program pays
// its releases from.

#include <sotto/result.h>

#include <memory>
#include <optional>
#include <string>

namespace sotto::v1 {

// How an account stands. Rounded towards safety: what was spent up, what is left down.
struct Balance {
  double delta = 0;                          // at which each ε here is stated
  double spent_epsilon = 0;                  // of everything that was released, together
  std::optional<double> limit_epsilon = {};  // none: the account only says what was spent
  std::optional<double> left_epsilon = {};   // of one more release, at this δ
  std::size_t releases = 0;                  // that count
  std::string json = {};                     // as `sotto ledger --format json` prints an account
};

// An account of a ledger. Copies are the same account, and releases that it pays for wait for each
// other.
//
// A limit that is fixed beforehand is a guarantee: whatever is chosen from what came before, all
// releases together are (ε, δ)-private. docs/proofs/ledger.md
class Account {
 public:
  // Kept by this process alone, and gone with it. E-ledger-amount.
  [[nodiscard]] static Result<Account> in_memory(double epsilon, double delta);
  // Of the ledger in a party's home (empty: as `sotto ledger` finds it); other processes and
  // `sotto join` spend from the same. E-account-unknown.
  [[nodiscard]] static Result<Account> open(const std::string& home, const std::string& name);
  // Makes it, and the ledger if there is none. E-account-exists, E-ledger-amount.
  [[nodiscard]] static Result<Account> create(const std::string& home, const std::string& name,
                                              double epsilon, double delta);

  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] const std::string& home() const;  // empty: in memory
  [[nodiscard]] Result<Balance> balance() const;

  struct Inside;  // for sotto itself
  [[nodiscard]] Inside& inside() const { return *inside_; }

 private:
  explicit Account(std::shared_ptr<Inside> inside) : inside_(std::move(inside)) {}

  std::shared_ptr<Inside> inside_;
};

// Everything in a home's ledger as JSON, as `sotto ledger --format json` prints it; with `run` the
// entries of that run alone.
[[nodiscard]] Result<std::string> read_ledger(const std::string& home, const std::string& run = {});

}  // namespace sotto::v1
