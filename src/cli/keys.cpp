// `sotto keys`: a party's identity, and the [[party]] block that the others need.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "base/files.h"
#include "base/json.h"
#include "cli/command_line.h"
#include "network/identity.h"
#include "run/home.h"
#include "run/household_study.h"

namespace sotto {
namespace {

struct KeysOptions {
  std::string home;
  std::string name;
  std::vector<std::string> hosts;
  std::uint64_t port = 7101;
  std::string out;
};

std::string address(const std::string& host, std::uint64_t port) {
  const bool v6 = host.find(':') != std::string::npos;
  return v6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

Result<std::string> keys_text(const Identity& identity, const std::string& home,
                              const KeysOptions& options, Output output) {
  const std::string block = party_block({.name = identity.name(),
                                         .address = address(identity.hosts().front(), options.port),
                                         .fingerprint = identity.fingerprint()});
  if (!options.out.empty()) SOTTO_TRY(write_file(options.out, block).at("--out"));
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
  verb.text("--out", options->out,
            "also write the [[party]] block here, for 'sotto study add-party'");
  const Syntax create =
      verb.word("new", "makes a key and a certificate, once",
                "sotto keys new --name north --host north.example --out north.toml");
  create.text("--name", options->name, "the party's name in the study", Need::kRequired);
  create.texts("--host", options->hosts,
               "a name or address under which the others reach it; the first goes into the "
               "[[party]] block");
  (void)verb.word("show", "prints what the others need to know", "sotto keys show --format json");
  auto run = [options, create](Output output) -> Result<std::string> {
    SOTTO_ASSIGN(const auto home, home_folder(options->home));
    if (!create.chosen()) {
      SOTTO_ASSIGN(const auto identity, Identity::load(home));
      return keys_text(identity, home, *options, output);
    }
    SOTTO_ASSIGN(const auto identity, Identity::make(options->name, options->hosts));
    SOTTO_TRY(identity.save(home));
    return keys_text(identity, home, *options, output);
  };
  return {verb, run};
}

}  // namespace sotto
