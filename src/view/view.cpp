// Which request gets which part, and the one thread that watches the homes for all pages.
#include "view/view.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "base/json.h"
#include "base/unexpected.h"
#include "run/join/join_event.h"
#include "view/budgets.h"
#include "view/http/server.h"
#include "view/models.h"
#include "view/page_files.h"
#include "view/planner.h"
#include "view/runs.h"

namespace sotto::view {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kBetweenLooks{150};
// Without a change too: a process that ended without a word changes no file.
constexpr milliseconds kLookAnyway{2000};
constexpr milliseconds kKeepAlive{1000};

// What all pages see of the homes. Looks only while somebody watches.
class Watch {
 public:
  explicit Watch(const std::vector<Home>& homes) : homes_(homes), thread_([this] { run(); }) {}
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  [[nodiscard]] bool watched() const {
    const std::lock_guard lock(mutex_);
    return listeners_ > 0;
  }

  // A server-sent event each time something has changed, and a comment now and then, by which the
  // server notices that nobody listens any more.
  [[nodiscard]] std::function<std::optional<std::string>()> events() {
    return [this, seen = std::uint64_t{0},
            listening = std::make_shared<Listener>(*this)]() mutable -> std::optional<std::string> {
      std::unique_lock lock(mutex_);
      const bool news =
          changed_.wait_for(lock, kKeepAlive, [&] { return stopping_ || version_ > seen; });
      if (stopping_) return std::nullopt;
      if (!news) return ": still here\n\n";
      seen = version_;
      return fmt::format("event: runs\ndata: {}\n\n", text_);
    };
  }

 private:
  struct Listener {
    explicit Listener(Watch& of) : watch(of) {
      const std::lock_guard lock(watch.mutex_);
      ++watch.listeners_;
      watch.changed_.notify_all();
    }
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;
    ~Listener() {
      const std::lock_guard lock(watch.mutex_);
      --watch.listeners_;
    }
    Watch& watch;
  };

  void run() {
    std::string stamp;
    std::optional<steady_clock::time_point> looked;
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      changed_.wait(lock, [&] { return stopping_ || listeners_ > 0; });
      if (stopping_) return;
      lock.unlock();
      std::string now = stamp_of(homes_);
      std::optional<std::string> text;
      if (!looked || now != stamp || steady_clock::now() - *looked > kLookAnyway) {
        text = json_line(runs_now());
        stamp = std::move(now);
        looked = steady_clock::now();
      }
      lock.lock();
      if (text && *text != text_) {
        text_ = std::move(*text);
        ++version_;
        changed_.notify_all();
      }
      idle_.wait_for(lock, kBetweenLooks, [&] { return stopping_; });
    }
  }

  // Nobody is above this thread to catch anything, and what is wrong with one home's files may be
  // mended while the page is open.
  [[nodiscard]] Json runs_now() const {
    try {
      return runs_json(look_at_homes(homes_));
    } catch (const std::exception& thrown) {
      return runs_json({.runs = {}, .problems = {unexpected(thrown)}});
    }
  }

  const std::vector<Home>& homes_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable idle_;
  std::size_t listeners_ = 0;
  std::uint64_t version_ = 0;
  std::string text_;
  bool stopping_ = false;
  std::thread thread_;
};

// Plans one at a time, and of those who wait only the newest: whoever drags a slider wants to see
// where it is, not where it was.
class Turns {
 public:
  template <class Work>
  [[nodiscard]] Response take(const Work& work) {
    const std::uint64_t ticket = ++newest_;
    const std::lock_guard lock(mutex_);
    if (ticket != newest_) return {.status = 409, .body = "{\"stale\":true}"};
    return work();
  }

 private:
  std::atomic<std::uint64_t> newest_ = 0;
  std::mutex mutex_;
};

