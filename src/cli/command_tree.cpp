// Manual pages and completion, from the tree of verbs.
#include "cli/command_tree.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "base/version.h"

namespace sotto {
namespace manual {

// What troff would take for a request, an escape or a hyphen.
std::string roff(std::string_view text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    line_begins = c == '\n';
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string upper(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

std::string header(const std::string& page, const std::string& summary) {
  return fmt::format(".TH {0} 1 \"\" \"sotto {1}\" \"User Commands\"\n.SH NAME\n{2} \\- {3}\n",
                     roff(upper(page)), sotto_version(), roff(page), roff(summary));
}

std::string value_name(const CommandOption& option) {
  if (!option.choices.empty()) return fmt::format("{}", fmt::join(option.choices, "|"));
  return "VALUE";
}

std::string synopsis(const std::string& words, const CommandNode& node) {
  std::string line = fmt::format(".B {}\n", roff(words));
  for (const CommandOption& option : node.options) {
    if (option.at_its_place()) {
      line += option.required ? fmt::format("\\fI{}\\fR\n", roff(option.name))
                              : fmt::format("[\\fI{}\\fR]\n", roff(option.name));
    } else if (option.required) {
      line += fmt::format("\\fB{}\\fR \\fI{}\\fR\n", roff(option.name), roff(value_name(option)));
    }
  }
  return line + "[\\fIoptions\\fR]\n";
}

std::string option_lines(const CommandNode& node) {
  std::vector<std::string> groups;
  for (const CommandOption& option : node.options) {
    if (std::ranges::find(groups, option.group) == groups.end()) groups.push_back(option.group);
  }
  // What every verb has comes last, words at their place first.
  std::ranges::stable_sort(groups, {}, [](const std::string& group) {
    return group == "Words" ? 0 : group == "Output" ? 2 : 1;
  });
  std::string text;
  for (const std::string& group : groups) {
    text += fmt::format(".SS {}\n", roff(group));
    for (const CommandOption& option : node.options) {
      if (option.group != group) continue;
      text += fmt::format(".TP\n\\fB{}\\fR", roff(option.name));
      if (option.takes_value && !option.at_its_place()) {
        text += fmt::format(" \\fI{}\\fR", roff(value_name(option)));
      }
      text += fmt::format("\n{}{}\n", roff(option.help), option.required ? " (required)" : "");
    }
  }
  return text;
}

std::string example(const CommandNode& node) {
  if (node.example.empty()) return {};
  return fmt::format(".PP\n.nf\n{}\n.fi\n", roff("  " + node.example));
}

constexpr std::string_view kExitStatus =
    ".SH \"EXIT STATUS\"\n0 done, 1 failed, 2 bad input, 3 refused for privacy.\n";

}  // namespace manual

const CommandNode* CommandNode::word(const std::string& wanted) const {
  const auto found = std::ranges::find_if(words, [&](const auto& w) { return w->name == wanted; });
  return found == words.end() ? nullptr : found->get();
}

std::string manual_page(const CommandNode& program) {
  using manual::roff;
  std::string page = manual::header("sotto", "one model over data that nobody may show");
  page +=
      fmt::format(".SH SYNOPSIS\n.B sotto\n\\fIverb\\fR [\\fIoptions\\fR]\n.SH DESCRIPTION\n{}\n",
                  roff(program.summary));
  page += ".SH VERBS\n";
  for (const auto& verb : program.words) {
    page += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(verb->name), roff(verb->summary));
  }
  page += manual::kExitStatus;
  page +=
      ".SH FILES\n.TP\n~/.sotto\nThe party's key, journal, ledger, policy and results; "
      "\\fBSOTTO_HOME\\fR or \\fB\\-\\-home\\fR name another folder.\n";
  std::vector<std::string> pages;
  for (const auto& verb : program.words)
    pages.push_back(fmt::format("\\fBsotto\\-{}\\fR(1)", roff(verb->name)));
  return page + fmt::format(".SH \"SEE ALSO\"\n{}\n", fmt::join(pages, ", "));
}

std::string manual_page(const CommandNode& program, const CommandNode& verb) {
  using manual::roff;
  const std::string name = fmt::format("{} {}", program.name, verb.name);
  std::string page = manual::header(fmt::format("{}-{}", program.name, verb.name), verb.summary);
  page += ".SH SYNOPSIS\n" + manual::synopsis(name, verb);
  for (const auto& word : verb.words) {
    page += ".br\n" + manual::synopsis(fmt::format("{} {}", name, word->name), *word);
  }
  page += ".SH OPTIONS\n" + manual::option_lines(verb);
  for (const auto& word : verb.words) {
    page += fmt::format(".SH \"{}\"\n{}\n",
                        roff(manual::upper(fmt::format("{} {}", verb.name, word->name))),
                        roff(word->summary));
    page += manual::option_lines(*word) + manual::example(*word);
  }
  if (!verb.example.empty()) page += ".SH EXAMPLE\n" + manual::example(verb).substr(4);
  page += manual::kExitStatus;
  return page + ".SH \"SEE ALSO\"\n\\fBsotto\\fR(1)\n";
}

std::string bash_completion(const CommandNode& program) {
  const auto options = [](const CommandNode& node) {
    std::vector<std::string> names;
    for (const CommandOption& option : node.options) {
      if (!option.at_its_place()) names.push_back(option.name);
    }
    return names;
  };
  std::string values;
  std::string after_word;
  std::string after_verb;
  const auto add_values = [&](const std::string& key, const CommandNode& node) {
    for (const CommandOption& option : node.options) {
      if (option.choices.empty() || option.at_its_place()) continue;
      values += fmt::format("      '{} {}') words='{}' ;;\n", key, option.name,
                            fmt::join(option.choices, " "));
    }
  };
  std::vector<std::string> verbs;
  for (const auto& verb : program.words) {
    verbs.push_back(verb->name);
    add_values(verb->name, *verb);
    std::vector<std::string> follow;
    for (const auto& word : verb->words) {
      follow.push_back(word->name);
      const std::string key = fmt::format("{} {}", verb->name, word->name);
      add_values(key, *word);
      after_word += fmt::format("      '{}') words='{} {} --help' ;;\n", key,
                                fmt::join(options(*word), " "), fmt::join(options(*verb), " "));
    }
    after_verb += fmt::format("      '{}') words='{} {} --help' ;;\n", verb->name,
                              fmt::join(follow, " "), fmt::join(options(*verb), " "));
  }
  return fmt::format(R"(# bash completion for sotto: 'sotto help --completion' writes it.
_sotto() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
  local verb=${{COMP_WORDS[1]}} both="${{COMP_WORDS[1]}} ${{COMP_WORDS[2]}}" words='' key
  if [ "$COMP_CWORD" -eq 1 ] || {{ [ "$COMP_CWORD" -eq 2 ] && [ "$verb" = help ]; }}; then
    mapfile -t COMPREPLY < <(compgen -W '{0} --help --version' -- "$word")
    return
  fi
  # What an option may be, said after a word of the verb or after the verb itself.
  for key in "$both" "$verb"; do
    case "$key $before" in
{1}    esac
  done
  if [ -z "$words" ]; then
    case "$both" in
{2}    esac
  fi
  if [ -z "$words" ]; then
    case "$verb" in
{3}    esac
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word"; compgen -f -- "$word")
}}
complete -o filenames -F _sotto sotto
)",
                     fmt::join(verbs, " "), values, after_word, after_verb);
}

}  // namespace sotto
