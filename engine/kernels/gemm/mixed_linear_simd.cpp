// SPDX-License-Identifier: Apache-2.0
// One row of weights after the other, against all rows of x while it is in the nearest cache; this file is compiled
// once per vector unit.
#define HWY_WANT_AVX3_DL  // the target that has VNNI
#include "engine/kernels/gemm/mixed_linear_simd.h"

#include <algorithm>

#include "engine/tensor/dtype.h"
#include "engine/tensor/quantization.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/gemm/mixed_linear_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, as Highway demands.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
#undef TENSORTIDE_VNNI
#if HWY_TARGET == HWY_AVX3_DL && HWY_COMPILER_GCC_ACTUAL
#pragma GCC target("avx512vnni")  // Highway asks the processor for it, but does not tell the compiler
#define TENSORTIDE_VNNI 1
#else
#define TENSORTIDE_VNNI 0
#endif
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {  // the same names live in other files: they must not be merged

using DF = hn::ScalableTag<float>;
using VF = hn::Vec<DF>;
constexpr DF df;

struct BF16 {
  static HWY_INLINE VF load(const uint16_t* from) {
    const hn::RebindToUnsigned<DF> du;
    const hn::Rebind<uint16_t, DF> du16;
    return hn::BitCast(df, hn::ShiftLeft<16>(hn::PromoteTo(du, hn::LoadU(du16, from))));
  }
  static float one(uint16_t bits) { return bfloat16_to_float(bits); }
};
struct F16 {
  static HWY_INLINE VF load(const uint16_t* from) {
    const hn::Rebind<hwy::float16_t, DF> dh;
    return hn::PromoteTo(df, hn::LoadU(dh, reinterpret_cast<const hwy::float16_t*>(from)));
  }
  static float one(uint16_t bits) { return half_to_float(bits); }
};

HWY_INLINE float total(VF v) { return hn::GetLane(hn::SumOfLanes(df, v)); }

// ---- 16 bits

template <class Format>
HWY_INLINE float half_product(const float* x, const uint16_t* w, int64_t length) {
  const auto step = static_cast<int64_t>(hn::Lanes(df));
  VF a = hn::Zero(df), b = a, c = a, d = a;
  int64_t i = 0;
  for (; i + 4 * step <= length; i += 4 * step) {
    a = hn::MulAdd(hn::LoadU(df, x + i), Format::load(w + i), a);
    b = hn::MulAdd(hn::LoadU(df, x + i + step), Format::load(w + i + step), b);
    c = hn::MulAdd(hn::LoadU(df, x + i + 2 * step), Format::load(w + i + 2 * step), c);
    d = hn::MulAdd(hn::LoadU(df, x + i + 3 * step), Format::load(w + i + 3 * step), d);
  }
  for (; i + step <= length; i += step) a = hn::MulAdd(hn::LoadU(df, x + i), Format::load(w + i), a);
  float sum = total(hn::Add(hn::Add(a, b), hn::Add(c, d)));
  for (; i < length; ++i) sum += x[i] * Format::one(w[i]);
  return sum;
}

template <class Format>
void half_products(const MixedRows& x, const MixedWeights& weights, float* y, int64_t y_row) {
  for (int64_t n = 0; n < weights.rows; ++n) {
    const uint16_t* w = static_cast<const uint16_t*>(weights.w) + n * x.length;
    for (int64_t m = 0; m < x.count; ++m) y[m * y_row + n] = half_product<Format>(x.x + m * x.length, w, x.length);
  }
}

template <class Format>
void widen_half(const MixedWeights& weights, int64_t length, float* to) {
  const auto step = static_cast<int64_t>(hn::Lanes(df));
  const auto* w = static_cast<const uint16_t*>(weights.w);
  int64_t i = 0;
  for (; i + step <= length; i += step) hn::StoreU(Format::load(w + i), df, to + i);
  for (; i < length; ++i) to[i] = Format::one(w[i]);
}

// ---- blocks

/// Scales of up to kChunk blocks, of x and of the weights together.
constexpr int64_t kChunk = 64;
HWY_INLINE void join_scales(const uint16_t* of_weights, const float* of_x, int64_t count, float* to) {
  const auto step = static_cast<int64_t>(hn::Lanes(df));
  int64_t i = 0;
  for (; i + step <= count; i += step)
    hn::StoreU(hn::Mul(F16::load(of_weights + i), hn::LoadU(df, of_x + i)), df, to + i);
  for (; i < count; ++i) to[i] = F16::one(of_weights[i]) * of_x[i];
}

using D16 = hn::CappedTag<int16_t, kBlock / 2>;
using D32 = hn::RepartitionToWide<D16>;
constexpr D16 d16;
constexpr D32 d32;
using VI = hn::Vec<D32>;

HWY_INLINE hn::Vec<D16> load_i8(const int8_t* from) {
  const hn::Rebind<int8_t, D16> d8;
  return hn::PromoteTo(d16, hn::LoadU(d8, from));
}

struct Eight {
  using Byte = int8_t;
  static constexpr int64_t kBytes = kBlock;
  static HWY_INLINE void add(const int8_t* w, const int8_t* x, VI& sum, VI& more) {
    const auto step = static_cast<int64_t>(hn::Lanes(d16));
    for (int64_t i = 0; i < kBlock; i += step)
      sum = hn::ReorderWidenMulAccumulate(d32, load_i8(w + i), load_i8(x + i), sum, more);
  }
  static int value(const int8_t* w, int64_t i) { return w[i]; }
};
struct Four {
  using Byte = uint8_t;
  static constexpr int64_t kBytes = kBlock / 2;
  static HWY_INLINE void add(const uint8_t* w, const int8_t* x, VI& sum, VI& more) {
    const hn::Rebind<uint8_t, D16> d8;
    const auto step = static_cast<int64_t>(hn::Lanes(d16));
    const auto eight = hn::Set(d16, int16_t{8}), low = hn::Set(d16, int16_t{15});
    for (int64_t i = 0; i < kBlock / 2; i += step) {
      const auto both = hn::PromoteTo(d16, hn::LoadU(d8, w + i));
      sum = hn::ReorderWidenMulAccumulate(d32, hn::Sub(hn::And(both, low), eight), load_i8(x + i), sum, more);
      sum = hn::ReorderWidenMulAccumulate(d32, hn::Sub(hn::ShiftRight<4>(both), eight), load_i8(x + kBlock / 2 + i),
                                          sum, more);
    }
  }
  static int value(const uint8_t* w, int64_t i) { return (i < kBlock / 2 ? w[i] & 15 : w[i - kBlock / 2] >> 4) - 8; }
};

#if TENSORTIDE_VNNI
constexpr const char* kUnit = "VNNI";

/// Which of 16 scales goes with each lane of a pair of blocks: 0 or 1.
template <class Format>
HWY_INLINE __m512i lanes_of_pair() {
  if constexpr (Format::kBytes == kBlock) return _mm512_set_epi32(1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0);
  return _mm512_set_epi32(1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0);
}
/// What was added to weights to make them bytes from 0 on.
template <class Format>
constexpr float kOffset = Format::kBytes == kBlock ? 128 : 8;

/// Sums of four products each of two blocks, weights plus kOffset; `bytes`: 64 of x, or 32 where there is but one.
template <class Format>
HWY_INLINE __m512i pair_sums(const typename Format::Byte* w, const int8_t* x, bool two) {
  const __m512i numbers =
      two ? _mm512_loadu_si512(x) : _mm512_zextsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(x)));
  if constexpr (Format::kBytes == kBlock) {
    const __m512i bytes =
        two ? _mm512_loadu_si512(w) : _mm512_zextsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(w)));
    return _mm512_dpbusd_epi32(_mm512_setzero_si512(), _mm512_xor_si512(bytes, _mm512_set1_epi8(-128)), numbers);
  } else {
    const __m256i bytes = two ? _mm256_loadu_si256(reinterpret_cast<const __m256i*>(w))
                              : _mm256_zextsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(w)));
    const __m256i low = _mm256_set1_epi8(15);
    const __m512i halves = _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_and_si256(bytes, low)),
                                              _mm256_and_si256(_mm256_srli_epi16(bytes, 4), low), 1);
    return _mm512_dpbusd_epi32(_mm512_setzero_si512(), halves, _mm512_shuffle_i64x2(numbers, numbers, 0xD8));
  }
}

