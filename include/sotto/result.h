#pragma once

// How everything in sotto fails: a value, or an error for a person. Nothing here throws for what a
// user got wrong.

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace sotto {

// The exit status that an error leads to; the numbers are a contract with scripts.
enum class Status : int {
  kFailed = 1,    // something outside went wrong: a file, a peer, the machine
  kBadInput = 2,  // what the user wrote cannot be done
  kRefused = 3,   // it could be done, and would break the privacy that was asked for
};

// An error for a person: what is wrong, where, and what would be right.
struct Error {
  std::string name;   // stable, for scripts: "E-graph-disconnected"
  std::string what;   // "the graph falls into 2 parts"
  std::string where;  // "[graph] in study.toml, line 9"; may be filled in by the caller
  std::string fix;    // "add an edge between {1, 2} and {3, 4}"
  Status status = Status::kBadInput;
  std::string reason = {};  // where `what` begins with somebody's name: the rest of it

  // Where one look has found several: those that follow, in the input's order, and how many
  // more there are than are listed.
  std::vector<Error> others = {};
  std::uint64_t unlisted = 0;

  // error[E-name]: what; where; what would be right
  [[nodiscard]] std::string to_string() const;

  // The same error, saying where it happened, unless it knows that already.
  [[nodiscard]] Error at(std::string place) &&;
};

// A value, or why there is none. An Error becomes one by itself: `return bad_input(…);`.
template <class T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using Base = tl::expected<T, Error>;
  using Base::Base;
  Result(Base base) : Base(std::move(base)) {}
  Result(Error error) : Base(tl::unexpected<Error>(std::move(error))) {}

  // Tells an error where it happened, unless it knows that already.
  [[nodiscard]] Result at(std::string place) && {
    if (this->has_value()) return std::move(*this);
    return std::move(this->error()).at(std::move(place));
  }
};

namespace v1 {
using sotto::Error;
using sotto::Result;
using sotto::Status;
}  // namespace v1

}  // namespace sotto
