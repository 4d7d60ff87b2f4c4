#include "paillier/kernel.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/check.h"

namespace sotto {

Result<std::string_view> selected_kernel() {
  const char* forced = std::getenv("SOTTO_KERNEL");
  const std::string_view wanted = forced == nullptr ? "" : forced;
  if (wanted.empty()) return ifma_supported() ? "ifma" : "portable";
  if (wanted == "portable") return "portable";
  if (wanted != "ifma") {
    return bad_input("E-kernel", fmt::format("SOTTO_KERNEL={} names no kernel", wanted),
                     "set it to ifma or portable, or leave it away");
  }
  if (!ifma_supported()) {
    return failed("E-kernel", "SOTTO_KERNEL=ifma, and this processor has no AVX512-IFMA",
                  "leave SOTTO_KERNEL away, or set it to portable");
  }
  return "ifma";
}

std::unique_ptr<Kernel> make_kernel(const Integer& n) {
  const auto selected = selected_kernel();
  check(selected.has_value(), selected ? "" : selected.error().to_string());
  return *selected == "ifma" ? make_ifma_kernel(n) : make_portable_kernel(n);
}

}  // namespace sotto
