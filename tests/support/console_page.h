#pragma once

// A page whose console blocks are a transcript: what stands after "$ " is run, and what stands
// below it is what came out.
//
//     ```console
//     $ sotto plan study.toml
//     …
//     ```
//
// Numbers, hashes and times differ from run to run, so a line is compared by its words; "…" on a
// line of its own stands for lines that the page leaves out.

#include <sys/wait.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/source_tree.h"

namespace sotto {

struct ConsoleCommand {
  std::string text;                        // may go over several lines, each ending in a backslash
  std::vector<std::string> expected = {};  // as the page has it
  std::vector<std::string> output = {};    // of the run
  int status = -1;
  bool fails = false;  // the page shows an error
};

inline std::vector<ConsoleCommand> console_commands(const std::string& page) {
  std::vector<ConsoleCommand> commands;
  bool inside = false;
  bool continued = false;
  for (const std::string& line : lines_of(page)) {
    if (line.starts_with("```")) {
      inside = line == "```console";
      continue;
    }
    if (!inside) continue;
    if (line.starts_with("$ ")) {
      commands.push_back({.text = line.substr(2)});
    } else if (continued) {
      commands.back().text += "\n" + line;
    } else if (!commands.empty()) {
      commands.back().expected.push_back(line);
      commands.back().fails |= line.starts_with("error[");
    }
    continued = (line.starts_with("$ ") || continued) && line.ends_with('\\');
  }
  return commands;
}

// All of them in one shell, in `folder`, in order: later ones see what earlier ones left.
inline void run_console(std::vector<ConsoleCommand>& commands, const std::filesystem::path& folder,
                        const std::string& environment) {
  const std::string mark = "\x01next ";
  {
    std::ofstream script(folder / ".script");
    script << "exec 2>&1\n" << environment << '\n';
    for (const ConsoleCommand& command : commands) {
      script << command.text << "\necho \"" << mark << "$?\"\n";
    }
  }
  const std::string call = "cd '" + folder.string() + "' && bash .script > .transcript";
  [[maybe_unused]] const int status = std::system(call.c_str());
  std::size_t k = 0;
  for (const std::string& line : lines_of(read_text(folder / ".transcript"))) {
    const auto at = line.find(mark);
    if (k == commands.size()) break;
    if (at == std::string::npos) {
      commands[k].output.push_back(line);
      continue;
    }
    if (at > 0) commands[k].output.push_back(line.substr(0, at));
    commands[k++].status = std::atoi(line.c_str() + at + mark.size());
  }
}

// A line's words without what may differ: digits, what hangs on them, and how wide columns are.
inline std::string skeleton_of(const std::string& line) {
  std::string words;
  for (std::string word : words_of(line)) {
    if (std::ranges::any_of(word, [](unsigned char c) { return std::isdigit(c) != 0; })) word = "#";
    words += (words.empty() ? "" : " ") + word;
  }
  return words;
}

// Whether a transcript is what a page shows, "…" standing for any number of lines.
inline bool same_transcript(const std::vector<std::string>& expected,
                            const std::vector<std::string>& output) {
  std::vector<std::vector<std::string>> parts(1);
  for (const std::string& line : expected) {
    if (words_of(line) == std::vector<std::string>{"…"}) {
      parts.emplace_back();
    } else {
      parts.back().push_back(skeleton_of(line));
    }
  }
  std::vector<std::string> lines;
  for (const std::string& line : output) lines.push_back(skeleton_of(line));
  if (parts.size() == 1) return parts[0] == lines;
  auto at = lines.begin();
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const auto& part = parts[k];
    if (k == 0) {
      if (lines.size() < part.size() || !std::equal(part.begin(), part.end(), at)) return false;
      at += static_cast<std::ptrdiff_t>(part.size());
    } else if (k + 1 == parts.size()) {
      if (lines.end() - at < static_cast<std::ptrdiff_t>(part.size())) return false;
      return std::equal(part.rbegin(), part.rend(), lines.rbegin());
    } else {
      const auto found = std::search(at, lines.end(), part.begin(), part.end());
      if (found == lines.end() && !part.empty()) return false;
      at = found + static_cast<std::ptrdiff_t>(part.size());
    }
  }
  return true;
}

// The page with the outputs of the run in place of its own.
inline std::string page_with_outputs(const std::string& page,
                                     const std::vector<ConsoleCommand>& commands) {
  std::string written;
  bool inside = false;
  std::size_t k = 0;  // commands that were begun
  bool due = false;   // the last one's output is still to be written
  const auto write_output = [&] {
    if (!due) return;
    for (const std::string& out : commands[k - 1].output) written += out + "\n";
    due = false;
  };
  std::size_t rest = 0;  // lines of the command that are still to come
  for (const std::string& line : lines_of(page)) {
    if (line.starts_with("```")) {
      write_output();
      inside = line == "```console";
    } else if (inside && line.starts_with("$ ")) {
      write_output();
      rest = static_cast<std::size_t>(std::ranges::count(commands[k].text, '\n'));
      ++k;
      due = true;
    } else if (inside && rest > 0) {
      --rest;
    } else if (inside) {
      continue;
    }
    written += line + "\n";
  }
  return written;
}

}  // namespace sotto
