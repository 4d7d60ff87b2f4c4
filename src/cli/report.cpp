// `sotto report`: the page of report/run_report.h, beside the record or wherever one wants it.
#include <fmt/core.h>

#include <filesystem>
#include <memory>

#include "base/files.h"
#include "base/json.h"
#include "base/version.h"
#include "cli/command_line.h"
#include "report/run_report.h"
#include "run/home.h"
#include "run/run_record.h"

namespace sotto {

Verb add_report(const Syntax& program) {
  struct Options {
    std::string run;
    std::string out;
    std::string home;
    bool share = false;
  };
  auto options = std::make_shared<Options>();
  const Syntax verb =
      program.verb("report", "a finished run as one HTML file: charts inside, no network needed",
                   "sotto report last\n  sotto report out/run --share --out for-everybody.html");
  verb.text("run", options->run, kRunHelp, Need::kRequired);
  verb.group(kWhoAndWhere).text("--home", options->home, kHomeHelp);
  verb.group(kOutput).text("--out", options->out,
                           "the file to write; report.html beside the record");
  verb.group(kOutput).flag(
      "--share", options->share,
      "leave out what stays with the party: counts of its rows and clipped values");
  auto run = [options](Output output) -> Result<std::string> {
    SOTTO_ASSIGN(const auto file, find_run_file(options->run, options->home, kRecordFile));
    SOTTO_ASSIGN(const auto record, read_record(file));
    const std::filesystem::path given(file);
    std::filesystem::path out(options->out);
    if (out.empty()) {
      std::error_code ignored;
      const bool folder = std::filesystem::is_directory(given, ignored);
      out = (folder ? given : given.parent_path()) / "report.html";
    }
    const Audience audience = options->share ? Audience::kShared : Audience::kOwn;
    const bool private_part = !options->share && !record.own.empty();
    HtmlPage page = run_report(record, audience);
    page.fact("Report written",
              fmt::format("{}, sotto {}", utc_text(unix_seconds()), sotto_version()));
    SOTTO_TRY(write_file(out, page.html(), private_part ? Readers::kOwnerOnly : Readers::kAsUsual)
                  .at("--out"));
    if (output.json()) {
      return json_text(
          {{"report", out.string()}, {"study", record.study}, {"private", private_part}});
    }
    return fmt::format(
        "{}\n{}", out.string(),
        private_part ? "It holds counts that stay with you; --share leaves them out.\n" : "");
  };
  return {verb, run};
}

}  // namespace sotto
