// Requests to the page of `sotto view`: who is let in, and what those who are may ask for.

#include <set>
#include <sstream>

#include "fuzz/good_files.h"
#include "view/http/guard.h"
#include "view/models.h"
#include "view/planner.h"

namespace sotto {
namespace {

const std::string kAuthority = "127.0.0.1:4711";
const std::string kToken(64, '7');

// A folder with a study and a record, and nothing that the page may not see.
const std::string& folder() {
  static const std::string path = [] {
    std::string made = fuzz::own_folder() + "/page";
    std::filesystem::create_directories(made);
    std::ofstream(made + "/study.toml") << fuzz::kSmallStudy;
    std::ofstream(made + "/record.json") << json_text(fuzz::good_records().front());
    return made;
  }();
  return path;
}

std::set<std::string> files_outside() {
  const std::string inside = folder() + "/";  // which makes it
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(fuzz::own_folder())) {
    const std::string path = entry.path().string();
    if (!path.starts_with(inside)) names.insert(path);
  }
  return names;
}

void ask(fuzz::Choices& choices) {
  constexpr const char* kKeys[] = {"study",    "epsilon", "delta",     "solver", "colluders",
                                   "topology", "parties", "rows",      "run",    "target",
                                   "features", "ridge",   "estimator", "",       "other"};
  view::Query query;
  const std::size_t what = choices.below(4);
  const std::string name(choices.text());
  const bool replace = choices.flag();
  while (!choices.empty() && query.size() < 12) {
    const char* key = kKeys[choices.below(std::size(kKeys))];
    query.insert_or_assign(key, std::string(choices.text()));
  }
  // Graphs of millions are allowed, and take their time: not here.
  const auto parties = query.find("parties");
  if (parties != query.end() && parties->second.size() > 2) return;
  if (what == 0) {
    (void)fuzz::fine_or_error(view::plan_json(folder(), query));
  } else if (what == 1) {
    // Who names no run means the one that there is.
    query.insert({"run", "file-record.json"});
    if (const auto model = view::model_json({}, folder(), query); fuzz::fine_or_error(model)) {
      fuzz::require(
          model->contains("html") != model->contains("error") && !json_line(*model).empty(),
          "a model is a page, or says why not");
    }
  } else {
    const auto before = files_outside();
    if (const auto saved = view::save_study(folder(), name, replace, query);
        fuzz::fine_or_error(saved)) {
      fuzz::require(name.ends_with(".toml") && name.find('/') == std::string::npos &&
                        parse_study(fuzz::content_of(folder() + "/" + name), name).has_value(),
                    "what is saved is a study, in its folder");
    }
    fuzz::require(files_outside() == before, "nothing is written elsewhere");
    for (const auto& entry : std::filesystem::directory_iterator(folder())) {
      if (entry.path().filename() != "record.json") std::filesystem::remove(entry.path());
    }
    std::ofstream(folder() + "/study.toml") << fuzz::kSmallStudy;
  }
}

}  // namespace

// A request in lines as HTTP has them, "GET /PATH" and headers, where ~ is the token and @ our own
// name; or (first byte 1) a question of somebody who was let in.
SOTTO_FUZZER(http) {
  fuzz::Choices choices(bytes);
  if (choices.below(2) == 1) return ask(choices);
  std::string text;
  for (const char c : choices.rest()) {
    text += c == '~' ? kToken : c == '@' ? kAuthority : std::string(1, c);
  }
  view::Asked asked;
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  asked.method = line.substr(0, line.find(' '));
  asked.path = line.substr(std::min(line.size(), asked.method.size() + 1));
  std::size_t hosts = 0;
  while (std::getline(lines, line)) {
    const std::size_t colon = std::min(line.find(": "), line.size());
    asked.headers.emplace_back(line.substr(0, colon),
                               colon < line.size() ? line.substr(colon + 2) : "");
    hosts += asked.headers.back() == std::pair<std::string, std::string>("Host", kAuthority);
  }
  const view::Guard guard(kAuthority, kToken);
  const auto denial = guard.denies(asked);
  const bool token = asked.path == "/" + kToken || asked.path.starts_with("/" + kToken + "/");
  if (denial) {
    fuzz::require(denial->status >= 400 && denial->why.find(kToken) == std::string::npos,
                  "a denial says why, and never the token");
    return;
  }
  fuzz::require(token, "nobody is let in without the token");
  fuzz::require(hosts <= 1 && (asked.method == "GET" || asked.method == "POST"),
                "who is let in asks one server, to read or to change");
  for (const auto& [name, value] : asked.headers) {
    if (name == "Origin") fuzz::require(value == "http://" + kAuthority, "no other page is let in");
    if (name == "Host") fuzz::require(value == kAuthority, "no other name leads here");
  }
  (void)view::Guard::inside(asked.path);
}

}  // namespace sotto
