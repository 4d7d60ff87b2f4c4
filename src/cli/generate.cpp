// `sotto generate`: the households of run/made_up/household_study.h as files.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "base/json.h"
#include "base/words.h"
#include "cli/command_line.h"
#include "run/made_up/household_study.h"

namespace sotto {

Verb add_generate(const Syntax& program) {
  auto study = std::make_shared<HouseholdStudy>();
  const Syntax verb =
      program.verb("generate", "made-up tables to try things on, and the study that fits them",
                   "sotto generate 4000 --parties 5 --out out/energy");
  const Syntax tables = verb.group("The tables");
  const Syntax privacy = verb.group("The study");
  verb.whole("rows", study->rows, "rows of each party's table", {}, Need::kRequired);
  tables.whole("--parties", study->parties, "how many tables");
  tables.whole("--seed", study->seed, "where all randomness comes from");
  tables.number("--missing", study->missing, "how often an answer is missing");
  privacy.number("--epsilon", study->epsilon, "the study's ε");
  privacy.number("--delta", study->delta, "the study's δ");
  verb.group(kOutput).text("--out", study->folder, "where the files go", Need::kRequired);
  auto run = [study](Output output) -> Result<std::string> {
    SOTTO_ASSIGN(const auto files, write_household_study(*study));
    if (output.json()) {
      return json_text({{"study", files.study}, {"tables", files.tables}});
    }
    return fmt::format("{} of {}, and {}\n\n  sotto plan {}\n  sotto simulate {} --data {}\n",
                       sotto::counted(files.tables.size(), "table", "tables"),
                       sotto::counted(study->rows, "row", "rows"), files.study, files.study,
                       files.study, fmt::join(files.tables, ","));
  };
  return {verb, run};
}

}  // namespace sotto
