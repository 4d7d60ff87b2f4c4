// party.db, damaged anywhere: it opens or not, and nothing of it is believed that is not whole.

#include "fuzz/store_files.h"

namespace sotto {

// The first byte: damage to a good file, or any bytes.
SOTTO_FUZZER(store) {
  fuzz::Choices choices(bytes);
  std::string file = fuzz::store_template();
  if (choices.below(8) == 7) file = choices.rest();
  for (int k = 0; k < 16 && !choices.empty(); ++k) fuzz::damage(choices, file);
  fuzz::put_store(file);
  fuzz::ask_store();
}

}  // namespace sotto
