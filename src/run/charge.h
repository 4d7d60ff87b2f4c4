#pragma once

#include <memory>
#include <string>

#include "plan/plan.h"
#include "store/store.h"

// What one release costs its account, held back before anything is drawn: for releases of tables
// in this process. A party on a network has its session for that.
namespace sotto {

class Charge {
 public:
  // E-account-unknown, E-ledger-overdrawn, E-ledger-unit: then nothing is held back.
  [[nodiscard]] static Result<Charge> reserve(Store& store, const PlannedStudy& planned,
                                              const std::string& account);
  Charge(Charge&&) noexcept = default;
  Charge& operator=(Charge&&) = delete;
  ~Charge();  // what was not spent is free again: nothing has left

  // For ever. What is released must not be shown before this has succeeded.
  [[nodiscard]] Result<void> spend();

 private:
  Charge(Store& store, std::string run, std::unique_ptr<Journal> journal)
      : store_(&store), run_(std::move(run)), journal_(std::move(journal)) {}

  Store* store_;
  std::string run_;                   // and its one attempt
  std::unique_ptr<Journal> journal_;  // none: spent
};

}  // namespace sotto
