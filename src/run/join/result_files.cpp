// Model and record are kept, or the run is not finished; the report is kept if it can be.
#include "run/join/result_files.h"

#include <exception>

#include "base/files.h"
#include "base/unexpected.h"

namespace sotto {
namespace {

Result<std::string> page_of(const RunRecord& record,
                            const std::function<std::string(const RunRecord&)>& report) {
  try {
    return report(record);
  } catch (const std::exception& thrown) {
    return unexpected(thrown);
  }
}

Result<void> keep_report(const std::string& file, const RunRecord& record,
                         const std::function<std::string(const RunRecord&)>& report) {
  SOTTO_ASSIGN(const auto page, page_of(record, report));
  return write_file(file, page, Readers::kOwnerOnly);
}

}  // namespace

Result<ResultFiles> keep_result_files(const std::filesystem::path& folder, const RunRecord& record,
                                      const std::string& model_json,
                                      const std::function<std::string(const RunRecord&)>& report) {
  ResultFiles files{.all = {(folder / "model.json").string(), (folder / kRecordFile).string()}};
  // The record first: it makes the folder, if there is none, for the owner alone.
  SOTTO_TRY(write_record(files.all[1], record));
  SOTTO_TRY(write_file(files.all[0], model_json));
  if (!report) return files;
  const std::string page = (folder / "report.html").string();
  if (auto kept = keep_report(page, record, report); kept) {
    files.all.push_back(page);
  } else {
    files.no_report = kept.error();
  }
  return files;
}

}  // namespace sotto