Response answer_of(const Result<Json>& result) {
  if (result) return {.body = json_line(*result)};
  return {.status = result.error().name == "E-view-exists" ? 409U : 400U,
          .body = json_line({{"error", to_json(result.error())}})};
}

class PageView final : public View {
 public:
  explicit PageView(ViewTerms terms) : terms_(std::move(terms)), watch_(terms_.homes) {}

  [[nodiscard]] Result<void> start() {
    OsRandom random;
    SOTTO_ASSIGN(server_,
                 Server::start(terms_.port, draw_token(random),
                               [this](const Request& request) { return answer(request); }));
    return {};
  }

  [[nodiscard]] std::string address() const override { return server_->address(); }
  [[nodiscard]] bool watched() const override { return watch_.watched(); }

 private:
  [[nodiscard]] Response answer(const Request& request) {
    const std::string& path = request.path;
    if (request.changes) {
      if (path == "save") return answer_of(save(request.body));
      return not_there();
    }
    if (path == "events") {
      return {.type = "text/event-stream", .stream = watch_.events()};
    }
    if (path == "about") return answer_of(about());
    if (path == "plan") {
      return plans_.take([&] { return answer_of(plan_json(terms_.folder, request.query)); });
    }
    if (path == "models") return answer_of(model_sources(terms_.homes, terms_.folder));
    if (path == "model") {
      return models_.take(
          [&] { return answer_of(model_json(terms_.homes, terms_.folder, request.query)); });
    }
    if (path == "ledger") return answer_of(budgets_json(terms_.homes));
    if (auto file = page_file(path)) {
      return {.type = std::string(file->type), .body = std::move(file->text)};
    }
    return not_there();
  }

  [[nodiscard]] static Response not_there() {
    return {.status = 404, .type = "text/plain; charset=utf-8", .body = "there is no such thing\n"};
  }

  [[nodiscard]] Result<Json> about() const {
    auto studies = studies_in(terms_.folder);
    std::error_code problem;
    const Json words = plan_words();
    return Json{
        {"solvers", words.at("solvers")},
        {"topologies", words.at("topologies")},
        {"estimators", estimator_words()},
        {"folder", std::filesystem::absolute(terms_.folder, problem).lexically_normal().string()},
        {"studies", studies},
        {"made_up", kMadeUpStudy},
        {"homes", json_list(terms_.homes, [](const Home& home) { return home.folder; })}};
  }

  // {"name", "replace", "query": {…}}
  [[nodiscard]] Result<Json> save(const std::string& body) {
    const Json json = parse_json(body);
    std::string problem;
    JsonFields fields(json, "", problem);
    const std::string name = fields.text("name");
    const bool replace = fields.truth("replace");
    Query query;
    const Json& asked = fields.json("query");
    fields.expect(asked.is_object(), "query", "an object");
    for (const auto& [key, value] : asked.items()) {
      fields.expect(value.is_string(), "query", "an object of texts");
      if (value.is_string()) query.insert_or_assign(key, value.get<std::string>());
    }
    fields.finish();
    if (!problem.empty()) {
      return bad_input("E-view-control", problem, "what the page itself sends").at("the page");
    }
    const std::lock_guard lock(saving_);
    return save_study(terms_.folder, name, replace, query);
  }

  ViewTerms terms_;
  Watch watch_;
  Turns plans_;
  Turns models_;
  std::mutex saving_;
  std::unique_ptr<Server> server_;  // last: it is the first to go
};

}  // namespace

Result<std::unique_ptr<View>> View::open(const ViewTerms& terms) {
  std::error_code problem;
  if (!std::filesystem::is_directory(terms.folder, problem)) {
    return bad_input("E-view-folder", "there is no such folder",
                     "the folder with your study files: 'sotto view FOLDER'")
        .at(terms.folder);
  }
  auto view = std::make_unique<PageView>(terms);
  SOTTO_TRY(view->start());
  return std::unique_ptr<View>(std::move(view));
}

}  // namespace sotto::view
