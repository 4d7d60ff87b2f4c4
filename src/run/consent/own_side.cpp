// One method per thing that can be wrong; each adds what it found to the list.
#include "run/consent/own_side.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/words.h"
#include "paillier/cipher.h"
#include "run/account.h"
#include "run/consent/policy_check.h"
#include "run/home.h"

namespace sotto {
namespace {

// A file may be a little ahead: shared folders have clocks of their own.
constexpr std::int64_t kClockSlackSeconds = 120;
constexpr std::int64_t kExpirySoonSeconds = 60LL * 24 * 3600;
// More clipping than this, and the bounds do not fit the data.
constexpr double kMuchClipped = 0.05;

class Examination {
 public:
  Examination(const Study& study, const JoinRequest& request, Purpose purpose)
      : study_(study),
        request_(request),
        join_(purpose == Purpose::kJoin),
        own_{.consent = {.study = study.name,
                         .party = study.parties[request.self].name,
                         .asked = study.privacy}} {}

  // In this order, so that a join that cannot be stops before the table is read.
  [[nodiscard]] OwnSide run(const CsvProgress& reading) {
    look_at_identity();
    look_at_home();
    if (own_.over || stops()) return finish();
    look_at_study();
    look_at_plan();
    look_at_policy();
    look_at_budget();
    if (stops()) return finish();
    look_at_data(reading);
    if (policy_ && policy_kept_)
      ok(kPolicy, fmt::format("every rule of {} is kept", policy_->file));
    return finish();
  }

 private:
  using enum CheckSubject;

  void ok(CheckSubject subject, std::string what) {
    add({subject, CheckVerdict::kOk, std::move(what), {}});
  }
  void warn(CheckSubject subject, std::string what, std::string fix) {
    add({subject, CheckVerdict::kWarning, std::move(what), std::move(fix)});
  }
  void problem(CheckSubject subject, const Error& error) {
    const std::string place = error.where.empty() ? "" : fmt::format(" ({})", error.where);
    add({subject, CheckVerdict::kProblem, fmt::format("[{}] {}{}", error.name, error.what, place),
         error.fix});
    for (const Error& other : error.others) {
      add({subject, CheckVerdict::kProblem,
           fmt::format("[{}] {} ({})", other.name, other.what, other.where), other.fix});
    }
    if (error.unlisted > 0) {
      add({subject, CheckVerdict::kProblem, fmt::format("and {} more", error.unlisted), {}});
    }
    if (!own_.problem) own_.problem = error;
  }
  void add(CheckItem item) { own_.consent.items.push_back(std::move(item)); }

  [[nodiscard]] bool stops() const { return join_ && own_.problem.has_value(); }

  [[nodiscard]] OwnSide finish() {
    std::ranges::stable_sort(own_.consent.items, {}, &CheckItem::subject);
    return std::move(own_);
  }

  // Whether parties can meet on this study.
  void look_at_study() {
    if (const auto complete = check_network(study_); !complete) {
      return problem(kStudy, complete.error());
    }
    ok(kStudy, fmt::format("{} parties, each with its fingerprint; hash {}", study_.parties.size(),
                           study_.hash.substr(0, 12)));
  }

  void look_at_plan() {
    auto planned = plan_study(study_, study_.solver);
    if (!planned) return problem(kPlan, planned.error());
    if (std::holds_alternative<ShuffleNoise>(planned->plan.noise)) {
      const auto cipher = paillier_cipher(study_.dishuf.key_bits, Randomness::kHalf);
      if (!cipher) return problem(kPlan, cipher.error());
    }
    if (const auto fit = check_message_sizes(*planned); !fit) return problem(kPlan, fit.error());
    const Plan& plan = planned->plan;
    ok(kPlan, fmt::format("ε = {:g}, δ = {:g}; {:.4g} times a trusted centre's noise on the sum",
                          study_.privacy.budget.epsilon.value(),
                          study_.privacy.budget.delta.value(), plan.central_ratio));
    for (const std::string& warning : plan.warnings) {
      warn(kPlan, warning, "'sotto plan' shows it all; agree on it with the others");
    }
    own_.consent.observers = plan.adversaries;
    planned_ = std::move(*planned);
  }

  void break_policy(const Error& error) {
    policy_kept_ = false;
    problem(kPolicy, error);
  }

  void look_at_policy() {
    auto policy = read_policy(request_.home);
    if (!policy) return break_policy(policy.error());
    policy_ = std::move(*policy);
    if (!policy_) return;
    for (const Error& error :
         policy_against_study(*policy_, study_, study_.solver, own_.consent.observers)) {
      break_policy(error);
    }
  }

