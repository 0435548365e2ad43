// SPDX-License-Identifier: Apache-2.0
// The parts of convolutions' gradients as matrix products (convolution_product_loops.h). Included once per vector unit
// (convolution_product_simd.cpp), and by a test that notes each access: it has an include guard per unit, as Highway's
// own inner headers do.
#if defined(ENGINE_CPU_CONVOLUTION_PRODUCT_SIMD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ENGINE_CPU_CONVOLUTION_PRODUCT_SIMD_INL_H
#undef ENGINE_CPU_CONVOLUTION_PRODUCT_SIMD_INL_H
#else
#define ENGINE_CPU_CONVOLUTION_PRODUCT_SIMD_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "engine/kernels/convolution/convolution_product_loops.h"
#include "engine/kernels/convolution/convolution_product_simd.h"
#include "engine/kernels/convolution/convolution_rule.h"
#include "engine/kernels/core/memory-inl.h"
#include "engine/kernels/gemm/gemm_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace {  // the same names live in every file that includes this: they must not be merged
namespace convolution_product {

namespace hn = hwy::HWY_NAMESPACE;
using loops::Range;

constexpr hn::ScalableTag<float> kVector;
using V = hn::Vec<decltype(kVector)>;
constexpr int64_t kLanes = static_cast<int64_t>(hn::MaxLanes(kVector));
constexpr int64_t kTaps = ProductConvolution::kTaps;
constexpr int kVectors = loops::kProductVectors, kPanels = loops::kProductPanels;
constexpr bool kManyRegisters = HWY_TARGET <= HWY_AVX3;
constexpr int kHighest = kManyRegisters ? 8 : 4;
/// Elements of a row of a panel, and of all columns of one.
constexpr int64_t kWide = kVectors * kLanes, kColumns = kTaps * kLanes;
static_assert(kTaps == loops::kProductTaps && kVectors * kPanels == kTaps);

inline int64_t panels_of(int64_t rows, int64_t high) { return (rows + high - 1) / high; }

/// The sums of a tile in registers go to kHigh rows of c, or to the first `rows` of them.
template <class M, int kHigh>
HWY_INLINE void store(const tiles::Sums<float, kHigh, kVectors>& sums, float* c, int64_t c_row, int64_t rows) {
  if (rows == kHigh) {
#pragma GCC unroll 16
    for (int r = 0; r < kHigh; ++r) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) M::store(sums.of[r][v], kVector, c + r * c_row + v * kLanes);
    }
    return;
  }
  HWY_ALIGN float lines[kHigh * kWide];
#pragma GCC unroll 16
  for (int r = 0; r < kHigh; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) hn::Store(sums.of[r][v], kVector, lines + r * kWide + v * kLanes);
  }
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t v = 0; v < kVectors; ++v)
      M::store(hn::Load(kVector, lines + r * kWide + v * kLanes), kVector, c + r * c_row + v * kLanes);
  }
}

template <class M, int kHigh, bool kPacked, bool kAhead>
HWY_NOINLINE void tile(const tiles::Rows<float>& a, const tiles::Columns<float>& b, int64_t depth,
                       const tiles::Ahead<float>& ahead, float* c, int64_t c_row, int64_t rows) {
  tiles::Sums<float, kHigh, kVectors> sums;
  tiles::sum<M, kPacked, kAhead ? tiles::Beside::fetch : tiles::Beside::nothing>(a, b, depth, ahead,
                                                                                 static_cast<float*>(nullptr), sums);
  store<M>(sums, c, c_row, rows);
}

// ---- columns and taps
// -------------------------------------------------------------------------------------------------------

/// Three vectors interleaved, and apart again. Element f = 3 i + s of what they make is element i of vector s, and lies
/// in lane f % kLanes of vector f / kLanes. As kLanes is no multiple of 3, the elements of one vector take every lane
/// once: one permutation per vector and blends by lane % 3 do it.
class Threes {
 public:
  Threes() {
    const hn::Rebind<int32_t, decltype(kVector)> integers;
    HWY_ALIGN int32_t remainder[kLanes], to[kLanes], from[kLanes];
    for (int64_t lane = 0; lane < kLanes; ++lane) remainder[lane] = static_cast<int32_t>(lane % 3);
    const auto remainders = hn::Load(integers, remainder);
    zeros_ = hn::RebindMask(kVector, hn::Eq(remainders, hn::Zero(integers)));
    ones_ = hn::RebindMask(kVector, hn::Eq(remainders, hn::Set(integers, 1)));
    for (int64_t s = 0; s < 3; ++s) {
      for (int64_t f = s; f < 3 * kLanes; f += 3) {
        to[f % kLanes] = static_cast<int32_t>(f / 3);
        from[f / 3] = static_cast<int32_t>(f % kLanes);
      }
      (s == 0 ? to_0_ : s == 1 ? to_1_ : to_2_) = hn::SetTableIndices(kVector, to);
      (s == 0 ? from_0_ : s == 1 ? from_1_ : from_2_) = hn::SetTableIndices(kVector, from);
    }
  }

