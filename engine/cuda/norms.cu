// SPDX-License-Identifier: Apache-2.0
// Kernels of normalisations: sums per group, then every element by its group's statistics.
#include "engine/cuda/norms.h"

#include <cmath>

#include "engine/cuda/numbers.cuh"
#include "engine/cuda/sums.cuh"
#include "engine/cuda/teams.cuh"

namespace engine::cuda {
namespace {

template <class A>
__host__ __device__ A get(const Data& data, int64_t offset) { return load<A>(data.dtype, data.bytes, offset); }
template <class A>
__host__ __device__ void put(const Data& data, int64_t offset, A value) { store<A>(data.dtype, data.bytes, offset, value); }

// ---- per channel -----------------------------------------------------------------------------------------------------------------

/// Sums of x - shift and its square, shift being the channel's first element, so that nothing large cancels.
template <class A>
struct BatchStatistics {
  using Value = A;
  int64_t groups, length;
  BatchNorm b;

  __host__ __device__ int64_t begin(int64_t channel) const {
    int64_t at[4];
    offsets_at(b.channel, channel, at);
    return at[1];
  }
  __host__ __device__ Pair<A> term(int64_t channel, int64_t i) const {
    int64_t at[4];
    offsets_at(b.inside, i, at);
    const int64_t first = begin(channel);
    const A x = get<A>(b.x, first + at[1]) - get<A>(b.x, first);
    return {x, x * x};
  }
  __host__ __device__ void finish(int64_t channel, const Pair<A>& sums) const {
    const A count = static_cast<A>(length), shift = sums.first / count;
    const A variance = sums.second / count - shift * shift;
    put<A>(b.out[0], channel, get<A>(b.x, begin(channel)) + shift);
    put<A>(b.out[1], channel, 1 / std::sqrt((variance > 0 || variance != variance ? variance : A{0}) + static_cast<A>(b.epsilon)));
  }
};

/// dscale = sum dy xhat and dbias = sum dy, and for inference what follows from them.
template <class A>
struct BatchGradientSums {
  using Value = A;
  int64_t groups, length;
  BatchNorm b;

  __host__ __device__ A inverse(int64_t channel) const {
    const A given = get<A>(b.variance, channel);
    return b.kind == BatchNormKind::inference_gradient ? 1 / std::sqrt(given + static_cast<A>(b.epsilon)) : given;
  }
  __host__ __device__ Pair<A> term(int64_t channel, int64_t i) const {
    int64_t from[4], at[4];
    offsets_at(b.channel, channel, from);
    offsets_at(b.inside, i, at);
    const A xhat = (get<A>(b.x, from[1] + at[1]) - get<A>(b.mean, channel)) * inverse(channel);
    const A dy = get<A>(b.dy, from[3] + at[3]);
    return {dy * xhat, dy};
  }
  __host__ __device__ void finish(int64_t channel, const Pair<A>& sums) const {
    put<A>(b.out[0], channel, sums.first);
    put<A>(b.out[1], channel, sums.second);
    if (b.kind != BatchNormKind::inference_gradient) return;
    const A factor = get<A>(b.scale, channel) * inverse(channel);
    put<A>(b.out[2], channel, -sums.second * factor);
    put<A>(b.out[3], channel, A(-0.5) * sums.first * factor * inverse(channel));
  }
};

/// Every element, by the statistics of its channel.
template <class A>
struct BatchElement {
  BatchNorm b;
  int64_t length;

