// Small things that others write: the first line of a table, lines of a process that takes part,
// what a page sends, what a database has answered into a file, and tables of a program.

#include <chrono>
#include <set>
#include <thread>

#include "cli/new/table_header.h"
#include "fuzz/good_files.h"
#include "fuzz/table_texts.h"
#include "run/join/join_event.h"
#include "support/raw_http.h"
#include "view/view.h"

namespace sotto {
namespace {

// `sotto new`: names of columns, each once.
void read_header(std::string_view text) {
  const auto columns = read_table_header(fuzz::file_with("header.csv", text));
  if (!fuzz::fine_or_error(columns)) return;
  const std::set<std::string> each(columns->begin(), columns->end());
  fuzz::require(!columns->empty() && each.size() == columns->size() && !each.contains(""),
                "every column has a name of its own");
}

// `sotto join --progress json`: what one process says is what another hears.
void hear_event(std::string_view line) {
  const auto event = join_event_from(line);
  if (!event) return;
  const std::string said = to_json_line(*event, 1'700'000'000);
  fuzz::require(said.find('\n') == std::string::npos, "an event is a line");
  const auto again = join_event_from(said);
  fuzz::require(again && to_json_line(*again, 1'700'000'000) == said,
                "an event is heard as it was said: " + said);
}

// A page of its own, for as long as the process lives.
class ServedPage {
 public:
  ServedPage() : folder_(fuzz::own_folder() + "/served") {
    std::filesystem::create_directories(folder_);
    auto opened = view::View::open({.folder = folder_, .homes = {}, .port = 0});
    fuzz::require(opened.has_value(), "a page is served");
    view_ = *std::move(opened);
    // http://127.0.0.1:4711/TOKEN/
    const std::string address = view_->address();
    const std::size_t host = address.find("//") + 2;
    const std::size_t path = address.find('/', host);
    authority_ = address.substr(host, path - host);
    path_ = address.substr(path);
    port_ = static_cast<std::uint16_t>(std::stoul(authority_.substr(authority_.find(':') + 1)));
  }

  // As the page itself would send it. Graphs of millions are allowed, and take their time: not
  // here.
  void save(std::string_view body) const {
    std::size_t digits = 0;
    for (const char c : body) {
      digits = c >= '0' && c <= '9' ? digits + 1 : 0;
      if (digits > 4) return;
    }
    std::ofstream(folder_ + "/study.toml") << fuzz::kSmallStudy;
    const auto ask = [&] {
      return raw_http::ask(port_,
                           fmt::format("POST {}save HTTP/1.1\r\nHost: {}\r\nOrigin: http://{}\r\n"
                                       "Content-Type: application/json\r\nContent-Length: {}\r\n"
                                       "Connection: close\r\n\r\n{}",
                                       path_, authority_, authority_, body.size(), body));
    };
    // So many one after the other that the machine has no port left, or the server no connection:
    // those of before are not all closed yet.
    std::string answer = ask();
    for (int k = 0; k < 20 && answer.empty(); ++k) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      answer = ask();
    }
    if (answer == "(not open)") return;
    fuzz::require(answer.starts_with("HTTP/1.1 200") || answer.starts_with("HTTP/1.1 400") ||
                      answer.starts_with("HTTP/1.1 409"),
                  "what a page sends is saved, or it is told why not: " + answer);
    const std::size_t end = answer.find("\r\n\r\n");
    fuzz::require(end != std::string::npos && parse_json(answer.substr(end + 4)).is_object(),
                  "a page is answered with JSON");
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      const std::string name = entry.path().filename().string();
      fuzz::require(name.ends_with(".toml") &&
                        parse_study(fuzz::content_of(entry.path().string()), name).has_value(),
                    "what is saved is a study");
      std::filesystem::remove(entry.path());
    }
  }

 private:
  std::string folder_;
  std::unique_ptr<view::View> view_;
  std::string authority_;
  std::string path_;
  std::uint16_t port_ = 0;
};

// `sotto sums --answer`: ~ is the mark that the study's query has.
void take_answer(bool persons, std::string_view text) {
  static const Study studies[] = {fuzz::study_of_few(), fuzz::study_of_everything()};
  const Study& study = studies[persons ? 1 : 0];
  const PartyId party = 1;
  const std::string mark = sums_mark(sums_terms(study, party));
  std::string answer;
  for (const char c : text) answer += c == '~' ? mark : std::string(1, c);
  const auto sums = sums_of_answer(study, party, fuzz::file_with("answer.txt", answer));
  if (!fuzz::fine_or_error(sums)) return;
  const std::string path = fuzz::own_folder() + "/answer.sums";
  fuzz::require(write_sums(path, *sums).has_value() && sums_for(study, party, path).has_value(),
                "an answer is a file of sums of its study");
}

// A table that a program holds: columns of numbers and texts, of any length.
void read_memory(fuzz::Choices& choices) {
  constexpr const char* kNames[] = {"a", "b", "c", "w", "who", "y"};
  const Schema schema = fuzz::schema_of(choices.below(fuzz::kSchemas));
  const std::size_t rows = choices.below(6);
  auto table = std::make_shared<MemoryTable>();
  table->name = "the table";
  std::optional<std::vector<double>> numbers;  // of column a
  for (const char* name : kNames) {
    const std::size_t kind = choices.below(4);
    const std::size_t length = kind == 3 ? choices.below(8) : rows;
    if (kind == 0) {
      MemoryColumn::Texts texts;
      for (std::size_t r = 0; r < length; ++r) {
        const std::string_view text = choices.text();
        texts.push_back(text == "-" ? std::nullopt : std::optional(std::string(text)));
      }
      table->columns.push_back({name, std::move(texts)});
      continue;
    }
    MemoryColumn::Numbers values;
    for (std::size_t r = 0; r < length; ++r) {
      values.push_back(kind == 1 ? static_cast<double>(choices.below(12))
                                 : std::bit_cast<double>(choices.word()));
    }
    if (std::string_view(name) == "a") numbers = values;
    table->columns.push_back({name, std::move(values)});
  }
  const auto read = fuzz::read_table(text_of_memory(table), schema, {});
  const auto columns = Encoding::make(schema)->table();
  const auto place = std::ranges::find(columns, "a", &TableColumn::name);
  if (!read.error.empty() || !numbers || place == columns.end()) return;
  fuzz::require(read.bits.size() == numbers->size() * columns.size(), "every row is read");
  for (std::size_t r = 0; r < numbers->size(); ++r) {
    const auto c = static_cast<std::size_t>(place - columns.begin());
    const auto value = std::bit_cast<double>(read.bits[r * columns.size() + c]);
    fuzz::require(value == (*numbers)[r] || (std::isnan(value) && std::isnan((*numbers)[r])),
                  "a program's number is that number");
  }
}

}  // namespace

// The first byte says which.
SOTTO_FUZZER(lines) {
  fuzz::Choices choices(bytes);
  switch (choices.below(6)) {
    case 0:
      return read_header(choices.rest());
    case 1:
      return hear_event(choices.rest());
    case 2: {
      static const ServedPage page;
      return page.save(choices.rest());
    }
    case 3:
      return take_answer(false, choices.rest());
    case 4:
      return take_answer(true, choices.rest());
    default:
      return read_memory(choices);
  }
}

}  // namespace sotto