  HWY_INLINE void interleave(V& a, V& b, V& c) const {
    const V x = hn::TableLookupLanes(a, to_0_), y = hn::TableLookupLanes(b, to_1_), z = hn::TableLookupLanes(c, to_2_);
    a = by_lane<0>(x, y, z);
    b = by_lane<1>(x, y, z);
    c = by_lane<2>(x, y, z);
  }
  HWY_INLINE void separate(V& a, V& b, V& c) const {
    const V x = by_remainder<0>(a, b, c), y = by_remainder<1>(a, b, c), z = by_remainder<2>(a, b, c);
    a = hn::TableLookupLanes(x, from_0_);
    b = hn::TableLookupLanes(y, from_1_);
    c = hn::TableLookupLanes(z, from_2_);
  }

 private:
  using Indices = decltype(hn::SetTableIndices(kVector, static_cast<const int32_t*>(nullptr)));
  using Mask = hn::Mask<decltype(kVector)>;

  template <int64_t kWhich>
  static HWY_INLINE V pick(V a, V b, V c) {
    return kWhich % 3 == 0 ? a : kWhich % 3 == 1 ? b : c;
  }
  /// Lane l of vector `kVectorOf` comes from the vector (kVectorOf * kLanes + l) % 3.
  template <int64_t kVectorOf>
  HWY_INLINE V by_lane(V a, V b, V c) const {
    constexpr int64_t kAt = kVectorOf * kLanes;
    return hn::IfThenElse(zeros_, pick<kAt>(a, b, c),
                          hn::IfThenElse(ones_, pick<kAt + 1>(a, b, c), pick<kAt + 2>(a, b, c)));
  }
  /// The vector m whose lane l holds an element with the remainder s: m * kLanes + l = s (mod 3), where kLanes is its
  /// own inverse.
  template <int64_t kRemainder>
  HWY_INLINE V by_remainder(V a, V b, V c) const {
    constexpr int64_t kAt = kRemainder + 3;
    return hn::IfThenElse(zeros_, pick<kAt * kLanes>(a, b, c),
                          hn::IfThenElse(ones_, pick<(kAt - 1) * kLanes>(a, b, c), pick<(kAt - 2) * kLanes>(a, b, c)));
  }

  Mask zeros_, ones_;  ///< lanes by their remainder
  Indices to_0_, to_1_, to_2_, from_0_, from_1_, from_2_;
};

/// Nine vectors, one per tap, as [channels, 3, 3]: their lanes side by side. Kernel rows first, then columns.
template <class M>
HWY_INLINE void interleave(const Threes& threes, const float* const (&taps)[kTaps], float* (&to)[kPanels]) {
  V v[kTaps];
#pragma GCC unroll 9
  for (int64_t t = 0; t < kTaps; ++t) v[t] = M::load(kVector, taps[t]);
#pragma GCC unroll 3
  for (int column = 0; column < 3; ++column) threes.interleave(v[column], v[3 + column], v[6 + column]);
#pragma GCC unroll 3
  for (int panel = 0; panel < kPanels; ++panel) {
    V* const of = v + 3 * panel;
    threes.interleave(of[0], of[1], of[2]);
#pragma GCC unroll 3
    for (int part = 0; part < kVectors; ++part) M::store(of[part], kVector, to[panel] + part * kLanes);
  }
}

/// Adds [channels, 3, 3] to nine vectors, one per tap.
template <class M>
HWY_INLINE void add_taps(const Threes& threes, const float* from, float* const (&taps)[kTaps]) {
  V v[kTaps];
#pragma GCC unroll 9
  for (int64_t t = 0; t < kTaps; ++t) v[t] = M::load(kVector, from + t * kLanes);
#pragma GCC unroll 3
  for (int panel = 0; panel < kPanels; ++panel) threes.separate(v[3 * panel], v[3 * panel + 1], v[3 * panel + 2]);
#pragma GCC unroll 3
  for (int column = 0; column < 3; ++column) {
    threes.separate(v[column], v[3 + column], v[6 + column]);
#pragma GCC unroll 3
    for (int row = 0; row < 3; ++row) {
      float* const sum = taps[3 * row + column];
      M::store(hn::Add(M::load(kVector, sum), v[3 * row + column]), kVector, sum);
    }
  }
}

