#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "view/homes.h"

// `sotto view`: a page on this machine. Runs live, ε by looking at what it costs, models to
// explore, budgets over time. Who is let in: view/http/guard.h. What is shown:
// docs/THREAT_MODEL.md.
namespace sotto::view {

struct ViewTerms {
  std::string folder = ".";      // whose studies are planned, and where one is saved
  std::vector<Home> homes = {};  // whose runs and ledgers are shown
  std::uint16_t port = 0;        // 0: any that is free
};

class View {
 public:
  // Serves until it is destroyed. E-view-port, E-view-folder.
  [[nodiscard]] static Result<std::unique_ptr<View>> open(const ViewTerms& terms);
  View() = default;
  View(const View&) = delete;
  View& operator=(const View&) = delete;
  virtual ~View() = default;

  [[nodiscard]] virtual std::string address() const = 0;  // with its token
  // Whether somebody has the page open.
  [[nodiscard]] virtual bool watched() const = 0;
};

}  // namespace sotto::view
