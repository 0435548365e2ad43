// SPDX-License-Identifier: Apache-2.0
// Kernels along one axis: a team per line. Softmax and its kin hold dense lines in registers; a line that lies
// otherwise is read again from cache.
#include "engine/cuda/along_axis.h"

#include <cmath>

#include "engine/cuda/lines.cuh"
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

// ---- dense lines
// -----------------------------------------------------------------------------------------------------------------

/// Softmax of dense lines, its logarithm, or with the loss of each line.
template <class T, int kLanes>
struct SoftmaxLine {
  static constexpr int kWide = kLanes, kHeld = 16;
  T* y;
  const T* x;
  Walk<3> lines;  ///< [0] = y, [1] = x
  int64_t length;
  bool logarithm;
  Data labels;  ///< bytes null where no loss is wanted
  int64_t label_stride;
  float* losses;

  __host__ __device__ void keep_loss(int64_t row, const T* line, float most, float total) const {
    const int64_t label = load<int64_t>(labels.dtype, labels.bytes, row * label_stride);
    losses[row] = label >= 0 && label < length ? most + std::log(total) - number(line[label]) : not_a_number<float>();
  }

  template <class Team>
  __host__ __device__ void held(const Team& team, int64_t row, bool active) const {
    int64_t at[3];
    offsets_at(lines, active ? row : 0, at);
    const int count = active ? static_cast<int>(length) : 0;
    HeldLine<T, kWide, kHeld> line;
    line.load(team, x + at[1], count);
    float most = -INFINITY, total = 0;
    line.visit(team, count, [&](float& v) { most = Max{}(most, v); });
    most = team.reduce(most, Max{});
    if (logarithm) {
      line.visit(team, count, [&](float& v) {
        v -= most;
        total += std::exp(v);
      });
    } else {
      line.visit(team, count, [&](float& v) {
        v = std::exp(v - most);
        total += v;
      });
    }
    total = team.reduce(total, Sum{});
    if (losses != nullptr && active && team.rank == 0) keep_loss(row, x + at[1], most, total);
    if (logarithm) {
      const float shift = std::log(total);
      line.visit(team, count, [&](float& v) { v -= shift; });
    } else {
      const float inverse = 1 / total;
      line.visit(team, count, [&](float& v) { v *= inverse; });
    }
    line.store(team, y + at[0], count);
  }

  /// The greatest and the sum in one pass, each thread by what it has met; a second pass, from cache, writes.
  template <class Team>
  __host__ __device__ void streamed(const Team& team, int64_t row) const {
    int64_t at[3];
    offsets_at(lines, row, at);
    const T* const from = x + at[1];
    T* const to = y + at[0];
    float own = -INFINITY, sum = 0;
    stream_line<kWide, kHeld / kWide>(team, from, length, [&](int64_t, const Vector<T, kWide>& raw) {
      float larger = own;
      unrolled<kWide>([&](int k) { larger = Max{}(larger, number(raw.at[k])); });
      if (larger == -INFINITY) return;
      sum *= std::exp(own - larger);
      unrolled<kWide>([&](int k) { sum += std::exp(number(raw.at[k]) - larger); });
      own = larger;
    });
    const float most = team.reduce(own, Max{}), total = team.reduce(sum == 0 ? sum : sum * std::exp(own - most), Sum{});
    if (losses != nullptr && team.rank == 0) keep_loss(row, from, most, total);
    const float shift = std::log(total), inverse = 1 / total;
    stream_line<kWide, kHeld / kWide>(team, from, length, [&](int64_t i, const Vector<T, kWide>& raw) {
      Vector<T, kWide> out;
      unrolled<kWide>([&](int k) {
        const float v = number(raw.at[k]) - most;
        out.at[k] = rounded<T>(logarithm ? v - shift : std::exp(v) * inverse);
      });
      store_vector<kWide>(to + i, out);
    });
  }
};

/// Gradients by dy and y: y (dy - sum dy y), of the logarithm dy - exp(y) sum dy.
template <class T, int kLanes>
struct SoftmaxGradLine {
  static constexpr int kWide = kLanes, kHeld = 8;
  T* dx;
  const T* dy;
  const T* y;
  Walk<3> lines;  ///< [0] = dx, [1] = dy, [2] = y
  int64_t length;
  bool logarithm;

  __host__ __device__ float term(float g, float v) const { return logarithm ? g : g * v; }
  __host__ __device__ float result(float g, float v, float total) const {
    return logarithm ? g - std::exp(v) * total : v * (g - total);
  }

  template <class Team>
  __host__ __device__ void held(const Team& team, int64_t row, bool active) const {
    int64_t at[3];
    offsets_at(lines, active ? row : 0, at);
    const int count = active ? static_cast<int>(length) : 0;
    HeldLine<T, kWide, kHeld> g, v;
    g.load(team, dy + at[1], count);
    v.load(team, y + at[2], count);
    float total = 0;
    unrolled<kHeld>([&](int k) { total += term(g.at[k], v.at[k]); });  // what lies behind the line is 0
    total = team.reduce(total, Sum{});
    unrolled<kHeld>([&](int k) { v.at[k] = result(g.at[k], v.at[k], total); });
    v.store(team, dx + at[0], count);
  }