  // The party's key, if it is the one that the study names; and the clock, which it knows too.
  void look_at_identity() {
    auto loaded = Identity::load(request_.home);
    if (!loaded) return problem(kIdentity, loaded.error());
    const PartyTerms& terms = study_.parties[request_.self];
    const auto named = [&](const Identity& one) {
      const std::string fingerprint = one.fingerprint();
      return fingerprint == terms.fingerprint || fingerprint == terms.other_fingerprint;
    };
    std::optional<Identity> identity(std::move(*loaded));
    bool former_key = false;
    if (!named(*identity)) {
      auto former = Identity::load_former(request_.home);
      former_key = former && *former && named(**former);
      if (former_key) identity.emplace(std::move(**former));
    }
    if (!named(*identity)) {
      return problem(
          kIdentity,
          bad_input("E-identity-differs",
                    fmt::format("the key in {} is {}, and the study names another for {}",
                                request_.home, identity->fingerprint(), terms.name),
                    "use the --home where that party's key is, or put this fingerprint into the "
                    "study, for everybody"));
    }
    ok(kIdentity, fmt::format("{} in {} is the one that the study names",
                              former_key ? "the former key" : "the key", request_.home));
    if (former_key) {
      warn(kIdentity, "the study names this party's former key, and not the one since its rotation",
           "agree on a study that names the new one, or both: 'sotto keys show'");
    }
    look_at_expiry(*identity);
    const auto place = parse_address(terms.address);
    if (place && std::ranges::find(identity->hosts(), place->host) == identity->hosts().end()) {
      warn(kIdentity,
           fmt::format("the certificate is for {}, and the study's address is {}",
                       fmt::join(identity->hosts(), ", "), terms.address),
           "nothing, if the address is right: parties know each other by fingerprint");
    }
    look_at_clock(*identity);
    own_.identity.emplace(std::move(*identity));
  }

  // Nobody is kept out by a date; but whoever looks at certificates otherwise may be.
  void look_at_expiry(const Identity& identity) {
    const std::int64_t left = identity.valid_until() - unix_seconds();
    if (left > kExpirySoonSeconds) return;
    warn(kIdentity,
         fmt::format("this party's certificate {} on {}", left < 0 ? "expired" : "expires",
                     utc_text(identity.valid_until())),
         "'sotto keys rotate' makes a new key; a study can name both for a time");
  }

  // Against the dates of the certificate and the study. Nothing here depends on the clock, but logs
  // and the ledger are dated by it.
  void look_at_clock(const Identity& identity) {
    const std::string fix = "set this machine's clock; logs and the ledger are dated by it";
    if (identity.from_the_future()) {
      return warn(kClock, "it is earlier here than when this party's key was made", fix);
    }
    struct stat file {};
    const std::int64_t now = unix_seconds();
    if (::stat(request_.study_file.c_str(), &file) == 0 &&
        file.st_mtime > now + kClockSlackSeconds) {
      return warn(kClock,
                  fmt::format("it is {} here, and the study was written at {}", utc_text(now),
                              utc_text(file.st_mtime)),
                  fix);
    }
    ok(kClock, utc_text(now));
  }

  void look_at_home() {
    if (stops()) return;
    std::error_code ignored;
    // Without a key there is nothing to keep yet, and the identity says what to do.
    if (!std::filesystem::exists(request_.home, ignored)) return;
    auto store = Store::open(request_.home, unix_seconds);
    if (!store) return problem(kHome, store.error());
    own_.store.emplace(std::move(*store));
    ok(kHome, fmt::format("{} can be written, by its owner only", request_.home));
    take_lock();
    if (stops()) return;
    look_at_runs();
  }

  void take_lock() {
    if (join_) {
      auto lock = own_.store->lock(study_.hash);
      if (!lock) return problem(kHome, lock.error());
      own_.lock.emplace(std::move(*lock));
      return;
    }
    auto lock = own_.store->try_lock(study_.hash);
    if (!lock) return problem(kHome, lock.error());
    own_.busy = std::holds_alternative<LockHolder>(*lock);
  }

  void look_at_runs() {
    auto runs = own_.store->runs_of_study(study_.hash);
    if (!runs) return problem(kJournal, runs.error());
    own_.runs = std::move(*runs);
    const auto& [unfinished, finished] = own_.runs;
    if (unfinished) {
      return ok(kJournal, fmt::format("run {} is unfinished: 'sotto join' resumes it",
                                      short_run(unfinished->run)));
    }
    if (!finished) return ok(kJournal, "this study was not run before");
    own_.over = join_ && !request_.again;
    if (join_)
      return ok(kJournal, fmt::format("once more, after run {}", short_run(finished->run)));
    warn(kJournal,
         fmt::format("this study was run to its end already, in run {}", short_run(finished->run)),
         "'sotto join --again' runs it once more, and costs the budget once more");
  }

