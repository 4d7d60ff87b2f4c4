// Looks at everything in the order in which one would mend it.
#include "run/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>

#include "paillier/cipher.h"
#include "plan/plan.h"
#include "run/account.h"
#include "run/home.h"
#include "run/tables.h"
#include "store/store.h"

namespace sotto {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kOneLook{100};
// A file may be a little ahead: shared folders have clocks of their own.
constexpr std::int64_t kClockSlackSeconds = 120;
// More clipping than this, and the bounds do not fit the data.
constexpr double kMuchClipped = 0.05;

// What became of a neighbour while we listened and dialled.
struct PeerNews {
  bool connected = false;
  bool lasting = false;  // waiting does not mend it: somebody has to change something
  std::string trouble;
  [[nodiscard]] bool settled() const { return connected || lasting; }
};

// One method per thing that can be wrong; each adds what it found to the list.
class PartyCheck {
 public:
  PartyCheck(const Study& study, const JoinRequest& request, double seconds)
      : study_(study), request_(request), seconds_(seconds) {}

  [[nodiscard]] std::vector<CheckItem> run() {
    const bool complete = check_study();
    const auto identity = check_identity();
    if (identity) check_clock(*identity);
    check_data();
    const bool busy = check_home();
    if (busy) {
      ok(kPeers, "this party is in a run of the study now; 'sotto status' shows how it stands");
    } else if (complete && identity) {
      check_peers(*identity);
    } else {
      warn(kPeers, "not looked at", "mend the study and the identity first");
    }
    return std::move(items_);
  }

 private:
  using enum CheckSubject;

  void add(CheckSubject subject, CheckVerdict verdict, std::string what, std::string fix) {
    items_.push_back({subject, verdict, std::move(what), std::move(fix)});
  }
  void ok(CheckSubject subject, std::string what) {
    add(subject, CheckVerdict::kOk, std::move(what), {});
  }
  void warn(CheckSubject subject, std::string what, std::string fix) {
    add(subject, CheckVerdict::kWarning, std::move(what), std::move(fix));
  }
  void problem(CheckSubject subject, std::string what, std::string fix) {
    add(subject, CheckVerdict::kProblem, std::move(what), std::move(fix));
  }
  void problem(CheckSubject subject, const Error& error) {
    const std::string place = error.where.empty() ? "" : fmt::format(" ({})", error.where);
    problem(subject, fmt::format("[{}] {}{}", error.name, error.what, place), error.fix);
  }

  void check_plan() {
    const auto plan = make_plan(study_, study_.solver);
    if (!plan) return problem(kPlan, plan.error());
    if (study_.solver == Solver::kDishuf) {
      const auto cipher = paillier_cipher(study_.dishuf.key_bits, Randomness::kHalf);
      if (!cipher) return problem(kPlan, cipher.error());
    }
    ok(kPlan, fmt::format("ε = {:g}, δ = {:g}; {:.4g} times a trusted centre's noise on the sum",
                          study_.privacy.budget.epsilon.value(),
                          study_.privacy.budget.delta.value(), plan->central_ratio));
    for (const std::string& warning : plan->warnings) {
      warn(kPlan, warning, "'sotto plan' shows it all; agree on it with the others");
    }
  }