  template <class Team>
  __host__ __device__ void streamed(const Team& team, int64_t row) const {
    int64_t at[3];
    offsets_at(lines, row, at);
    const T *const gradient = dy + at[1], *const value = y + at[2];
    float total = 0;
    stream_line<kWide, kHeld / kWide>(team, gradient, length, [&](int64_t i, const Vector<T, kWide>& g) {
      const Vector<T, kWide> v = load_vector<kWide>(value + i);
      unrolled<kWide>([&](int k) { total += term(number(g.at[k]), number(v.at[k])); });
    });
    total = team.reduce(total, Sum{});
    stream_line<kWide, kHeld / kWide>(team, gradient, length, [&](int64_t i, const Vector<T, kWide>& g) {
      const Vector<T, kWide> v = load_vector<kWide>(value + i);
      Vector<T, kWide> out;
      unrolled<kWide>([&](int k) { out.at[k] = rounded<T>(result(number(g.at[k]), number(v.at[k]), total)); });
      store_vector<kWide>(dx + at[0] + i, out);
    });
  }
};

/// Softmax of a line, as it is asked for: shared by the ops.
struct DenseSoftmax {
  Data y, x;
  Walk<3> lines;
  int64_t length = 0;
  bool logarithm = false;
  Data labels;
  int64_t label_stride = 0;
  float* losses = nullptr;
};

cudaError_t launch_dense(const Launcher& launcher, const DenseSoftmax& d) {
  cudaError_t code = cudaErrorNotSupported;
  with_float_type(d.x.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (sizeof(T) <= sizeof(float)) {
      T* const y = static_cast<T*>(d.y.bytes);
      const T* const x = static_cast<const T*>(d.x.bytes);
      constexpr int kLanes = kLanesOf<T>;
      if (lines_are_aligned(d.lines, 0, y, d.length, kLanes) && lines_are_aligned(d.lines, 1, x, d.length, kLanes)) {
        const SoftmaxLine<T, kLanes> line{y, x, d.lines, d.length, d.logarithm, d.labels, d.label_stride, d.losses};
        code = for_each_line(launcher, line, d.lines.count, d.length);
      } else {
        const SoftmaxLine<T, 1> line{y, x, d.lines, d.length, d.logarithm, d.labels, d.label_stride, d.losses};
        code = for_each_line(launcher, line, d.lines.count, d.length);
      }
    }
  });
  return code;
}

cudaError_t launch_dense_gradient(const Launcher& launcher, const AlongAxis& work) {
  const bool logarithm = work.kind == Along::log_softmax_grad;
  cudaError_t code = cudaErrorNotSupported;
  with_float_type(work.a.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (sizeof(T) <= sizeof(float)) {
      T* const dx = static_cast<T*>(work.y.bytes);
      const T *const dy = static_cast<const T*>(work.a.bytes), *const y = static_cast<const T*>(work.b.bytes);
      constexpr int kLanes = kLanesOf<T>;
      if (lines_are_aligned(work.lines, 0, dx, work.length, kLanes) &&
          lines_are_aligned(work.lines, 1, dy, work.length, kLanes) &&
          lines_are_aligned(work.lines, 2, y, work.length, kLanes)) {
        code = for_each_line(launcher, SoftmaxGradLine<T, kLanes>{dx, dy, y, work.lines, work.length, logarithm},
                             work.lines.count, work.length);
      } else {
        code = for_each_line(launcher, SoftmaxGradLine<T, 1>{dx, dy, y, work.lines, work.length, logarithm},
                             work.lines.count, work.length);
      }
    }
  });
  return code;
}

/// Whether the kernels for dense lines take it.
bool is_dense(const AlongAxis& work) {
  const bool gradient = work.kind == Along::softmax_grad || work.kind == Along::log_softmax_grad;
  if (!gradient && work.kind != Along::softmax && work.kind != Along::log_softmax) return false;
  const DType dtype = work.a.dtype;
  if (dtype != DType::float32 && dtype != DType::bfloat16 && dtype != DType::float16) return false;
  return work.y.dtype == dtype && work.step[0] == 1 && work.step[1] == 1 &&
         (!gradient || (work.b.dtype == dtype && work.step[2] == 1));
}

bool is_dense(const CrossEntropy& work) {
  return !work.wide && work.scores.dtype == work.probabilities.dtype && work.score_strides[1] == 1 &&
         work.probability_strides[1] == 1;
}

cudaError_t launch_dense(const Launcher& launcher, const CrossEntropy& work) {
  const auto lines =
      make_walk<3>({work.batch}, {Strides{work.probability_strides[0]}, Strides{work.score_strides[0]}, Strides{0}});
  return launch_dense(launcher, {work.probabilities, work.scores, *lines, work.classes, false, work.labels,
                                 work.label_stride, static_cast<float*>(work.row_losses)});
}

// ----------------------------------------------------------------------------------------------------------------------------------

template <class A>
cudaError_t run(const Launcher& launcher, const CrossEntropy& work) {
  const cudaError_t code = is_dense(work) && !launcher.on_host
                               ? launch_dense(launcher, work)
                               : for_each_row(launcher, EntropyRow<A>{work}, work.batch, work.classes);
  if (code != cudaSuccess) return code;
  return for_each_row(launcher, MeanLoss<A>{work}, 1, work.batch);
}

}  // namespace

cudaError_t launch(const Launcher& launcher, const AlongAxis& work) {
  if (is_dense(work) && !launcher.on_host) {
    const bool gradient = work.kind == Along::softmax_grad || work.kind == Along::log_softmax_grad;
    return gradient ? launch_dense_gradient(launcher, work)
                    : launch_dense(
                          launcher,
                          {work.y, work.a, work.lines, work.length, work.kind == Along::log_softmax, {}, 0, nullptr});
  }
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