  __host__ __device__ void operator()(int64_t i) const {
    int64_t at[4];
    offsets_at(b.all, i, at);
    const int64_t c = at[3];
    const A scale = get<A>(b.scale, c), epsilon = static_cast<A>(b.epsilon);
    switch (b.kind) {
      case BatchNormKind::training:
        put<A>(b.y, at[0], (get<A>(b.x, at[1]) - get<A>(b.out[0], c)) * get<A>(b.out[1], c) * scale + get<A>(b.bias, c));
        return;
      case BatchNormKind::inference:
        put<A>(b.y, at[0],
               (get<A>(b.x, at[1]) - get<A>(b.mean, c)) / std::sqrt(get<A>(b.variance, c) + epsilon) * scale + get<A>(b.bias, c));
        return;
      case BatchNormKind::gradient: {
        const A inverse = get<A>(b.variance, c), count = static_cast<A>(length);
        const A xhat = (get<A>(b.x, at[1]) - get<A>(b.mean, c)) * inverse;
        put<A>(b.y, at[0],
               scale * inverse * (get<A>(b.dy, at[2]) - get<A>(b.out[1], c) / count - xhat * get<A>(b.out[0], c) / count));
        return;
      }
      case BatchNormKind::inference_gradient:
        put<A>(b.y, at[0], get<A>(b.dy, at[2]) * scale / std::sqrt(get<A>(b.variance, c) + epsilon));
        return;
    }
  }
};

template <class A>
cudaError_t run(const Launcher& launcher, const BatchNorm& b) {
  const SumPlan plan{b.spread.columns, b.spread.parts, b.spread.pairs};
  cudaError_t code = cudaSuccess;
  if (b.kind == BatchNormKind::training) {
    code = sum_groups(launcher, BatchStatistics<A>{b.channel.count, b.inside.count, b}, plan);
  } else if (b.kind != BatchNormKind::inference) {
    code = sum_groups(launcher, BatchGradientSums<A>{b.channel.count, b.inside.count, b}, plan);
  }
  if (code != cudaSuccess) return code;
  return for_each_element(launcher, BatchElement<A>{b, b.inside.count}, b.all.count);
}

template <class A>
struct UpdateChannel {
  RunningUpdate u;
  __host__ __device__ void operator()(int64_t c) const {
    const A inverse = get<A>(u.inv_std, c * u.strides[1]), momentum = static_cast<A>(u.momentum), count = static_cast<A>(u.count);
    const A variance = (1 / (inverse * inverse) - static_cast<A>(u.epsilon)) * (count > 1 ? count / (count - 1) : A{1});
    const int64_t mean_at = c * u.strides[2], variance_at = c * u.strides[3];
    put<A>(u.running_mean, mean_at,
           (1 - momentum) * get<A>(u.running_mean, mean_at) + momentum * get<A>(u.mean, c * u.strides[0]));
    put<A>(u.running_variance, variance_at, (1 - momentum) * get<A>(u.running_variance, variance_at) + momentum * variance);
  }
};

// ---- per line --------------------------------------------------------------------------------------------------------------------

template <class A>
struct NormLine {
  LineNorm n;

  __host__ __device__ int64_t parameter(int64_t line, int64_t i) const { return line % n.period * n.per_line + i / n.inner; }
  __host__ __device__ A scale(int64_t line, int64_t i) const {
    int64_t at[3];
    offsets_at(n.parameters, parameter(line, i), at);
    return get<A>(n.scale, at[1]);
  }
  __host__ __device__ A bias(int64_t line, int64_t i) const {
    if (n.bias.bytes == nullptr) return A{0};
    int64_t at[3];
    offsets_at(n.parameters, parameter(line, i), at);
    return get<A>(n.bias, at[2]);
  }
  __host__ __device__ A x(int64_t line, int64_t i, int64_t (&at)[4]) const {
    offsets_at(n.all, line * n.length + i, at);
    return get<A>(n.x, at[1]);
  }

