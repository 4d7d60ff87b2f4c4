#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "graph/rows.h"

// Edges from a file, two numbers from 1 on a line:
//
//     # who is neighbour to whom
//     1 2
//     2 3     # spaces, tabs or a comma between them
//
// Parties are numbered without gaps; what is wrong is said with its line.
namespace sotto {
namespace {

// 100 million lines of two eight-digit numbers.
constexpr std::int64_t kMaxListBytes = std::int64_t{2} << 30;

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == ',';
}

std::string shortened(std::string_view line) {
  constexpr std::size_t kShown = 40;
  std::string shown;
  for (const char c : line.substr(0, kShown)) shown += c < ' ' || c > '~' ? '?' : c;
  return line.size() > kShown ? shown + "…" : shown;
}

// Edges, and the line of each: lines without an edge are few, so that lines are found again
// by counting through the text.
class EdgeList {
 public:
  EdgeList(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  Result<void> read() {
    std::size_t line = 0;
    for (std::size_t begin = 0; begin < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', begin), text_.size());
      ++line;
      SOTTO_TRY(take(text_.substr(begin, end - begin), line));
      begin = end + 1;
    }
    return {};
  }

  [[nodiscard]] const std::vector<Edge>& edges() const { return edges_; }
  [[nodiscard]] std::size_t largest() const { return largest_; }

  [[nodiscard]] std::string place(std::size_t line) const {
    return fmt::format("line {} of {}", line, name_);
  }

  // The lines that name this edge, or this party alone.
  [[nodiscard]] std::vector<std::size_t> lines_of(const std::function<bool(Edge)>& wanted) const {
    std::vector<std::size_t> found;
    std::size_t line = 0;
    for (std::size_t begin = 0; begin < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', begin), text_.size());
      ++line;
      const auto edge = parsed(text_.substr(begin, end - begin));
      if (edge && wanted(*edge)) found.push_back(line);
      begin = end + 1;
    }
    return found;
  }

 private:
  // Nothing for an empty line; {0, 0} for one that is no edge.
  [[nodiscard]] static std::optional<Edge> parsed(std::string_view line) {
    line = line.substr(0, line.find('#'));
    const char* at = line.data();
    const char* const end = line.data() + line.size();
    const auto skip = [&] {
      while (at != end && is_space(*at)) ++at;
    };
    skip();
    if (at == end) return std::nullopt;
    PartyId ends[2] = {0, 0};
    for (PartyId& one : ends) {
      const auto [stop, fault] = std::from_chars(at, end, one);
      if (fault != std::errc{} || (stop != end && !is_space(*stop))) return Edge{};
      at = stop;
      skip();
    }
    if (at != end) return Edge{};
    return Edge{ends[0], ends[1]};
  }

  Result<void> take(std::string_view text, std::size_t line) {
    const auto edge = parsed(text);
    if (!edge) return {};
    const auto [a, b] = *edge;
    if (a == 0 || b == 0) {
      return bad_input("E-graph-file",
                       fmt::format("\"{}\" does not name two parties", shortened(text)),
                       "two numbers from 1 on a line, as in \"1 2\"; # begins a comment")
          .at(place(line));
    }
    if (a > kMaxParties || b > kMaxParties) {
      return bad_input("E-graph-file", fmt::format("there is a party {}", std::max(a, b)),
                       fmt::format("parties are numbered from 1 to {} at most", kMaxParties))
          .at(place(line));
    }
    if (a == b) {
      return bad_input("E-graph-file", fmt::format("party {} is joined to itself", a),
                       "an edge joins two different parties")
          .at(place(line));
    }
    if (edges_.size() == kMaxEdges) {
      return bad_input("E-graph-file", fmt::format("more than {} edges", kMaxEdges),
                       "a graph with fewer")
          .at(place(line));
    }
    largest_ = std::max<std::size_t>(largest_, std::max(a, b));
    edges_.push_back({std::min(a, b) - 1, std::max(a, b) - 1});
    return {};
  }

  std::string_view text_;
  std::string name_;
  std::vector<Edge> edges_;
  std::size_t largest_ = 0;
};

Error gap(const EdgeList& list, const std::string& name, std::size_t parties,
          const graphs::Rows& rows) {
  PartyId missing = 0;
  std::size_t count = 0;
  for (PartyId i = 0; i < parties; ++i) {
    if (!rows.of(i).empty()) continue;
    if (count++ == 0) missing = i;
  }
  return bad_input("E-graph-file",
                   fmt::format("party {}{} has no edge, and there {} {}", missing + 1,
                               count == 1 ? "" : fmt::format(" (and {} more)", count - 1),
                               list.largest() < parties ? "must be" : "is a party",
                               list.largest() < parties ? fmt::format("{} parties", parties)
                                                        : fmt::format("{}", list.largest())),
                   "number parties from 1 without gaps, each with an edge")
      .at(name);
}

}  // namespace

Result<Graph> Graph::from_list(std::string_view text, const std::string& name,
                               std::optional<std::size_t> stated) {
  EdgeList list(text, name);
  SOTTO_TRY(list.read());
  if (list.edges().empty()) {
    return bad_input("E-graph-file", "there is no edge in it", "two numbers from 1 on a line")
        .at(name);
  }
  const std::size_t parties = stated.value_or(list.largest());
  if (list.largest() > parties) {
    const auto lines =
        list.lines_of([&](Edge edge) { return edge.a > parties || edge.b > parties; });
    return bad_input(
               "E-graph-file",
               fmt::format("there is a party {}, and the study has {}", list.largest(), parties),
               fmt::format("parties = {} in [graph], or none", list.largest()))
        .at(list.place(lines.front()));
  }
  graphs::Rows rows = graphs::rows_of(parties, list.edges());
  if (const auto twice = graphs::first_double(rows)) {
    const auto lines = list.lines_of([&](Edge edge) {
      return std::min(edge.a, edge.b) == twice->a + 1 && std::max(edge.a, edge.b) == twice->b + 1;
    });
    return bad_input("E-graph-file",
                     fmt::format("party {} and party {} are joined already in line {}",
                                 twice->a + 1, twice->b + 1, lines[0]),
                     "name each pair of neighbours once, in either order")
        .at(list.place(lines[1]));
  }
  for (PartyId i = 0; i < parties; ++i) {
    if (rows.of(i).empty()) return gap(list, name, parties, rows);
  }
  return of_rows(Topology::kFile, std::move(rows));
}

Result<Graph> Graph::from_file(const std::string& path, std::optional<std::size_t> stated) {
  const auto unreadable = [&](int why) {
    return bad_input("E-graph-file", fmt::format("cannot be read: {}", std::strerror(why)),
                     "a text file with two numbers from 1 on a line")
        .at(path);
  };
  // Without waiting: a pipe that nobody writes into is no file.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return unreadable(errno);
  const std::unique_ptr<const int, void (*)(const int*)> closing(
      &file, [](const int* opened) { ::close(*opened); });
  struct stat about {};
  if (::fstat(file, &about) != 0) return unreadable(errno);
  if (S_ISDIR(about.st_mode)) return unreadable(EISDIR);
  if (!S_ISREG(about.st_mode)) return unreadable(EINVAL);
  std::string text;
  if (about.st_size <= kMaxListBytes) text.reserve(static_cast<std::size_t>(about.st_size));
  std::vector<char> piece(std::size_t{1} << 20);
  while (true) {
    const ssize_t got = ::read(file, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return unreadable(errno);
    if (got == 0) break;
    text.append(piece.data(), static_cast<std::size_t>(got));
    if (text.size() > static_cast<std::size_t>(kMaxListBytes)) {
      return bad_input("E-graph-file", fmt::format("is larger than {} GiB", kMaxListBytes >> 30),
                       "a graph with fewer edges")
          .at(path);
    }
  }
  return from_list(text, path, stated);
}

}  // namespace sotto