// ---- by weights
// -------------------------------------------------------------------------------------------------------------

/// Weights whose gradient is NaN because padding (0) met a dy that is not finite: their sums over the other rows.
void without_padding(const ProductConvolution& p, const float* dy, const float* x, float* dw, int64_t first,
                     int64_t last) {
  for (int64_t o = 0; o < p.outputs; ++o) {
    for (int64_t tap = 0; tap < kTaps; ++tap) {
      bool met = false, is_nan = false;
      for (int64_t row = 0; row < p.rows; ++row) {
        const float g = dy[row * p.outputs + o];
        const bool padding = p.pixel_of[row * kTaps + tap] == p.pixels;
        met = met || (padding && !std::isfinite(g));
        is_nan = is_nan || (!padding && std::isnan(g));
      }
      if (!met || is_nan) continue;
      for (int64_t c = first * kLanes; c < last * kLanes; ++c) {
        float sum = 0;
        for (int64_t row = 0; row < p.rows; ++row) {
          const int32_t pixel = p.pixel_of[row * kTaps + tap];
          if (pixel != p.pixels) sum += dy[row * p.outputs + o] * x[pixel * p.inputs + c];
        }
        dw[o * p.weight_row + c * kTaps + tap] = sum;
      }
    }
  }
}

template <int kHigh, class M>
class ByWeight : public loops::Computes {
 public:
  ByWeight(const ProductConvolution& problem, const float* dy, const float* x, float* dw, float* scratch)
      : p_(problem), dy_(dy), x_(x), dw_(dw), columns_(scratch), packed_(scratch + p_.rows * kColumns) {}

  HWY_NOINLINE void pack(Range outputs) {
    const int64_t high = outputs.size();
    const float* from = dy_ + outputs.begin;
    float* to = packed_ + outputs.begin * p_.rows;
    float nothing[kHigh] = {};
    for (int64_t row = 0; row < p_.rows; ++row, from += p_.outputs, to += kHigh) {
      if (high == kHigh) M::template copy<kHigh>(from, to);
      else
        for (int64_t r = 0; r < kHigh; ++r) M::store(r < high ? M::load(from + r) : 0.0f, to + r);
      for (int64_t r = 0; r < kHigh; ++r) nothing[r] += 0.0f * to[r];
    }
    for (int64_t r = 0; r < kHigh; ++r) nothing_[r] += nothing[r];
  }
  /// As panels [rows, kVectors vectors].
  HWY_NOINLINE void gather(int64_t block) {
    HWY_ALIGN static const float zeros[kLanes] = {};
    const float* const x = x_ + block * kLanes;
    const int32_t* pixel = p_.pixel_of;
    const Threes threes;
    for (int64_t row = 0; row < p_.rows; ++row, pixel += kTaps) {
      const float* taps[kTaps];
      for (int64_t t = 0; t < kTaps; ++t) taps[t] = pixel[t] == p_.pixels ? zeros : x + pixel[t] * p_.inputs;
      float* to[kPanels];
      for (int64_t panel = 0; panel < kPanels; ++panel) to[panel] = columns_ + (panel * p_.rows + row) * kWide;
      interleave<M>(threes, taps, to);
    }
  }
  HWY_NOINLINE void tile(int64_t block, int64_t panel, Range outputs) {
    convolution_product::tile<M, kHigh, true, false>(
        {packed_ + outputs.begin * p_.rows, 1, kHigh}, {columns_ + panel * p_.rows * kWide, kWide}, p_.rows, {},
        dw_ + outputs.begin * p_.weight_row + (block * kPanels + panel) * kWide, p_.weight_row, outputs.size());
  }
  /// Whether all of dy is finite.
  bool finite() const {
    return std::ranges::all_of(nothing_, [](float x) { return x == 0.0f; });
  }

 private:
  const ProductConvolution& p_;
  const float *dy_, *x_;
  float *dw_, *columns_, *packed_;
  float nothing_[kHigh] = {};  ///< NaN once a number was infinite or NaN
};

