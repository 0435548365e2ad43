// SPDX-License-Identifier: Apache-2.0
// The inner loops of convolutions' gradients as matrix products; this file is compiled once per vector unit.
#include "engine/cpu/convolution_product_simd.h"

#include <algorithm>
#include <cmath>

#include "engine/graph/convolution_rule.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/convolution_product_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, as Highway demands.
#include <hwy/highway.h>

#include "engine/cpu/gemm_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {  // the same names live in other files: they must not be merged

constexpr hn::ScalableTag<float> kVector;
using V = hn::Vec<decltype(kVector)>;
constexpr int64_t kLanes = static_cast<int64_t>(hn::MaxLanes(kVector));
constexpr int64_t kTaps = ProductConvolution::kTaps;
/// A block's nine vectors of columns are computed three at a time: with 8 rows 24 of 32 registers, with 4 rows 12 of 16.
constexpr int kVectors = 3;
constexpr int kPanels = 3;
constexpr bool kManyRegisters = HWY_TARGET <= HWY_AVX3;
constexpr int kHighest = kManyRegisters ? 8 : 4;

int64_t panels_of(int64_t rows, int64_t high) { return (rows + high - 1) / high; }

bool seven_rows(int64_t rows) { return convolution_rule::tile_rows(rows, kManyRegisters) == 7; }

/// The sums of a tile in registers go to kHigh rows of c, or to the first `rows` of them.
template <int kHigh>
HWY_INLINE void store(const tiles::Sums<float, kHigh, kVectors>& sums, float* c, int64_t c_row, int64_t rows) {
  HWY_ALIGN float line[kHigh * kVectors * kLanes];
  const bool whole = rows == kHigh;
  float* const to = whole ? c : line;
  const int64_t to_row = whole ? c_row : kVectors * kLanes;
#pragma GCC unroll 16
  for (int r = 0; r < kHigh; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) hn::StoreU(sums.of[r][v], kVector, to + r * to_row + v * kLanes);
  }
  if (whole) return;
  for (int64_t r = 0; r < rows; ++r) std::copy_n(line + r * to_row, to_row, c + r * c_row);
}

template <int kHigh, bool kPacked, bool kAhead>
HWY_NOINLINE void tile(const tiles::Rows<float>& a, const tiles::Columns<float>& b, int64_t depth, const tiles::Ahead<float>& ahead, float* c, int64_t c_row,
                       int64_t rows) {
  tiles::Sums<float, kHigh, kVectors> sums;
  tiles::sum<Memory, kPacked, kAhead ? tiles::Beside::fetch : tiles::Beside::nothing>(a, b, depth, ahead, static_cast<float*>(nullptr), sums);
  store(sums, c, c_row, rows);
}

// ---- columns and taps -------------------------------------------------------------------------------------------------------


/// Three vectors interleaved, and apart again. Element f = 3 i + s of what they make is element i of vector s, and lies in lane
/// f % kLanes of vector f / kLanes. As kLanes is no multiple of 3, the elements of one vector take every lane once: one permutation
/// per vector and blends by lane % 3 do it.
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
    return hn::IfThenElse(zeros_, pick<kAt>(a, b, c), hn::IfThenElse(ones_, pick<kAt + 1>(a, b, c), pick<kAt + 2>(a, b, c)));
  }
  /// The vector m whose lane l holds an element with the remainder s: m * kLanes + l = s (mod 3), where kLanes is its own inverse.
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
HWY_INLINE void interleave(const Threes& threes, const float* const (&taps)[kTaps], float* (&to)[kPanels]) {
  V v[kTaps];
#pragma GCC unroll 9
  for (int64_t t = 0; t < kTaps; ++t) v[t] = hn::LoadU(kVector, taps[t]);
#pragma GCC unroll 3
  for (int column = 0; column < 3; ++column) threes.interleave(v[column], v[3 + column], v[6 + column]);
#pragma GCC unroll 3
  for (int panel = 0; panel < kPanels; ++panel) {
    V* const of = v + 3 * panel;
    threes.interleave(of[0], of[1], of[2]);
#pragma GCC unroll 3
    for (int part = 0; part < kVectors; ++part) hn::StoreU(of[part], kVector, to[panel] + part * kLanes);
  }
}

