// SPDX-License-Identifier: Apache-2.0
// Convolutions as implicit products: nothing is unrolled in memory, each element is found where the product needs it.
#include "engine/cuda/convolution.h"

#include "engine/cuda/gemm.cuh"
#include "engine/cuda/numbers.cuh"

namespace engine::cuda {
namespace {

template <class A>
__host__ __device__ A at_or_zero(const Data& data, int64_t base, int64_t offset) {
  return offset < 0 ? A{0} : load<A>(data.dtype, data.bytes, base + offset);
}

/// y[pixel, out channel] = sum over taps and channels of x[...] w[...]; one product per group.
template <class A>
struct Forward {
  using Value = A;
  struct Row {
    int64_t base;
    Triple out;
  };
  using Column = int64_t;
  struct Depth {
    Triple tap;
    int64_t channel, weight;
  };
  static constexpr bool kDepthFastA = true, kDepthFastB = true;
  int64_t m, n, k, batches;
  Convolution c;

  __host__ __device__ Row row(int64_t group, int64_t i) const {
    const ConvolutionShape& s = c.shape;
    const int64_t image = i / s.outputs();
    return {image * s.x_strides[0] + group * s.in_channels * s.x_strides[1], split3(i - image * s.outputs(), s.output)};
  }
  __host__ __device__ Column column(int64_t group, int64_t j) const { return (group * n + j) * c.shape.w_strides[0]; }
  __host__ __device__ Depth depth(int64_t, int64_t l) const {
    const ConvolutionShape& s = c.shape;
    const int64_t index = l / s.in_channels, channel = l - index * s.in_channels;
    const Triple tap = split3(index, s.kernel);
    return {tap, channel * s.x_strides[1],
            channel * s.w_strides[1] + tap.at[0] * s.w_strides[2] + tap.at[1] * s.w_strides[3] +
                tap.at[2] * s.w_strides[4]};
  }
  __host__ __device__ A a(const Row& row, const Depth& depth) const {
    return at_or_zero<A>(c.x, row.base + depth.channel, input_offset(c.shape, row.out, depth.tap));
  }
  __host__ __device__ A b(const Depth& depth, Column column) const {
    return load<A>(c.w.dtype, c.w.bytes, column + depth.weight);
  }
  __host__ __device__ void set(int64_t group, int64_t i, int64_t j, A value) const {
    const ConvolutionShape& s = c.shape;
    const int64_t image = i / s.outputs(), channel = group * n + j;
    const Triple out = split3(i - image * s.outputs(), s.output);
    if (c.bias.bytes != nullptr) value += load<A>(c.bias.dtype, c.bias.bytes, channel * c.bias_stride);
    store<A>(c.y.dtype, c.y.bytes,
             image * s.y_strides[0] + channel * s.y_strides[1] + out.at[0] * s.y_strides[2] +
                 out.at[1] * s.y_strides[3] + out.at[2] * s.y_strides[4],
             value);
  }
};

/// dx[pixel, in channel] = sum over taps and out channels of dy[...] w[...].
template <class A>
struct ByInput {
  using Value = A;
  struct Row {
    int64_t base;
    Triple in;
  };
  using Column = int64_t;
  struct Depth {
    Triple tap;
    int64_t channel, weight;
  };
  static constexpr bool kDepthFastA = true, kDepthFastB = false;
  int64_t m, n, k, batches;
  Convolution c;

