// serve.toml → ServeFile: where to listen, and a [[study]] for each study.
#include "study/serve_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "study/sections.h"

namespace sotto {
namespace {

constexpr TomlErrors kServeErrors{
    .key = "E-serve-key", .missing = "E-serve-value", .value = "E-serve-value"};

// What stands for no file, such as a database's address, stays as it is.
std::string in_folder(const std::string& folder, const std::string& name) {
  const bool file = name.find("://") == std::string::npos && name != "-";
  if (name.empty() || !file || std::filesystem::path(name).is_absolute()) return name;
  return (std::filesystem::path(folder) / name).string();
}

}  // namespace

Result<ServeFile> parse_serve_file(std::string_view text, const std::string& name,
                                   const std::string& folder) {
  SOTTO_ASSIGN(const auto root, parse_toml(text, name, "E-serve-syntax"));
  ServeFile serve;
  TomlReader top(&root, "the file", name, kServeErrors);
  serve.listen = top.text("listen");
  const toml::node* list = top.node("study");
  SOTTO_TRY(top.finish());
  const auto* array = list == nullptr ? nullptr : list->as_array();
  if (array == nullptr || !array->is_array_of_tables()) {
    return bad_input("E-serve-value", "no study stands in it",
                     "write [[study]], with file = \"study.toml\" and as = \"north\" under it")
        .at(name);
  }
  for (const auto& element : *array) {
    TomlReader section(element.as_table(), "[[study]]", name, kServeErrors);
    ServedStudy study{.file = in_folder(folder, section.text("file")),
                      .party = section.text("as"),
                      .data = in_folder(folder, section.optional_text("data").value_or("")),
                      .query = section.optional_text("query").value_or(""),
                      .push_down = section.optional_flag("push_down").value_or(false),
                      .account = section.optional_text("account").value_or(""),
                      .out = in_folder(folder, section.optional_text("out").value_or("")),
                      .on_finish = section.optional_text("on_finish").value_or("")};
    if (std::ranges::find(serve.studies, study.file, &ServedStudy::file) != serve.studies.end()) {
      section.fail_value("file", fmt::format("\"{}\" stands in it twice", study.file),
                         "one [[study]] for each file");
    }
    SOTTO_TRY(section.finish());
    serve.studies.push_back(std::move(study));
  }
  return serve;
}

Result<ServeFile> read_serve_file(const std::string& folder) {
  const std::string path = (std::filesystem::path(folder) / kServeFile).string();
  SOTTO_ASSIGN(const auto text, read_toml_text(path, "list of studies", "E-serve-file"));
  return parse_serve_file(text, path, folder);
}

}  // namespace sotto