/// Adds [channels, 3, 3] to nine vectors, one per tap.
HWY_INLINE void add_taps(const Threes& threes, const float* from, float* const (&taps)[kTaps]) {
  V v[kTaps];
#pragma GCC unroll 9
  for (int64_t t = 0; t < kTaps; ++t) v[t] = hn::LoadU(kVector, from + t * kLanes);
#pragma GCC unroll 3
  for (int panel = 0; panel < kPanels; ++panel) threes.separate(v[3 * panel], v[3 * panel + 1], v[3 * panel + 2]);
#pragma GCC unroll 3
  for (int column = 0; column < 3; ++column) {
    threes.separate(v[column], v[3 + column], v[6 + column]);
#pragma GCC unroll 3
    for (int row = 0; row < 3; ++row) {
      float* const sum = taps[3 * row + column];
      hn::Store(hn::Add(hn::Load(kVector, sum), v[3 * row + column]), kVector, sum);
    }
  }
}

// ---- by weights -------------------------------------------------------------------------------------------------------------

/// A block's columns of im2col as panels [rows, kVectors vectors].
void gather_columns(const ProductConvolution& p, const float* x, float* columns) {
  HWY_ALIGN static const float zeros[kLanes] = {};
  const int64_t wide = kVectors * kLanes;
  const int32_t* pixel = p.pixel_of;
  const Threes threes;
  for (int64_t row = 0; row < p.rows; ++row, pixel += kTaps) {
    const float* taps[kTaps];
    for (int64_t t = 0; t < kTaps; ++t) taps[t] = pixel[t] == p.pixels ? zeros : x + pixel[t] * p.inputs;
    float* to[kPanels];
    for (int64_t panel = 0; panel < kPanels; ++panel) to[panel] = columns + (panel * p.rows + row) * wide;
    interleave(threes, taps, to);
  }
}

/// Whether all of dy is finite.
template <int kHigh>
bool pack_for_weight(const ProductConvolution& p, const float* dy, float* to) {
  float nothing[kHigh] = {};  // NaN once a number was infinite or NaN
  for (int64_t o = 0; o < p.outputs; o += kHigh) {
    const int64_t high = std::min<int64_t>(kHigh, p.outputs - o);
    for (int64_t row = 0; row < p.rows; ++row, to += kHigh) {
      const float* from = dy + row * p.outputs + o;
      if (high == kHigh) std::copy_n(from, kHigh, to);
      else std::fill(std::copy_n(from, high, to), to + kHigh, 0.0f);
      for (int64_t r = 0; r < kHigh; ++r) nothing[r] += 0.0f * to[r];
    }
  }
  return std::ranges::all_of(nothing, [](float x) { return x == 0.0f; });
}