  void look_at_budget() {
    if (!own_.store) return;
    const std::string account =
        request_.account.empty() ? default_account(study_, request_.self) : request_.account;
    if (!planned_) {
      if (const auto found = own_.store->account(account).at("--account"); !found) {
        return problem(kBudget, found.error());
      }
      return warn(kBudget, "not looked at", "mend the plan first");
    }
    auto cost = account_cost(*own_.store, account, study_, planned_->plan, own_.runs.unfinished);
    if (!cost) return problem(kBudget, cost.error());
    own_.consent.cost = *cost;
    if (policy_) {
      const auto broken = policy_against_account(*policy_, account, cost->limit.has_value());
      if (broken) break_policy(*broken);
    }
    if (cost->limit) return ok(kBudget, cost_text(*cost));
    warn(kBudget, fmt::format("{}: that says what was spent, not what may come", cost_text(*cost)),
         "'sotto ledger limit' sets one; require_limit in policy.toml demands one");
  }

  // The party's table against the schema, or its costs against the study.
  void look_at_data(const CsvProgress& reading) {
    if (!planned_) {
      return warn(kData, "not looked at", "mend the study first: the plan says what is wrong");
    }
    const bool records = study_.privacy.unit == Unit::kRecord;
    if (records && request_.data.empty() && !join_) {
      return warn(kData, "no table was named, so none was looked at", "name it with --data");
    }
    TableRequest data = request_.data;
    data.digest = join_;  // only a run has a record
    auto party = PartyRun::make(std::move(*planned_), request_.self, data, reading).at("--data");
    if (!party) return problem(kData, party.error());
    own_.party.emplace(std::move(*party));
    if (records) {
      look_at_rows(*own_.party->own());
    } else {
      ok(kData, "the costs are of the study's size");
    }
  }

  void look_at_rows(const RunRecord::Own& own) {
    if (policy_) {
      if (const auto broken = policy_against_rows(*policy_, own.rows)) break_policy(*broken);
    }
    if (own.rows == 0) {
      return problem(kData, bad_input("E-data-rows", "the table has no row that counts",
                                      "is it the right file? with missing = \"drop\" a row needs "
                                      "every value")
                                .at("--data"));
    }
    std::uint64_t clipped = 0;
    for (const RunRecord::Clipped& column : own.clipped) clipped += column.below + column.above;
    ok(kData, fmt::format("{}, {} left out, {} clipped (for your eyes only)",
                          counted(own.rows, "row", "rows"), own.dropped,
                          counted(clipped, "value", "values")));
    for (const SourceFacts& source : own.sources) {
      if (!source.format.empty()) ok(kData, fmt::format("{} has {}", source.place, source.format));
    }
    look_at_clipping(own);
    const auto& constant = own_.party->constant_columns();
    if (!constant.empty()) {
      warn(kData, fmt::format("every row has the same value of {}", fmt::join(constant, ", ")),
           "is it the right file, and are the column's units those of the study's bounds?");
    }
    if (auto weak = weak_delta(study_.privacy.budget, own.rows)) {
      warn(kData, std::move(*weak), "agree on a smaller δ with the others");
    }
  }

  void look_at_clipping(const RunRecord::Own& own) {
    const auto numeric = static_cast<std::size_t>(std::ranges::count_if(
        study_.data->table_columns(),
        [](const TableColumn& column) { return column.levels.empty() && !column.is_weight; }));
    std::size_t wholly = 0;
    std::vector<std::string> often;
    for (const RunRecord::Clipped& column : own.clipped) {
      const std::uint64_t times = column.below + column.above;
      const double share = static_cast<double>(times) / static_cast<double>(own.rows);
      if (times == own.rows) ++wholly;
      if (share > kMuchClipped)
        often.push_back(fmt::format("{} ({:.0f} %)", column.column, 100 * share));
    }
    if (wholly == numeric) {
      return problem(kData, bad_input("E-data-clipped",
                                      "every number in the table is outside the study's bounds",
                                      "check the columns' units; the bounds must not be chosen "
                                      "from the data")
                                .at("--data"));
    }
    if (often.empty()) return;
    warn(kData,
         fmt::format("many values of {} are outside the study's bounds", fmt::join(often, ", ")),
         "check the column's units; the bounds must not be chosen from the data");
  }

  const Study& study_;
  const JoinRequest& request_;
  bool join_;
  OwnSide own_;
  std::optional<PlannedStudy> planned_;
  std::optional<Policy> policy_;
  bool policy_kept_ = true;
};

}  // namespace

OwnSide examine_own_side(const Study& study, const JoinRequest& request, Purpose purpose,
                         const CsvProgress& reading) {
  return Examination(study, request, purpose).run(reading);
}

}  // namespace sotto
