#include "report/graph_layout.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <queue>

namespace sotto {
namespace {

constexpr int kStressSteps = 80;
constexpr int kSpreadSteps = 200;

// Place k of n on the circle, clockwise from the top. A path leaves a gap there.
Point on_circle(std::size_t k, std::size_t n, bool open) {
  const double places = static_cast<double>(open ? n + 1 : n);
  const double turn = (static_cast<double>(k) + (open ? 1 : 0)) / places;
  const double angle = 2 * std::numbers::pi * turn;
  return {std::sin(angle), -std::cos(angle)};
}

// The parties of a cycle or path, one after the other.
std::vector<PartyId> walk(const Graph& graph) {
  PartyId at = 0;
  for (PartyId i = 0; i < graph.size(); ++i) {
    if (graph.degree(i) == 1) {
      at = i;
      break;
    }
  }
  std::vector<PartyId> order{at};
  std::vector<bool> seen(graph.size(), false);
  seen[at] = true;
  for (bool moved = true; moved;) {
    moved = false;
    for (const PartyId next : graph.neighbours(at)) {
      if (seen[next]) continue;
      seen[next] = true;
      order.push_back(next);
      at = next;
      moved = true;
      break;
    }
  }
  return order;
}

std::vector<Point> circle(const std::vector<PartyId>& order, bool open) {
  std::vector<Point> places(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    places[order[k]] = on_circle(k, order.size(), open);
  }
  return places;
}

std::vector<PartyId> in_order(std::size_t n) {
  std::vector<PartyId> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<PartyId>(i);
  return order;
}

std::vector<Point> around_the_middle(const Graph& graph) {
  std::vector<Point> places(graph.size());
  std::size_t k = 0;
  for (PartyId i = 0; i < graph.size(); ++i) {
    if (graph.degree(i) == graph.size() - 1) continue;
    places[i] = on_circle(k++, graph.size() - 1, false);
  }
  return places;
}

// Edges on a shortest path, for all pairs; parties that cannot reach each other
// stand a little further apart than any that can.
Eigen::MatrixXd distances(const Graph& graph) {
  const auto n = static_cast<Eigen::Index>(graph.size());
  Eigen::MatrixXd distance = Eigen::MatrixXd::Constant(n, n, -1);
  for (PartyId from = 0; from < graph.size(); ++from) {
    std::queue<PartyId> queue({from});
    distance(from, from) = 0;
    while (!queue.empty()) {
      const PartyId at = queue.front();
      queue.pop();
      for (const PartyId next : graph.neighbours(at)) {
        if (distance(from, next) >= 0) continue;
        distance(from, next) = distance(from, at) + 1;
        queue.push(next);
      }
    }
  }
  const double beyond = distance.maxCoeff() + 1;
  return (distance.array() < 0).select(beyond, distance);
}

// Classical scaling: the two leading eigenvectors of −½·J·D²·J.
Eigen::MatrixX2d classical_scaling(const Eigen::MatrixXd& distance) {
  const Eigen::Index n = distance.rows();
  Eigen::MatrixXd b = -0.5 * distance.cwiseProduct(distance);
  b.rowwise() -= b.colwise().mean().eval();
  b.colwise() -= b.rowwise().mean().eval();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(b);
  Eigen::MatrixX2d places(n, 2);
  for (int axis = 0; axis < 2; ++axis) {
    const Eigen::Index k = n - 1 - axis;
    places.col(axis) =
        eigen.eigenvectors().col(k) * std::sqrt(std::max(eigen.eigenvalues()(k), 0.0));
  }
  // Parties that look alike from everywhere would fall onto each other.
  for (Eigen::Index i = 0; i < n; ++i) {
    const Point p = on_circle(static_cast<std::size_t>(i), static_cast<std::size_t>(n), false);
    places(i, 0) += 0.01 * p.x;
    places(i, 1) += 0.01 * p.y;
  }
  return places;
}

// Each step lowers Σ (‖x_i − x_j‖ − d_ij)²/d_ij²:
//
//     x_i ← Σ_j d_ij⁻²(x_j + d_ij·(x_i − x_j)/‖x_i − x_j‖) / Σ_j d_ij⁻²
std::vector<Point> by_distance(const Graph& graph) {
  const Eigen::MatrixXd distance = distances(graph);
  Eigen::MatrixX2d x = classical_scaling(distance);
  const Eigen::Index n = x.rows();
  for (int step = 0; step < kStressSteps; ++step) {
    for (Eigen::Index i = 0; i < n; ++i) {
      Eigen::RowVector2d sum = Eigen::RowVector2d::Zero();
      double weights = 0;
      for (Eigen::Index j = 0; j < n; ++j) {
        if (i == j) continue;
        const double d = distance(i, j);
        const Eigen::RowVector2d apart = x.row(i) - x.row(j);
        const double length = std::max(apart.norm(), 1e-9);
        sum += (x.row(j) + apart * (d / length)) / (d * d);
        weights += 1 / (d * d);
      }
      x.row(i) = sum / weights;
    }
  }
  x.rowwise() -= x.colwise().mean().eval();
  const double furthest = std::max(x.rowwise().norm().maxCoeff(), 1e-9);
  std::vector<Point> places;
  for (Eigen::Index i = 0; i < n; ++i) {
    places.push_back({x(i, 0) / furthest, x(i, 1) / furthest});
  }
  return places;
}

}  // namespace

GraphShape shape_of(const Graph& graph) {
  const std::size_t n = graph.size();
  const std::size_t edges = graph.edges().size();
  if (n == 1) return GraphShape::kSingle;
  if (!graph.connected()) return GraphShape::kOther;
  if (edges == n - 1 && graph.max_degree() <= 2) return GraphShape::kPath;
  if (edges == n * (n - 1) / 2) return GraphShape::kComplete;
  if (edges == n && graph.max_degree() == 2) return GraphShape::kCycle;
  if (edges == n - 1 && graph.max_degree() == n - 1) return GraphShape::kStar;
  return GraphShape::kOther;
}

std::vector<Point> layout_graph(const Graph& graph) {
  switch (shape_of(graph)) {
    case GraphShape::kSingle:
      return {{0, 0}};
    case GraphShape::kCycle:
      return circle(walk(graph), false);
    case GraphShape::kPath:
      if (graph.size() == 2) return {{-1, 0}, {1, 0}};
      return circle(walk(graph), true);
    case GraphShape::kStar:
      return around_the_middle(graph);
    case GraphShape::kComplete:
      return circle(in_order(graph.size()), false);
    case GraphShape::kOther:
      break;
  }
  if (graph.size() > kMostByDistance) return circle(in_order(graph.size()), false);
  return by_distance(graph);
}

std::vector<Point> spread_out(std::vector<Point> places, double least, double half_width,
                              double half_height) {
  for (int step = 0; step < kSpreadSteps; ++step) {
    bool moved = false;
    for (std::size_t i = 0; i < places.size(); ++i) {
      for (std::size_t j = i + 1; j < places.size(); ++j) {
        Point& a = places[i];
        Point& b = places[j];
        const double length = std::hypot(a.x - b.x, a.y - b.y);
        if (length >= least) continue;
        moved = true;
        // A little further than needed, so that the steps come to an end.
        const double push = (least - length) / 2 + 0.01 * least;
        const double x = length > 1e-9 ? (a.x - b.x) / length : 1;
        const double y = length > 1e-9 ? (a.y - b.y) / length : 0;
        a.x = std::clamp(a.x + push * x, -half_width, half_width);
        a.y = std::clamp(a.y + push * y, -half_height, half_height);
        b.x = std::clamp(b.x - push * x, -half_width, half_width);
        b.y = std::clamp(b.y - push * y, -half_height, half_height);
      }
    }
    if (!moved) break;
  }
  return places;
}

}  // namespace sotto
