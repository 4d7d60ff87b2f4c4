#pragma once

// An account of the public library: the store that keeps it, and its name there.

#include <sotto/ledger.h>

#include <mutex>
#include <string>
#include <utility>

#include "store/store.h"

namespace sotto::v1 {

struct Account::Inside {
  Inside(Store a_store, std::string a_home, std::string a_name)
      : store(std::move(a_store)), home(std::move(a_home)), name(std::move(a_name)) {}

  std::mutex mutex;  // a store is one thread's at a time
  Store store;
  std::string home;  // empty: in memory
  std::string name;
};

}  // namespace sotto::v1
