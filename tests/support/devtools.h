#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/files.h"
#include "base/json.h"
#include "support/temporary_folder.h"

// A browser that does what a person would: clicks, drags and types at places on the screen.
// Chromium's DevTools protocol over a pipe: no driver to install, no port that others could reach.
namespace sotto::devtools {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

inline std::string installed_browser() {
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
    if (std::system(fmt::format("command -v {} >/dev/null 2>&1", name).c_str()) == 0) return name;
  }
  return {};
}

struct Screen {
  int width = 1280;
  int height = 900;
  bool dark = false;
  bool calm = false;  // prefers-reduced-motion
};

class Chromium {
 public:
  explicit Chromium(const std::string& browser) {
    int down[2];
    int up[2];
    if (::pipe2(down, O_CLOEXEC) != 0 || ::pipe2(up, O_CLOEXEC) != 0) std::abort();
    const std::string user = "--user-data-dir=" + profile_.path().string();
    child_ = ::fork();
    if (child_ == 0) {
      ::setpgid(0, 0);
      // Both are moved out of the way first: one may stand where the other has to go.
      const int in = ::fcntl(down[0], F_DUPFD, 10);
      const int out = ::fcntl(up[1], F_DUPFD, 10);
      ::dup2(in, 3);
      ::dup2(out, 4);
      const int nowhere = ::open("/dev/null", O_RDWR);
      for (const int standard : {0, 1, 2}) ::dup2(nowhere, standard);
      ::execlp(browser.c_str(), browser.c_str(), "--headless", "--no-sandbox", "--disable-gpu",
               "--disable-quic", "--no-first-run", "--disable-background-networking",
               "--disable-component-update", "--disable-sync", "--hide-scrollbars",
               "--remote-debugging-pipe", user.c_str(), nullptr);
      ::_exit(127);
    }
    ::close(down[0]);
    ::close(up[1]);
    to_ = down[1];
    from_ = up[0];
    const Json made = call("Target.createTarget", {{"url", "about:blank"}});
    const Json attached = call("Target.attachToTarget",
                               {{"targetId", made.value("targetId", "")}, {"flatten", true}});
    session_ = attached.value("sessionId", "");
    call("Page.enable");
    call("Network.enable");
    call("Runtime.enable");
    call("Log.enable");
  }
  Chromium(const Chromium&) = delete;
  Chromium& operator=(const Chromium&) = delete;
  ~Chromium() {
    ::close(to_);
    ::close(from_);
    ::kill(-child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }

  // Calls a method and waits for its answer; what happens meanwhile is kept.
  Json call(const std::string& method, Json parameters = Json::object()) {
    const int id = ++last_id_;
    Json message{{"id", id}, {"method", method}, {"params", std::move(parameters)}};
    if (!session_.empty()) message["sessionId"] = session_;
    const std::string text = json_line(message);
    if (::write(to_, text.c_str(), text.size() + 1) < 0) return {};  // with its NUL
    for (;;) {
      const Json answer = next();
      if (answer.is_discarded()) return {};
      if (answer.contains("id") && answer["id"] == id) {
        if (answer.contains("error")) return {{"failed", answer["error"]}};
        return answer.value("result", Json::object());
      }
    }
  }

  void show_on(const Screen& screen) {
    call("Emulation.setDeviceMetricsOverride", {{"width", screen.width},
                                                {"height", screen.height},
                                                {"deviceScaleFactor", 1},
                                                {"mobile", screen.width < 500}});
    call("Emulation.setEmulatedMedia",
         {{"features",
           {{{"name", "prefers-color-scheme"}, {"value", screen.dark ? "dark" : "light"}},
            {{"name", "prefers-reduced-motion"}, {"value", screen.calm ? "reduce" : ""}}}}});
  }

  void go(const std::string& url) {
    call("Page.navigate", {{"url", url}});
    (void)until("document.readyState === 'complete'");
  }

  // The value of an expression in the page; an expression that throws is a text with the reason.
  Json evaluate(const std::string& expression) {
    const Json answer =
        call("Runtime.evaluate",
             {{"expression", expression}, {"returnByValue", true}, {"awaitPromise", true}});
    if (answer.contains("exceptionDetails")) return "threw: " + answer["exceptionDetails"].dump();
    return answer.contains("result") ? answer["result"].value("value", Json()) : Json();
  }
  std::string text(const std::string& selector) {
    const Json found = evaluate(
        fmt::format("document.querySelector({})?.innerText ?? '(none)'", Json(selector).dump()));
    return found.is_string() ? found.get<std::string>() : found.dump();
  }

  // Whether an expression comes to hold; waits for it for as long as a slow machine may take.
  bool until(const std::string& expression) {
    const auto late = std::chrono::steady_clock::now() + 60s;
    while (std::chrono::steady_clock::now() < late) {
      if (evaluate(fmt::format("Boolean({})", expression)) == true) return true;
      std::this_thread::sleep_for(20ms);
    }
    return false;
  }

  struct Place {
    double x = 0;
    double y = 0;
  };
  // A place inside an element, as shares of its width and height, brought into view.
  Place place(const std::string& selector, double across = 0.5, double down = 0.5) {
    const Json box = evaluate(fmt::format(
        "(() => {{ const e = document.querySelector({}); e.scrollIntoView({{block: 'center', "
        "behavior: 'instant'}}); const b = e.getBoundingClientRect(); return [b.left + b.width * "
        "{}, b.top + b.height * {}]; }})()",
        Json(selector).dump(), across, down));
    if (!box.is_array()) return {-1, -1};
    return {box[0].get<double>(), box[1].get<double>()};
  }
  void mouse(const char* what, Place at) {
    call("Input.dispatchMouseEvent", {{"type", what},
                                      {"x", at.x},
                                      {"y", at.y},
                                      {"button", "left"},
                                      {"buttons", what == std::string("mouseReleased") ? 0 : 1},
                                      {"clickCount", 1}});
  }
  // Once it stands still: answers that come in move what is below them.
  void click(const std::string& selector) {
    Place at = place(selector);
    for (int look = 0, still = 0; look < 50 && still < 3; ++look) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      const Place now = place(selector);
      still = now.x == at.x && now.y == at.y ? still + 1 : 0;
      at = now;
    }
    mouse("mousePressed", at);
    mouse("mouseReleased", at);
  }
  // From where a slider's handle is to a share of its width, in `steps` moves.
  void drag(const std::string& selector, double to, int steps = 10) {
    const Json share = evaluate(
        fmt::format("(e => (e.value - e.min) / (e.max - e.min))(document.querySelector({}))",
                    Json(selector).dump()));
    const double from = share.is_number() ? share.get<double>() : 0.5;
    // A handle does not reach over its track's ends.
    const auto at = [&](double part) { return place(selector, 0.04 + 0.92 * part); };
    mouse("mousePressed", at(from));
    for (int k = 1; k <= steps; ++k) mouse("mouseMoved", at(from + (to - from) * k / steps));
    mouse("mouseReleased", at(to));
  }
  // Selects what is in a field, and writes over it.
  void type(const std::string& selector, const std::string& words) {
    click(selector);
    evaluate(fmt::format("document.querySelector({}).select()", Json(selector).dump()));
    call("Input.insertText", {{"text", words}});
  }
  void choose(const std::string& selector, const std::string& value) {
    // Headless browsers draw no list to click into: the keyboard's way, letter by letter, is
    // theirs.
    evaluate(
        fmt::format("document.querySelector({0}).focus(); document.querySelector({0}).value = "
                    "{1}; document.querySelector({0}).dispatchEvent(new Event('change', "
                    "{{bubbles: true}}))",
                    Json(selector).dump(), Json(value).dump()));
  }
  void key(const std::string& name, int code) {
    for (const char* what : {"keyDown", "keyUp"}) {
      Json event{{"type", what}, {"key", name}, {"code", name}, {"windowsVirtualKeyCode", code}};
      if (name == "Enter" && what == std::string("keyDown")) event["text"] = "\r";
      call("Input.dispatchKeyEvent", event);
    }
  }

