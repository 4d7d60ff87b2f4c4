// A thread for each study, and who watches over them.
#include "run/service/serve.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <list>
#include <mutex>
#include <optional>
#include <thread>

#include "base/unexpected.h"
#include "run/home.h"
#include "run/service/event_log.h"
#include "study/serve_file.h"

namespace sotto {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kLook{250};
constexpr milliseconds kFirstPause{2'000};
constexpr milliseconds kLongestPause{60'000};

// When a file was written, and how long it is: whether somebody has changed something.
std::string stamp_of(const std::string& path) {
  std::error_code problem;
  const auto time = std::filesystem::last_write_time(path, problem);
  if (problem) return "none";
  const auto size = std::filesystem::file_size(path, problem);
  return fmt::format("{}/{}", time.time_since_epoch().count(), problem ? 0 : size);
}

// What the last run of a study has cost for ever.
Result<bool> cost_something(const std::string& home, const std::string& study_hash) {
  SOTTO_ASSIGN(const auto views, look_at_runs(home));
  for (auto view = views.rbegin(); view != views.rend(); ++view) {
    if (view->run.study_hash != study_hash) continue;
    const RunCost cost = cost_of(*view);
    return cost.released() || cost.looked;
  }
  return false;
}

// What is told to whom, one thread at a time.
class Teller {
 public:
  explicit Teller(const ServeHooks& hooks) : hooks_(hooks) {}
  void tell(const std::string& study, const JoinEvent& event) {
    const std::lock_guard lock(mutex_);
    if (hooks_.on_event) hooks_.on_event(study, event);
  }
  void note(const std::string& study, std::string text) {
    tell(study, {.kind = JoinEvent::Kind::kNote, .text = std::move(text)});
  }
  [[nodiscard]] std::string report(const RunRecord& record) {
    const std::lock_guard lock(mutex_);
    return hooks_.report ? hooks_.report(record) : std::string();
  }

 private:
  const ServeHooks& hooks_;
  std::mutex mutex_;
};

std::vector<std::string> fingerprints_of_others(const Study& study, PartyId self) {
  std::vector<std::string> fingerprints;
  for (PartyId p = 0; p < study.parties.size(); ++p) {
    if (p == self) continue;
    fingerprints.push_back(study.parties[p].fingerprint);
    if (!study.parties[p].other_fingerprint.empty()) {
      fingerprints.push_back(study.parties[p].other_fingerprint);
    }
  }
  return fingerprints;
}

// All of a folder's studies are expected before the first of them listens: whoever means the second
// one must not end up in the first.
void expect_all(const ServeFile& file, const SharedPort& port) {
  for (const ServedStudy& served : file.studies) {
    const auto study = read_study(served.file);
    if (!study) continue;
    const auto self = party_named(*study, served.party);
    if (self) port.expect(study->hash, fingerprints_of_others(*study, *self));
  }
}

// One study, for as long as it stands in serve.toml.
class Served {
 public:
  Served(ServedStudy terms, std::string home, const SharedPort& port, Teller& teller)
      : terms_(std::move(terms)),
        home_(std::move(home)),
        port_(port),
        teller_(teller),
        thread_([this](const std::stop_token& stop) { run(stop); }) {}

  [[nodiscard]] const ServedStudy& terms() const { return terms_; }

 private:
  [[nodiscard]] std::string stamps() const {
    return stamp_of(terms_.file) + " " + stamp_of(terms_.data);
  }

  // Whether there is still something to do when this returns.
  bool wait(const std::stop_token& stop, std::optional<milliseconds> at_most,
            const std::string& seen) const {
    const auto late = steady_clock::now() + at_most.value_or(milliseconds(0));
    while (!stop.stop_requested()) {
      if (stamps() != seen || (at_most && steady_clock::now() >= late)) return true;
      std::this_thread::sleep_for(kLook);
    }
    return false;
  }

  void run(const std::stop_token& stop) {
    milliseconds pause = kFirstPause;
    while (!stop.stop_requested()) {
      const std::string seen = stamps();
      const bool again = once_or_fail(stop, seen);
      if (stop.stop_requested()) return;
      if (!wait(stop, again ? std::optional(pause) : std::nullopt, seen)) return;
      pause = stamps() == seen ? std::min(2 * pause, kLongestPause) : kFirstPause;
    }
  }

  // Whatever goes wrong with one study, the others are none the worse for it.
  bool once_or_fail(const std::stop_token& stop, const std::string& seen) {
    try {
      return once(stop, seen);
    } catch (const std::exception& thrown) {
      return fail(unexpected(thrown), std::nullopt);
    }
  }

  // One try. Whether it is worth another without anybody having changed anything.
  bool once(const std::stop_token& stop, const std::string& seen) {
    auto study = read_study(terms_.file);
    if (!study) return fail(study.error(), std::nullopt);
    if (auto complete = check_network(*study).at(terms_.file); !complete) {
      return fail(complete.error(), std::nullopt);
    }
    JoinRequest request;
    request.study_file = terms_.file;
    request.data = terms_.data;
    request.data.query = terms_.query;
    request.data.push_down = terms_.push_down;
    request.data.interrupted = [&stop] { return stop.stop_requested(); };
    request.home = home_;
    request.account = terms_.account;
    request.out = terms_.out;
    request.port = &port_;
    auto self = party_named(*study, terms_.party).at(terms_.file);
    if (!self) return fail(self.error(), std::nullopt);
    request.self = *self;
    port_.expect(study->hash, fingerprints_of_others(*study, request.self));
    JoinHooks hooks;
    bool under_way = false;
    hooks.on_event = [&](const JoinEvent& event) {
      if (event.kind == JoinEvent::Kind::kPhase) under_way = event.progress.phase > Phase::kMeeting;
      teller_.tell(study->name, event);
    };
    hooks.report = [&](const RunRecord& record) { return teller_.report(record); };
    // A corrected file is taken up at once while others are waited for; a run that is under way
    // ends first, with the data it has read.
    hooks.interrupted = [&] { return stop.stop_requested() || (!under_way && stamps() != seen); };
    const auto joined = join_study(*study, request, hooks);
    if (!joined) {
      if (joined.error().name == "E-interrupted") return true;
      return fail(joined.error(), *study);
    }
    if (!joined->model) return false;  // it was finished before
    teller_.tell(study->name, {.kind = JoinEvent::Kind::kFinished,
                               .text = fmt::format("run {} is finished", short_run(joined->run)),
                               .run = joined->run,
                               .files = joined->files});
    after_the_end({.state = "finished",
                   .study = study->name,
                   .party = terms_.party,
                   .run = joined->run,
                   .model = joined->files.at(0),
                   .record = joined->files.at(1),
                   .report = joined->files.size() > 2 ? joined->files[2] : std::string()});
    return false;
  }

  bool fail(const Error& error, const std::optional<Study>& study) {
    const std::string name = study ? study->name : terms_.file;
    teller_.tell(name, {.kind = JoinEvent::Kind::kFailed,
                        .text = fmt::format("[{}] {}; {}", error.name, error.what, error.fix),
                        .error = error});
    after_the_end({.state = "failed", .study = name, .party = terms_.party, .error = error.name});
    if (error.status != Status::kFailed || !study) {
      teller_.note(name, "waiting until its study file, its data or serve.toml is changed");
      return false;
    }
    // Tried again by itself, a study must cost nothing: the next try may end like this one.
    const auto cost = cost_something(home_, study->hash);
    if (cost && !*cost) return true;
    teller_.note(name,
                 "it has cost something, so it is not tried again by itself: 'sotto status' "
                 "says what; 'sotto join' runs it again");
    return false;
  }

  void after_the_end(const Ending& ending) {
    if (terms_.on_finish.empty()) return;
    if (const auto ran = run_on_finish(terms_.on_finish, ending); !ran) {
      teller_.note(ending.study, fmt::format("[{}] {}", ran.error().name, ran.error().what));
    }
  }

  const ServedStudy terms_;
  const std::string home_;
  const SharedPort& port_;
  Teller& teller_;
  std::jthread thread_;  // last: it uses all of the above
};

// The key that a port shows must be one that every study of the folder names.
Result<Identity> key_for(const ServeFile& file, const std::string& home) {
  const auto names = [&](const std::string& fingerprint, std::string& other) {
    for (const ServedStudy& served : file.studies) {
      const auto study = read_study(served.file);
      if (!study) continue;
      const auto self = party_named(*study, served.party);
      if (!self) continue;
      const PartyTerms& party = study->parties[*self];
      if (party.fingerprint == fingerprint || party.other_fingerprint == fingerprint) continue;
      other = served.file;
      return false;
    }
    return true;
  };
  std::string other;
  SOTTO_ASSIGN(auto identity, Identity::load(home));
  if (names(identity.fingerprint(), other)) return identity;
  SOTTO_ASSIGN(auto former, Identity::load_former(home));
  std::string ignored;
  if (former && names(former->fingerprint(), ignored)) return std::move(*former);
  return bad_input(
      "E-serve-key-differs",
      fmt::format("{} names another key than {} of {}", other, identity.fingerprint(), home),
      "one port shows one key: let every study name it, or serve the others from "
      "another folder, at another port");
}

}  // namespace

Result<void> serve(const ServeRequest& request, const ServeHooks& hooks) {
  SOTTO_ASSIGN(auto file, read_serve_file(request.folder));
  SOTTO_ASSIGN(const auto identity, key_for(file, request.home));
  SOTTO_ASSIGN(const auto port, SharedPort::open(identity, file.listen));
  Teller teller(hooks);
  teller.note("", fmt::format("serving {} {} at {}", file.studies.size(),
                              file.studies.size() == 1 ? "study" : "studies", file.listen));
  const std::string path = (std::filesystem::path(request.folder) / kServeFile).string();
  std::string seen = stamp_of(path);
  std::list<Served> served;
  const auto begin = [&](const ServedStudy& study) {
    served.emplace_back(study, request.home, port, teller);
  };
  expect_all(file, port);
  for (const ServedStudy& study : file.studies) begin(study);
  while (!(hooks.interrupted && hooks.interrupted())) {
    std::this_thread::sleep_for(kLook);
    if (stamp_of(path) == seen) continue;
    seen = stamp_of(path);
    auto changed = read_serve_file(request.folder);
    if (!changed) {
      teller.note("", changed.error().to_string());
      continue;
    }
    if (changed->listen != file.listen) teller.note("", "another port needs a restart");
    // Ends those that are gone, or are another one now, and waits for them.
    served.remove_if([&](const Served& one) {
      return std::ranges::find(changed->studies, one.terms()) == changed->studies.end();
    });
    expect_all(*changed, port);
    for (const ServedStudy& study : changed->studies) {
      const bool there =
          std::ranges::any_of(served, [&](const Served& one) { return one.terms() == study; });
      if (!there) begin(study);
    }
    file = std::move(*changed);
  }
  return {};
}

}  // namespace sotto
