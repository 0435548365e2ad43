// SPDX-License-Identifier: Apache-2.0
// The parts of layer and root-mean-square norms and their gradients (norms_loops.h), over memory that is plain
// (norms.cpp) or, in a test, notes each access.
#pragma once

#include <cmath>
#include <cstddef>

#include "engine/base/thread_team.h"
#include "engine/kernels/core/parallel.h"
#include "engine/kernels/core/rows_simd.h"
#include "engine/kernels/core/whole_lines.h"
#include "engine/kernels/norms/norms_loops.h"
#include "engine/kernels/norms/norms_simd.h"

namespace engine::cpu {

/// (x, scale, [bias]) -> y, [mean], inverse: of `count` lines of `length`. Without a mean: by the root mean square.
template <class T>
struct NormArguments {
  int64_t count, length;
  const T *x, *scale, *bias;  ///< bias: perhaps null
  T *y, *mean, *inverse;      ///< mean: perhaps null
  double epsilon = 1e-5;
};

template <class T, class M>
class NormParts {
 public:
  NormParts(const NormArguments<T>& arguments, const RowLoops<T>& lines, const NormLoops<T>& norms, int threads)
      : a_(arguments), lines_(lines), norms_(norms), threads_(threads) {}

  void run() const {
    parallel_for(threads_, a_.count, a_.count * a_.length, [this](int64_t number) {
      Line line{*this, number};
      loops::norm_row(a_.mean != nullptr, line);
    });
  }

 private:
  struct Line {
    const NormParts& op;
    int64_t number;
    int64_t length = op.a_.length;
    const T* x = op.a_.x + number * length;
    T mean = 0, inverse = 0;

    void sum() { mean = static_cast<T>(op.lines_.sum(x, length) / static_cast<double>(length)); }
    /// The sum's mean is rounded where sums are; its distance from the mean itself comes with the squares.
    void squares() {
      const auto count = static_cast<double>(length);
      if (op.a_.mean == nullptr) return set_inverse(op.norms_.squares(x, length) / count);
      const MeanAndVariance own =
          mean_and_variance(static_cast<double>(mean), op.norms_.moments(x, length, mean), count);
      mean = static_cast<T>(own.mean);
      set_inverse(own.variance);
    }
    void set_inverse(double mean_square) { inverse = static_cast<T>(1 / std::sqrt(mean_square + op.a_.epsilon)); }
    void normalize() const {
      op.norms_.normalize(x, length, mean, inverse, op.a_.scale, op.a_.bias, op.a_.y + number * length);
    }
    void keep() const {
      if (op.a_.mean != nullptr) M::store(mean, op.a_.mean + number);
      M::store(inverse, op.a_.inverse + number);
    }
  };

  const NormArguments<T>& a_;
  const RowLoops<T>& lines_;
  const NormLoops<T>& norms_;
  const int threads_;
};

/// (dy, x, [mean], inverse, scale) -> dx, dscale, [dbias]: of `count` lines of `length`. Without a mean, no dbias.
template <class T>
struct NormGradientArguments {
  int64_t count, length;
  const T *dy, *x, *mean, *inverse, *scale;
  T *dx, *dscale, *dbias;
  std::byte* workspace;  ///< norm_sums_bytes() per thread
};

/// 2 * length sums in T, of lines since the last flush, then 2 * length in double.
template <class T>
int64_t norm_sums_bytes(int64_t length) {
  return static_cast<int64_t>(whole_lines(static_cast<size_t>(2 * length) * sizeof(T)) +
                              whole_lines(static_cast<size_t>(2 * length) * sizeof(double)));
}

template <class T, class M>
class NormGradientParts {
 public:
  NormGradientParts(const NormGradientArguments<T>& arguments, const NormLoops<T>& norms, int threads)
      : a_(arguments), norms_(norms), threads_(threads) {}

  void run() const {
    for (int thread = 0; thread < threads_; ++thread) {
      M::fill(near_sums(thread), 2 * a_.length, T{0});
      M::fill(far_sums(thread), 2 * a_.length, 0.0);
    }
    parallel_parts(threads_, a_.count, 1, a_.count * a_.length, [this](int64_t begin, int64_t end) {
      Lines lines{{}, a_, norms_, near_sums(team_member()), far_sums(team_member())};
      loops::norm_gradient_rows({begin, end}, lines);
    });
    for (int64_t i = 0; i < a_.length; ++i) {
      double scale = 0, bias = 0;
      for (int thread = 0; thread < threads_; ++thread) {
        const double* far = far_sums(thread);
        scale += M::load(far + i);
        bias += M::load(far + a_.length + i);
      }
      M::store(static_cast<T>(scale), a_.dscale + i);
      if (a_.mean != nullptr) M::store(static_cast<T>(bias), a_.dbias + i);
    }
  }

 private:
  /// dscale and dbias.
  T* near_sums(int64_t thread) const {
    return reinterpret_cast<T*>(a_.workspace + thread * norm_sums_bytes<T>(a_.length));
  }
  double* far_sums(int64_t thread) const {
    return reinterpret_cast<double*>(a_.workspace + thread * norm_sums_bytes<T>(a_.length) +
                                     whole_lines(static_cast<size_t>(2 * a_.length) * sizeof(T)));
  }

  /// The parts of some lines.
  struct Lines : loops::Computes {
    const NormGradientArguments<T>& a;
    const NormLoops<T>& norms;
    T* near;
    double* far;
    double sums[2] = {0, 0};

    bool has_mean() const { return a.mean != nullptr; }
    T mean(int64_t line) const { return has_mean() ? M::load(a.mean + line) : T{0}; }
    void gradient_sums(int64_t line) {
      const int64_t length = a.length, at = line * length;
      const T of_line = mean(line), inverse = M::load(a.inverse + line);
      norms.gradient_sums(a.dy + at, a.x + at, length, of_line, inverse, a.scale, near,
                          has_mean() ? near + length : nullptr, sums);
    }
    void gradient(int64_t line) const {
      const int64_t length = a.length, at = line * length;
      const auto values = static_cast<double>(length);
      const T of_line = mean(line), inverse = M::load(a.inverse + line);
      norms.gradient(a.dy + at, a.x + at, length, of_line, inverse, a.scale,
                     has_mean() ? static_cast<T>(sums[0] / values) : T{0}, static_cast<T>(sums[1] / values), a.dx + at);
    }
    void flush() const {
      for (int64_t i = 0; i < 2 * a.length; ++i) {
        const double before = M::load(far + i);
        M::store(before + static_cast<double>(M::load(near + i)), far + i);
        M::store(T{0}, near + i);
      }
    }
  };

  const NormGradientArguments<T>& a_;
  const NormLoops<T>& norms_;
  const int threads_;
};

}  // namespace engine::cpu
