// SPDX-License-Identifier: Apache-2.0
// Pooling kernels: a thread per element of the result; gradients gather what their windows give, so nothing is added in
// any order.
#include "engine/cuda/pooling.h"

#include <cmath>

#include "engine/cuda/numbers.cuh"
#include "engine/cuda/teams.cuh"

namespace engine::cuda {
namespace {

struct Place {
  int64_t image, channel, at[3];
};

/// Element i of [batch, three axes, channels]: neighbours are channels, as images lie in memory.
__host__ __device__ inline Place place_of(int64_t i, int64_t channels, const int64_t (&extents)[3]) {
  Place p;
  int64_t rest = i / channels;
  p.channel = i - rest * channels;
  for (int axis = 2; axis >= 0; --axis) {
    const int64_t up = rest / extents[axis];
    p.at[axis] = rest - up * extents[axis];
    rest = up;
  }
  p.image = rest;
  return p;
}

__host__ __device__ inline int64_t offset_of(const Place& p, const int64_t (&strides)[5]) {
  return p.image * strides[0] + p.channel * strides[1] + p.at[0] * strides[2] + p.at[1] * strides[3] +
         p.at[2] * strides[4];
}

struct Range {
  int64_t begin, end;
};

/// Taps of the window of output `out` that lie inside the input.
__host__ __device__ inline Range taps_inside(const Pool& w, int axis, int64_t out) {
  const int64_t first = out * w.stride[axis] - w.padding[axis], dilation = w.dilation[axis];
  const int64_t begin = first >= 0 ? 0 : (-first + dilation - 1) / dilation;
  const int64_t end = w.input[axis] <= first ? 0 : min(w.kernel[axis], (w.input[axis] - 1 - first) / dilation + 1);
  return {begin, max(begin, end)};
}

/// Outputs whose window covers input `in` (without dilation).
__host__ __device__ inline Range outputs_over(const Pool& w, int axis, int64_t in) {
  const int64_t shifted = in + w.padding[axis], stride = w.stride[axis];
  const int64_t low = shifted - w.kernel[axis] + 1;
  const int64_t begin = low <= 0 ? 0 : (low + stride - 1) / stride, end = min(w.output[axis], shifted / stride + 1);
  return {begin, max(begin, end)};
}

template <class A>
struct PoolElement {
  Pool w;

  /// Calls visit(position in the volume, offset in x) for each input that the window of `out` covers, in row-major
  /// order.
  template <class Visit>
  __host__ __device__ void for_each_covered(const Place& out, const Visit& visit) const {
    Range taps[3];
    for (int axis = 0; axis < 3; ++axis) taps[axis] = taps_inside(w, axis, out.at[axis]);
    for (int64_t t = taps[0].begin; t < taps[0].end; ++t) {
      for (int64_t u = taps[1].begin; u < taps[1].end; ++u) {
        for (int64_t v = taps[2].begin; v < taps[2].end; ++v) {
          Place in = out;
          const int64_t tap[3] = {t, u, v};
          for (int axis = 0; axis < 3; ++axis)
            in.at[axis] = out.at[axis] * w.stride[axis] - w.padding[axis] + tap[axis] * w.dilation[axis];
          visit((in.at[0] * w.input[1] + in.at[1]) * w.input[2] + in.at[2], offset_of(in, w.x_strides));
        }
      }
    }
  }

  __host__ __device__ A divisor(const Place& out) const {
    int64_t count = 1;
    for (int axis = 0; axis < 3; ++axis) {
      const Range taps = taps_inside(w, axis, out.at[axis]);
      const int64_t begin = out.at[axis] * w.stride[axis] - w.padding[axis];
      count *= w.count_include_pad ? min(begin + w.kernel[axis], w.input[axis] + w.padding_after[axis]) - begin
                                   : taps.end - taps.begin;
    }
    return static_cast<A>(count);
  }

  __host__ __device__ void operator()(int64_t i) const {
    switch (w.kind) {
      case PoolKind::max: return max_of(place_of(i, w.channels, w.output));
      case PoolKind::average: return average_of(place_of(i, w.channels, w.output));
      case PoolKind::max_tangent: return tangent_of(place_of(i, w.channels, w.output));
      default: return gradient_of(place_of(i, w.channels, w.input));
    }
  }

  __host__ __device__ void max_of(const Place& out) const {
    int64_t best = -1;
    A largest = -static_cast<A>(INFINITY);
    for_each_covered(out, [&](int64_t position, int64_t offset) {
      const A value = load<A>(w.x.dtype, w.x.bytes, offset);
      if (best < 0 || value > largest || (value != value && largest == largest)) {
        best = position;
        largest = value;
      }
    });
    store<A>(w.y.dtype, w.y.bytes, offset_of(out, w.y_strides), largest);
    store<int64_t>(w.indices.dtype, w.indices.bytes, offset_of(out, w.index_strides), best);
  }

