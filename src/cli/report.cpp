#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/verb.h"
#include "report/file.h"
#include "report/run_record.h"
#include "report/run_report.h"

namespace sotto {

Verb add_report(CLI::App& app) {
  struct Options {
    Output output;
    std::string run;
    std::string out;
    bool share = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      app, "report", "a finished run as one HTML file: charts inside, no network needed",
      "sotto report out/run --share --out for-everybody.html", options->output);
  command->add_option("run", options->run, "a run's record.json, or the folder that holds it")
      ->required();
  command->add_option("--out", options->out, "the file to write; report.html beside the record");
  command->add_flag("--share", options->share,
                    "leave out what stays with the party: counts of its rows and clipped values");
  auto run = [options]() -> Result<std::string> {
    const auto record = read_record(options->run);
    if (!record) return tl::unexpected(record.error());
    const std::filesystem::path given(options->run);
    std::filesystem::path out(options->out);
    if (out.empty()) {
      std::error_code ignored;
      const bool folder = std::filesystem::is_directory(given, ignored);
      out = (folder ? given : given.parent_path()) / "report.html";
    }
    const Audience audience = options->share ? Audience::kShared : Audience::kOwn;
    if (auto written = write_file(out, run_report(*record, audience).html()); !written) {
      return tl::unexpected(Error(written.error()).at("--out"));
    }
    const bool private_part = !options->share && !record->own.empty();
    if (options->output.json()) {
      const nlohmann::ordered_json body{
          {"report", out.string()}, {"study", record->study}, {"private", private_part}};
      return fmt::format("{}\n", body.dump(2));
    }
    return fmt::format(
        "{}\n{}", out.string(),
        private_part ? "It holds counts that stay with you; --share leaves them out.\n" : "");
  };
  return {command, run};
}

}  // namespace sotto
