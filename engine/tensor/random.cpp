// SPDX-License-Identifier: Apache-2.0
// Fills: a hash of (seed, stream, position) per element, so that threads and layouts do not matter.
#include "engine/tensor/random.h"

#include <cmath>

#include "engine/base/thread_team.h"
#include "engine/tensor/element.h"

namespace engine {
namespace {

constexpr int64_t kParallelFrom = 16'384;  // elements; below, starting threads costs more (design/engine.md, section 6)

/// The finaliser of SplitMix64. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA 2014.
uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

constexpr uint64_t kGolden = 0x9e3779b97f4a7c15u;  // 2^64 / golden ratio, SplitMix64's increment

/// Uniform in (0, 1), never 0 or 1: the middle of one of 2^52 equal parts (53 bits would round up
/// to 1).
double uniform(uint64_t key, uint64_t position) {
  return (static_cast<double>(mix(key + position * kGolden) >> 12) + 0.5) * 0x1p-52;
}

/// Inverse of the normal distribution function, relative error below 1.2e-9.
/// Source: P. J. Acklam, "An algorithm for computing the inverse normal cumulative distribution
/// function", 2003.
double normal_quantile(double p) {
  constexpr double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                          1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
  constexpr double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02, 6.680131188771972e+01,
                          -1.328068155288572e+01};
  constexpr double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                          -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
  constexpr double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00, 3.754408661907416e+00};
  constexpr double kTail = 0.02425;
  if (p >= kTail && p <= 1 - kTail) {
    const double q = p - 0.5, r = q * q;
    return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
           (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
  }
  const double q = std::sqrt(-2 * std::log(p < 0.5 ? p : 1 - p));
  const double x = (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
                   ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
  return p < 0.5 ? x : -x;
}

/// The value at one logical position.
double value_at(const Fill& fill, uint64_t key, int64_t position) {
  const auto counter = static_cast<uint64_t>(position);
  switch (fill.kind) {
    case Fill::Kind::zeros: return 0;
    case Fill::Kind::ones: return 1;
    case Fill::Kind::constant: return fill.a;
    case Fill::Kind::uniform: return fill.a + (fill.b - fill.a) * uniform(key, counter);
    case Fill::Kind::normal: return fill.a + fill.b * normal_quantile(uniform(key, counter));
    case Fill::Kind::integers: return fill.a + std::floor((fill.b - fill.a) * uniform(key, counter));
    case Fill::Kind::arange: return static_cast<double>(position) / (fill.b == 0 ? 1 : fill.b);
  }
  return 0;
}

/// An axis with its extent and stride, in the tensor's logical order.
struct Walk {
  const Tensor& tensor;
  const Fill& fill;
  uint64_t key;

  /// Fills the logical positions [begin, end) of one part of the last axis, which start at
  /// `address`.
  void row(std::byte* address, int64_t stride, int64_t begin, int64_t count) const {
    const DType dtype = tensor.dtype();
    if (dtype == DType::float32) {
      auto* out = reinterpret_cast<float*>(address);
      for (int64_t i = 0; i < count; ++i) out[i * stride] = static_cast<float>(value_at(fill, key, begin + i));
      return;
    }
    const int64_t size = size_bytes(dtype);
    for (int64_t i = 0; i < count; ++i)
      store_element(dtype, address + i * stride * size, value_at(fill, key, begin + i));
  }
};

}  // namespace

void fill(const Tensor& tensor, const Fill& fill, uint64_t seed, uint64_t stream) {
  const int64_t elements = tensor.type().elements();
  if (elements == 0) return;
  const Walk walk{tensor, fill, mix(mix(seed + kGolden) + stream * kGolden)};
  const Shape& shape = tensor.shape();
  const Strides& strides = tensor.strides();

  // Rows along the last axis; one long row of a dense tensor is cut into parts so that threads
  // share it.
  const bool dense = is_contiguous(shape, strides);
  constexpr int64_t kPart = 4096;
  const int64_t length = dense ? kPart : shape.back();
  const int64_t rows = (elements + length - 1) / length;
  const int64_t stride = dense ? 1 : strides.back();
  const int64_t size = size_bytes(tensor.dtype());
  const auto fill_row = [&](int64_t row) {
    const int64_t begin = row * length;
    int64_t offset = dense ? begin : 0;
    for (int64_t axis = tensor.type().rank() - 2, rest = row; !dense && axis >= 0; --axis) {
      const auto i = static_cast<size_t>(axis);
      offset += rest % shape[i] * strides[i];
      rest /= shape[i];
    }
    walk.row(tensor.data() + offset * size, stride, begin, std::min(length, elements - begin));
  };
  if (elements < kParallelFrom) {
    for (int64_t row = 0; row < rows; ++row) fill_row(row);
    return;
  }
  run_team(calling_thread_count(), [&](int64_t me, int64_t team) {
    for (int64_t row = rows * me / team; row < rows * (me + 1) / team; ++row) fill_row(row);
  });
}

}  // namespace engine
