// A party's journal after something else than sotto wrote in it: the session goes on, or says that
// it cannot. (Bytes that changed on the disk are found before: store_fuzz.cpp.)

#include "fuzz/fuzz.h"
#include "support/sessions.h"

namespace sotto {
namespace {

// Keeps what it is given; of the ledger nothing is asked.
class GivenJournal final : public Journal {
 public:
  explicit GivenJournal(std::vector<std::string> records) : records_(std::move(records)) {}
  [[nodiscard]] Result<std::vector<std::string>> records() const override { return records_; }
  void append(std::string_view record) override { records_.emplace_back(record); }
  [[nodiscard]] Result<void> reserve(const Debit&) override { return {}; }
  void spend(std::string_view, std::string_view) override {}
  void give_up(std::string_view, std::string_view) override {}
  void restore(std::string_view, std::string_view) override {}
  void foresee(std::string_view, std::string_view, std::string_view,
               std::span<const ObserverCharge>) override {}
  void book(std::string_view, std::string_view, std::string_view,
            std::span<const ObserverCharge>) override {}
  [[nodiscard]] Result<void> commit() override { return {}; }

 private:
  std::vector<std::string> records_;
};

// Three parties that finished, and what the first of them remembers.
struct Finished {
  explicit Finished(SimulatedSolver solver) : network(session_test::triangle(solver)) {
    network.connect_all();
    network.run();
    fuzz::require(network.all_finished(), "three honest parties finish");
    records = *network.journals[0]->records();
  }
  session_test::Network network;
  std::vector<std::string> records;
};

const Finished& finished(std::size_t k) {
  static const Finished all[] = {
      Finished(SimulatedSolver::kLocal), Finished(SimulatedSolver::kShuffle),
      Finished(SimulatedSolver::kPairwise), Finished(SimulatedSolver::kTracking)};
  return all[k];
}

}  // namespace

// Which solver, how much of the journal is kept, and what is done to its records.
SOTTO_FUZZER(journal) {
  fuzz::Choices choices(bytes);
  const Finished& run = finished(choices.below(4));
  std::vector<std::string> records = run.records;
  const std::size_t lost = choices.below(records.size() + 1);
  records.resize(records.size() - lost);
  for (int k = 0; k < 8 && !choices.empty() && !records.empty(); ++k) {
    const std::size_t at = choices.below(records.size());
    switch (choices.below(5)) {
      case 0:
        records.erase(records.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      case 1:
        records.push_back(records[at]);
        break;
      case 2:
        std::swap(records[at], records.back());
        break;
      case 3:
        records[at] = choices.text();
        break;
      default:
        fuzz::damage(choices, records[at]);
    }
  }
  GivenJournal journal(records);
  SessionTerms terms = run.network.study.terms(0);
  terms.start = run.network.starts[0];
  auto session = Session::open(std::move(terms), *run.network.signers[0], journal,
                               run.network.study.factory(0), run.network.keys[0], Time{});
  if (!fuzz::fine_or_error(session)) return;
  for (int second = 0; second < 3; ++second) {
    const Time now = second * session_test::kSecond;
    if (second == 1) (*session)->connected(1, now);
    (*session)->tick(now);
    (void)fuzz::fine_or_error((*session)->flush(now));
    (void)(*session)->describe();
    (void)(*session)->statement();
  }
}

}  // namespace sotto
