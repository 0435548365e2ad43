// SPDX-License-Identifier: Apache-2.0
// Kernels of normalisations: sums per group, then every element by its group's statistics.
#include "engine/cuda/norms.h"

#include <cmath>

#include "engine/cuda/lines.cuh"
#include "engine/cuda/numbers.cuh"
#include "engine/cuda/sums.cuh"
#include "engine/cuda/teams.cuh"

namespace engine::cuda {
namespace {

template <class A>
__host__ __device__ A get(const Data& data, int64_t offset) {
  return load<A>(data.dtype, data.bytes, offset);
}
template <class A>
__host__ __device__ void put(const Data& data, int64_t offset, A value) {
  store<A>(data.dtype, data.bytes, offset, value);
}

// ---- per channel
// -----------------------------------------------------------------------------------------------------------------

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
    put<A>(b.out[1], channel,
           1 / std::sqrt((variance > 0 || variance != variance ? variance : A{0}) + static_cast<A>(b.epsilon)));
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
        put<A>(b.y, at[0],
               (get<A>(b.x, at[1]) - get<A>(b.out[0], c)) * get<A>(b.out[1], c) * scale + get<A>(b.bias, c));
        return;
      case BatchNormKind::inference:
        put<A>(b.y, at[0],
               (get<A>(b.x, at[1]) - get<A>(b.mean, c)) / std::sqrt(get<A>(b.variance, c) + epsilon) * scale +
                   get<A>(b.bias, c));
        return;
      case BatchNormKind::gradient: {
        const A inverse = get<A>(b.variance, c), count = static_cast<A>(length);
        const A xhat = (get<A>(b.x, at[1]) - get<A>(b.mean, c)) * inverse;
        put<A>(
            b.y, at[0],
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
    const A inverse = get<A>(u.inv_std, c * u.strides[1]), momentum = static_cast<A>(u.momentum),
            count = static_cast<A>(u.count);
    const A variance = (1 / (inverse * inverse) - static_cast<A>(u.epsilon)) * (count > 1 ? count / (count - 1) : A{1});
    const int64_t mean_at = c * u.strides[2], variance_at = c * u.strides[3];
    put<A>(u.running_mean, mean_at,
           (1 - momentum) * get<A>(u.running_mean, mean_at) + momentum * get<A>(u.mean, c * u.strides[0]));
    put<A>(u.running_variance, variance_at,
           (1 - momentum) * get<A>(u.running_variance, variance_at) + momentum * variance);
  }
};

// ---- per line
// --------------------------------------------------------------------------------------------------------------------

/// From the sums of v and v^2, v being values less their rounded mean: how far the mean itself is off (0: not known,
/// some value is no number), and the variance. Values that are all the same are so found to be their mean.
template <class A>
__host__ __device__ A corrected(A count, A sum, A squares, A& variance) {
  A off = sum / count;
  if (!(off - off == A{0})) off = 0;
  const A spread = squares / count - off * off;
  variance = spread > 0 || spread != spread ? spread : A{0};
  return off;
}

template <class A>
struct NormLine {
  LineNorm n;

  __host__ __device__ int64_t parameter(int64_t line, int64_t i) const {
    return line % n.period * n.per_line + i / n.inner;
  }
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
    A off = 0, squares = 0, variance = 0;
    for (int64_t i = team.rank; i < n.length; i += team.size) {
      const A difference = x(line, i, at) - mean;
      off += difference;
      squares += difference * difference;
    }
    off = n.centred ? team.reduce(off, Sum{}) : A{0};
    mean += corrected(count, off, team.reduce(squares, Sum{}), variance);
    const A inverse = 1 / std::sqrt(variance + static_cast<A>(n.epsilon));
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
    const A count = static_cast<A>(n.length), mean = n.centred ? get<A>(n.mean, line) : A{0},
            inverse = get<A>(n.inverse, line);
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

// ---- dense lines
// -----------------------------------------------------------------------------------------------------------------

/// The scale and bias of a line's elements: one each, or one for `inner` neighbours.
template <class T, int kWide>
struct LineParameters {
  const T *scale, *bias;  ///< dense; bias may be null
  int64_t period, per_line;
  uint32_t inner, factor;
  uint8_t shift;

