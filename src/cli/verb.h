#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "base/result.h"
#include "cli/command_line.h"

namespace sotto {

// What every verb has: how it prints.
struct Output {
  std::string format = "text";
  [[nodiscard]] bool json() const { return format == "json"; }
};

// A verb adds itself to the command line and says what to run. `run` is called
// after parsing if the verb was chosen; what it returns goes to standard output.
struct Verb {
  CLI::App* command = nullptr;
  std::function<Result<std::string>()> run;
};

// Adds a verb with --format and an example under its --help.
[[nodiscard]] CLI::App* add_command(CLI::App& app, const std::string& name,
                                    const std::string& summary, const std::string& example,
                                    Output& output);

// For options that count: decimal digits that fit 64 bits, where CLI11 alone would
// take −1 for 2⁶⁴ − 1 and 010 for 8.
[[nodiscard]] CLI::Validator whole_number();

// One function per verb, in a file of its own.
[[nodiscard]] Verb add_plan(CLI::App& app);
[[nodiscard]] Verb add_simulate(CLI::App& app);
[[nodiscard]] Verb add_reproduce(CLI::App& app);
[[nodiscard]] Verb add_report(CLI::App& app);
[[nodiscard]] Verb add_predict(CLI::App& app);
[[nodiscard]] Verb add_generate(CLI::App& app);
[[nodiscard]] Verb add_join(CLI::App& app);
[[nodiscard]] Verb add_keys(CLI::App& app);
[[nodiscard]] Verb add_ledger(CLI::App& app);
[[nodiscard]] Verb add_demo(CLI::App& app);
[[nodiscard]] Verb add_check(CLI::App& app);
[[nodiscard]] Verb add_status(CLI::App& app);
[[nodiscard]] Verb add_abort(CLI::App& app);

}  // namespace sotto