template <class Format>
HWY_INLINE float block_product(const typename Format::Byte* w, const uint16_t* scales, const int8_t* x,
                               const float* x_scales, const float* x_sums, int64_t blocks) {
  constexpr int64_t kLanes = 16;
  const __m512i pair = lanes_of_pair<Format>();
  __m512 a = _mm512_setzero_ps(), b = a, offset = a;
  for (int64_t first = 0; first < blocks; first += kLanes) {
    const int64_t count = std::min(kLanes, blocks - first);
    const auto mask = static_cast<__mmask16>((1u << count) - 1);
    const __m512 joined = _mm512_mul_ps(_mm512_cvtph_ps(_mm256_maskz_loadu_epi16(mask, scales + first)),
                                        _mm512_maskz_loadu_ps(mask, x_scales + first));
    offset = _mm512_fmadd_ps(joined, _mm512_maskz_loadu_ps(mask, x_sums + first), offset);
    const auto add = [&](int64_t at, __m512& sum) HWY_ATTR {
      const __m512i part =
          pair_sums<Format>(w + (first + at) * Format::kBytes, x + (first + at) * kBlock, at + 1 < count);
      const __m512 scale =
          _mm512_permutexvar_ps(_mm512_add_epi32(pair, _mm512_set1_epi32(static_cast<int>(at))), joined);
      sum = _mm512_fmadd_ps(_mm512_cvtepi32_ps(part), scale, sum);
    };
    int64_t at = 0;
    for (; at + 4 <= count; at += 4) add(at, a), add(at + 2, b);
    for (; at < count; at += 2) add(at, a);
  }
  return _mm512_reduce_add_ps(
      _mm512_sub_ps(_mm512_add_ps(a, b), _mm512_mul_ps(offset, _mm512_set1_ps(kOffset<Format>))));
}
#else
constexpr const char* kUnit = "";

