#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

// serve.toml: in which studies a party takes part with one process, at one port (`sotto serve`).
namespace sotto {

// [[study]]
struct ServedStudy {
  std::string file;            // study.toml
  std::string party;           // as = "north"
  std::string data = {};       // its table
  std::string query = {};      // of a database
  bool push_down = false;      // the database adds up
  std::string account = {};    // in the ledger; empty: the usual one
  std::string out = {};        // folder for the result; empty: in the home
  std::string on_finish = {};  // a command for /bin/sh
  bool operator==(const ServedStudy&) const = default;
};

struct ServeFile {
  std::string listen;  // host:port
  std::vector<ServedStudy> studies;
};

inline constexpr const char* kServeFile = "serve.toml";

// FOLDER/serve.toml. Relative names in it are relative to the folder. E-serve-file, E-serve-syntax,
// E-serve-key, E-serve-value.
[[nodiscard]] Result<ServeFile> read_serve_file(const std::string& folder);

// The same from text; `name` stands for the file in errors.
[[nodiscard]] Result<ServeFile> parse_serve_file(std::string_view text, const std::string& name,
                                                 const std::string& folder);

}  // namespace sotto