  struct Some {
    Vector<T, kWide> scale, bias;
    bool one;
    __host__ __device__ float of(float value, int k) const {
      return value * number(one ? scale.at[0] : scale.at[k]) + number(one ? bias.at[0] : bias.at[k]);
    }
  };
  __host__ __device__ int64_t of_line(int64_t line) const { return period == 1 ? 0 : line % period * per_line; }
  /// Of elements i to i + kWide - 1, which share one where `inner` is not 1. `begin`: of_line().
  __host__ __device__ Some at(int64_t begin, uint32_t i) const {
    Some some{{}, {}, inner != 1};
    const int64_t first = begin + (some.one ? divided(i, factor, shift) : i);
    if (some.one) {
      some.scale.at[0] = scale[first];
      if (bias != nullptr) some.bias.at[0] = bias[first];
    } else {
      some.scale = load_vector<kWide>(scale + first);
      if (bias != nullptr) some.bias = load_vector<kWide>(bias + first);
    }
    return some;
  }
};

/// y = (x - mean) inverse scale + bias.
template <class T, int kLanes>
struct DenseNormLine {
  static constexpr int kWide = kLanes, kHeld = kLanes == 1 ? 8 : 16;
  T* y;
  const T* x;
  LineParameters<T, kWide> parameters;
  Data mean, inverse;  ///< mean: bytes null where lines are not centred
  int64_t length;
  float epsilon;

  __host__ __device__ bool centred() const { return mean.bytes != nullptr; }
  __host__ __device__ void keep(int64_t row, float middle, float factor) const {
    if (centred()) put<float>(mean, row, middle);
    put<float>(inverse, row, factor);
  }

  template <class Team>
  __host__ __device__ void held(const Team& team, int64_t row, bool active) const {
    const int count = active ? static_cast<int>(length) : 0;
    const int64_t begin = parameters.of_line(row);
    const float elements = static_cast<float>(length);
    HeldLine<T, kWide, kHeld> line;
    line.load(team, x + row * length, count);
    float middle = 0, off = 0, squares = 0, variance = 0;
    if (centred()) {
      unrolled<kHeld>([&](int k) { middle += line.at[k]; });  // what lies behind the line is 0
      middle = team.reduce(middle, Sum{}) / elements;
    }
    line.visit(team, count, [&](float& v) {
      v -= middle;
      off += v;
      squares += v * v;
    });
    off = centred() ? team.reduce(off, Sum{}) : 0.0f;
    off = corrected(elements, off, team.reduce(squares, Sum{}), variance);
    const float factor = 1 / std::sqrt(variance + epsilon);
    unrolled<line.kPieces>([&](int piece) {
      const int first = line.first(team, piece);
      if (first >= count) return;
      const auto some = parameters.at(begin, static_cast<uint32_t>(first));
      unrolled<kWide>(
          [&](int k) { line.at[piece * kWide + k] = some.of((line.at[piece * kWide + k] - off) * factor, k); });
    });
    line.store(team, y + row * length, count);
    if (active && team.rank == 0) keep(row, middle + off, factor);
  }

  /// Sums of x less the line's first element, so that nothing large cancels.
  template <class Team>
  __host__ __device__ void streamed(const Team& team, int64_t row) const {
    const T* const from = x + row * length;
    T* const to = y + row * length;
    const int64_t begin = parameters.of_line(row);
    const float elements = static_cast<float>(length), shift = centred() ? number(from[0]) : 0.0f;
    float sum = 0, squares = 0;
    stream_line<kWide, kHeld / kWide>(team, from, length, [&](int64_t, const Vector<T, kWide>& raw) {
      unrolled<kWide>([&](int k) {
        const float v = number(raw.at[k]) - shift;
        sum += v;
        squares += v * v;
      });
    });
    const float off = centred() ? team.reduce(sum, Sum{}) / elements : 0.0f,
                spread = team.reduce(squares, Sum{}) / elements - off * off;
    const float middle = shift + off,
                factor = 1 / std::sqrt((spread > 0 || spread != spread ? spread : 0.0f) + epsilon);
    stream_line<kWide, kHeld / kWide>(team, from, length, [&](int64_t i, const Vector<T, kWide>& raw) {
      const auto some = parameters.at(begin, static_cast<uint32_t>(i));
      Vector<T, kWide> out;
      unrolled<kWide>([&](int k) { out.at[k] = rounded<T>(some.of((number(raw.at[k]) - middle) * factor, k)); });
      store_vector<kWide>(to + i, out);
    });
    if (team.rank == 0) keep(row, middle, factor);
  }
};

/// dx of a line.
template <class T, int kLanes>
struct DenseNormGradLine {
  static constexpr int kWide = kLanes, kHeld = 8;
  T* dx;
  const T *dy, *x;
  LineParameters<T, kWide> parameters;
  Data mean, inverse;
  int64_t length;

