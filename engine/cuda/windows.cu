// SPDX-License-Identifier: Apache-2.0
// A thread per element of the result, which gathers its neighbours.
#include "engine/cuda/windows.h"

#include <cmath>

#include "engine/cuda/numbers.cuh"
#include "engine/cuda/teams.cuh"

namespace engine::cuda {
namespace {

template <class A>
struct ResponseElement {
  ResponseNorm r;

  __host__ __device__ A x(int64_t at) const { return load<A>(r.x.dtype, r.x.bytes, at); }
  /// bias + alpha / size * sum of squares around `channel`; `at`: where x of channel 0 stands.
  __host__ __device__ A denominator(int64_t at, int64_t channel) const {
    const int64_t begin = max(int64_t{0}, channel - (r.size - 1) / 2), end = min(r.channels - 1, channel + r.size / 2);
    A total = 0;
    for (int64_t c = begin; c <= end; ++c) {
      const A value = x(at + c * r.x_step);
      total += value * value;
    }
    return static_cast<A>(r.bias) + static_cast<A>(r.alpha) / static_cast<A>(r.size) * total;
  }
  __host__ __device__ void operator()(int64_t i) const {
    int64_t at[4];
    offsets_at(r.all, i, at);
    const int64_t channel = at[3], x_line = at[1] - channel * r.x_step, dy_line = at[2] - channel * r.dy_step;
    const A beta = static_cast<A>(r.beta), power = std::pow(denominator(x_line, channel), -beta);
    if (!r.gradient) return store<A>(r.y.dtype, r.y.bytes, at[0], x(at[1]) * power);
    // the windows that hold this channel are mirrored
    const int64_t begin = max(int64_t{0}, channel - r.size / 2), end = min(r.channels - 1, channel + (r.size - 1) / 2);
    A total = 0;
    for (int64_t c = begin; c <= end; ++c) {
      total += load<A>(r.dy.dtype, r.dy.bytes, dy_line + c * r.dy_step) * x(x_line + c * r.x_step) *
               std::pow(denominator(x_line, c), -beta - 1);
    }
    const A factor = 2 * static_cast<A>(r.alpha) * beta / static_cast<A>(r.size);
    store<A>(r.y.dtype, r.y.bytes, at[0], load<A>(r.dy.dtype, r.dy.bytes, at[2]) * power - factor * x(at[1]) * total);
  }
};

template <class A>
struct ColumnElement {
  Columns c;

  __host__ __device__ int64_t column_offset(int64_t n, int64_t channel, int64_t u, int64_t v, int64_t i,
                                            int64_t j) const {
    return n * c.column_strides[0] + ((channel * c.kernel[0] + u) * c.kernel[1] + v) * c.column_strides[1] +
           (i * c.output[1] + j) * c.column_strides[2];
  }
  __host__ __device__ int64_t image_offset(int64_t n, int64_t channel, int64_t row, int64_t column) const {
    return n * c.image_strides[0] + channel * c.image_strides[1] + row * c.image_strides[2] +
           column * c.image_strides[3];
  }
  __host__ __device__ void operator()(int64_t e) const { c.back ? gather(e) : unfold(e); }

  __host__ __device__ void unfold(int64_t e) const {
    const int64_t j = e % c.output[1], i = e / c.output[1] % c.output[0];
    int64_t rest = e / c.output[1] / c.output[0];
    const int64_t v = rest % c.kernel[1], u = rest / c.kernel[1] % c.kernel[0];
    rest = rest / c.kernel[1] / c.kernel[0];
    const int64_t channel = rest % c.channels, n = rest / c.channels;
    const int64_t row = i * c.stride[0] + u * c.dilation[0] - c.padding[0],
                  column = j * c.stride[1] + v * c.dilation[1] - c.padding[1];
    const bool inside = row >= 0 && row < c.input[0] && column >= 0 && column < c.input[1];
    store<A>(c.columns.dtype, c.columns.bytes, column_offset(n, channel, u, v, i, j),
             inside ? load<A>(c.image.dtype, c.image.bytes, image_offset(n, channel, row, column)) : A{0});
  }
  /// All taps of all windows that meet a pixel, added up.
  __host__ __device__ void gather(int64_t e) const {
    const int64_t column = e % c.input[1], row = e / c.input[1] % c.input[0], plane = e / c.input[1] / c.input[0];
    const int64_t channel = plane % c.channels, n = plane / c.channels;
    A total = 0;
    for (int64_t u = 0; u < c.kernel[0]; ++u) {
      const int64_t down = row + c.padding[0] - u * c.dilation[0], i = down / c.stride[0];
      if (down < 0 || i * c.stride[0] != down || i >= c.output[0]) continue;
      for (int64_t v = 0; v < c.kernel[1]; ++v) {
        const int64_t right = column + c.padding[1] - v * c.dilation[1], j = right / c.stride[1];
        if (right < 0 || j * c.stride[1] != right || j >= c.output[1]) continue;
        total += load<A>(c.columns.dtype, c.columns.bytes, column_offset(n, channel, u, v, i, j));
      }
    }
    store<A>(c.image.dtype, c.image.bytes, image_offset(n, channel, row, column), total);
  }
};

}  // namespace

cudaError_t launch(const Launcher& launcher, const ResponseNorm& r) {
  return r.wide ? for_each_element(launcher, ResponseElement<double>{r}, r.all.count)
                : for_each_element(launcher, ResponseElement<float>{r}, r.all.count);
}

cudaError_t launch(const Launcher& launcher, const Columns& c) {
  const int64_t images = c.batch * c.channels;
  const int64_t count =
      images * (c.back ? c.input[0] * c.input[1] : c.kernel[0] * c.kernel[1] * c.output[0] * c.output[1]);
  return c.wide ? for_each_element(launcher, ColumnElement<double>{c}, count)
                : for_each_element(launcher, ColumnElement<float>{c}, count);
}

}  // namespace engine::cuda