  template <class Team>
  __host__ __device__ void operator()(const Team& team, int64_t line) const {
    if (n.gradient) return backward(team, line);
    const A count = static_cast<A>(n.length);
    int64_t at[4];
    A mean = 0;
    if (n.centred) {
      for (int64_t i = team.rank; i < n.length; i += team.size) mean += x(line, i, at);
      mean = team.reduce(mean, Sum{}) / count;
    }
    A squares = 0;
    for (int64_t i = team.rank; i < n.length; i += team.size) {
      const A difference = x(line, i, at) - mean;
      squares += difference * difference;
    }
    const A inverse = 1 / std::sqrt(team.reduce(squares, Sum{}) / count + static_cast<A>(n.epsilon));
    for (int64_t i = team.rank; i < n.length; i += team.size) {
      const A value = (x(line, i, at) - mean) * inverse * scale(line, i) + bias(line, i);
      put<A>(n.y, at[2], value);
    }
    if (team.rank != 0) return;
    if (n.centred) put<A>(n.mean, line, mean);
    put<A>(n.inverse, line, inverse);
  }

  template <class Team>
  __host__ __device__ void backward(const Team& team, int64_t line) const {
    const A count = static_cast<A>(n.length), mean = n.centred ? get<A>(n.mean, line) : A{0}, inverse = get<A>(n.inverse, line);
    int64_t at[4];
    A sum = 0, sum_xhat = 0;
    for (int64_t i = team.rank; i < n.length; i += team.size) {
      const A xhat = (x(line, i, at) - mean) * inverse, g = get<A>(n.dy, at[3]) * scale(line, i);
      sum += n.centred ? g : A{0};
      sum_xhat += g * xhat;
    }
    sum = team.reduce(sum, Sum{}) / count;
    sum_xhat = team.reduce(sum_xhat, Sum{}) / count;
    for (int64_t i = team.rank; i < n.length; i += team.size) {
      const A xhat = (x(line, i, at) - mean) * inverse, g = get<A>(n.dy, at[3]) * scale(line, i);
      put<A>(n.y, at[2], inverse * (g - sum - xhat * sum_xhat));
    }
  }
};

/// dscale and dbias of one parameter: over all lines that have it, and the values it scales in each.
template <class A>
struct ParameterSums {
  using Value = A;
  int64_t groups, length;
  LineNorm n;

  __host__ __device__ Pair<A> term(int64_t parameter, int64_t e) const {
    const int64_t line = e / n.inner * n.period + parameter / n.per_line, i = parameter % n.per_line * n.inner + e % n.inner;
    int64_t at[4];
    offsets_at(n.all, line * n.length + i, at);
    const A mean = n.centred ? get<A>(n.mean, line) : A{0}, dy = get<A>(n.dy, at[3]);
    return {dy * (get<A>(n.x, at[1]) - mean) * get<A>(n.inverse, line), dy};
  }
  __host__ __device__ void finish(int64_t parameter, const Pair<A>& sums) const {
    put<A>(n.dscale, parameter, sums.first);
    if (n.centred) put<A>(n.dbias, parameter, sums.second);
  }
};

template <class A>
cudaError_t run(const Launcher& launcher, const LineNorm& n) {
  const cudaError_t code = for_each_row(launcher, NormLine<A>{n}, n.lines, n.length);
  if (code != cudaSuccess || !n.gradient) return code;
  const int64_t parameters = n.period * n.per_line;
  const ParameterSums<A> sums{parameters, n.lines / n.period * n.inner, n};
  return sum_groups(launcher, sums, {n.spread.columns, n.spread.parts, n.spread.pairs});
}

}  // namespace

cudaError_t launch(const Launcher& launcher, const BatchNorm& b) { return b.wide ? run<double>(launcher, b) : run<float>(launcher, b); }
cudaError_t launch(const Launcher& launcher, const LineNorm& n) { return n.wide ? run<double>(launcher, n) : run<float>(launcher, n); }
cudaError_t launch(const Launcher& launcher, const RunningUpdate& u) {
  return u.wide ? for_each_element(launcher, UpdateChannel<double>{u}, u.channels)
                : for_each_element(launcher, UpdateChannel<float>{u}, u.channels);
}

}  // namespace engine::cuda
