#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/home.h"
#include "cli/verb.h"
#include "network/identity.h"

namespace sotto {
namespace {

struct Options {
  Output output;
  std::string home;
  std::string name;
  std::vector<std::string> hosts;
  std::uint16_t port = 7101;
};

std::string address(const std::string& host, std::uint16_t port) {
  const bool v6 = host.find(':') != std::string::npos;
  return v6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

// JSON's strings are strings of TOML too.
std::string party_block(const Identity& identity, std::uint16_t port) {
  const auto quoted = [](const std::string& text) { return nlohmann::json(text).dump(); };
  return fmt::format("[[party]]\nname        = {}\naddress     = {}\nfingerprint = {}\n",
                     quoted(identity.name()), quoted(address(identity.hosts().front(), port)),
                     quoted(identity.fingerprint()));
}

std::string print(const Identity& identity, const std::string& home, const Options& options) {
  if (options.output.json()) {
    const nlohmann::ordered_json json{{"name", identity.name()},
                                      {"hosts", identity.hosts()},
                                      {"fingerprint", identity.fingerprint()},
                                      {"home", home},
                                      {"party", party_block(identity, options.port)}};
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  }
  return fmt::format(
      "name         {}\nreached at   {}\nfingerprint  {}\nkept in      {}\n\n"
      "For the study.toml that all parties share:\n\n{}",
      identity.name(), fmt::join(identity.hosts(), ", "), identity.fingerprint(), home,
      party_block(identity, options.port));
}

Result<std::string> run_new(const Options& options) {
  const auto home = home_folder(options.home);
  if (!home) return tl::unexpected(home.error());
  const auto identity = Identity::make(options.name, options.hosts);
  if (!identity) return tl::unexpected(identity.error());
  if (auto saved = identity->save(*home); !saved) return tl::unexpected(saved.error());
  return print(*identity, *home, options);
}

Result<std::string> run_show(const Options& options) {
  const auto home = home_folder(options.home);
  if (!home) return tl::unexpected(home.error());
  const auto identity = Identity::load(*home);
  if (!identity) return tl::unexpected(identity.error());
  return print(*identity, *home, options);
}

}  // namespace

Verb add_keys(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(app, "keys", "a party's identity: its key and certificate",
                                  "sotto keys new --name north --host north.example --host "
                                  "10.0.0.5\n  sotto keys show",
                                  options->output);
  command->require_subcommand(1);
  command->add_option("--home", options->home,
                      "the folder of the party's own (default: $SOTTO_HOME, else ~/.sotto)");
  command->add_option("--port", options->port, "the port in the printed [[party]] block")
      ->check(CLI::Range(1, 65535))
      ->capture_default_str();
  CLI::App* create = command->add_subcommand("new", "makes a key and a certificate, once");
  create->fallthrough();
  create->footer("Example:\n  sotto keys new --name north --host north.example --host 10.0.0.5");
  create->add_option("--name", options->name, "the party's name in the study")->required();
  create
      ->add_option("--host", options->hosts,
                   "a name or address under which the others reach it; the first goes into "
                   "the [[party]] block")
      ->required()
      ->expected(1)
      ->take_all();
  CLI::App* show = command->add_subcommand("show", "prints what the others need to know");
  show->fallthrough();
  show->footer("Example:\n  sotto keys show --format json");
  auto run = [options, create]() -> Result<std::string> {
    return create->parsed() ? run_new(*options) : run_show(*options);
  };
  return {command, run};
}

}  // namespace sotto
