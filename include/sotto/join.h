#pragma once

// One party takes part in a study over the network: `sotto join`.

#include <sotto/model.h>
#include <sotto/study.h>
#include <sotto/table.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sotto::v1 {

struct JoinOptions {
  std::string as = {};              // this party's name in the study
  std::string data = {};            // where its table is, as --data says it; or
  std::optional<Table> table = {};  // the table itself
  std::string query = {};           // of a database
  std::string home = {};            // empty: $SOTTO_HOME, else ~/.sotto
  std::string account = {};         // that pays; empty: named by party and columns
  std::string listen = {};          // host:port; empty: where the study says
  std::string out = {};             // folder for the result; empty: in the home
  bool again = false;               // once more, although the study was run to its end

  // Lines of JSON, as `sotto join --progress json` prints them; the first one is what this party
  // agrees to.
  std::function<void(const std::string& line)> on_event = {};
  // Asked once, when that has been told and before the first word leaves: false is E-declined.
  std::function<bool()> agreed = {};
  // Asked all the time: true leaves with E-interrupted, and the same call resumes.
  std::function<bool()> interrupted = {};
};

struct Joined {
  std::string run = {};                 // every party's name for it
  std::vector<std::string> files = {};  // model.json, record.json, report.html
  std::optional<Model> model = {};      // none: a study over costs
  bool before = false;                  // it had been run to its end before, and nothing was spent
};

// Blocks until the run is over. What ends a run is in docs/errors.md.
[[nodiscard]] Result<Joined> join(const Study& study, const JoinOptions& options);

}  // namespace sotto::v1
