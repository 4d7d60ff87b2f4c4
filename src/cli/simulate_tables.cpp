#include "cli/simulate_tables.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/progress_bar.h"
#include "report/file.h"
#include "study/model_file.h"
#include "study/record_run.h"

namespace sotto {

Result<std::string> simulate_tables(const Study& study, Solver solver,
                                    const TablesRequest& request) {
  TableFiles files;
  std::istringstream words(request.data);
  for (std::string word; std::getline(words, word, ',');) files.files.push_back(word);
  if (request.split == "contiguous") files.split = TableSplit::Kind::kContiguous;

  const auto plan = make_plan(study, solver);
  if (!plan) return tl::unexpected(plan.error());
  const auto cipher = cipher_for(study, request.cipher);
  if (!cipher) return tl::unexpected(cipher.error());
  Result<std::vector<PartyTable>> tables;
  {
    ProgressBar bar("reading");
    tables = read_tables(study, files, bar.callback());
  }
  if (!tables) return tl::unexpected(Error(tables.error()).at("--data"));
  const auto run = run_on_tables(study, *plan, *tables, {.cipher = cipher->get()});
  if (!run) return tl::unexpected(run.error());
  const RunRecord record = record_of(study, *plan, *tables, *run);
  const std::string model = model_json(record, run->fit.explained).dump(2) + "\n";
  std::string where;
  if (!request.out.empty()) {
    const std::filesystem::path folder(request.out);
    if (auto written = write_file(folder / "model.json", model); !written) {
      return tl::unexpected(written.error());
    }
    if (auto written = write_record(folder / kRecordFile, record); !written) {
      return tl::unexpected(written.error());
    }
    where = fmt::format("\n  written: {} and {}\n", (folder / "model.json").string(),
                        (folder / kRecordFile).string());
  }
  if (request.output.json()) return model;
  return to_text(record, run->fit) + where;
}

}  // namespace sotto
