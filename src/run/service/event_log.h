#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "base/result.h"

// A file that what happens is written into, a line each, with date and zone; and the command that
// is run when all is over.
namespace sotto {

// 2026-01-31T09:00:00+0100, by this machine's zone.
[[nodiscard]] std::string local_text(std::int64_t seconds);

// Lines are added at the end, so that the file can be moved away by a rotation of logs and is made
// anew. Only its owner may read it, whatever mode it had before: it counts the party's own rows.
// Any thread may write.
class EventLog {
 public:
  // E-log if it cannot be written to.
  [[nodiscard]] static Result<std::shared_ptr<EventLog>> open(const std::string& path);
  // Control characters become '?', and so no text can make a line of its own.
  void write(const std::string& text, std::int64_t time);

 private:
  explicit EventLog(std::string path) : path_(std::move(path)) {}
  std::string path_;
  std::mutex mutex_;
};

// How a party's part in a study ended, for a command that is told so in its environment:
// SOTTO_STATE (finished, failed), SOTTO_STUDY, SOTTO_PARTY, SOTTO_RUN, SOTTO_ERROR (its name),
// SOTTO_MODEL, SOTTO_RECORD, SOTTO_REPORT (files; empty unless finished).
struct Ending {
  std::string state;
  std::string study;
  std::string party;
  std::string run = {};
  std::string error = {};
  std::string model = {};
  std::string record = {};
  std::string report = {};
};

// Runs /bin/sh -c `command` and waits for it. failed[E-on-finish] if it did not end with 0.
[[nodiscard]] Result<void> run_on_finish(const std::string& command, const Ending& ending);

}  // namespace sotto
