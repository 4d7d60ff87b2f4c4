// `sotto keys`: a party's identity, and the [[party]] block that the others need.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "base/json.h"
#include "cli/command_line.h"
#include "network/identity.h"
#include "run/home.h"
#include "run/made_up/household_study.h"

namespace sotto {
namespace {

struct KeysOptions {
  std::string home;
  std::string name;
  std::vector<std::string> hosts;
  std::uint64_t port = 7101;
};

std::string address(const std::string& host, std::uint64_t port) {
  const bool v6 = host.find(':') != std::string::npos;
  return v6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

std::string keys_text(const Identity& identity, const std::string& home, std::uint64_t port,
                      Output output) {
  const std::string block = party_block({.name = identity.name(),
                                         .address = address(identity.hosts().front(), port),
                                         .fingerprint = identity.fingerprint()});
  if (output.json()) {
    return json_text({{"name", identity.name()},
                      {"hosts", identity.hosts()},
                      {"fingerprint", identity.fingerprint()},
                      {"home", home},
                      {"party", block}});
  }
  return fmt::format(
      "name         {}\nreached at   {}\nfingerprint  {}\nkept in      {}\n\n"
      "For the study.toml that all parties share:\n\n{}",
      identity.name(), fmt::join(identity.hosts(), ", "), identity.fingerprint(), home, block);
}

}  // namespace

Verb add_keys(const Syntax& program) {
  auto options = std::make_shared<KeysOptions>();
  const Syntax verb = program.verb("keys", "a party's identity: its key and certificate",
                                   "sotto keys new --name north --host north.example --host "
                                   "10.0.0.5\n  sotto keys show");
  verb.require_word();
  verb.text("--home", options->home, kHomeHelp);
  constexpr std::uint64_t kMostPort = 65'535;
  verb.whole("--port", options->port, "the port in the printed [[party]] block", {1, kMostPort});
  const Syntax create =
      verb.word("new", "makes a key and a certificate, once",
                "sotto keys new --name north --host north.example --host 10.0.0.5");
  create.text("--name", options->name, "the party's name in the study", Need::kRequired);
  create.texts("--host", options->hosts,
               "a name or address under which the others reach it; the first goes into the "
               "[[party]] block");
  (void)verb.word("show", "prints what the others need to know", "sotto keys show --format json");
  auto run = [options, create](Output output) -> Result<std::string> {
    SOTTO_ASSIGN(const auto home, home_folder(options->home));
    if (!create.chosen()) {
      SOTTO_ASSIGN(const auto identity, Identity::load(home));
      return keys_text(identity, home, options->port, output);
    }
    SOTTO_ASSIGN(const auto identity, Identity::make(options->name, options->hosts));
    SOTTO_TRY(identity.save(home));
    return keys_text(identity, home, options->port, output);
  };
  return {verb, run};
}

}  // namespace sotto
