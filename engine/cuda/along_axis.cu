// SPDX-License-Identifier: Apache-2.0
// Kernels along one axis: a team per line. A line is read again from cache rather than kept.
#include "engine/cuda/along_axis.h"

#include <cmath>

#include "engine/cuda/numbers.cuh"
#include "engine/cuda/teams.cuh"

namespace engine::cuda {
namespace {

/// A line of an operand.
template <class A>
struct Line {
  Data data;
  int64_t begin, step;
  __host__ __device__ A operator[](int64_t i) const { return load<A>(data.dtype, data.bytes, begin + i * step); }
  __host__ __device__ void set(int64_t i, A value) const { store<A>(data.dtype, data.bytes, begin + i * step, value); }
};

/// max of a line and log sum exp(x - max).
template <class A, class Team>
__host__ __device__ void extent_of(const Team& team, const Line<A>& x, int64_t length, A& most, A& total) {
  most = -static_cast<A>(INFINITY);
  for (int64_t i = team.rank; i < length; i += team.size) most = Max{}(most, x[i]);
  most = team.reduce(most, Max{});
  total = 0;
  for (int64_t i = team.rank; i < length; i += team.size) total += std::exp(x[i] - most);
  total = team.reduce(total, Sum{});
}

/// Where the element is that no other beats: of equals the first, or the last.
template <class A, class Team>
__host__ __device__ int64_t best_of(const Team& team, const Line<A>& x, int64_t length, bool greatest, bool last) {
  const auto beats = [=](A a, A b) { return (greatest ? a > b : a < b) || (a != a && b == b); };
  A best = x[team.rank < length ? team.rank : 0];
  for (int64_t i = team.rank; i < length; i += team.size) best = beats(x[i], best) ? x[i] : best;
  best = team.reduce(best, [=](A a, A b) { return beats(b, a) ? b : a; });
  int64_t at = last ? -1 : length;
  for (int64_t i = team.rank; i < length; i += team.size) {
    const A value = x[i];
    if (value == best || (value != value && best != best)) at = last ? max(at, i) : min(at, i);
  }
  return last ? team.reduce(at, [](int64_t a, int64_t b) { return max(a, b); })
              : team.reduce(at, [](int64_t a, int64_t b) { return min(a, b); });
}

template <class A>
struct AlongLine {
  AlongAxis work;

  template <class Team>
  __host__ __device__ void operator()(const Team& team, int64_t row) const {
    int64_t at[3];
    offsets_at(work.lines, row, at);
    const Line<A> y{work.y, at[0], work.step[0]}, a{work.a, at[1], work.step[1]}, b{work.b, at[2], work.step[2]};
    if constexpr (static_cast<A>(0.5) != A{0}) {
      if (floats(team, y, a, b)) return;
    }
    switch (work.kind) {
      case Along::argmax:
      case Along::argmin: {
        const int64_t best = best_of(team, a, work.length, work.kind == Along::argmax, work.last);
        if (team.rank == 0) store<int64_t>(work.y.dtype, work.y.bytes, at[0], best);
        return;
      }
      default: running_sums(team, y, a);
    }
  }

  /// One thread: each sum needs the one before it.
  template <class Team>
  __host__ __device__ void running_sums(const Team& team, const Line<A>& y, const Line<A>& x) const {
    if (team.rank != 0) return;
    A sum = 0;
    for (int64_t k = 0; k < work.length; ++k) {
      const int64_t i = work.reverse ? work.length - 1 - k : k;
      const A before = sum;
      sum += x[i];
      y.set(i, work.exclusive ? before : sum);
    }
  }