template <class Format>
HWY_INLINE float block_product(const typename Format::Byte* w, const uint16_t* scales, const int8_t* x,
                               const float* x_scales, const float* /*x_sums*/, int64_t blocks) {
  const hn::Rebind<float, D32> dpart;
  auto sum = hn::Zero(dpart);
  float joined[kChunk];
  for (int64_t first = 0; first < blocks; first += kChunk) {
    const int64_t count = std::min(kChunk, blocks - first);
    join_scales(scales + first, x_scales + first, count, joined);
    for (int64_t b = 0; b < count; ++b) {
      VI part = hn::Zero(d32), more = part;
      Format::add(w + (first + b) * Format::kBytes, x + (first + b) * kBlock, part, more);
      sum = hn::MulAdd(hn::ConvertTo(dpart, hn::Add(part, more)), hn::Set(dpart, joined[b]), sum);
    }
  }
  return hn::GetLane(hn::SumOfLanes(dpart, sum));
}
#endif

template <class Format>
void block_products(const MixedRows& x, const MixedWeights& weights, float* y, int64_t y_row) {
  const int64_t blocks = x.length / kBlock;
  for (int64_t n = 0; n < weights.rows; ++n) {
    const auto* w = static_cast<const typename Format::Byte*>(weights.w) + n * blocks * Format::kBytes;
    for (int64_t m = 0; m < x.count; ++m)
      y[m * y_row + n] = block_product<Format>(w, weights.scales + n * blocks, x.rounded + m * x.length,
                                               x.scales + m * blocks, x.sums + m * blocks, blocks);
  }
}

template <class Format>
void widen_blocks(const MixedWeights& weights, int64_t length, float* to) {
  const auto* w = static_cast<const typename Format::Byte*>(weights.w);
  for (int64_t b = 0; b < length / kBlock; ++b) {
    const float scale = F16::one(weights.scales[b]);
    for (int64_t i = 0; i < kBlock; ++i)
      to[b * kBlock + i] = scale * static_cast<float>(Format::value(w + b * Format::kBytes, i));
  }
}

MixedLoops for_target(MixedFormat format) {
  switch (format) {
    case MixedFormat::bf16: return {half_products<BF16>, widen_half<BF16>};
    case MixedFormat::f16: return {half_products<F16>, widen_half<F16>};
    case MixedFormat::q8: return {block_products<Eight>, widen_blocks<Eight>, kUnit};
    case MixedFormat::q4: return {block_products<Four>, widen_blocks<Four>, kUnit};
  }
  return {};
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace engine::cpu {

HWY_EXPORT(for_target);

MixedLoops mixed_loops(MixedFormat format) { return HWY_DYNAMIC_DISPATCH(for_target)(format); }

}  // namespace engine::cpu
#endif
