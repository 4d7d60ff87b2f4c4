#include "cli/check_steps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "cli/shown.h"
#include "network/identity_x509.h"
#include "network/store.h"
#include "network/transport_address.h"
#include "paillier/cipher.h"
#include "study/network_study.h"
#include "study/party_run.h"
#include "study/plan.h"
#include "study/tables.h"

namespace sotto {
namespace {

// A file may be a little ahead: shared folders have clocks of their own.
constexpr std::int64_t kClockSlackSeconds = 120;
// More clipping than this, and the bounds do not fit the data.
constexpr double kMuchClipped = 0.05;

void check_plan(const CheckTarget& target, Checklist& list) {
  const Study& study = target.study;
  const auto plan = make_plan(study, study.solver);
  if (!plan) return list.problem("plan", plan.error());
  if (study.solver == Solver::kDishuf) {
    const auto cipher = paillier_cipher(study.dishuf.key_bits, Randomness::kHalf);
    if (!cipher) return list.problem("plan", cipher.error());
  }
  list.ok("plan",
          fmt::format("ε = {:g}, δ = {:g}; {:.4g} times a trusted centre's noise on the sum",
                      study.privacy.budget.epsilon.value(), study.privacy.budget.delta.value(),
                      plan->central_ratio));
  for (const std::string& warning : plan->warnings) {
    list.warn("plan", warning, "'sotto plan' shows it all; agree on it with the others");
  }
}

void check_table(const CheckTarget& target, Checklist& list) {
  const auto table = read_own_table(target.study, target.self, target.data);
  if (!table) return list.problem("data", table.error());
  const RunRecord::Own& own = table->own;
  if (own.rows == 0) {
    return list.problem("data", "the table has no row that counts",
                        "is it the right file? with missing = \"drop\" a row needs every value");
  }
  std::uint64_t clipped = 0;
  std::vector<std::string> often;
  for (const RunRecord::Clipped& column : own.clipped) {
    const std::uint64_t times = column.below + column.above;
    clipped += times;
    if (static_cast<double>(times) > kMuchClipped * static_cast<double>(own.rows)) {
      often.push_back(column.column);
    }
  }
  list.ok("data", fmt::format("{} rows, {} left out, {} values clipped (for your eyes only)",
                              own.rows, own.dropped, clipped));
  if (often.empty()) return;
  list.warn("data",
            fmt::format("many values of {} are outside the study's bounds", fmt::join(often, ", ")),
            "check the column's units; the bounds must not be chosen from the data");
}

void check_budget(const CheckTarget& target, const Store& store, Checklist& list) {
  const auto accounts = store.accounts();
  if (!accounts) return list.problem("budget", accounts.error());
  const auto account = std::ranges::find(*accounts, target.account, &LedgerAccount::data);
  if (account == accounts->end() || !account->limit) {
    return list.ok("budget", fmt::format("no limit is set on \"{}\"; 'sotto ledger limit' sets one",
                                         target.account));
  }
  const Budget& budget = target.study.privacy.budget;
  const std::string left = fmt::format("ε = {:g}, δ = {:g} are left of \"{}\"",
                                       account->left->epsilon, account->left->delta, account->data);
  const double enough = 1 - 1e-12;  // as the ledger itself counts: kLimitSlackBits
  if (account->left->epsilon >= enough * budget.epsilon.value() &&
      account->left->delta >= enough * budget.delta.value()) {
    return list.ok("budget", left);
  }
  list.problem("budget",
               fmt::format("{}, and the study costs ε = {:g}, δ = {:g}", left,
                           budget.epsilon.value(), budget.delta.value()),
               "agree on a smaller ε, or raise the limit: what is released cannot be taken back");
}

void check_runs(const CheckTarget& target, const Store& store, Checklist& list) {
  const auto runs = store.runs_of_study(target.study.hash);
  if (!runs) return list.problem("journal", runs.error());
  if (runs->unfinished) {
    return list.ok("journal", fmt::format("run {} is unfinished: 'sotto join' resumes it",
                                          short_run(runs->unfinished->run)));
  }
  if (!runs->finished) return list.ok("journal", "this study was not run before");
  list.warn("journal",
            fmt::format("this study was run to its end already, in run {}",
                        short_run(runs->finished->run)),
            "'sotto join --again' runs it once more, and costs the budget once more");
}

}  // namespace

bool check_study(const CheckTarget& target, Checklist& list) {
  const auto complete = check_network(target.study);
  if (complete) {
    list.ok("study", fmt::format("{} parties, each with its fingerprint; hash {}",
                                 target.study.parties.size(), target.study.hash.substr(0, 12)));
  } else {
    list.problem("study", complete.error());
  }
  check_plan(target, list);
  return complete.has_value();
}

std::optional<Identity> check_identity(const CheckTarget& target, Checklist& list) {
  auto identity = Identity::load(target.home);
  if (!identity) {
    list.problem("identity", identity.error());
    return std::nullopt;
  }
  const PartyTerms& terms = target.study.parties[target.self];
  if (identity->fingerprint() != terms.fingerprint) {
    list.problem("identity",
                 fmt::format("the key in {} is {}, and the study names another for {}", target.home,
                             identity->fingerprint(), terms.name),
                 "use the --home where that party's key is, or put this fingerprint into the "
                 "study, for everybody");
    return std::nullopt;
  }
  list.ok("identity", fmt::format("{} is the one that the study names", target.home));
  const auto place = parse_address(terms.address);
  if (place && std::ranges::find(identity->hosts(), place->host) == identity->hosts().end()) {
    list.warn("identity",
              fmt::format("the certificate is for {}, and the study's address is {}",
                          fmt::join(identity->hosts(), ", "), terms.address),
              "nothing, if the address is right: parties know each other by fingerprint");
  }
  return std::move(*identity);
}

void check_clock(const CheckTarget& target, const Identity& identity, Checklist& list) {
  const std::string fix = "set this machine's clock; logs and the ledger are dated by it";
  const auto certificate = x509::certificate_from_pem(identity.certificate_pem());
  if (certificate && X509_cmp_current_time(X509_get0_notBefore(certificate.get())) > 0) {
    return list.warn("clock", "it is earlier here than when this party's key was made", fix);
  }
  struct stat file {};
  const std::int64_t now = unix_seconds();
  if (::stat(target.study_file.c_str(), &file) == 0 && file.st_mtime > now + kClockSlackSeconds) {
    return list.warn("clock",
                     fmt::format("it is {} here, and the study was written at {}", utc_text(now),
                                 utc_text(file.st_mtime)),
                     fix);
  }
  list.ok("clock", utc_text(now));
}

void check_data(const CheckTarget& target, Checklist& list) {
  const bool records = target.study.privacy.unit == Unit::kRecord;
  if (records && target.data.empty()) {
    return list.warn("data", "no table was named, so none was looked at", "name it with --data");
  }
  if (records) return check_table(target, list);
  const auto party = PartyRun::make(target.study, target.self, target.data);
  if (!party) return list.problem("data", party.error());
  list.ok("data", "the costs are of the study's size");
}

bool check_home(const CheckTarget& target, Checklist& list) {
  std::error_code problem;
  // Without a key there is nothing to keep yet, and the identity says what to do.
  if (!std::filesystem::exists(target.home, problem)) return false;
  const auto store = Store::open(target.home, unix_seconds);
  if (!store) {
    list.problem("home", store.error());
    return false;
  }
  list.ok("home", fmt::format("{} can be written, by its owner only", target.home));
  check_runs(target, *store, list);
  check_budget(target, *store, list);
  const auto lock = store->lock(target.study.hash);
  if (lock) return false;
  if (lock.error().name == "E-store-busy") return true;
  list.problem("home", lock.error());
  return false;
}

}  // namespace sotto
