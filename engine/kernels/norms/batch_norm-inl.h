// SPDX-License-Identifier: Apache-2.0
// The parts of batch norm (batch_norm_loops.h), over memory that is plain (batch_norm.cpp) or, in a test, notes each
// access.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "engine/kernels/core/finish.h"
#include "engine/kernels/core/parallel.h"
#include "engine/kernels/norms/batch_norm_loops.h"
#include "engine/kernels/norms/batch_norm_simd.h"

namespace engine::cpu {

/// Where a batch norm computes, and with what.
template <class T>
struct BatchNormPlan {
  loops::ChannelRows rows;
  BatchNormLoops<T> loops;
  double* sums = nullptr;  ///< room for batch_norm_sums_bytes()
  T* kept = nullptr;       ///< vectors by channel: kKept of the op's parts
  int threads = 1;
  double epsilon = 1e-5;
  Finish finish = {};  ///< of stretches of y; perhaps empty
};

/// Per block: 2 C doubles of sums and 2 C elements of scratch, each with the room of a double.
inline int64_t batch_norm_sums_bytes(const loops::ChannelRows& rows) {
  return rows.blocks() * 2 * rows.channels * static_cast<int64_t>(2 * sizeof(double));
}

/// What all of them have in common.
template <class T, class M>
class BatchNormParts {
 public:
  void clear_sums(int64_t block) const { M::fill(sums(block), width(), 0.0); }
  void join(int64_t block) const {
    double *all = sums(), *own = sums(block);
    for (int64_t i = 0; i < width(); ++i) {
      const double before = M::load(all + i);
      M::store(before + M::load(own + i), all + i);
    }
  }

 protected:
  explicit BatchNormParts(const BatchNormPlan<T>& plan) : plan_(plan) {}

  int64_t channels() const { return plan_.rows.channels; }
  int64_t width() const { return 2 * channels(); }
  double count() const { return static_cast<double>(plan_.rows.rows); }
  /// Of a block; the first block's become those of all.
  double* sums(int64_t block = 0) const { return plan_.sums + block * width(); }
  T* scratch(int64_t block) const { return reinterpret_cast<T*>(sums(plan_.rows.blocks())) + block * width(); }
  T* kept(int64_t number) const { return plan_.kept + number * channels(); }

  template <class Visitor>
  void over_blocks(Visitor& visitor) const {
    parallel_for(plan_.threads, plan_.rows.blocks(), plan_.rows.rows * channels(),
                 [&](int64_t block) { loops::sum_block(plan_.rows, block, visitor); });
  }
  /// body(first element, rows) for parts of all rows.
  template <class Body>
  void over_rows(const Body& body) const {
    parallel_parts(plan_.threads, plan_.rows.rows, 1, plan_.rows.rows * channels(),
                   [&](int64_t begin, int64_t end) { body(begin * channels(), end - begin); });
  }
  /// The same for what body writes to y, in stretches that are finished at once where that is wanted.
  template <class Body>
  void over_output_rows(const Body& body) const {
    if (!plan_.finish) return over_rows(body);
    constexpr int64_t kFinishedElements = 4096;  // half a first-level cache
    const int64_t most = std::max<int64_t>(1, kFinishedElements / channels());
    over_rows([&](int64_t first, int64_t rows) {
      for (int64_t row = 0; row < rows; row += most) {
        const int64_t at = first + row * channels(), stretch = std::min(most, rows - row);
        body(at, stretch);
        plan_.finish(at, stretch * channels());
      }
    });
  }

  const BatchNormPlan<T>& plan_;
};

template <class T>
struct BatchNormTrainingArguments {
  const T *x, *scale, *bias;
  T *y, *mean, *inv_std;
};

/// Variances are sums of squares about the median of three rows: one pass, and little cancellation, for neither a mean
/// far from zero nor one outlier moves that point far from the mean.
template <class T, class M>
class BatchNormTraining : public BatchNormParts<T, M> {
 public:
  static constexpr int64_t kKept = 2;  ///< shifts, factors
  BatchNormTraining(const BatchNormPlan<T>& plan, const BatchNormTrainingArguments<T>& arguments)
      : BatchNormParts<T, M>(plan), a_(arguments) {}