  __host__ __device__ void average_of(const Place& out) const {
    A total = 0;
    for_each_covered(out, [&](int64_t, int64_t offset) { total += load<A>(w.x.dtype, w.x.bytes, offset); });
    store<A>(w.y.dtype, w.y.bytes, offset_of(out, w.y_strides), total / divisor(out));
  }

  /// dy = dx at the index.
  __host__ __device__ void tangent_of(const Place& out) const {
    const int64_t index = load<int64_t>(w.indices.dtype, w.indices.bytes, offset_of(out, w.index_strides));
    A value = 0;
    if (index >= 0 && index < w.input[0] * w.input[1] * w.input[2]) {
      Place in = out;
      in.at[2] = index % w.input[2];
      in.at[1] = index / w.input[2] % w.input[1];
      in.at[0] = index / w.input[2] / w.input[1];
      value = load<A>(w.x.dtype, w.x.bytes, offset_of(in, w.x_strides));
    }
    store<A>(w.y.dtype, w.y.bytes, offset_of(out, w.y_strides), value);
  }

  __host__ __device__ bool covers(const Place& out, const Place& in) const {
    for (int axis = 0; axis < 3; ++axis) {
      const int64_t from = in.at[axis] + w.padding[axis] - out.at[axis] * w.stride[axis];
      if (from < 0 || from % w.dilation[axis] != 0 || from / w.dilation[axis] >= w.kernel[axis]) return false;
    }
    return true;
  }

  /// The sum of what the windows over this input give it.
  __host__ __device__ void gradient_of(const Place& in) const {
    const int64_t position = (in.at[0] * w.input[1] + in.at[1]) * w.input[2] + in.at[2];
    Range outs[3];
    for (int axis = 0; axis < 3; ++axis) {
      Pool reach = w;
      reach.kernel[axis] = (w.kernel[axis] - 1) * w.dilation[axis] + 1;
      outs[axis] = outputs_over(reach, axis, in.at[axis]);
    }
    A total = 0;
    Place out = in;
    for (out.at[0] = outs[0].begin; out.at[0] < outs[0].end; ++out.at[0]) {
      for (out.at[1] = outs[1].begin; out.at[1] < outs[1].end; ++out.at[1]) {
        for (out.at[2] = outs[2].begin; out.at[2] < outs[2].end; ++out.at[2]) {
          if (!covers(out, in)) continue;
          const A dy = load<A>(w.y.dtype, w.y.bytes, offset_of(out, w.y_strides));
          if (w.kind == PoolKind::average_gradient) {
            total += dy / divisor(out);
          } else if (load<int64_t>(w.indices.dtype, w.indices.bytes, offset_of(out, w.index_strides)) == position) {
            total += dy;
          }
        }
      }
    }
    store<A>(w.x.dtype, w.x.bytes, offset_of(in, w.x_strides), total);
  }
};

/// Indices come from a graph's bytes: those that point outside of their window are added here, plane by plane. Max
/// pooling itself makes none.
template <class A>
struct AddStrays {
  PoolElement<A> pool;
  __host__ __device__ void operator()(int64_t plane) const {
    const Pool& w = pool.w;
    const int64_t outputs = w.output[0] * w.output[1] * w.output[2], inputs = w.input[0] * w.input[1] * w.input[2];
    Place out{plane / w.channels, plane % w.channels, {}}, in = out;
    for (int64_t o = 0; o < outputs; ++o) {
      out.at[2] = o % w.output[2];
      out.at[1] = o / w.output[2] % w.output[1];
      out.at[0] = o / w.output[2] / w.output[1];
      const int64_t index = load<int64_t>(w.indices.dtype, w.indices.bytes, offset_of(out, w.index_strides));
      if (index < 0 || index >= inputs) continue;
      in.at[2] = index % w.input[2];
      in.at[1] = index / w.input[2] % w.input[1];
      in.at[0] = index / w.input[2] / w.input[1];
      if (pool.covers(out, in)) continue;
      const int64_t at = offset_of(in, w.x_strides);
      store<A>(w.x.dtype, w.x.bytes, at,
               load<A>(w.x.dtype, w.x.bytes, at) + load<A>(w.y.dtype, w.y.bytes, offset_of(out, w.y_strides)));
    }
  }
};

template <class A>
cudaError_t run(const Launcher& launcher, const Pool& w) {
  const bool gradient = w.kind == PoolKind::max_gradient || w.kind == PoolKind::average_gradient;
  const int64_t planes = w.batch * w.channels;
  const int64_t count =
      planes * (gradient ? w.input[0] * w.input[1] * w.input[2] : w.output[0] * w.output[1] * w.output[2]);
  const PoolElement<A> element{w};
  const cudaError_t code = for_each_element(launcher, element, count);
  if (code != cudaSuccess || w.kind != PoolKind::max_gradient) return code;
  return for_each_element(launcher, AddStrays<A>{element}, planes, 1);
}

}  // namespace

cudaError_t launch(const Launcher& launcher, const Pool& w) {
  return w.wide ? run<double>(launcher, w) : run<float>(launcher, w);
}

}  // namespace engine::cuda
