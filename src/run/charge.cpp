// A release without a session moves the ledger as a session would: reserved, then spent or free
// again. A crash in between leaves it reserved, which counts.
#include "run/charge.h"

#include <utility>

#include "base/digest.h"
#include "run/account.h"
#include "session/terms.h"

namespace sotto {

Result<Charge> Charge::reserve(Store& store, const PlannedStudy& planned,
                               const std::string& account) {
  OsRandom random;
  const std::string run = to_hex(RunKey::draw(random).nonce());
  Debit debit = debit_of(planned.study, planned.plan, account);
  debit.run = run;
  debit.attempt = run;
  SOTTO_TRY(store.affords(debit));  // a run that cannot be paid leaves no trace
  SOTTO_TRY(store.begin_run(run, planned.study.name, planned.study.hash));
  SOTTO_ASSIGN(auto journal, store.journal(run));
  auto reserved = journal->reserve(debit);
  if (reserved) reserved = journal->commit();
  if (!reserved) {
    static_cast<void>(store.abort(run, "not paid for"));
    return reserved.error();
  }
  return Charge(store, run, std::move(journal));
}

Charge::~Charge() {
  if (!journal_) return;
  journal_->restore(run_, run_);
  // Where this cannot be written the amount stays held back, and counts.
  if (journal_->commit()) static_cast<void>(store_->abort(run_, "nothing was released"));
}

Result<void> Charge::spend() {
  journal_->spend(run_, run_);
  SOTTO_TRY(journal_->commit());
  journal_.reset();
  return store_->finish(run_, {}, "released to the program that held the tables");
}

}  // namespace sotto
