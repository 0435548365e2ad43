// SPDX-License-Identifier: Apache-2.0
// The parts of reductions (reduction_loops.h), over memory that is plain (sum.cpp) or, in a test, notes each access.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "engine/kernels/core/parallel.h"
#include "engine/kernels/reduction/reduce_simd.h"
#include "engine/kernels/reduction/reduction_loops.h"

namespace engine::cpu {

/// How a reduction comes from what is gathered.
struct Reduction {
  std::string_view op;
  Gathered gathered = Gathered::sum;
  bool mean = false, root = false, logarithm = false;
};
inline constexpr Reduction kReductions[] = {
    {"sum"},
    {"mean", Gathered::sum, true},
    {"log_sum", Gathered::sum, false, false, true},
    {"l1_norm", Gathered::absolute},
    {"l2_norm", Gathered::squares, false, true},
    {"sum_of_squares", Gathered::squares},
    {"reduce_max", Gathered::most},
    {"reduce_min", Gathered::least},
    {"product", Gathered::product},
    {"log_sum_exp", Gathered::exponentials, false, false,
     true},  // of the differences to the greatest, which comes first
};

/// What is reduced, where, and with what.
template <class T>
struct ReductionPlan {
  Reduction reduction;
  loops::ReductionNest nest;
  std::byte *y = nullptr, *x = nullptr;
  double* partial = nullptr;  ///< room for reduction_workspace_bytes()
  ReduceLoops<T> loops;
  void (*add)(const T* x, int64_t count, T* to) = nullptr;  ///< to += x
  int threads = 1;
};

/// What the blocks gather, in doubles, then in x's type, each with the room of a double.
inline int64_t reduction_workspace_bytes(const loops::ReductionNest& nest) {
  return nest.partial_count() * static_cast<int64_t>(2 * sizeof(double));
}

template <class T, class M>
class ReductionParts {
 public:
  explicit ReductionParts(const ReductionPlan<T>& plan)
      : p_(plan),
        count_(static_cast<double>(plan.nest.gathered.rows() * (plan.nest.inner_gathered ? plan.nest.inner : 1))) {}

  /// Gathers all blocks, then y = finish(what they gathered together, y before).
  void pass(bool greatest) const {
    const loops::ReductionNest& nest = p_.nest;
    const Gathered what = greatest ? Gathered::most : p_.reduction.gathered;
    const Addresses base{p_.y, p_.x};
    const int64_t kept = nest.kept.rows(), width = nest.width(), blocks = nest.blocks;
    const int64_t work = kept * nest.gathered.rows() * nest.inner;
    T* const near = reinterpret_cast<T*>(p_.partial + nest.partial_count());
    parallel_for(p_.threads, kept * blocks, work, [&](int64_t task) {
      Block block{
          {}, p_, what, nest.kept.row(base, task / blocks), width, p_.partial + task * width, near + task * width};
      loops::gather_block(nest, task, what == Gathered::sum, block);
    });
    parallel_for(p_.threads, kept, kept * blocks * width, [&](int64_t row) {
      std::byte* const to = nest.kept.row(base, row)[0];
      const double* first = p_.partial + row * blocks * width;
      for (int64_t i = 0; i < width; ++i) {
        double total = M::load(first + i);
        for (int64_t block = 1; block < blocks; ++block) total = join(what, total, M::load(first + block * width + i));
        T* const y = reinterpret_cast<T*>(to + i * nest.y_step);
        M::store(static_cast<T>(what == Gathered::exponentials ? shifted_back(total, M::load(y))
                                : greatest                     ? total
                                                               : finished(total)),
                 y);
      }
    });
  }

 private:
  using Addresses = std::array<std::byte*, 2>;

  static double shifted_back(double value, T greatest) {
    return std::isfinite(greatest) ? static_cast<double>(greatest) + std::log(value) : static_cast<double>(greatest);
  }
  double finished(double value) const {
    if (p_.reduction.logarithm) return std::log(value);
    if (p_.reduction.root) return std::sqrt(value);
    return p_.reduction.mean ? value / count_ : value;
  }

  /// The parts of a block.
  struct Block : loops::Computes {
    const ReductionPlan<T>& p;
    Gathered what;
    Addresses row;  ///< the kept one
    int64_t width;
    double* sums;
    T* near;
    double total = 0;
    bool empty = true;

    const T* x(int64_t gathered) const { return reinterpret_cast<const T*>(p.nest.gathered.row(row, gathered)[1]); }
    const T* shift() const { return reinterpret_cast<const T*>(row[0]); }  ///< the greatest, from the pass before
    void clear() const { M::fill(sums, width, 0.0); }
    void clear_near() const { M::fill(near, width, T{0}); }
    void add(int64_t gathered) const { p.add(x(gathered), width, near); }
    void flush() const {
      for (int64_t i = 0; i < width; ++i) {
        const double before = M::load(sums + i);
        M::store(before + static_cast<double>(M::load(near + i)), sums + i);
      }
    }
    void start() const { M::fill(sums, width, start_of(what)); }
    void across(int64_t gathered) const { p.loops.across(what, x(gathered), width, shift(), sums); }
    void line(int64_t gathered, loops::Range elements) {
      const double own = p.loops.line(what, x(gathered) + elements.begin, elements.size(),
                                      what == Gathered::exponentials ? M::load(shift()) : T{0});
      total = empty ? own : join(what, total, own);
      empty = false;
    }
    void keep() const { M::store(total, sums); }
  };

  const ReductionPlan<T>& p_;
  const double count_;  ///< elements of x per element of y
};

}  // namespace engine::cpu
