#include "base/version.h"

// Compiled by itself, so that a new version compiles nothing else anew.
namespace sotto {

std::string sotto_version() {
  return SOTTO_VERSION;
}

}  // namespace sotto
