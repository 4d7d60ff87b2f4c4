// `sotto keys`: a party's identity, and the [[party]] block that the others need.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "base/files.h"
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
  std::string out;
  std::uint64_t days = Identity::kValidDays;
};

// Long enough before the end for a study that names both keys to be agreed on.
constexpr std::int64_t kSoonSeconds = 60LL * 24 * 3600;

std::string address(const std::string& host, std::uint64_t port) {
  const bool v6 = host.find(':') != std::string::npos;
  return v6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

Result<std::string> keys_text(const Identity& identity, const std::string& former,
                              const std::string& home, const KeysOptions& options, Output output) {
  const std::string block = party_block({.name = identity.name(),
                                         .address = address(identity.hosts().front(), options.port),
                                         .fingerprint = identity.fingerprint()});
  if (!options.out.empty()) SOTTO_TRY(write_file(options.out, block).at("--out"));
  if (output.json()) {
    return json_text({{"name", identity.name()},
                      {"hosts", identity.hosts()},
                      {"fingerprint", identity.fingerprint()},
                      {"former_fingerprint", former.empty() ? Json(nullptr) : Json(former)},
                      {"valid_until", utc_text(identity.valid_until())},
                      {"home", home},
                      {"party", block}});
  }
  const bool soon = identity.valid_until() - unix_seconds() < kSoonSeconds;
  std::string text = fmt::format(
      "name         {}\nreached at   {}\nfingerprint  {}\nvalid until  {}{}\nkept in      {}\n",
      identity.name(), fmt::join(identity.hosts(), ", "), identity.fingerprint(),
      utc_text(identity.valid_until()), soon ? "; 'sotto keys rotate' makes a new one" : "", home);
  if (!former.empty()) {
    text += fmt::format(
        "former       {}\n\nAs long as studies may be run with either key:\n\n"
        "fingerprint = [\"{}\", \"{}\"]\n",
        former, former, identity.fingerprint());
  }
  return text + fmt::format("\nFor the study.toml that all parties share:\n\n{}", block);
}

Result<std::string> former_fingerprint(const std::string& home) {
  SOTTO_ASSIGN(const auto former, Identity::load_former(home));
  return former ? former->fingerprint() : std::string();
}

}  // namespace

Verb add_keys(const Syntax& program) {
  auto options = std::make_shared<KeysOptions>();
  const Syntax verb = program.verb("keys", "a party's identity: its key and certificate",
                                   "sotto keys new --name north --host north.example --host "
                                   "10.0.0.5\n  sotto keys show");
  const Syntax block = verb.group("The [[party]] block");
  verb.require_word();
  verb.group(kWhoAndWhere).text("--home", options->home, kHomeHelp);
  constexpr std::uint64_t kMostPort = 65'535;
  block.whole("--port", options->port, "the port in the printed [[party]] block", {1, kMostPort});
  block.text("--out", options->out,
             "also write the [[party]] block here, for 'sotto study add-party'");
  const Syntax create =
      verb.word("new", "makes a key and a certificate, once",
                "sotto keys new --name north --host north.example --out north.toml");
  create.group("The key").text("--name", options->name, "the party's name in the study",
                               Need::kRequired);
  create.group("The key").texts(
      "--host", options->hosts,
      "a name or address under which the others reach it; the first goes into the "
      "[[party]] block");
  constexpr std::uint64_t kMostDays = 36'600;
  create.group("The key").whole("--days", options->days, "how long the certificate is valid",
                                {1, kMostDays});
  const Syntax rotate = verb.word(
      "rotate", "a new key in the old one's place, which is kept beside it until 'retire'",
      "sotto keys rotate");
  rotate.group("The key").whole("--days", options->days, "how long the certificate is valid",
                                {1, kMostDays});
  const Syntax retire =
      verb.word("retire", "removes the key before the last rotation", "sotto keys retire");
  (void)verb.word("show", "prints what the others need to know", "sotto keys show --format json");
  auto run = [options, create, rotate, retire](Output output) -> Result<std::string> {
    SOTTO_ASSIGN(const auto home, home_folder(options->home));
    if (create.chosen()) {
      SOTTO_ASSIGN(const auto identity,
                   Identity::make(options->name, options->hosts, options->days));
      SOTTO_TRY(identity.save(home));
      return keys_text(identity, {}, home, *options, output);
    }
    if (rotate.chosen()) {
      SOTTO_TRY(Identity::rotate(home, options->days));
    }
    if (retire.chosen()) {
      SOTTO_TRY(Identity::retire(home));
    }
    SOTTO_ASSIGN(const auto identity, Identity::load(home));
    SOTTO_ASSIGN(const auto former, former_fingerprint(home));
    return keys_text(identity, former, home, *options, output);
  };
  return {verb, run};
}

}  // namespace sotto