  bool picture(const fs::path& file, bool whole = false) {
    Json options{{"format", "png"}};
    if (whole) options["captureBeyondViewport"] = true;
    const Json shot = call("Page.captureScreenshot", options);
    const std::string coded = shot.value("data", "");
    std::string bytes(coded.size(), '\0');
    const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                     reinterpret_cast<const unsigned char*>(coded.data()),
                                     static_cast<int>(coded.size()));
    if (size <= 0) return false;
    bytes.resize(static_cast<std::size_t>(size));
    return write_file(file, bytes).has_value();
  }

  // Every address that the page has asked for, and everything that the browser complained about.
  const std::vector<std::string>& requests() const { return requests_; }
  const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  Json next() {
    for (;;) {
      if (const auto end = heard_.find('\0'); end != std::string::npos) {
        Json message = parse_json(heard_.substr(0, end));
        heard_.erase(0, end + 1);
        note(message);
        return message;
      }
      pollfd ready{.fd = from_, .events = POLLIN, .revents = 0};
      if (::poll(&ready, 1, 60'000) <= 0) return Json(Json::value_t::discarded);
      std::array<char, 65536> block{};
      const ssize_t got = ::read(from_, block.data(), block.size());
      if (got <= 0) return Json(Json::value_t::discarded);
      heard_.append(block.data(), static_cast<std::size_t>(got));
    }
  }

  void note(const Json& message) {
    const std::string method = message.value("method", "");
    if (!message.contains("params")) return;
    const Json& about = message["params"];
    if (method == "Network.requestWillBeSent") {
      requests_.push_back(about["request"].value("url", ""));
    } else if (method == "Log.entryAdded") {
      complaints_.push_back(about["entry"].value("text", ""));
    } else if (method == "Runtime.exceptionThrown") {
      complaints_.push_back(about["exceptionDetails"].dump());
    }
  }

  const TemporaryFolder profile_;
  pid_t child_ = -1;
  int to_ = -1;
  int from_ = -1;
  int last_id_ = 0;
  std::string session_;
  std::string heard_;
  std::vector<std::string> requests_;
  std::vector<std::string> complaints_;
};

}  // namespace sotto::devtools
