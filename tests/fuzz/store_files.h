#pragma once

// A party's home with two runs, a journal and a ledger with something of every kind in it, and what
// is asked of it when it is opened again.

#include <sys/stat.h>

#include <cmath>

#include "cli/text/account_text.h"
#include "fuzz/fuzz.h"
#include "run/ledger_view.h"
#include "store/store.h"
#include "view/budgets.h"
#include "view/runs.h"

namespace sotto::fuzz {

inline Debit debit_of(const std::string& run, const std::string& attempt, double released) {
  Debit debit;
  debit.run = run;
  debit.attempt = attempt;
  debit.study = "energy";
  debit.data = "table";
  debit.unit = "record";
  debit.epsilon = 1;
  debit.delta = 1e-6;
  debit.charges = {{"eavesdropper", released, 0}, {"neighbour", 2 * released, released / 2}};
  debit.guaranteed = "neighbour";
  return debit;
}

inline std::string store_home() {
  return own_folder() + "/home";
}

// The file's bytes, closed and without a log beside it.
inline const std::string& store_template() {
  static const std::string bytes = [] {
    const std::string home = store_home();
    {
      auto store = Store::open(home, [] { return std::int64_t{1'700'000'000}; });
      require(store.has_value(), "a store opens");
      require(store->new_account("table", {.epsilon = 5, .delta = 1e-5}).has_value(),
              "an account is made");
      require(store->new_account_without_limit("other", 1e-6).has_value(), "and another");
      for (const char* name : {"a1", "b2"}) {
        const std::string run = name;
        require(store->begin_run(run, "energy", "beef").has_value(), "a run begins");
        auto journal = store->journal(run);
        for (const char* record : {"first", "second", "third"}) (*journal)->append(record);
        require((*journal)->reserve(debit_of(run, "c1", 0.02)).has_value(), "there is enough");
        require((*journal)->commit().has_value(), "and it is kept");
        (*journal)->give_up(run, "c1");
        (*journal)->book(run, "c1", "neighbour-2", debit_of(run, "c1", 0.01).charges);
        require((*journal)->reserve(debit_of(run, "c2", 0.03)).has_value(), "for another, too");
        if (run == "a1") {
          (*journal)->spend(run, "c2");
        } else {
          (*journal)->foresee(run, "c2", "released-by-1", debit_of(run, "c2", 0.01).charges);
        }
        require((*journal)->commit().has_value(), "which is kept");
      }
      require(store->share_name("a1", std::string(32, 'e')).has_value(),
              "a run has a name for all");
      require(store->finish("a1", {"record.json"}, "done").has_value(), "a run ends");
    }
    for (const char* log : {"-wal", "-shm"}) std::filesystem::remove(home + "/party.db" + log);
    return content_of(home + "/party.db");
  }();
  return bytes;
}

inline void put_store(std::string_view bytes) {
  const std::string home = store_home();
  for (const char* log : {"-wal", "-shm", "-journal"}) {
    std::filesystem::remove(home + "/party.db" + log);
  }
  ::chmod(file_with("home/party.db", bytes).c_str(), 0600);
}

// What `sotto status`, `sotto ledger` and `sotto view` say of it.
inline void show_store() {
  const std::vector<view::Home> homes{{.folder = store_home(), .name = "home"}};
  const view::Watched watched = view::look_at_homes(homes);
  for (const Error& problem : watched.problems) require_error(problem);
  for (const view::WatchedRun& run : watched.runs) {
    require(!json_line(to_json(run.view)).empty(), "a run can be shown");
  }
  require(!json_line(view::runs_json(watched)).empty(), "runs are a page");
  if (const auto ledger = read_ledger(store_home(), ""); fine_or_error(ledger)) {
    require(!json_line(to_json(*ledger)).empty(), "a ledger can be shown");
    for (const LedgerAccount& account : ledger->accounts) {
      require(!account_text(account).empty(), "an account is a text");
    }
  }
  (void)fine_or_error(run_called(store_home(), "last"));
  require(!json_line(view::budgets_json(homes)).empty(), "budgets are a page");
}

// What was spent may be without limit, where a study hid nothing; what is left is a number.
inline void require_numbers(const LedgerAccount& account) {
  const auto total = [](const ObserverTotal& spent) {
    require(spent.squares >= 0 && spent.epsilon >= 0 && spent.basic_epsilon >= 0,
            "what was spent is a number");
  };
  total(account.guaranteed);
  for (const ObserverTotal& observer : account.observers) total(observer);
  if (!account.left) return;
  for (const double left : {account.left->squares, account.left->epsilon, account.left->gt_epsilon,
                            account.left->gt_delta}) {
    require(std::isfinite(left) && left >= 0, "what is left is a number");
  }
}

// Everything that can be read and shown, and one more debit.
inline void ask_store() {
  show_store();
  auto store = Store::open(store_home(), [] { return std::int64_t{1'700'000'100}; });
  if (!fine_or_error(store)) return;
  const auto runs = store->runs();
  if (fine_or_error(runs)) {
    for (const StoredRun& run : *runs) {
      const auto journal = store->journal(run.run);
      if (fine_or_error(journal)) (void)fine_or_error((*journal)->records());
    }
  }
  (void)fine_or_error(store->runs_of_study("beef"));
  if (const auto entries = store->ledger(); fine_or_error(entries)) {
    for (const LedgerEntry& entry : *entries) {
      for (const ObserverCharge& charge : entry.debit.charges) {
        require(charge.released >= 0 && charge.looks >= 0, "charges are squares");
      }
    }
  }
  if (const auto accounts = store->accounts(); fine_or_error(accounts)) {
    for (const LedgerAccount& account : *accounts) require_numbers(account);
  }
  (void)fine_or_error(store->affords(debit_of("d4", "c1", 0.01)));
  if (auto begun = store->begin_run("d4", "energy", "beef"); !fine_or_error(begun)) return;
  auto journal = store->journal("d4");
  if (!fine_or_error(journal)) return;
  const bool held = fine_or_error((*journal)->reserve(debit_of("d4", "c1", 0.01)));
  (*journal)->append("record");
  if (held) (*journal)->spend("d4", "c1");
  (void)fine_or_error((*journal)->commit());
}

}  // namespace sotto::fuzz