  __host__ __device__ Row row(int64_t group, int64_t i) const {
    const ConvolutionShape& s = c.shape;
    const int64_t image = i / s.inputs();
    return {image * s.y_strides[0] + group * s.out_channels * s.y_strides[1], split3(i - image * s.inputs(), s.input)};
  }
  __host__ __device__ Column column(int64_t, int64_t j) const { return j * c.shape.w_strides[1]; }
  __host__ __device__ Depth depth(int64_t group, int64_t l) const {
    const ConvolutionShape& s = c.shape;
    const int64_t index = l / s.out_channels, channel = l - index * s.out_channels;
    const Triple tap = split3(index, s.kernel);
    return {tap, channel * s.y_strides[1],
            (group * s.out_channels + channel) * s.w_strides[0] + tap.at[0] * s.w_strides[2] +
                tap.at[1] * s.w_strides[3] + tap.at[2] * s.w_strides[4]};
  }
  __host__ __device__ A a(const Row& row, const Depth& depth) const {
    return at_or_zero<A>(c.y, row.base + depth.channel, output_offset(c.shape, row.in, depth.tap));
  }
  __host__ __device__ A b(const Depth& depth, Column column) const {
    return load<A>(c.w.dtype, c.w.bytes, column + depth.weight);
  }
  __host__ __device__ void set(int64_t group, int64_t i, int64_t j, A value) const {
    const ConvolutionShape& s = c.shape;
    const int64_t image = i / s.inputs();
    const Triple in = split3(i - image * s.inputs(), s.input);
    store<A>(c.x.dtype, c.x.bytes,
             image * s.x_strides[0] + (group * n + j) * s.x_strides[1] + in.at[0] * s.x_strides[2] +
                 in.at[1] * s.x_strides[3] + in.at[2] * s.x_strides[4],
             value);
  }
};

/// dw[out channel, tap and in channel] = sum over all pixels of dy[...] x[...].
template <class A>
struct ByWeight {
  using Value = A;
  using Row = int64_t;
  struct Column {
    Triple tap;
    int64_t base;
  };
  struct Depth {
    int64_t dy, x;
    Triple out;
  };
  static constexpr bool kDepthFastA = false, kDepthFastB = false;
  int64_t m, n, k, batches;
  Convolution c;

  __host__ __device__ Row row(int64_t group, int64_t i) const { return (group * m + i) * c.shape.y_strides[1]; }
  __host__ __device__ Column column(int64_t group, int64_t j) const {
    const ConvolutionShape& s = c.shape;
    const int64_t index = j / s.in_channels, channel = j - index * s.in_channels;
    return {split3(index, s.kernel), (group * s.in_channels + channel) * s.x_strides[1]};
  }
  __host__ __device__ Depth depth(int64_t, int64_t l) const {
    const ConvolutionShape& s = c.shape;
    const int64_t image = l / s.outputs();
    const Triple out = split3(l - image * s.outputs(), s.output);
    return {
        image * s.y_strides[0] + out.at[0] * s.y_strides[2] + out.at[1] * s.y_strides[3] + out.at[2] * s.y_strides[4],
        image * s.x_strides[0], out};
  }
  __host__ __device__ A a(Row row, const Depth& depth) const { return load<A>(c.y.dtype, c.y.bytes, row + depth.dy); }
  __host__ __device__ A b(const Depth& depth, const Column& column) const {
    return at_or_zero<A>(c.x, column.base + depth.x, input_offset(c.shape, depth.out, column.tap));
  }
  __host__ __device__ void set(int64_t group, int64_t i, int64_t j, A value) const {
    const ConvolutionShape& s = c.shape;
    const int64_t index = j / s.in_channels, channel = j - index * s.in_channels;
    const Triple tap = split3(index, s.kernel);
    store<A>(c.w.dtype, c.w.bytes,
             (group * m + i) * s.w_strides[0] + channel * s.w_strides[1] + tap.at[0] * s.w_strides[2] +
                 tap.at[1] * s.w_strides[3] + tap.at[2] * s.w_strides[4],
             value);
  }
};

template <template <class> class F, class A>
cudaError_t run(const Launcher& launcher, const Convolution& c) {
  const ProductExtents e = product_extents(c.kind, c.shape);
  return multiply(launcher, F<A>{e.m, e.n, e.k, e.batches, c}, {c.parts.count, c.parts.length, c.sums});
}

template <template <class> class F>
cudaError_t run_in(const Launcher& launcher, const Convolution& c) {
  switch (c.arithmetic) {
    case Arithmetic::float64: return run<F, double>(launcher, c);
    case Arithmetic::whole: return run<F, int64_t>(launcher, c);
    default: return run<F, float>(launcher, c);
  }
}

}  // namespace

cudaError_t launch(const Launcher& launcher, const Convolution& c) {
  switch (c.kind) {
    case Convolve::forward: return run_in<Forward>(launcher, c);
    case Convolve::by_input: return run_in<ByInput>(launcher, c);
    default: return run_in<ByWeight>(launcher, c);
  }
}

}  // namespace engine::cuda