  template <class Team>
  __host__ __device__ void held(const Team& team, int64_t row, bool active) const {
    const int count = active ? static_cast<int>(length) : 0;
    const bool centred = mean.bytes != nullptr;
    const int64_t begin = parameters.of_line(row);
    HeldLine<T, kWide, kHeld> g, v;
    g.load(team, dy + row * length, count);
    v.load(team, x + row * length, count);
    const float middle = centred && active ? get<float>(mean, row) : 0.0f,
                factor = active ? get<float>(inverse, row) : 0.0f;
    float sum = 0, sum_xhat = 0;
    unrolled<g.kPieces>([&](int piece) {
      const int first = g.first(team, piece);
      if (first >= count) return;
      const auto some = parameters.at(begin, static_cast<uint32_t>(first));
      unrolled<kWide>([&](int k) {
        float &gradient = g.at[piece * kWide + k], &xhat = v.at[piece * kWide + k];
        gradient = some.of(gradient, k);
        xhat = (xhat - middle) * factor;
        sum += gradient;
        sum_xhat += gradient * xhat;
      });
    });
    sum = centred ? team.reduce(sum, Sum{}) / static_cast<float>(length) : 0.0f;
    sum_xhat = team.reduce(sum_xhat, Sum{}) / static_cast<float>(length);
    unrolled<kHeld>([&](int k) { v.at[k] = factor * (g.at[k] - sum - v.at[k] * sum_xhat); });
    v.store(team, dx + row * length, count);
  }