  void shift() const {
    const int64_t channels = this->channels(), rows = this->plan_.rows.rows;
    const T *middle = a_.x + rows / 2 * channels, *last = a_.x + (rows - 1) * channels;
    for (int64_t c = 0; c < channels; ++c) {
      const T a = M::load(a_.x + c), b = M::load(middle + c), low = std::min(a, b), high = std::max(a, b);
      M::store(std::max(low, std::min(high, M::load(last + c))), this->kept(0) + c);
    }
  }
  void sum_blocks() { this->over_blocks(*this); }
  void sum(int64_t block, loops::Range rows) const {
    const int64_t channels = this->channels();
    this->plan_.loops.moments(a_.x + rows.begin * channels, rows.size(), channels, this->kept(0), this->scratch(block),
                              this->sums(block));
  }
  void statistics() const {
    const int64_t channels = this->channels();
    const double *sums = this->sums(), count = this->count();
    for (int64_t c = 0; c < channels; ++c) {
      const double from_shift = M::load(sums + c) / count;
      // max's first operand is the one a NaN stays in.
      const double variance = std::max(M::load(sums + channels + c) / count - from_shift * from_shift, 0.0);
      const double inverse = 1 / std::sqrt(variance + this->plan_.epsilon);
      M::store(static_cast<T>(static_cast<double>(M::load(this->kept(0) + c)) + from_shift), a_.mean + c);
      M::store(static_cast<T>(inverse), a_.inv_std + c);
      M::store(static_cast<T>(inverse * static_cast<double>(M::load(a_.scale + c))), this->kept(1) + c);
    }
  }
  void normalize() const {
    this->over_output_rows([this](int64_t first, int64_t rows) {
      this->plan_.loops.normalize(a_.x + first, rows, this->channels(), a_.mean, this->kept(1), a_.bias, a_.y + first);
    });
  }

 private:
  BatchNormTrainingArguments<T> a_;
};

template <class T>
struct BatchNormInferenceArguments {
  const T *x, *scale, *bias, *mean, *variance;
  T* y;
};

template <class T, class M>
class BatchNormInference : public BatchNormParts<T, M> {
 public:
  static constexpr int64_t kKept = 1;  ///< factors
  BatchNormInference(const BatchNormPlan<T>& plan, const BatchNormInferenceArguments<T>& arguments)
      : BatchNormParts<T, M>(plan), a_(arguments) {}

  void factors() const {
    for (int64_t c = 0; c < this->channels(); ++c) {
      const auto scale = static_cast<double>(M::load(a_.scale + c));
      M::store(static_cast<T>(scale / std::sqrt(static_cast<double>(M::load(a_.variance + c)) + this->plan_.epsilon)),
               this->kept(0) + c);
    }
  }
  void normalize() const {
    this->over_output_rows([this](int64_t first, int64_t rows) {
      this->plan_.loops.normalize(a_.x + first, rows, this->channels(), a_.mean, this->kept(0), a_.bias, a_.y + first);
    });
  }

 private:
  BatchNormInferenceArguments<T> a_;
};

template <class T>
struct BatchNormGradientArguments {
  const T *dy, *x, *mean, *inv_std, *scale;
  T *dx, *dscale, *dbias;
};

/// dx = scale inv_std (dy - sum(dy) / n - (x - mean) inv_std^2 sum(dy (x - mean)) / n).
template <class T, class M>
class BatchNormGradient : public BatchNormParts<T, M> {
 public:
  static constexpr int64_t kKept = 3;  ///< factors and the two terms that are taken from dy
  BatchNormGradient(const BatchNormPlan<T>& plan, const BatchNormGradientArguments<T>& arguments)
      : BatchNormParts<T, M>(plan), a_(arguments) {}

