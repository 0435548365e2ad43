// SPDX-License-Identifier: Apache-2.0
// Elements of tensors in kernels: the types that are stored, the types that are computed in, and the conversions
// between them.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cfloat>
#include <climits>
#include <cstdint>
#include <cstring>
#include <utility>

#include "engine/tensor/dtype.h"

namespace engine::cuda {

/// What is computed in: double for double, float for everything narrower.
template <class T>
struct ComputedIn {
  using Type = float;
};
template <>
struct ComputedIn<double> {
  using Type = double;
};
template <class T>
using Computed = typename ComputedIn<T>::Type;

__host__ __device__ inline double number(double x) { return x; }
__host__ __device__ inline float number(float x) { return x; }
__host__ __device__ inline float number(__nv_bfloat16 x) { return __bfloat162float(x); }
__host__ __device__ inline float number(__half x) { return __half2float(x); }

/// The float whose rounding to 16 bits is that of `x` itself. Source: Boldo, Melquiond, "When double rounding is odd",
/// 2005.
__host__ __device__ inline float round_to_odd(double x) {
  const float nearest = static_cast<float>(x);
  if (static_cast<double>(nearest) == x || !(nearest - nearest == 0)) return nearest;
  uint32_t bits;
  memcpy(&bits, &nearest, sizeof bits);
  const double magnitude = x < 0 ? -x : x, rounded = nearest < 0 ? -nearest : nearest;
  if (rounded > magnitude) --bits;
  bits |= 1u;
  float odd;
  memcpy(&odd, &bits, sizeof odd);
  return odd;
}

/// The same of a whole number: beyond 2^53 the double whose last bit is odd.
__host__ __device__ inline double round_to_odd(int64_t x) {
  constexpr int64_t kExact = int64_t{1} << 53, kStep = 1 << 11;
  if (x >= -kExact && x <= kExact) return static_cast<double>(x);
  const bool exact = (x & (kStep - 1)) == 0;
  return static_cast<double>(exact ? x : (x & ~(kStep - 1)) | kStep);
}

template <class T>
struct Rounded;
template <>
struct Rounded<double> {
  static __host__ __device__ double of(double x) { return x; }
};
template <>
struct Rounded<float> {
  static __host__ __device__ float of(double x) { return static_cast<float>(x); }
  static __host__ __device__ float of(float x) { return x; }
};
template <>
struct Rounded<__nv_bfloat16> {
  static __host__ __device__ __nv_bfloat16 of(float x) { return __float2bfloat16_rn(x); }
  static __host__ __device__ __nv_bfloat16 of(double x) { return __float2bfloat16_rn(round_to_odd(x)); }
};
template <>
struct Rounded<__half> {
  static __host__ __device__ __half of(float x) { return __float2half_rn(x); }
  static __host__ __device__ __half of(double x) { return __float2half_rn(round_to_odd(x)); }
};
/// `x` as it is stored: to nearest, halves to even.
template <class T, class A>
__host__ __device__ T rounded(A x) {
  return Rounded<T>::of(x);
}

/// Cut towards zero and held in [lowest, end); NaN is 0. `end` is a power of two, which doubles hold exactly.
template <class T>
__host__ __device__ T whole(double x, double lowest, double end) {
  if (x != x) return 0;
  if (x >= end) return static_cast<T>(static_cast<uint64_t>(end) - 1);
  return static_cast<T>(x <= lowest ? lowest : x);
}

/// Reads an element of a dtype that is known at run time, as double, float or int64.
template <class A>
__host__ __device__ A load(DType dtype, const void* base, int64_t offset) {
  switch (dtype) {
    case DType::float64: return static_cast<A>(static_cast<const double*>(base)[offset]);
    case DType::float32: return static_cast<A>(static_cast<const float*>(base)[offset]);
    case DType::bfloat16: return static_cast<A>(number(static_cast<const __nv_bfloat16*>(base)[offset]));
    case DType::float16: return static_cast<A>(number(static_cast<const __half*>(base)[offset]));
    case DType::int64: return static_cast<A>(static_cast<const int64_t*>(base)[offset]);
    case DType::int32: return static_cast<A>(static_cast<const int32_t*>(base)[offset]);
    case DType::int8: return static_cast<A>(static_cast<const int8_t*>(base)[offset]);
    case DType::uint8: return static_cast<A>(static_cast<const uint8_t*>(base)[offset]);
    case DType::boolean: return static_cast<A>(static_cast<const uint8_t*>(base)[offset] != 0 ? 1 : 0);
  }
  return A{};
}

/// A computed float, rounded once; integers cut towards zero and held in their range.
template <class A>
__host__ __device__ void store(DType dtype, void* base, int64_t offset, A value) {
  switch (dtype) {
    case DType::float64: static_cast<double*>(base)[offset] = static_cast<double>(value); return;
    case DType::float32: static_cast<float*>(base)[offset] = static_cast<float>(value); return;
    case DType::bfloat16: static_cast<__nv_bfloat16*>(base)[offset] = rounded<__nv_bfloat16>(value); return;
    case DType::float16: static_cast<__half*>(base)[offset] = rounded<__half>(value); return;
    case DType::int64: static_cast<int64_t*>(base)[offset] = whole<int64_t>(value, -0x1p63, 0x1p63); return;
    case DType::int32: static_cast<int32_t*>(base)[offset] = whole<int32_t>(value, -0x1p31, 0x1p31); return;
    case DType::int8: static_cast<int8_t*>(base)[offset] = whole<int8_t>(value, -128, 128); return;
    case DType::uint8: static_cast<uint8_t*>(base)[offset] = whole<uint8_t>(value, 0, 256); return;
    case DType::boolean: static_cast<uint8_t*>(base)[offset] = value != A{} ? 1 : 0; return;
  }
}

/// A whole number: its lowest bits, as many as the dtype has; in a floating type the nearest; bool is value != 0.
template <>
__host__ __device__ inline void store<int64_t>(DType dtype, void* base, int64_t offset, int64_t value) {
  switch (dtype) {
    case DType::int64: static_cast<int64_t*>(base)[offset] = value; return;
    case DType::int32: static_cast<int32_t*>(base)[offset] = static_cast<int32_t>(value); return;
    case DType::int8: static_cast<int8_t*>(base)[offset] = static_cast<int8_t>(value); return;
    case DType::uint8: static_cast<uint8_t*>(base)[offset] = static_cast<uint8_t>(value); return;
    case DType::boolean: static_cast<uint8_t*>(base)[offset] = value != 0 ? 1 : 0; return;
    case DType::float32: static_cast<float*>(base)[offset] = static_cast<float>(value); return;
    case DType::float64: static_cast<double*>(base)[offset] = static_cast<double>(value); return;
    default: store<double>(dtype, base, offset, round_to_odd(value)); return;
  }
}

/// f(0), f(1), ..., f(kCount - 1), each written out: arrays indexed so stay in registers, which a loop that the
/// compiler leaves a loop would move to memory.
template <class F, int... kNumbers>
__host__ __device__ void unrolled(const F& f, std::integer_sequence<int, kNumbers...>) {
  (f(std::integral_constant<int, kNumbers>{}), ...);
}
template <int kCount, class F>
__host__ __device__ void unrolled(const F& f) {
  unrolled(f, std::make_integer_sequence<int, kCount>{});
}

/// Elements that lie side by side: one load.
template <class T, int kWide>
struct alignas(sizeof(T) * kWide) Vector {
  T at[kWide];
};
/// Bytes of the widest load.
inline constexpr int kWidest = 16;
template <class T>
inline constexpr int kLanesOf = kWidest / sizeof(T);

/// An integer, or a struct of them, of so many bytes.
template <int kBytes>
struct BitsOf;
template <>
struct BitsOf<16> {
  using Type = uint4;
};
template <>
struct BitsOf<8> {
  using Type = uint2;
};
template <>
struct BitsOf<4> {
  using Type = uint32_t;
};
template <>
struct BitsOf<2> {
  using Type = uint16_t;
};
template <>
struct BitsOf<1> {
  using Type = uint8_t;
};

template <int kWide, class T>
__host__ __device__ Vector<T, kWide> load_vector(const T* address) {
#ifdef TENSORTIDE_SIMT
  if (simt::refuses_address(address, sizeof(T) * kWide)) return {};
#endif
  const auto bits = *reinterpret_cast<const typename BitsOf<sizeof(T) * kWide>::Type*>(address);
  Vector<T, kWide> vector;
  memcpy(&vector, &bits, sizeof vector);
  return vector;
}
/// One access: an assignment the compiler takes apart, and does not always put together again.
template <int kWide, class T>
__host__ __device__ void store_vector(T* address, const Vector<T, kWide>& vector) {
#ifdef TENSORTIDE_SIMT
  if (simt::refuses_address(address, sizeof(T) * kWide)) return;
#endif
  typename BitsOf<sizeof(T) * kWide>::Type bits;
  memcpy(&bits, &vector, sizeof vector);
  auto* const to = reinterpret_cast<typename BitsOf<sizeof(T) * kWide>::Type*>(address);
#ifdef __CUDA_ARCH__
  __stwb(to, bits);
#else
  *to = bits;
#endif
}

inline bool is_aligned(const void* address, int64_t bytes = kWidest) {
  return reinterpret_cast<uintptr_t>(address) % static_cast<uintptr_t>(bytes) == 0;
}

/// Calls f(T{}) with the type that stores a floating dtype; false for the others.
template <class F>
bool with_float_type(DType dtype, const F& f) {
  switch (dtype) {
    case DType::float64: f(double{}); return true;
    case DType::float32: f(float{}); return true;
    case DType::bfloat16: f(__nv_bfloat16{}); return true;
    case DType::float16: f(__half{}); return true;
    default: return false;
  }
}

}  // namespace engine::cuda
