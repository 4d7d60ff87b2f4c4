#pragma once

#include <functional>
#include <string>

#include "run/join.h"

// One process of a party for all of its studies, at one port. Each goes the way of `join`, in a
// thread and with a store of its own; after any end of the process, a power cut included, the same
// command goes on with all of them.
namespace sotto {

struct ServeRequest {
  std::string folder;  // with serve.toml (study/serve_file.h)
  std::string home;
};

// All may be empty; called from several threads, one at a time.
struct ServeHooks {
  std::function<void(const std::string& study, const JoinEvent&)> on_event;  // "": of the whole
  std::function<std::string(const RunRecord&)> report;
  std::function<bool()> interrupted;
};

// Until it is interrupted. A study that ended without having shown anything is tried again, after a
// pause; one that cost something, or whose own side is wrong, when its study file, its data file or
// its line in serve.toml has changed. serve.toml is read again when it changes. Errors: the file
// (E-serve-…), the port (E-listen), the key (E-serve-key-differs).
[[nodiscard]] Result<void> serve(const ServeRequest& request, const ServeHooks& hooks);

}  // namespace sotto