  template <class Team>
  __host__ __device__ void streamed(const Team& team, int64_t row) const {
    const T *const gradients = dy + row * length, *const values = x + row * length;
    const bool centred = mean.bytes != nullptr;
    const int64_t begin = parameters.of_line(row);
    const float middle = centred ? get<float>(mean, row) : 0.0f, factor = get<float>(inverse, row);
    float sum = 0, sum_xhat = 0;
    const auto each = [&](int64_t i, const Vector<T, kWide>& raw, const auto& use) {
      const Vector<T, kWide> at = load_vector<kWide>(values + i);
      const auto some = parameters.at(begin, static_cast<uint32_t>(i));
      unrolled<kWide>([&](int k) { use(k, some.of(number(raw.at[k]), k), (number(at.at[k]) - middle) * factor); });
    };
    stream_line<kWide, kHeld / kWide>(team, gradients, length, [&](int64_t i, const Vector<T, kWide>& raw) {
      each(i, raw, [&](int, float g, float xhat) {
        sum += g;
        sum_xhat += g * xhat;
      });
    });
    sum = centred ? team.reduce(sum, Sum{}) / static_cast<float>(length) : 0.0f;
    sum_xhat = team.reduce(sum_xhat, Sum{}) / static_cast<float>(length);
    stream_line<kWide, kHeld / kWide>(team, gradients, length, [&](int64_t i, const Vector<T, kWide>& raw) {
      Vector<T, kWide> out;
      each(i, raw, [&](int k, float g, float xhat) { out.at[k] = rounded<T>(factor * (g - sum - xhat * sum_xhat)); });
      store_vector<kWide>(dx + row * length + i, out);
    });
  }
};

/// Whether all lie row-major in one dtype, and parameters beside each other.
bool is_dense(const LineNorm& n) {
  const auto along = [](const auto& walk, int operand) {
    return walk.axes == 0 || (walk.axes == 1 && walk.strides[operand][0] == 1);
  };
  const DType dtype = n.x.dtype;
  return !n.wide && n.y.dtype == dtype && n.scale.dtype == dtype &&
         (n.bias.bytes == nullptr || n.bias.dtype == dtype) && (!n.gradient || n.dy.dtype == dtype) &&
         n.length < int64_t{1} << 31 && along(n.all, 1) && along(n.all, 2) && along(n.all, 3) &&
         along(n.parameters, 1) && along(n.parameters, 2);
}

template <class T, int kWide>
cudaError_t run_dense(const Launcher& launcher, const LineNorm& n) {
  LineParameters<T, kWide> parameters{static_cast<const T*>(n.scale.bytes),
                                      static_cast<const T*>(n.bias.bytes),
                                      n.period,
                                      n.per_line,
                                      static_cast<uint32_t>(n.inner),
                                      0,
                                      0};
  set_division(parameters.inner, parameters.factor, parameters.shift);
  T* const y = static_cast<T*>(n.y.bytes);
  const T* const x = static_cast<const T*>(n.x.bytes);
  if (n.gradient) {
    const DenseNormGradLine<T, kWide> line{y,       static_cast<const T*>(n.dy.bytes), x, parameters, n.mean, n.inverse,
                                           n.length};
    return for_each_line(launcher, line, n.lines, n.length);
  }
  const DenseNormLine<T, kWide> line{
      y, x, parameters, n.centred ? n.mean : Data(), n.inverse, n.length, static_cast<float>(n.epsilon)};
  return for_each_line(launcher, line, n.lines, n.length);
}

cudaError_t run_dense(const Launcher& launcher, const LineNorm& n) {
  cudaError_t code = cudaErrorNotSupported;
  with_float_type(n.x.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (sizeof(T) <= sizeof(float)) {
      constexpr int kLanes = kLanesOf<T>;
      const bool beside = n.inner == 1
                              ? is_aligned(n.scale.bytes) && is_aligned(n.bias.bytes) && n.per_line % kLanes == 0
                              : n.inner % kLanes == 0;
      const bool wide =
          beside && n.length % kLanes == 0 && is_aligned(n.x.bytes) && is_aligned(n.y.bytes) && is_aligned(n.dy.bytes);
      code = wide ? run_dense<T, kLanes>(launcher, n) : run_dense<T, 1>(launcher, n);
    }
  });
  return code;
}

// ----------------------------------------------------------------------------------------------------------------------------------

/// dscale and dbias of one parameter: over all lines that have it, and the values it scales in each.
template <class A>
struct ParameterSums {
  using Value = A;
  int64_t groups, length;
  LineNorm n;

  __host__ __device__ Pair<A> term(int64_t parameter, int64_t e) const {
    const int64_t line = e / n.inner * n.period + parameter / n.per_line,
                  i = parameter % n.per_line * n.inner + e % n.inner;
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
  const cudaError_t code = is_dense(n) && !launcher.on_host ? run_dense(launcher, n)
                                                            : for_each_row(launcher, NormLine<A>{n}, n.lines, n.length);
  if (code != cudaSuccess || !n.gradient) return code;
  const int64_t parameters = n.period * n.per_line;
  const ParameterSums<A> sums{parameters, n.lines / n.period * n.inner, n};
  return sum_groups(launcher, sums, {n.spread.columns, n.spread.parts, n.spread.pairs});
}

}  // namespace

cudaError_t launch(const Launcher& launcher, const BatchNorm& b) {
  return b.wide ? run<double>(launcher, b) : run<float>(launcher, b);
}
cudaError_t launch(const Launcher& launcher, const LineNorm& n) {
  return n.wide ? run<double>(launcher, n) : run<float>(launcher, n);
}
cudaError_t launch(const Launcher& launcher, const RunningUpdate& u) {
  return u.wide ? for_each_element(launcher, UpdateChannel<double>{u}, u.channels)
                : for_each_element(launcher, UpdateChannel<float>{u}, u.channels);
}

}  // namespace engine::cuda
