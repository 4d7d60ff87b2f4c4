#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

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

  // error[E-name]: what; where; what would be right
  [[nodiscard]] std::string to_string() const;

  // The same error, saying where it happened, unless it knows that already.
  [[nodiscard]] Error at(std::string place) &&;
};

template <class T>
using Result = tl::expected<T, Error>;

[[nodiscard]] tl::unexpected<Error> bad_input(std::string name, std::string what, std::string fix);
[[nodiscard]] tl::unexpected<Error> refused(std::string name, std::string what, std::string fix);
[[nodiscard]] tl::unexpected<Error> failed(std::string name, std::string what, std::string fix);

}  // namespace sotto