/// Weights whose gradient is NaN because padding (0) met a dy that is not finite: their sums over the other rows.
void without_padding(const ProductConvolution& p, const float* dy, const float* x, float* dw, int64_t first, int64_t last) {
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

template <int kHigh>
void grad_weight(const ProductConvolution& p, const float* dy, const float* x, float* dw, int64_t first, int64_t last, float* scratch) {
  const int64_t wide = kVectors * kLanes;
  float *const columns = scratch, *const packed = scratch + p.rows * kTaps * kLanes;
  const bool finite = pack_for_weight<kHigh>(p, dy, packed);
  for (int64_t block = first; block < last; ++block) {
    gather_columns(p, x + block * kLanes, columns);
    for (int64_t panel = 0; panel < kPanels; ++panel) {
      float* const c = dw + (block * kPanels + panel) * wide;
      for (int64_t o = 0; o < p.outputs; o += kHigh) {
        tile<kHigh, true, false>({packed + o * p.rows, 1, kHigh}, {columns + panel * p.rows * wide, wide}, p.rows, {}, c + o * p.weight_row, p.weight_row,
                           std::min<int64_t>(kHigh, p.outputs - o));
      }
    }
  }
  if (!finite) without_padding(p, dy, x, dw, first, last);
}

// ---- by input ---------------------------------------------------------------------------------------------------------------

/// Columns [rows, channels, 3, 3] of a block summed into its channels of dx, by way of a buffer whose last vector is what padding got.
void scatter_columns(const ProductConvolution& p, const float* columns, float* sums, float* dx) {
  std::fill_n(sums, (p.pixels + 1) * kLanes, 0.0f);
  const int32_t* pixel = p.pixel_of;
  const Threes threes;
  for (int64_t row = 0; row < p.rows; ++row, pixel += kTaps) {
    float* taps[kTaps];
    for (int64_t t = 0; t < kTaps; ++t) taps[t] = sums + pixel[t] * kLanes;
    add_taps(threes, columns + row * kTaps * kLanes, taps);
  }
  for (int64_t i = 0; i < p.pixels; ++i) hn::StoreU(hn::Load(kVector, sums + i * kLanes), kVector, dx + i * p.inputs);
}

/// dy is read as it lies: its rows are a's, and outputs, side by side, the steps.
template <int kHigh>
void grad_input(const ProductConvolution& p, const float* dy, const float* weight, float* dx, int64_t first, int64_t last, float* scratch) {
  const int64_t wide = kVectors * kLanes, row = kTaps * kLanes;
  float* const columns = scratch;
  float* const sums = columns + p.rows * row;
  for (int64_t block = first; block < last; ++block) {
    for (int64_t panel = 0; panel < kPanels; ++panel) {
      const float* const b = weight + (block * kPanels + panel) * wide;
      const bool more = block + 1 < last || panel + 1 < kPanels;
      for (int64_t i = 0; i < panels_of(p.rows, kHigh); ++i) {
        const int64_t at = std::min(i * kHigh, p.rows - kHigh);  // the last tile computes some rows again
        float* const c = columns + at * row + panel * wide;
        const tiles::Rows<float> a{dy + at * p.outputs, p.outputs, 1};
        if (more && i < kVectors) {  // a line of the next panel's rows each
          tile<kHigh, false, true>(a, {b, p.weight_row}, p.outputs, {b + wide + i * kLanes, p.weight_row}, c, row, kHigh);
        } else {
          tile<kHigh, false, false>(a, {b, p.weight_row}, p.outputs, {}, c, row, kHigh);
        }
      }
    }
    scatter_columns(p, columns, sums, dx + block * kLanes);
  }
}

// ---- the table --------------------------------------------------------------------------------------------------------------

int64_t weight_scratch(const ProductConvolution& p) {
  return p.rows * kTaps * kLanes + panels_of(p.outputs, kHighest) * kHighest * p.rows;
}
int64_t input_scratch(const ProductConvolution& p) {
  return (p.rows * kTaps + p.pixels + 1) * kLanes;
}

ProductConvolutionLoops loops() {
  constexpr int kOther = kManyRegisters ? 7 : kHighest;
  return {kLanes, weight_scratch, input_scratch,
          [](const ProductConvolution& p, const float* dy, const float* x, float* dw, int64_t first, int64_t last, float* scratch) {
            (seven_rows(p.outputs) ? grad_weight<kOther> : grad_weight<kHighest>)(p, dy, x, dw, first, last, scratch);
          },
          [](const ProductConvolution& p, const float* dy, const float* weight, float* dx, int64_t first, int64_t last, float* scratch) {
            const int64_t high = seven_rows(p.rows) ? kOther : kHighest;
            (p.rows < high ? grad_input<1> : high == kOther ? grad_input<kOther> : grad_input<kHighest>)(p, dy, weight, dx, first, last, scratch);
          }};
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace engine::cpu {

HWY_EXPORT(loops);

ProductConvolutionLoops product_convolution_loops() { return HWY_DYNAMIC_DISPATCH(loops)(); }

}  // namespace engine::cpu
#endif
