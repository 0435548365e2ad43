// SPDX-License-Identifier: Apache-2.0
// The parts of cross entropy and its gradient (cross_entropy_loops.h), over memory that is plain (softmax.cpp) or, in a
// test, notes each access.
#pragma once

#include <cstddef>
#include <limits>

#include "engine/kernels/core/parallel.h"
#include "engine/kernels/core/rows_simd.h"
#include "engine/kernels/softmax/cross_entropy_loops.h"

namespace engine::cpu {

/// One per line: int64, or int32.
struct Labels {
  const void* data = nullptr;
  int64_t stride = 1;  ///< elements
  bool is_int64 = false;

  template <class M>
  int64_t at(int64_t line) const {
    if (is_int64) return M::load(static_cast<const int64_t*>(data) + line * stride);
    return M::load(static_cast<const int32_t*>(data) + line * stride);
  }
};

/// Lines whose classes lie side by side.
template <class T>
struct ClassRows {
  T* data = nullptr;
  int64_t stride = 0;  ///< elements from line to line
  T* line(int64_t number) const { return data + number * stride; }
};

/// (logits, labels) -> loss, probabilities.
template <class T>
struct CrossEntropyArguments {
  int64_t batch, classes;
  ClassRows<const T> logits;
  Labels labels;
  T* loss;
  ClassRows<T> probabilities;
  double* losses;  ///< of the lines: kept until all are there
};

/// A label outside of the classes makes the loss NaN.
template <class T, class M>
class CrossEntropyParts {
 public:
  CrossEntropyParts(const CrossEntropyArguments<T>& arguments, const RowLoops<T>& loops, int threads)
      : a_(arguments), loops_(loops), threads_(threads) {}

  void run() const {
    parallel_for(threads_, a_.batch, a_.batch * a_.classes, [this](int64_t b) {
      Line line{a_, loops_};
      loops::cross_entropy_row(b, line);
    });
    double total = 0;
    for (int64_t b = 0; b < a_.batch; ++b) total += M::load(a_.losses + b);
    M::store(static_cast<T>(total / static_cast<double>(a_.batch)), a_.loss);
  }

 private:
  struct Line {
    const CrossEntropyArguments<T>& a;
    const RowLoops<T>& loops;
    double chosen = 0, sum = 0;

    void label(int64_t b) {
      const int64_t at = a.labels.template at<M>(b);
      chosen = at >= 0 && at < a.classes ? static_cast<double>(M::load(a.logits.line(b) + at))
                                         : std::numeric_limits<double>::quiet_NaN();
    }
    void softmax(int64_t b) { sum = loops.softmax(a.logits.line(b), a.classes, a.probabilities.line(b)); }
    void keep(int64_t b) const { M::store(sum - chosen, a.losses + b); }
  };

  const CrossEntropyArguments<T>& a_;
  const RowLoops<T>& loops_;
  const int threads_;
};

/// (dloss, probabilities, labels) -> dlogits.
template <class T>
struct CrossEntropyGradientArguments {
  int64_t batch, classes;
  const T* dloss;
  ClassRows<const T> probabilities;
  Labels labels;
  ClassRows<T> dlogits;
};

/// dlogits = (probabilities - one at the label) * dloss / B.
template <class T, class M>
class CrossEntropyGradientParts {
 public:
  CrossEntropyGradientParts(const CrossEntropyGradientArguments<T>& arguments, const RowLoops<T>& loops, int threads)
      : a_(arguments), loops_(loops), threads_(threads) {}

  void run() const {
    const T factor = static_cast<T>(static_cast<double>(M::load(a_.dloss)) / static_cast<double>(a_.batch));
    parallel_for(threads_, a_.batch, a_.batch * a_.classes, [this, factor](int64_t b) {
      Line line{a_, loops_, factor};
      loops::cross_entropy_gradient_row(b, line);
    });
  }

 private:
  struct Line {
    const CrossEntropyGradientArguments<T>& a;
    const RowLoops<T>& loops;
    T factor;
    int64_t at = 0;

    bool known() const { return at >= 0 && at < a.classes; }
    void label(int64_t b) { at = a.labels.template at<M>(b); }
    void scale(int64_t b) const {
      loops.scaled(a.probabilities.line(b), a.classes, known() ? factor : std::numeric_limits<T>::quiet_NaN(),
                   a.dlogits.line(b));
    }
    void subtract(int64_t b) const {
      if (known()) M::store((M::load(a.probabilities.line(b) + at) - 1) * factor, a.dlogits.line(b) + at);
    }
  };

  const CrossEntropyGradientArguments<T>& a_;
  const RowLoops<T>& loops_;
  const int threads_;
};

}  // namespace engine::cpu
