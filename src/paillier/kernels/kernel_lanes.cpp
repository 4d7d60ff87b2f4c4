// The kernel on lanes of any kind: eight numbers at a time.
#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/parallel.h"
#include "paillier/kernels/kernel.h"
#include "paillier/kernels/lane_power.h"

namespace sotto::paillier {
namespace {

std::size_t groups_of(std::size_t count) {
  return (count + kLanes - 1) / kLanes;
}

// Numbers in the group that starts at `first`.
std::size_t lanes_of(std::size_t count, std::size_t first) {
  return std::min(kLanes, count - first);
}

// Residues are groups of eight numbers, each a pair of vectors. What is left of the last
// group is 0.
Residues empty_residues(std::size_t count, const PairModulus& modulus) {
  return {count, Limbs(groups_of(count) * modulus.pair_size() * kLanes)};
}

// A group between Residues, whose words need not lie on a vector's boundary, and vectors.
void read_group(Vectors& vectors, const Residues& residues, std::size_t group) {
  const std::size_t words = vectors.size() * kLanes;
  check(residues.words.size() >= (group + 1) * words, "residues belong to the kernel they meet");
  std::memcpy(vectors.at(0), residues.words.data() + group * words,
              vectors.size() * sizeof(Vector8));
}

void write_group(Residues& residues, std::size_t group, const Vectors& vectors) {
  const std::size_t words = vectors.size() * kLanes;
  std::memcpy(residues.words.data() + group * words, vectors.at(0),
              vectors.size() * sizeof(Vector8));
}

class LaneFixedBase : public FixedBase {
 public:
  LaneFixedBase(const LaneArithmetic& arithmetic, std::shared_ptr<const PairModulus> modulus,
                const Integer& base, std::size_t exponent_bits)
      : modulus_(std::move(modulus)), comb_(arithmetic, *modulus_, base, exponent_bits) {}

  Residues power(std::span<const Integer> exponents) const override {
    Residues powers = empty_residues(exponents.size(), *modulus_);
    parallel_for(groups_of(exponents.size()), 0, [&](std::size_t group) {
      const std::size_t first = group * kLanes;
      const auto lanes = exponents.subspan(first, lanes_of(exponents.size(), first));
      Vectors x(modulus_->pair_size());
      comb_.power(x.at(0), lanes.size(), LaneExponents(lanes, comb_.exponent_bits()));
      write_group(powers, group, x);
    });
    return powers;
  }

 private:
  std::shared_ptr<const PairModulus> modulus_;
  CombTable comb_;
};

class LaneKernel : public Kernel {
 public:
  LaneKernel(const Integer& n, const LaneArithmetic& arithmetic)
      : Kernel(n),
        arithmetic_(arithmetic),
        modulus_(std::make_shared<const PairModulus>(std::span(&n, 1))) {}

  std::string_view name() const override { return arithmetic_.name; }

  Residues load(std::span<const Integer> numbers) const override {
    Residues residues = empty_residues(numbers.size(), *modulus_);
    Vectors group(modulus_->pair_size());
    Vectors scratch(modulus_->scratch_size());
    for (std::size_t first = 0; first < numbers.size(); first += kLanes) {
      const std::size_t lanes = lanes_of(numbers.size(), first);
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        modulus_->put(group.at(0), lane, numbers[first + lane]);
      }
      arithmetic_.multiply(modulus_->view(lanes), group.at(0), group.at(0), modulus_->r_squared(),
                           scratch.at(0));
      write_group(residues, first / kLanes, group);
    }
    return residues;
  }

  std::vector<LimbPair> store_pairs(const Residues& residues) const override {
    const std::size_t limbs = modulus_->limbs();
    Vectors group(modulus_->pair_size());
    Vectors scratch(modulus_->scratch_size());
    std::vector<LimbPair> pairs;
    pairs.reserve(residues.count);
    for (std::size_t i = 0; i < residues.count; ++i) {
      const std::size_t lane = i % kLanes;
      if (lane == 0) {
        read_group(group, residues, i / kLanes);
        arithmetic_.leave(modulus_->view(lanes_of(residues.count, i)), group.at(0), group.at(0),
                          scratch.at(0));
      }
      pairs.push_back({get_words(group.at(0), limbs, lane, n_.size()),
                       get_words(group.at(limbs), limbs, lane, n_.size())});
    }
    return pairs;
  }

  Residues multiply(const Residues& left, const Residues& right) const override {
    check(left.count == right.count, "factors come in equal numbers");
    Residues products = empty_residues(left.count, *modulus_);
    Vectors x(modulus_->pair_size());
    Vectors y(modulus_->pair_size());
    Vectors scratch(modulus_->scratch_size());
    for (std::size_t group = 0; group < groups_of(left.count); ++group) {
      read_group(x, left, group);
      read_group(y, right, group);
      const LaneModulus view = modulus_->view(lanes_of(left.count, group * kLanes));
      arithmetic_.multiply(view, x.at(0), x.at(0), y.at(0), scratch.at(0));
      write_group(products, group, x);
    }
    return products;
  }

  Residues power(const Residues& bases, const Integer& exponent,
                 std::size_t exponent_bits) const override {
    Residues powers = empty_residues(bases.count, *modulus_);
    IntegerVector lanes(kLanes, exponent);
    const LaneExponents exponents(lanes, exponent_bits);
    wipe(std::span(lanes));
    parallel_for(groups_of(bases.count), 0, [&](std::size_t group) {
      Vectors x(modulus_->pair_size());
      read_group(x, bases, group);
      lane_power(arithmetic_, *modulus_, lanes_of(bases.count, group * kLanes), x.at(0), x.at(0),
                 exponents);
      write_group(powers, group, x);
    });
    return powers;
  }

  std::unique_ptr<FixedBase> fixed_base(const Integer& base,
                                        std::size_t exponent_bits) const override {
    return std::make_unique<LaneFixedBase>(arithmetic_, modulus_, base, exponent_bits);
  }

 private:
  const LaneArithmetic& arithmetic_;
  std::shared_ptr<const PairModulus> modulus_;  // tables outlive the kernel
};

}  // namespace

std::unique_ptr<Kernel> make_lane_kernel(const Integer& n, const LaneArithmetic& arithmetic) {
  return std::make_unique<LaneKernel>(n, arithmetic);
}

}  // namespace sotto::paillier
