// SPDX-License-Identifier: Apache-2.0
// One row of weights after the other, against all rows of x while it is in the nearest cache; this file is compiled
// once per vector unit.
#define HWY_WANT_AVX3_DL  // the target that has VNNI
#include "engine/kernels/gemm/mixed_linear_simd.h"

#include <algorithm>
#include <cstring>

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

struct F32 {
  using Bits = float;
  static HWY_INLINE VF load(const float* from) { return hn::LoadU(df, from); }
  static float one(float value) { return value; }
};
struct BF16 {
  using Bits = uint16_t;
  static HWY_INLINE VF load(const uint16_t* from) {
    const hn::RebindToUnsigned<DF> du;
    const hn::Rebind<uint16_t, DF> du16;
    return hn::BitCast(df, hn::ShiftLeft<16>(hn::PromoteTo(du, hn::LoadU(du16, from))));
  }
  static float one(uint16_t bits) { return bfloat16_to_float(bits); }
};
struct F16 {
  using Bits = uint16_t;
  static HWY_INLINE VF load(const uint16_t* from) {
    const hn::Rebind<hwy::float16_t, DF> dh;
    return hn::PromoteTo(df, hn::LoadU(dh, reinterpret_cast<const hwy::float16_t*>(from)));
  }
  static float one(uint16_t bits) { return half_to_float(bits); }
};

HWY_INLINE float total(VF v) { return hn::GetLane(hn::SumOfLanes(df, v)); }

// ---- 32 and 16 bits

template <class Format>
HWY_INLINE float row_product(const float* x, const typename Format::Bits* w, int64_t length) {
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
void row_products(const MixedRows& x, const MixedWeights& weights, float* y, int64_t y_row) {
  for (int64_t n = 0; n < weights.rows; ++n) {
    const auto* w = static_cast<const typename Format::Bits*>(weights.w) + n * x.length;
    for (int64_t m = 0; m < x.count; ++m) y[m * y_row + n] = row_product<Format>(x.x + m * x.length, w, x.length);
  }
}

template <class Format>
void widen_row(const MixedWeights& weights, int64_t length, float* to) {
  const auto step = static_cast<int64_t>(hn::Lanes(df));
  const auto* w = static_cast<const typename Format::Bits*>(weights.w);
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

// ---- many rows of x

constexpr int64_t kStep = 4;                ///< numbers that one instruction multiplies in each lane
constexpr int64_t kSteps = kBlock / kStep;  ///< of a block
constexpr int64_t kGroupOfBlock = kMixedGroup * kBlock;
constexpr int kTileRows = 6;  ///< of x, by two groups: 12 sums of integers, and as many of floats

/// A block of one row of weights, as bytes from 0 on.
template <class Format>
HWY_INLINE __m256i bytes_of_block(const typename Format::Byte* w) {
  if constexpr (Format::kBytes == kBlock) {
    return _mm256_xor_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(w)), _mm256_set1_epi8(-128));
  } else {
    const __m128i both = _mm_loadu_si128(reinterpret_cast<const __m128i*>(w)), low = _mm_set1_epi8(15);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_and_si128(both, low)),
                                   _mm_and_si128(_mm_srli_epi16(both, 4), low), 1);
  }
}

/// 16 blocks, `row` bytes apart, as kSteps lines of [16 rows][4 numbers]; rows from `rows` on repeat the last.
template <class Format>
HWY_INLINE void pack_block(const typename Format::Byte* w, int64_t row, int64_t rows, std::byte* to) {
  const auto at = [&](int64_t i) HWY_ATTR { return bytes_of_block<Format>(w + std::min(i, rows - 1) * row); };
  __m512i r[8], s[8];  // rows i and i + 8
  for (int i = 0; i < 8; ++i) r[i] = _mm512_inserti64x4(_mm512_castsi256_si512(at(i)), at(i + 8), 1);
  for (int i = 0; i < 4; ++i) {
    s[2 * i] = _mm512_unpacklo_epi32(r[2 * i], r[2 * i + 1]);
    s[2 * i + 1] = _mm512_unpackhi_epi32(r[2 * i], r[2 * i + 1]);
  }
  for (int i = 0; i < 2; ++i) {  // of rows 4 i to 4 i + 3, and those 8 on: steps j, and 4 + j in every other quarter
    for (int j = 0; j < 2; ++j) {
      r[4 * i + 2 * j] = _mm512_unpacklo_epi64(s[4 * i + j], s[4 * i + 2 + j]);
      r[4 * i + 2 * j + 1] = _mm512_unpackhi_epi64(s[4 * i + j], s[4 * i + 2 + j]);
    }
  }
  const __m512i near = _mm512_set_epi64(13, 12, 5, 4, 9, 8, 1, 0), far = _mm512_set_epi64(15, 14, 7, 6, 11, 10, 3, 2);
  for (int j = 0; j < 4; ++j) {
    _mm512_storeu_si512(to + j * 64, _mm512_permutex2var_epi64(r[j], near, r[4 + j]));
    _mm512_storeu_si512(to + (4 + j) * 64, _mm512_permutex2var_epi64(r[j], far, r[4 + j]));
  }
}

template <class Format>
void pack_groups(const MixedWeights& weights, int64_t length, std::byte* to) {
  const int64_t blocks = length / kBlock, row = blocks * Format::kBytes;
  const auto* w = static_cast<const typename Format::Byte*>(weights.w);
  for (int64_t first = 0; first < weights.rows; first += kMixedGroup, to += mixed_group_bytes(length)) {
    const int64_t rows = std::min(kMixedGroup, weights.rows - first);
    for (int64_t b = 0; b < blocks; ++b)
      pack_block<Format>(w + first * row + b * Format::kBytes, row, rows, to + b * kGroupOfBlock);
    auto* const scales = reinterpret_cast<float*>(to + blocks * kGroupOfBlock);
    for (int64_t n = 0; n < kMixedGroup; ++n) {
      const uint16_t* from = weights.scales + (first + std::min(n, rows - 1)) * blocks;
      for (int64_t b = 0; b < blocks; ++b) scales[b * kMixedGroup + n] = F16::one(from[b]);
    }
  }
}