  void check_table() {
    const auto table = read_own_table(study_, request_.self, request_.data);
    if (!table) return problem(kData, table.error());
    const RunRecord::Own& own = table->own;
    if (own.rows == 0) {
      return problem(kData, "the table has no row that counts",
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
    ok(kData, fmt::format("{} rows, {} left out, {} values clipped (for your eyes only)", own.rows,
                          own.dropped, clipped));
    if (often.empty()) return;
    warn(kData,
         fmt::format("many values of {} are outside the study's bounds", fmt::join(often, ", ")),
         "check the column's units; the bounds must not be chosen from the data");
  }

  void check_budget(const Store& store) {
    const std::string name =
        request_.account.empty() ? default_account(study_, request_.self) : request_.account;
    const auto account = store.account(name);
    if (!account) return problem(kBudget, account.error());
    const auto plan = make_plan(study_, study_.solver);
    if (!plan) return warn(kBudget, "not looked at", "mend the plan first");
    const Debit debit = debit_of(study_, *plan, name);
    if (const auto affords = store.affords(debit); !affords) {
      return problem(kBudget, affords.error());
    }
    const auto with = store.account_with(debit);
    if (!with) return problem(kBudget, with.error());
    const std::string costs = fmt::format(
        "\"{}\": ε = {:.4g} at δ = {:g} after this run (basic composition: ε = {:.4g}, δ = {:g})",
        name, with->guaranteed.epsilon, with->delta, with->guaranteed.basic_epsilon,
        with->basic.delta);
    if (!account->limit) {
      return ok(kBudget, costs +
                             ", and no limit: that says what was spent, not what may come; "
                             "'sotto ledger limit' sets one");
    }
    ok(kBudget, fmt::format("{}, of a limit of ε = {:g}; {} such runs fit", costs,
                            account->limit->epsilon, *runs_left(*account, debit)));
  }

  void check_runs(const Store& store) {
    const auto runs = store.runs_of_study(study_.hash);
    if (!runs) return problem(kJournal, runs.error());
    if (runs->unfinished) {
      return ok(kJournal, fmt::format("run {} is unfinished: 'sotto join' resumes it",
                                      short_run(runs->unfinished->run)));
    }
    if (!runs->finished) return ok(kJournal, "this study was not run before");
    warn(kJournal,
         fmt::format("this study was run to its end already, in run {}",
                     short_run(runs->finished->run)),
         "'sotto join --again' runs it once more, and costs the budget once more");
  }

  // Whether parties can meet on this study, and what noise it asks for. True if they can meet.
  bool check_study() {
    const auto complete = check_network(study_);
    if (complete) {
      ok(kStudy, fmt::format("{} parties, each with its fingerprint; hash {}",
                             study_.parties.size(), study_.hash.substr(0, 12)));
    } else {
      problem(kStudy, complete.error());
    }
    check_plan();
    return complete.has_value();
  }

  // The party's key, if it is the one that the study names.
  std::optional<Identity> check_identity() {
    auto identity = Identity::load(request_.home);
    if (!identity) {
      problem(kIdentity, identity.error());
      return std::nullopt;
    }
    const PartyTerms& terms = study_.parties[request_.self];
    if (identity->fingerprint() != terms.fingerprint) {
      problem(kIdentity,
              fmt::format("the key in {} is {}, and the study names another for {}", request_.home,
                          identity->fingerprint(), terms.name),
              "use the --home where that party's key is, or put this fingerprint into the "
              "study, for everybody");
      return std::nullopt;
    }
    ok(kIdentity, fmt::format("{} is the one that the study names", request_.home));
    const auto place = parse_address(terms.address);
    if (place && std::ranges::find(identity->hosts(), place->host) == identity->hosts().end()) {
      warn(kIdentity,
           fmt::format("the certificate is for {}, and the study's address is {}",
                       fmt::join(identity->hosts(), ", "), terms.address),
           "nothing, if the address is right: parties know each other by fingerprint");
    }
    return std::move(*identity);
  }

  // Against the dates of the certificate and the study. Nothing here depends on the clock, but logs
  // and the ledger are dated by it.
  void check_clock(const Identity& identity) {
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

  // The party's table against the schema, or its costs against the study. Sends nothing.
  void check_data() {
    const bool records = study_.privacy.unit == Unit::kRecord;
    if (records && request_.data.empty()) {
      return warn(kData, "no table was named, so none was looked at", "name it with --data");
    }
    if (records) return check_table();
    const auto party = PartyRun::make(study_, request_.self, request_.data);
    if (!party) return problem(kData, party.error());
    ok(kData, "the costs are of the study's size");
  }

  // Home, journal and what the ledger has left. True if a process of this party is in a run of this
  // study now.
  bool check_home() {
    std::error_code ignored;
    // Without a key there is nothing to keep yet, and the identity says what to do.
    if (!std::filesystem::exists(request_.home, ignored)) return false;
    const auto store = Store::open(request_.home, unix_seconds);
    if (!store) {
      problem(kHome, store.error());
      return false;
    }
    ok(kHome, fmt::format("{} can be written, by its owner only", request_.home));
    check_runs(*store);
    check_budget(*store);
    const auto lock = store->try_lock(study_.hash);
    if (lock) return std::holds_alternative<LockHolder>(*lock);
    problem(kHome, lock.error());
    return false;
  }

  void listen_to(Transport& transport, std::map<PartyId, PeerNews>& news) {
    const auto late = steady_clock::now() + std::chrono::duration<double>(seconds_);
    const auto settled = [](const auto& one) { return one.second.settled(); };
    while (steady_clock::now() < late && !std::ranges::all_of(news, settled)) {
      const auto event = transport.wait(kOneLook);
      if (!event) continue;
      if (!event->peer) {
        if (event->kind != TransportEvent::Kind::kTrouble) continue;
        warn(kPeers, event->text,
             "if that is one of the parties, it uses another key than the study names");
        continue;
      }
      if (!news.contains(*event->peer)) continue;
      PeerNews& peer = news[*event->peer];
      if (event->kind == TransportEvent::Kind::kConnected) peer.connected = true;
      if (event->kind == TransportEvent::Kind::kTrouble) {
        peer.trouble = event->text;
        peer.lasting = event->lasting;
      }
    }
  }

  void judge(const Peer& peer, const PeerNews& news) {
    if (news.connected) {
      return ok(kPeers, fmt::format("{} is connected over mutual TLS", peer.name));
    }
    if (news.settled()) {
      return problem(kPeers, news.trouble,
                     fmt::format("settle with {}'s operator who is right; a change of the study "
                                 "is for everybody",
                                 peer.name));
    }
    if (!news.trouble.empty()) {
      return warn(kPeers, news.trouble,
                  fmt::format("is {} there now, in check or join, and does its firewall let us "
                              "in? parties may start in any order",
                              peer.name));
    }
    if (peer.dial) {
      return warn(kPeers, fmt::format("{} has not answered at {} so far", peer.name, peer.address),
                  "give it more --seconds");
    }
    warn(kPeers, fmt::format("{} is to dial us, and has not yet", peer.name),
         fmt::format("ask {}'s operator to run check at the same time; if it does, our port is "
                     "not reachable from there",
                     peer.name));
  }

  // Its port, and who of the neighbours answers: over mutual TLS, and without a word of the run.
  void check_peers(const Identity& identity) {
    std::vector<Peer> peers = peers_of(study_, request_.self);
    const std::string listen =
        request_.listen.empty() ? listen_address(study_, request_.self) : request_.listen;
    auto transport = Transport::open(identity, listen, peers);
    if (transport) {
      ok(kPort,
         listen.empty() ? "this party dials out only" : fmt::format("can listen at {}", listen));
    } else {
      problem(kPort, transport.error());
      // Those whom we dial can be looked at all the same.
      std::erase_if(peers, [](const Peer& peer) { return !peer.dial; });
      if (peers.empty()) return;
      transport = Transport::open(identity, "", peers);
      if (!transport) return;
    }
    std::map<PartyId, PeerNews> news;
    for (const Peer& peer : peers) news[peer.id] = {};
    listen_to(**transport, news);
    for (const Peer& peer : peers) judge(peer, news[peer.id]);
  }

  const Study& study_;
  const JoinRequest& request_;
  double seconds_;
  std::vector<CheckItem> items_;
};

}  // namespace

std::vector<CheckItem> check_party(const Study& study, const JoinRequest& request, double seconds) {
  return PartyCheck(study, request, seconds).run();
}

}  // namespace sotto
