#include "base/result.h"

// An error's text, and the three kinds of errors by their exit status.
namespace sotto {

std::string Error::to_string() const {
  std::string text = "error[" + name + "]: " + what;
  if (!where.empty()) text += "; " + where;
  if (!fix.empty()) text += "; " + fix;
  return text;
}

Error Error::at(std::string place) && {
  if (where.empty()) where = std::move(place);
  return std::move(*this);
}

Error bad_input(std::string name, std::string what, std::string fix) {
  return {std::move(name), std::move(what), {}, std::move(fix), Status::kBadInput};
}

Error refused(std::string name, std::string what, std::string fix) {
  return {std::move(name), std::move(what), {}, std::move(fix), Status::kRefused};
}

Error failed(std::string name, std::string what, std::string fix) {
  return {std::move(name), std::move(what), {}, std::move(fix), Status::kFailed};
}

}  // namespace sotto