HWY_INLINE __m512i four_everywhere(const int8_t* x) {
  int32_t four;
  std::memcpy(&four, x, sizeof(four));
  return _mm512_set1_epi32(four);
}

/// kRows rows of x from `first` on by kGroups groups, of which the last has `columns` rows of weights.
template <int kRows, int kGroups>
HWY_INLINE void multiply_tile(const MixedRows& x, int64_t first, const std::byte* packed, int64_t columns, float* y,
                              int64_t y_row) {
  const int64_t blocks = x.length / kBlock, group = mixed_group_bytes(x.length);
  const int8_t* const rounded = x.rounded + first * x.length;
  const float* const x_scales = x.scales + first * blocks;
  const int32_t* const starts = x.starts + first * blocks;
  const auto* const scales = reinterpret_cast<const float*>(packed + blocks * kGroupOfBlock);
  __m512 sums[kRows][kGroups];
  for (auto& row : sums) {
    for (__m512& sum : row) sum = _mm512_setzero_ps();
  }
  for (int64_t b = 0; b < blocks; ++b) {
    __m512i parts[kRows][kGroups];
#pragma GCC unroll 6
    for (int m = 0; m < kRows; ++m) {
#pragma GCC unroll 2
      for (int g = 0; g < kGroups; ++g) parts[m][g] = _mm512_set1_epi32(starts[m * blocks + b]);
    }
#pragma GCC unroll 8
    for (int64_t k = 0; k < kSteps; ++k) {
      __m512i w[kGroups];
#pragma GCC unroll 2
      for (int g = 0; g < kGroups; ++g) w[g] = _mm512_loadu_si512(packed + g * group + b * kGroupOfBlock + k * 64);
#pragma GCC unroll 6
      for (int m = 0; m < kRows; ++m) {
        const __m512i four = four_everywhere(rounded + m * x.length + b * kBlock + k * kStep);
#pragma GCC unroll 2
        for (int g = 0; g < kGroups; ++g) parts[m][g] = _mm512_dpbusd_epi32(parts[m][g], w[g], four);
      }
    }
#pragma GCC unroll 2
    for (int g = 0; g < kGroups; ++g) {
      const __m512 scale = _mm512_loadu_ps(scales + g * (group / 4) + b * kMixedGroup);
#pragma GCC unroll 6
      for (int m = 0; m < kRows; ++m) {
        const __m512 joined = _mm512_mul_ps(scale, _mm512_set1_ps(x_scales[m * blocks + b]));
        sums[m][g] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(parts[m][g]), joined, sums[m][g]);
      }
    }
  }
  for (int m = 0; m < kRows; ++m) {
    for (int g = 0; g < kGroups; ++g) {
      const int64_t here = g + 1 < kGroups ? kMixedGroup : columns;
      _mm512_mask_storeu_ps(y + m * y_row + g * kMixedGroup, static_cast<__mmask16>((1u << here) - 1), sums[m][g]);
    }
  }
}

template <int kRows>
HWY_INLINE void multiply_rows(const MixedRows& x, int64_t first, const std::byte* packed, int64_t columns, float* y,
                              int64_t y_row) {
  int64_t n = 0;
  for (; n + kMixedGroup < columns; n += 2 * kMixedGroup)
    multiply_tile<kRows, 2>(x, first, packed + n / kMixedGroup * mixed_group_bytes(x.length),
                            std::min(kMixedGroup, columns - n - kMixedGroup), y + n, y_row);
  if (n < columns)
    multiply_tile<kRows, 1>(x, first, packed + n / kMixedGroup * mixed_group_bytes(x.length), columns - n, y + n,
                            y_row);
}

void many_products(const MixedRows& x, const std::byte* packed, int64_t rows, float* y, int64_t y_row) {
  int64_t m = 0;
  for (; m + kTileRows <= x.count; m += kTileRows) multiply_rows<kTileRows>(x, m, packed, rows, y + m * y_row, y_row);
  switch (x.count - m) {
    case 1: return multiply_rows<1>(x, m, packed, rows, y + m * y_row, y_row);
    case 2: return multiply_rows<2>(x, m, packed, rows, y + m * y_row, y_row);
    case 3: return multiply_rows<3>(x, m, packed, rows, y + m * y_row, y_row);
    case 4: return multiply_rows<4>(x, m, packed, rows, y + m * y_row, y_row);
    case 5: return multiply_rows<5>(x, m, packed, rows, y + m * y_row, y_row);
    default: return;
  }
}

template <class Format>
MixedLoops for_blocks(MixedLoops loops) {
  loops.pack = pack_groups<Format>;
  loops.many = many_products;
  loops.start = -static_cast<int32_t>(kOffset<Format>);
  return loops;
}
#else
constexpr const char* kUnit = "";

template <class Format>
MixedLoops for_blocks(MixedLoops loops) {
  return loops;
}

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
    case MixedFormat::f32: return {row_products<F32>, widen_row<F32>};
    case MixedFormat::bf16: return {row_products<BF16>, widen_row<BF16>};
    case MixedFormat::f16: return {row_products<F16>, widen_row<F16>};
    case MixedFormat::q8: return for_blocks<Eight>({block_products<Eight>, widen_blocks<Eight>, kUnit});
    case MixedFormat::q4: return for_blocks<Four>({block_products<Four>, widen_blocks<Four>, kUnit});
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
