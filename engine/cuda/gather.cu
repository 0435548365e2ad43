// SPDX-License-Identifier: Apache-2.0
// gather: a thread per element picked. Its gradient: a team per index; the first of equal indices adds up the slices of
// all of them, so that sums have one order. embedding_bag, triangle: a thread per element of the result.
#include "engine/cuda/gather.h"

#include <cmath>

#include "engine/cuda/numbers.cuh"
#include "engine/cuda/teams.cuh"

namespace engine::cuda {
namespace {

/// Counted from the end where negative; -1 where it lies outside.
__host__ __device__ inline int64_t index_inside(int64_t index, int64_t extent) {
  if (index < -extent || index >= extent) return -1;
  return index < 0 ? index + extent : index;
}

struct Picker {
  Gather g;
  __host__ __device__ int64_t index(int64_t slice) const {
    int64_t at[2];
    offsets_at(g.slices, slice, at);
    return index_inside(load<int64_t>(g.indices.dtype, g.indices.bytes, at[1]), g.extent);
  }
  __host__ __device__ int64_t table_offset(int64_t outer, int64_t index, int64_t inner) const {
    int64_t from[2], within[2];
    offsets_at(g.outer, outer, from);
    offsets_at(g.inner, inner, within);
    return from[1] + index * g.axis_stride + within[1];
  }
  __host__ __device__ int64_t picked_offset(int64_t outer, int64_t slice, int64_t inner) const {
    int64_t at[2];
    offsets_at(g.elements, (outer * g.slices.count + slice) * g.inner.count + inner, at);
    return at[1];
  }
};

/// Bits move as they are; what lies outside becomes NaN, 0 in types without a NaN.
template <class T>
struct PickElement {
  Picker picker;
  __host__ __device__ void operator()(int64_t i) const {
    const Gather& g = picker.g;
    const int64_t inner = i % g.inner.count, slice = i / g.inner.count % g.slices.count,
                  outer = i / g.inner.count / g.slices.count;
    const int64_t index = picker.index(slice), to = picker.picked_offset(outer, slice, inner);
    if (index >= 0) {
      static_cast<T*>(g.picked.bytes)[to] =
          static_cast<const T*>(g.table.bytes)[picker.table_offset(outer, index, inner)];
    } else {
      store<double>(g.picked.dtype, g.picked.bytes, to, is_float(g.picked.dtype) ? static_cast<double>(NAN) : 0.0);
    }
  }
  __host__ __device__ static bool is_float(DType dtype) {
    return dtype == DType::float64 || dtype == DType::float32 || dtype == DType::bfloat16 || dtype == DType::float16;
  }
};

template <class A>
struct AddSlices {
  Picker picker;

  template <class Team>
  __host__ __device__ void operator()(const Team& team, int64_t row) const {
    const Gather& g = picker.g;
    const int64_t outer = row / g.slices.count, slice = row % g.slices.count, index = picker.index(slice);
    int64_t earlier = index < 0 ? 1 : 0;
    for (int64_t other = team.rank; other < slice && earlier == 0; other += team.size)
      earlier = picker.index(other) == index ? 1 : 0;
    if (team.reduce(earlier, Max{}) != 0) return;
    for (int64_t inner = team.rank; inner < g.inner.count; inner += team.size) {
      A total = 0;
      for (int64_t other = slice; other < g.slices.count; ++other) {
        if (picker.index(other) == index)
          total += load<A>(g.picked.dtype, g.picked.bytes, picker.picked_offset(outer, other, inner));
      }
      store<A>(g.table.dtype, g.table.bytes, picker.table_offset(outer, index, inner), total);
    }
  }
};

template <class A>
struct BagElement {
  EmbeddingBag e;
  __host__ __device__ void operator()(int64_t i) const {
    const int64_t bag = i / e.width, k = i % e.width;
    A total = 0;
    for (int64_t l = 0; l < e.length; ++l) {
      const int64_t index = index_inside(
          load<int64_t>(e.indices.dtype, e.indices.bytes, bag * e.index_strides[0] + l * e.index_strides[1]), e.rows);
      total += index < 0
                   ? static_cast<A>(NAN)
                   : load<A>(e.weight.dtype, e.weight.bytes, index * e.weight_strides[0] + k * e.weight_strides[1]);
    }
    if (e.mean && e.length > 0) total /= static_cast<A>(e.length);
    store<A>(e.y.dtype, e.y.bytes, bag * e.y_strides[0] + k * e.y_strides[1], total);
  }
};

/// Bits move as they are; zero is all bits 0 in every type.
template <class T>
struct TriangleElement {
  Triangle t;
  __host__ __device__ void operator()(int64_t i) const {
    int64_t at[3];
    offsets_at(t.elements, i, at);
    const int64_t diagonal = at[0] % t.columns - at[0] / t.columns % t.rows;
    const bool keeps = t.upper ? diagonal >= t.k : diagonal <= t.k;
    static_cast<T*>(t.y.bytes)[at[2]] = keeps ? static_cast<const T*>(t.x.bytes)[at[1]] : T{0};
  }
};

/// `launch_as` with the unsigned type of so many bytes.
template <class Launch>
cudaError_t by_size(int64_t bytes, Launch&& launch_as) {
  switch (bytes) {
    case 1: return launch_as(uint8_t{});
    case 2: return launch_as(uint16_t{});
    case 4: return launch_as(uint32_t{});
    default: return launch_as(uint64_t{});
  }
}

}  // namespace

cudaError_t launch(const Launcher& launcher, const Gather& g) {
  const Picker picker{g};
  if (g.gradient) {
    const int64_t rows = g.outer.count * g.slices.count, length = std::max(g.inner.count, g.slices.count);
    switch (g.arithmetic) {
      case Arithmetic::float64: return for_each_row(launcher, AddSlices<double>{picker}, rows, length);
      case Arithmetic::whole: return for_each_row(launcher, AddSlices<int64_t>{picker}, rows, length);
      default: return for_each_row(launcher, AddSlices<float>{picker}, rows, length);
    }
  }
  const int64_t count = g.outer.count * g.slices.count * g.inner.count;
  return by_size(size_bytes(g.table.dtype),
                 [&](auto bits) { return for_each_element(launcher, PickElement<decltype(bits)>{picker}, count); });
}

cudaError_t launch(const Launcher& launcher, const EmbeddingBag& e) {
  return e.wide ? for_each_element(launcher, BagElement<double>{e}, e.bags * e.width)
                : for_each_element(launcher, BagElement<float>{e}, e.bags * e.width);
}

cudaError_t launch(const Launcher& launcher, const Triangle& t) {
  return by_size(size_bytes(t.x.dtype), [&](auto bits) {
    return for_each_element(launcher, TriangleElement<decltype(bits)>{t}, t.elements.count);
  });
}

}  // namespace engine::cuda
