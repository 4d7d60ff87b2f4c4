// sotto::v1::join: `sotto join` for programs, with the same files and the same lines of progress.

#include "run/join/join.h"

#include <sotto/join.h>

#include "base/files.h"
#include "report/run_report.h"
#include "run/home.h"
#include "store/store.h"

namespace sotto::v1 {

Result<Joined> join(const Study& study, const JoinOptions& options) {
  const sotto::Study& terms = study.inside();
  SOTTO_TRY(check_network(terms).at(study.file()));
  JoinRequest request;
  request.study_file = study.file();
  SOTTO_ASSIGN(request.self, party_named(terms, options.as));
  request.data = options.table ? options.table->inside() : sotto::TableRequest(options.data);
  request.data.query = options.query;
  request.data.interrupted = options.interrupted;
  SOTTO_ASSIGN(request.home, home_folder(options.home));
  request.account = options.account;
  request.listen = options.listen;
  request.out = options.out;
  request.again = options.again;

  JoinHooks hooks;
  if (options.on_event) {
    hooks.on_consent = [&](const Consent& consent) {
      options.on_event(to_json_line(consent, unix_seconds()));
    };
    hooks.on_event = [&](const JoinEvent& event) {
      options.on_event(to_json_line(event, unix_seconds()));
    };
  }
  hooks.agreed = options.agreed;
  hooks.interrupted = options.interrupted;
  hooks.report = [](const RunRecord& record) { return run_report(record, Audience::kOwn).html(); };
  SOTTO_ASSIGN(auto done, join_study(terms, request, hooks));

  Joined joined{.run = done.run, .files = done.files, .before = !done.model.has_value()};
  if (done.json.empty()) {
    return bad_input("E-run-files", "the result of that run is not where it was written",
                     "look for it, or run it again");
  }
  if (terms.data) {
    SOTTO_ASSIGN(joined.model, Model::parse(done.json, "model.json"));
  }
  return joined;
}

}  // namespace sotto::v1