  void sum_blocks() { this->over_blocks(*this); }
  void sum(int64_t block, loops::Range rows) const {
    const int64_t channels = this->channels(), at = rows.begin * channels;
    this->plan_.loops.gradient_sums(a_.dy + at, a_.x + at, rows.size(), channels, a_.mean, this->scratch(block),
                                    this->sums(block));
  }
  void coefficients() const {
    const int64_t channels = this->channels();
    const double *sums = this->sums(), count = this->count();
    for (int64_t c = 0; c < channels; ++c) {
      const auto inverse = static_cast<double>(M::load(a_.inv_std + c));
      const double sum = M::load(sums + c);
      M::store(static_cast<T>(sum), a_.dbias + c);
      const double product = M::load(sums + channels + c);
      M::store(static_cast<T>(product * inverse), a_.dscale + c);
      M::store(static_cast<T>(static_cast<double>(M::load(a_.scale + c)) * inverse), this->kept(0) + c);
      M::store(static_cast<T>(sum / count), this->kept(1) + c);
      M::store(static_cast<T>(product * inverse * inverse / count), this->kept(2) + c);
    }
  }
  void gradient() const {
    this->over_rows([this](int64_t first, int64_t rows) {
      this->plan_.loops.gradient(a_.dy + first, a_.x + first, rows, this->channels(), a_.mean, this->kept(0),
                                 this->kept(1), this->kept(2), a_.dx + first);
    });
  }

 private:
  BatchNormGradientArguments<T> a_;
};

template <class T>
struct BatchNormInferenceGradientArguments {
  const T *dy, *x, *scale, *mean, *variance;
  T *dx, *dscale, *dbias, *dmean, *dvariance;
};

/// With statistics that are given: dx = scale inv_std dy.
template <class T, class M>
class BatchNormInferenceGradient : public BatchNormParts<T, M> {
 public:
  static constexpr int64_t kKept = 2;  ///< factors, zeros
  BatchNormInferenceGradient(const BatchNormPlan<T>& plan, const BatchNormInferenceGradientArguments<T>& arguments)
      : BatchNormParts<T, M>(plan), a_(arguments) {}

  void sum_blocks() { this->over_blocks(*this); }
  void sum(int64_t block, loops::Range rows) const {
    const int64_t channels = this->channels(), at = rows.begin * channels;
    this->plan_.loops.gradient_sums(a_.dy + at, a_.x + at, rows.size(), channels, a_.mean, this->scratch(block),
                                    this->sums(block));
  }
  void coefficients() const {
    const int64_t channels = this->channels();
    const double* sums = this->sums();
    for (int64_t c = 0; c < channels; ++c) {
      const double inverse = 1 / std::sqrt(static_cast<double>(M::load(a_.variance + c)) + this->plan_.epsilon),
                   factor = static_cast<double>(M::load(a_.scale + c)) * inverse;
      const double dbias = M::load(sums + c), dscale = M::load(sums + channels + c) * inverse;
      M::store(static_cast<T>(dbias), a_.dbias + c);
      M::store(static_cast<T>(dscale), a_.dscale + c);
      M::store(static_cast<T>(-dbias * factor), a_.dmean + c);
      M::store(static_cast<T>(-dscale * factor * inverse / 2), a_.dvariance + c);
      M::store(static_cast<T>(factor), this->kept(0) + c);
      M::store(T{0}, this->kept(1) + c);
    }
  }
  void gradient() const {
    this->over_rows([this](int64_t first, int64_t rows) {
      this->plan_.loops.normalize(a_.dy + first, rows, this->channels(), this->kept(1), this->kept(0), this->kept(1),
                                  a_.dx + first);
    });
  }

 private:
  BatchNormInferenceGradientArguments<T> a_;
};

}  // namespace engine::cpu
