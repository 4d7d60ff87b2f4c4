#include "base/result.h"

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

namespace {

tl::unexpected<Error> make(std::string name, std::string what, std::string fix, Status status) {
  return tl::unexpected(Error{.name = std::move(name),
                              .what = std::move(what),
                              .where = {},
                              .fix = std::move(fix),
                              .status = status});
}

}  // namespace

tl::unexpected<Error> bad_input(std::string name, std::string what, std::string fix) {
  return make(std::move(name), std::move(what), std::move(fix), Status::kBadInput);
}

tl::unexpected<Error> refused(std::string name, std::string what, std::string fix) {
  return make(std::move(name), std::move(what), std::move(fix), Status::kRefused);
}

tl::unexpected<Error> failed(std::string name, std::string what, std::string fix) {
  return make(std::move(name), std::move(what), std::move(fix), Status::kFailed);
}

}  // namespace sotto
