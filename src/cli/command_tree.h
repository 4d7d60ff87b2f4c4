#pragma once

#include <memory>
#include <string>
#include <vector>

// The verbs and their words as they were described: what the manual pages and the shell's
// completion are written from, so that neither can say something else than the program.
namespace sotto {

struct CommandOption {
  std::string name;  // "--epsilon"; without dashes it is a word at its place
  std::string help;
  std::string group;
  bool takes_value = true;
  bool required = false;
  std::vector<std::string> choices;  // empty: anything
  [[nodiscard]] bool at_its_place() const { return !name.starts_with('-'); }
};

struct CommandNode {
  std::string name;
  std::string summary;
  std::string example;  // lines of a shell; may be empty
  std::vector<CommandOption> options;
  std::vector<std::shared_ptr<CommandNode>> words;  // verbs of the program, words of a verb

  [[nodiscard]] const CommandNode* word(const std::string& name) const;
};

// A page for man(1): of the program, or of one of its verbs with all words that may follow it.
[[nodiscard]] std::string manual_page(const CommandNode& program);
[[nodiscard]] std::string manual_page(const CommandNode& program, const CommandNode& verb);

// What bash sources to complete verbs, words, options and the values that options may have.
[[nodiscard]] std::string bash_completion(const CommandNode& program);

}  // namespace sotto
