#include "cli/home.h"

#include <fmt/format.h>

#include <cstdlib>

namespace sotto {

Result<std::string> home_folder(const std::string& option) {
  if (!option.empty()) return option;
  if (const char* home = std::getenv("SOTTO_HOME"); home != nullptr && *home != '\0') return home;
  if (const char* user = std::getenv("HOME"); user != nullptr && *user != '\0') {
    return fmt::format("{}/.sotto", user);
  }
  return bad_input("E-home", "neither SOTTO_HOME nor HOME says where your keys are",
                   "name the folder with --home");
}

}  // namespace sotto