template <int kHigh, class M>
void grad_weight(const ProductConvolution& p, const float* dy, const float* x, float* dw, int64_t first, int64_t last,
                 float* scratch) {
  ByWeight<kHigh, M> parts(p, dy, x, dw, scratch);
  loops::convolution_by_weight({.rows = p.rows, .outputs = p.outputs, .blocks = {first, last}}, kHigh, parts);
  if (!parts.finite()) without_padding(p, dy, x, dw, first, last);
}

// ---- by input
// ---------------------------------------------------------------------------------------------------------------

/// dy is read as it lies: its rows are a's, and outputs, side by side, the steps.
template <int kHigh, class M>
class ByInput : public loops::Computes {
 public:
  ByInput(const ProductConvolution& problem, const float* dy, const float* weight, float* dx, float* scratch)
      : p_(problem), dy_(dy), weight_(weight), dx_(dx), columns_(scratch), sums_(scratch + p_.rows * kColumns) {}

  HWY_NOINLINE void tile(int64_t block, int64_t panel, Range rows, int64_t vector_ahead) {
    const float* const b = weight_ + (block * kPanels + panel) * kWide;
    float* const c = columns_ + rows.begin * kColumns + panel * kWide;
    const tiles::Rows<float> a{dy_ + rows.begin * p_.outputs, p_.outputs, 1};
    if (vector_ahead >= 0) {  // a line of the next panel's rows each
      convolution_product::tile<M, kHigh, false, true>(
          a, {b, p_.weight_row}, p_.outputs, {b + kWide + vector_ahead * kLanes, p_.weight_row}, c, kColumns, kHigh);
    } else {
      convolution_product::tile<M, kHigh, false, false>(a, {b, p_.weight_row}, p_.outputs, {}, c, kColumns, kHigh);
    }
  }
  /// By way of a buffer whose last vector is what padding got.
  HWY_NOINLINE void scatter(int64_t block) {
    for (int64_t i = 0; i <= p_.pixels; ++i) M::store(hn::Zero(kVector), kVector, sums_ + i * kLanes);
    const int32_t* pixel = p_.pixel_of;
    const Threes threes;
    for (int64_t row = 0; row < p_.rows; ++row, pixel += kTaps) {
      float* taps[kTaps];
      for (int64_t t = 0; t < kTaps; ++t) taps[t] = sums_ + pixel[t] * kLanes;
      add_taps<M>(threes, columns_ + row * kColumns, taps);
    }
    float* const dx = dx_ + block * kLanes;
    for (int64_t i = 0; i < p_.pixels; ++i) M::store(M::load(kVector, sums_ + i * kLanes), kVector, dx + i * p_.inputs);
  }

 private:
  const ProductConvolution& p_;
  const float *dy_, *weight_;
  float *dx_, *columns_, *sums_;
};

template <int kHigh, class M>
void grad_input(const ProductConvolution& p, const float* dy, const float* weight, float* dx, int64_t first,
                int64_t last, float* scratch) {
  ByInput<kHigh, M> parts(p, dy, weight, dx, scratch);
  loops::convolution_by_input({.rows = p.rows, .outputs = p.outputs, .blocks = {first, last}}, kHigh, parts);
}

// ---- the table
// --------------------------------------------------------------------------------------------------------------

inline int64_t weight_scratch(const ProductConvolution& p) {
  return p.rows * kColumns + panels_of(p.outputs, kHighest) * kHighest * p.rows;
}
inline int64_t input_scratch(const ProductConvolution& p) { return p.rows * kColumns + (p.pixels + 1) * kLanes; }

template <class M = Memory>
ProductConvolutionLoops loops_over() {
  constexpr int kOther = kManyRegisters ? 7 : kHighest;
  return {kLanes, weight_scratch, input_scratch,
          [](const ProductConvolution& p, const float* dy, const float* x, float* dw, int64_t first, int64_t last,
             float* scratch) {
            const bool other = convolution_rule::tile_rows(p.outputs, kManyRegisters) == kOther;
            (other ? grad_weight<kOther, M> : grad_weight<kHighest, M>)(p, dy, x, dw, first, last, scratch);
          },
          [](const ProductConvolution& p, const float* dy, const float* weight, float* dx, int64_t first, int64_t last,
             float* scratch) {
            const int64_t high = convolution_rule::tile_rows(p.rows, kManyRegisters);
            (p.rows < high    ? grad_input<1, M>
             : high == kOther ? grad_input<kOther, M>
                              : grad_input<kHighest, M>)(p, dy, weight, dx, first, last, scratch);
          }};
}

}  // namespace convolution_product
}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#endif
