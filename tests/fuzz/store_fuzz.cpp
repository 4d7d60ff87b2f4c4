// party.db, damaged anywhere: it opens or not, and nothing of it is believed that is not whole.

#include "fuzz/old_store.h"

namespace sotto {

// The first byte: damage to a good file, or to one of version 1, or any bytes.
SOTTO_FUZZER(store) {
  fuzz::Choices choices(bytes);
  std::string file = fuzz::store_template();
  const std::size_t kind = choices.below(8);
  if (kind >= 5) file = fuzz::old_store_template();
  if (kind == 7) file = choices.rest();
  for (int k = 0; k < 16 && !choices.empty(); ++k) fuzz::damage(choices, file);
  fuzz::put_store(file);
  fuzz::ask_store();
}

}  // namespace sotto
