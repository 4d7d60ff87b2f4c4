// `sotto help`: what --help says, as a verb; and what packages are made of, manual pages and the
// completion of bash.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "base/json.h"
#include "cli/command_line.h"
#include "study/sections.h"

namespace sotto {
namespace helping {

struct HelpOptions {
  std::vector<std::string> words;
  bool man = false;
  bool completion = false;
  bool verbs = false;
};

Error no_such_word(const CommandNode& program, const std::vector<std::string>& words) {
  const CommandNode* at = &program;
  for (const std::string& word : words) {
    const CommandNode* next = at->word(word);
    if (next != nullptr) {
      at = next;
      continue;
    }
    std::vector<std::string> names;
    for (const auto& each : at->words) names.push_back(each->name);
    const auto near = nearest_word(word, names);
    return bad_input(
        "E-usage",
        at == &program ? fmt::format("there is no verb \"{}\"", word)
                       : fmt::format("{} has no word \"{}\"", at->name, word),
        fmt::format("{}{}", near ? fmt::format("did you mean {}? ", *near) : "",
                    names.empty() ? fmt::format("it is sotto help {}", at->name)
                                  : fmt::format("there are {}", fmt::join(names, ", "))));
  }
  return bad_input("E-usage", "a manual page is of a verb, or of the program",
                   "sotto help --man plan");
}

Json tree_json(const CommandNode& node) {
  const auto option_json = [](const CommandOption& option) -> Json {
    return {{"name", option.name},         {"help", option.help},
            {"group", option.group},       {"required", option.required},
            {"value", option.takes_value}, {"choices", option.choices}};
  };
  return {{"name", node.name},
          {"summary", node.summary},
          {"options", json_list(node.options, option_json)},
          {"words", json_list(node.words, [](const auto& word) { return tree_json(*word); })}};
}

Result<std::string> help(const Syntax& program, const HelpOptions& options, Output output) {
  const CommandNode& tree = program.tree();
  if (options.completion) return bash_completion(tree);
  if (options.verbs) {
    std::string names;
    for (const auto& verb : tree.words) names += verb->name + "\n";
    return names;
  }
  if (options.man && options.words.empty()) return manual_page(tree);
  if (options.man && options.words.size() == 1 && tree.word(options.words[0]) != nullptr) {
    return manual_page(tree, *tree.word(options.words[0]));
  }
  const std::string text = options.man ? std::string() : program.help_after(options.words);
  if (text.empty()) return no_such_word(tree, options.words);
  if (!output.json()) return text;
  const CommandNode* at = &tree;
  for (const std::string& word : options.words) at = at->word(word);
  return json_text(tree_json(*at));
}

}  // namespace helping

Verb add_help(const Syntax& program) {
  auto options = std::make_shared<helping::HelpOptions>();
  const Syntax verb = program.verb("help", "what a verb takes, with an example",
                                   "sotto help join\n  sotto help ledger new");
  verb.texts("verb", options->words, "a verb, and a word that may follow it", Need::kOptional);
  const Syntax packages = verb.group("For packages");
  packages.flag("--man", options->man, "the manual page, for man(1)");
  packages.flag("--verbs", options->verbs, "the names of all verbs, one a line");
  packages.flag("--completion", options->completion, "what bash sources to complete command lines");
  return {verb,
          [options, program](Output output) { return helping::help(program, *options, output); }};
}

}  // namespace sotto