  template <class Team>
  __host__ __device__ bool floats(const Team& team, const Line<A>& y, const Line<A>& a, const Line<A>& b) const {
    const int64_t length = work.length;
    switch (work.kind) {
      case Along::softmax:
      case Along::log_softmax: {
        A most, total;
        extent_of(team, a, length, most, total);
        if (work.kind == Along::softmax) {
          for (int64_t i = team.rank; i < length; i += team.size) y.set(i, std::exp(a[i] - most) / total);
        } else {
          const A shift = std::log(total);
          for (int64_t i = team.rank; i < length; i += team.size) y.set(i, a[i] - most - shift);
        }
        return true;
      }
      case Along::softmax_grad: {
        A total = 0;
        for (int64_t i = team.rank; i < length; i += team.size) total += a[i] * b[i];
        total = team.reduce(total, Sum{});
        for (int64_t i = team.rank; i < length; i += team.size) y.set(i, b[i] * (a[i] - total));
        return true;
      }
      case Along::log_softmax_grad: {
        A total = 0;
        for (int64_t i = team.rank; i < length; i += team.size) total += a[i];
        total = team.reduce(total, Sum{});
        for (int64_t i = team.rank; i < length; i += team.size) y.set(i, a[i] - std::exp(b[i]) * total);
        return true;
      }
      case Along::hardmax: {
        const int64_t best = best_of(team, a, length, true, false);
        for (int64_t i = team.rank; i < length; i += team.size) y.set(i, i == best ? A{1} : A{0});
        return true;
      }
      default: return false;
    }
  }
};

template <class A>
__host__ __device__ A not_a_number() {
  return static_cast<A>(NAN);
}

/// The probabilities and the loss of one sample.
template <class A>
struct EntropyRow {
  CrossEntropy work;

  template <class Team>
  __host__ __device__ void operator()(const Team& team, int64_t sample) const {
    const Line<A> x{work.scores, sample * work.score_strides[0], work.score_strides[1]};
    const Line<A> p{work.probabilities, sample * work.probability_strides[0], work.probability_strides[1]};
    A most, total;
    extent_of(team, x, work.classes, most, total);
    for (int64_t i = team.rank; i < work.classes; i += team.size) p.set(i, std::exp(x[i] - most) / total);
    if (team.rank != 0) return;
    const int64_t label = load<int64_t>(work.labels.dtype, work.labels.bytes, sample * work.label_stride);
    const bool known = label >= 0 && label < work.classes;
    static_cast<A*>(work.row_losses)[sample] = known ? most + std::log(total) - x[label] : not_a_number<A>();
  }
};

/// The mean of the samples' losses: one team.
template <class A>
struct MeanLoss {
  CrossEntropy work;
  template <class Team>
  __host__ __device__ void operator()(const Team& team, int64_t) const {
    A total = 0;
    for (int64_t i = team.rank; i < work.batch; i += team.size) total += static_cast<const A*>(work.row_losses)[i];
    total = team.reduce(total, Sum{});
    if (team.rank == 0) store<A>(work.loss.dtype, work.loss.bytes, 0, total / static_cast<A>(work.batch));
  }
};

template <class A>
struct EntropyGrad {
  CrossEntropyGrad work;
  __host__ __device__ void operator()(int64_t i) const {
    const int64_t sample = i / work.classes, c = i % work.classes;
    const int64_t label = load<int64_t>(work.labels.dtype, work.labels.bytes, sample * work.label_stride);
    const A factor = load<A>(work.dloss.dtype, work.dloss.bytes, 0) / static_cast<A>(work.batch);
    const A p = load<A>(work.probabilities.dtype, work.probabilities.bytes,
                        sample * work.probability_strides[0] + c * work.probability_strides[1]);
    const bool known = label >= 0 && label < work.classes;
    store<A>(work.result.dtype, work.result.bytes, sample * work.result_strides[0] + c * work.result_strides[1],
             known ? (p - (c == label ? A{1} : A{0})) * factor : not_a_number<A>());
  }
};

template <class A>
cudaError_t run(const Launcher& launcher, const CrossEntropy& work) {
  const cudaError_t code = for_each_row(launcher, EntropyRow<A>{work}, work.batch, work.classes);
  if (code != cudaSuccess) return code;
  return for_each_row(launcher, MeanLoss<A>{work}, 1, work.batch);
}

}  // namespace

cudaError_t launch(const Launcher& launcher, const AlongAxis& work) {
  switch (work.arithmetic) {
    case Arithmetic::float64: return for_each_row(launcher, AlongLine<double>{work}, work.lines.count, work.length);
    case Arithmetic::whole: return for_each_row(launcher, AlongLine<int64_t>{work}, work.lines.count, work.length);
    default: return for_each_row(launcher, AlongLine<float>{work}, work.lines.count, work.length);
  }
}

cudaError_t launch(const Launcher& launcher, const CrossEntropy& work) {
  return work.wide ? run<double>(launcher, work) : run<float>(launcher, work);
}

cudaError_t launch(const Launcher& launcher, const CrossEntropyGrad& work) {
  const int64_t count = work.batch * work.classes;
  return work.wide ? for_each_element(launcher, EntropyGrad<double>{work}, count)
                   : for_each_element(launcher, EntropyGrad<float>{work}, count);
}

}  // namespace engine::cuda
