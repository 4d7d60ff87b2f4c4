// sotto::v1::reproduce: the paper's figures, as the program draws them.

#include <sotto/paper.h>

#include "base/json.h"
#include "base/version.h"
#include "paper/case_studies.h"

namespace sotto::v1 {

static_assert(static_cast<int>(Figure::k1) == static_cast<int>(sotto::Figure::k1));
static_assert(static_cast<int>(Figure::kAll) == static_cast<int>(sotto::Figure::kAll));

Result<Reproduction> reproduce(Figure figure, const ReproduceOptions& options) {
  CaseStudyOptions study{.folder = options.folder,
                         .seed = options.seed,
                         .version = sotto_version(),
                         .progress = options.progress};
  if (options.independent) study.draws = PointDraws::kIndependent;
  SOTTO_ASSIGN(const auto made, sotto::reproduce(static_cast<sotto::Figure>(figure), study));
  return Reproduction{.text = made.text, .json = json_text(made.summary)};
}

}  // namespace sotto::v1
