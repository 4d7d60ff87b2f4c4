// A sweep that goes on in a folder where points are kept already: each is what was computed, or is
// computed again.

#include "base/json.h"
#include "fuzz/fuzz.h"
#include "report/sweep_tables.h"
#include "run/kept_json.h"
#include "run/lab/sweep.h"

namespace sotto {
namespace {

struct Kept {
  StudySource source;
  SweepOptions options;
  std::string file;  // of the one point
  std::string text;  // as it was computed
  std::string table;
};

Kept computed() {
  Kept kept;
  kept.source = {.text =
                     "[study]\nname = \"s\"\nsolver = \"ac\"\n"
                     "[privacy]\nepsilon = 1\ndelta = 0.1\nunit = \"entry\"\nmu = 1\n"
                     "[graph]\ntopology = \"path\"\nparties = 2\nweight = 0.3\n"
                     "[problem]\nfamily = \"paper\"\nm = 1\nseed = 1\n",
                 .name = "study.toml",
                 .folder = {}};
  kept.options.version = "1";
  kept.options.every = 1;
  kept.options.threads = 1;
  kept.options.folder = fuzz::own_folder();
  const auto points = sweep(kept.source, kept.options);
  fuzz::require(points.has_value(), "the sweep runs");
  for (const auto& entry : std::filesystem::directory_iterator(kept.options.folder / "points")) {
    kept.file = entry.path().string();
  }
  kept.text = fuzz::content_of(kept.file);
  kept.table = points_csv(*points, kept.options);
  return kept;
}

}  // namespace

// The first byte: any bytes; JSON that has what it leaves out from the point, under a digest that
// fits; or the point, damaged.
SOTTO_FUZZER(sweep) {
  static const Kept kept = computed();
  fuzz::Choices choices(bytes);
  const std::size_t kind = choices.below(3);
  std::string text = kept.text;
  if (kind == 0) text = choices.rest();
  if (kind == 1) {
    Json json = parse_json(choices.rest());
    if (json.is_discarded() || !json.is_object()) return;
    const Json point = parse_json(kept.text);
    for (const auto& [name, value] : point.items()) {
      if (!json.contains(name)) json[name] = value;
    }
    text = json_line(with_digest(std::move(json)));
  }
  for (int k = 0; kind == 2 && k < 4 && !choices.empty(); ++k) fuzz::damage(choices, text);
  std::ofstream(kept.file, std::ios::binary | std::ios::trunc) << text;
  const auto points = sweep(kept.source, kept.options);
  fuzz::require(points.has_value() && points->size() == 1, "a sweep goes on");
  const std::string table = points_csv(*points, kept.options);
  // Whoever makes a digest that fits may have put in other numbers: the form is all that is known.
  if (kind != 1) fuzz::require(table == kept.table, "a point is what was computed");
  (void)errors_csv(*points, kept.options);
  (void)trajectories_csv(*points, kept.options);
  (void)to_text(*points, kept.options);
}

}  // namespace sotto
