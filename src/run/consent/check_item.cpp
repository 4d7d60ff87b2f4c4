// The names are a contract with scripts; the texts are not.
#include "run/consent/check_item.h"

#include "base/json.h"

namespace sotto {

Json to_json(const CheckItem& item) {
  return {{"name", kCheckSubjects[item.subject]},
          {"verdict", kCheckVerdicts[item.verdict]},
          {"what", item.what},
          {"fix", item.fix}};
}

}  // namespace sotto
