#pragma once

namespace sotto {

// A public interval: known without the data.
struct Bounds {
  double lo = 0;
  double hi = 0;
  bool operator==(const Bounds&) const = default;
};

}  // namespace sotto
