#include "data/spline.h"

#include <algorithm>
#include <array>

namespace sotto {

SplineBasis::SplineBasis(Bounds bounds, const std::vector<double>& knots, std::size_t degree)
    : degree_(degree), ends_(degree + 1, bounds.lo) {
  ends_.insert(ends_.end(), knots.begin(), knots.end());
  ends_.insert(ends_.end(), degree + 1, bounds.hi);
}

// Cox and de Boor's recursion, the degree + 1 that are not 0 in the value's piece:
//
//     B_k^p(v) = (v − t_k)/(t_{k+p} − t_k)·B_k^{p−1}(v)
//              + (t_{k+p+1} − v)/(t_{k+p+1} − t_{k+1})·B_{k+1}^{p−1}(v)
void SplineBasis::evaluate(double value, double* out, std::size_t stride) const {
  const std::size_t last = ends_.size() - degree_ - 2;  // the last piece's lower end
  std::size_t piece = degree_;
  while (piece < last && value >= ends_[piece + 1]) ++piece;
  std::array<double, kMaxDegree + 1> basis{1};
  for (std::size_t p = 1; p <= degree_; ++p) {
    double carried = 0;
    for (std::size_t j = 0; j < p; ++j) {
      const double from = ends_[piece + j + 1 - p];
      const double to = ends_[piece + j + 1];
      const double share = basis[j] / (to - from);
      basis[j] = carried + (to - value) * share;
      carried = (value - from) * share;
    }
    basis[p] = carried;
  }
  for (std::size_t k = 0; k < size(); ++k) out[k * stride] = 0;
  for (std::size_t j = 0; j <= degree_; ++j) {
    const std::size_t k = piece - degree_ + j;
    if (k > 0) out[(k - 1) * stride] = std::clamp(basis[j], 0.0, 1.0);
  }
}

}  // namespace sotto
