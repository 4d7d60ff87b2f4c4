// `sotto study`: explains a study, formats it, adds parties to it, and tells which keys there are.
#include "study/study.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "base/files.h"
#include "base/json.h"
#include "cli/command_line.h"
#include "cli/text/study_text.h"
#include "plan/plan.h"
#include "study/sections.h"
#include "study/study_draft.h"
#include "study/study_keys.h"

namespace sotto {
namespace study_verb {

struct StudyOptions {
  std::string study;
  std::vector<std::string> files;
  std::string section;
  bool check = false;
  bool markdown = false;
};

Result<std::string> show(const StudyOptions& options, Output output) {
  SOTTO_ASSIGN(const auto study, read_study(options.study));
  SOTTO_ASSIGN(const auto plan, make_plan(study, study.solver).at(options.study));
  const std::string words = study_in_words(study, plan);
  if (!output.json()) return words;
  Json json = to_json(study, plan);
  json["words"] = words;
  return json_text(json);
}

Result<std::string> format(const StudyOptions& options, Output output) {
  SOTTO_ASSIGN(const auto text, read_toml_text(options.study, "study", "E-study-file"));
  SOTTO_ASSIGN(const auto formatted, formatted_study(text, options.study));
  const bool changed = formatted != text;
  if (options.check && changed) {
    return failed("E-study-format", "the study is not in the usual shape",
                  fmt::format("sotto study fmt {}", options.study))
        .at(options.study);
  }
  if (changed) SOTTO_TRY(write_file(options.study, formatted));
  if (output.json()) return json_text({{"study", options.study}, {"changed", changed}});
  return changed ? fmt::format(
                       "{} is in the usual shape now. Its hash is another one: send it to "
                       "everybody again.\n",
                       options.study)
                 : fmt::format("{} was in the usual shape.\n", options.study);
}

Result<std::string> add_party(const StudyOptions& options, Output output) {
  SOTTO_ASSIGN(const auto text, read_toml_text(options.study, "study", "E-study-file"));
  std::vector<PartyTerms> parties;
  for (const std::string& file : options.files) {
    SOTTO_ASSIGN(const auto more, read_party_file(file));
    parties.insert(parties.end(), more.begin(), more.end());
  }
  SOTTO_ASSIGN(const auto longer, with_parties(text, options.study, parties));
  SOTTO_ASSIGN(const auto study, parse_study(longer, options.study));
  if (longer != text) SOTTO_TRY(write_file(options.study, longer));
  std::vector<std::string> missing;
  for (const PartyTerms& party : study.parties) {
    if (party.fingerprint.empty()) missing.push_back(party.name);
  }
  if (output.json()) {
    std::vector<std::string> names;
    for (const PartyTerms& party : parties) names.push_back(party.name);
    return json_text({{"study", options.study},
                      {"changed", longer != text},
                      {"added", names},
                      {"parties", study.parties.size()},
                      {"missing", missing.size()}});
  }
  const std::size_t all = study.parties.size();
  return fmt::format("{}: {} of {} parties are in it.{}\n", options.study, all - missing.size(),
                     all,
                     missing.empty() ? " Send the file to all of them: it must be the same for "
                                       "everybody."
                                     : "");
}

Result<std::string> keys(const StudyOptions& options, Output output) {
  if (options.markdown) return study_keys_page();
  if (output.json()) return json_text(study_keys_json());
  return study_keys_text(options.section);
}

}  // namespace study_verb

Verb add_study(const Syntax& program) {
  auto options = std::make_shared<study_verb::StudyOptions>();
  const Syntax verb = program.verb("study", "explains a study, formats it, adds parties to it",
                                   "sotto study show study.toml\n"
                                   "  sotto study add-party study.toml north.toml south.toml");
  verb.require_word();
  const Syntax showing =
      verb.word("show", "what a study means, in words", "sotto study show study.toml");
  showing.text("study", options->study, "the study, a TOML file", Need::kRequired);
  const Syntax adding =
      verb.word("add-party", "adds what 'sotto keys new --out FILE' wrote to a study",
                "sotto study add-party study.toml north.toml south.toml");
  adding.text("study", options->study, "the study, a TOML file", Need::kRequired);
  adding.texts("files", options->files, "files with [[party]] blocks");
  const Syntax formatting = verb.word("fmt", "puts a study into the usual shape, comments included",
                                      "sotto study fmt study.toml");
  formatting.text("study", options->study, "the study, a TOML file", Need::kRequired);
  formatting.group(kOutput).flag("--check", options->check,
                                 "change nothing; status 1 if there is something to change");
  const Syntax listing = verb.word("keys", "every key that a study may have, with what it means",
                                   "sotto study keys privacy");
  listing.text("section", options->section, "one section, as privacy or data.feature");
  listing.group(kOutput).flag("--markdown", options->markdown, "as docs/STUDY.md");
  auto run = [=](Output output) -> Result<std::string> {
    if (showing.chosen()) return study_verb::show(*options, output);
    if (adding.chosen()) return study_verb::add_party(*options, output);
    if (formatting.chosen()) return study_verb::format(*options, output);
    return study_verb::keys(*options, output);
  };
  return {verb, run};
}

}  // namespace sotto
