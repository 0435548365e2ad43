// SPDX-License-Identifier: Apache-2.0
// The inner loops of convolutions' gradients as matrix products; this file is compiled once per vector unit.
#include "engine/cpu/convolution_product_simd.h"

#include <algorithm>

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
constexpr int64_t kTaps = ProductConvolution::kTaps;
/// A block's nine vectors of columns are computed three at a time: with 8 rows 24 of 32 registers, with 4 rows 12 of 16.
constexpr int kVectors = 3;
constexpr int kPanels = 3;
constexpr bool kManyRegisters = HWY_TARGET <= HWY_AVX3;
constexpr int kHighest = kManyRegisters ? 8 : 4;

int64_t lanes() { return static_cast<int64_t>(hn::Lanes(kVector)); }
int64_t panels_of(int64_t rows, int64_t high) { return (rows + high - 1) / high; }

/// Rows of a tile: 8, or 7 where these leave fewer rows of the last one empty (49 pixels are 7 times 7).
bool seven_rows(int64_t rows) { return kManyRegisters && panels_of(rows, 7) * 7 < panels_of(rows, 8) * 8; }

/// The sums of a tile in registers go to kHigh rows of c, or to the first `rows` of them.
template <int kHigh>
HWY_INLINE void store(const tiles::Sums<float, kHigh, kVectors>& sums, float* c, int64_t c_row, int64_t rows) {
  HWY_ALIGN float line[kHigh * kVectors * hn::MaxLanes(kVector)];
  const bool whole = rows == kHigh;
  float* const to = whole ? c : line;
  const int64_t to_row = whole ? c_row : kVectors * lanes();
#pragma GCC unroll 16
  for (int r = 0; r < kHigh; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) hn::StoreU(sums.of[r][v], kVector, to + r * to_row + v * lanes());
  }
  if (whole) return;
  for (int64_t r = 0; r < rows; ++r) std::copy_n(line + r * to_row, to_row, c + r * c_row);
}

template <int kHigh, bool kAhead>
HWY_NOINLINE void tile(const float* packed, const tiles::Columns<float>& b, int64_t depth, const tiles::Ahead<float>& ahead, float* c, int64_t c_row,
                       int64_t rows) {
  tiles::Sums<float, kHigh, kVectors> sums;
  tiles::sum<true, kAhead ? tiles::Beside::fetch : tiles::Beside::nothing>(tiles::Rows<float>{packed, 1, kHigh}, b, depth, ahead, static_cast<float*>(nullptr), sums);
  store(sums, c, c_row, rows);
}

// ---- columns and taps -------------------------------------------------------------------------------------------------------

/// Nine vectors, one per tap, as [channels, 3, 3]: their lanes side by side. Twice an interleaving of three.
HWY_INLINE void interleave(const float* const (&taps)[kTaps], float* (&to)[kPanels]) {
  HWY_ALIGN float by_column[3][kVectors * hn::MaxLanes(kVector)];
  for (int column = 0; column < 3; ++column) {
    hn::StoreInterleaved3(hn::LoadU(kVector, taps[column]), hn::LoadU(kVector, taps[3 + column]), hn::LoadU(kVector, taps[6 + column]), kVector,
                          by_column[column]);
  }
  for (int panel = 0; panel < kPanels; ++panel) {
    const int64_t at = panel * lanes();
    hn::StoreInterleaved3(hn::Load(kVector, by_column[0] + at), hn::Load(kVector, by_column[1] + at), hn::Load(kVector, by_column[2] + at), kVector, to[panel]);
  }
}

/// Adds [channels, 3, 3] to nine vectors, one per tap.
HWY_INLINE void add_taps(const float* from, float* const (&taps)[kTaps]) {
  HWY_ALIGN float by_column[3][kVectors * hn::MaxLanes(kVector)];
  hn::Vec<decltype(kVector)> v0, v1, v2;
  for (int panel = 0; panel < kPanels; ++panel) {
    const int64_t at = panel * lanes();
    hn::LoadInterleaved3(kVector, from + 3 * at, v0, v1, v2);
    hn::Store(v0, kVector, by_column[0] + at);
    hn::Store(v1, kVector, by_column[1] + at);
    hn::Store(v2, kVector, by_column[2] + at);
  }
  for (int column = 0; column < 3; ++column) {
    hn::LoadInterleaved3(kVector, by_column[column], v0, v1, v2);
    hn::Store(hn::Add(hn::Load(kVector, taps[column]), v0), kVector, taps[column]);
    hn::Store(hn::Add(hn::Load(kVector, taps[3 + column]), v1), kVector, taps[3 + column]);
    hn::Store(hn::Add(hn::Load(kVector, taps[6 + column]), v2), kVector, taps[6 + column]);
  }
}

// ---- by weights -------------------------------------------------------------------------------------------------------------

/// A block's columns of im2col as panels [rows, kVectors vectors].
void gather_columns(const ProductConvolution& p, const float* x, float* columns) {
  HWY_ALIGN static const float zeros[hn::MaxLanes(kVector)] = {};
  const int64_t wide = kVectors * lanes();
  const int32_t* pixel = p.pixel_of;
  for (int64_t row = 0; row < p.rows; ++row, pixel += kTaps) {
    const float* taps[kTaps];
    for (int64_t t = 0; t < kTaps; ++t) taps[t] = pixel[t] == p.pixels ? zeros : x + pixel[t] * p.inputs;
    float* to[kPanels];
    for (int64_t panel = 0; panel < kPanels; ++panel) to[panel] = columns + (panel * p.rows + row) * wide;
    interleave(taps, to);
  }
}

template <int kHigh>
void pack_for_weight(const ProductConvolution& p, const float* dy, float* packed, int64_t first, int64_t last) {
  for (int64_t panel = first; panel < last; ++panel) {
    const int64_t o = panel * kHigh, high = std::min<int64_t>(kHigh, p.outputs - o);
    float* to = packed + o * p.rows;
    for (int64_t row = 0; row < p.rows; ++row, to += kHigh) {
      const float* from = dy + row * p.outputs + o;
      if (high == kHigh) std::copy_n(from, kHigh, to);
      else std::fill(std::copy_n(from, high, to), to + kHigh, 0.0f);
    }
  }
}

template <int kHigh>
void grad_weight(const ProductConvolution& p, const float* x, const float* packed, float* dw, int64_t first, int64_t last, float* columns) {
  const int64_t wide = kVectors * lanes();
  for (int64_t block = first; block < last; ++block) {
    gather_columns(p, x + block * lanes(), columns);
    for (int64_t panel = 0; panel < kPanels; ++panel) {
      float* const c = dw + (block * kPanels + panel) * wide;
      for (int64_t o = 0; o < p.outputs; o += kHigh) {
        tile<kHigh, false>(packed + o * p.rows, {columns + panel * p.rows * wide, wide}, p.rows, {}, c + o * p.weight_row, p.weight_row,
                           std::min<int64_t>(kHigh, p.outputs - o));
      }
    }
  }
}

// ---- by input ---------------------------------------------------------------------------------------------------------------

template <int kHigh>
void pack_for_input(const ProductConvolution& p, const float* dy, float* packed, int64_t first, int64_t last) {
  for (int64_t panel = first; panel < last; ++panel) {
    const int64_t row = panel * kHigh, high = std::min<int64_t>(kHigh, p.rows - row);
    const float* from = dy + row * p.outputs;
    float* to = packed + row * p.outputs;
    if (high == kHigh) {
      for (int64_t o = 0; o < p.outputs; ++o, to += kHigh) {
        for (int64_t r = 0; r < kHigh; ++r) to[r] = from[r * p.outputs + o];
      }
      continue;
    }
    for (int64_t o = 0; o < p.outputs; ++o, to += kHigh) {
      for (int64_t r = 0; r < kHigh; ++r) to[r] = r < high ? from[r * p.outputs + o] : 0.0f;
    }
  }
}

/// Columns [rows, channels, 3, 3] of a block summed into its channels of dx, by way of a buffer whose last vector is what padding got.
void scatter_columns(const ProductConvolution& p, const float* columns, float* sums, float* dx) {
  std::fill_n(sums, (p.pixels + 1) * lanes(), 0.0f);
  const int32_t* pixel = p.pixel_of;
  for (int64_t row = 0; row < p.rows; ++row, pixel += kTaps) {
    float* taps[kTaps];
    for (int64_t t = 0; t < kTaps; ++t) taps[t] = sums + pixel[t] * lanes();
    add_taps(columns + row * kTaps * lanes(), taps);
  }
  for (int64_t i = 0; i < p.pixels; ++i) hn::StoreU(hn::Load(kVector, sums + i * lanes()), kVector, dx + i * p.inputs);
}

template <int kHigh>
void grad_input(const ProductConvolution& p, const float* weight, const float* packed, float* dx, int64_t first, int64_t last, float* scratch) {
  const int64_t wide = kVectors * lanes(), row = kTaps * lanes();
  float* const columns = scratch;
  float* const sums = scratch + panels_of(p.rows, kHigh) * kHigh * row;
  for (int64_t block = first; block < last; ++block) {
    for (int64_t panel = 0; panel < kPanels; ++panel) {
      const float* const b = weight + (block * kPanels + panel) * wide;
      const bool more = block + 1 < last || panel + 1 < kPanels;
      for (int64_t i = 0; i < panels_of(p.rows, kHigh); ++i) {
        float* const c = columns + i * kHigh * row + panel * wide;
        const float* const a = packed + i * kHigh * p.outputs;
        if (more && i < kVectors) {  // a line of the next panel's rows each
          tile<kHigh, true>(a, {b, p.weight_row}, p.outputs, {b + wide + i * lanes(), p.weight_row}, c, row, kHigh);
        } else {
          tile<kHigh, false>(a, {b, p.weight_row}, p.outputs, {}, c, row, kHigh);
        }
      }
    }
    scatter_columns(p, columns, sums, dx + block * lanes());
  }
}

// ---- the table --------------------------------------------------------------------------------------------------------------

int64_t packed_elements(int64_t rows, int64_t outputs) {
  return std::max(panels_of(rows, kHighest) * kHighest * outputs, panels_of(outputs, kHighest) * kHighest * rows);
}
int64_t scratch_elements(const ProductConvolution& p) { return (panels_of(p.rows, kHighest) * kHighest * kTaps + p.pixels + 1) * lanes(); }

ProductConvolutionLoops loops() {
  constexpr int kOther = kManyRegisters ? 7 : kHighest;
  return {lanes(),
          packed_elements,
          scratch_elements,
          [](const ProductConvolution& p) { return panels_of(p.outputs, seven_rows(p.outputs) ? kOther : kHighest); },
          [](const ProductConvolution& p, const float* dy, float* packed, int64_t first, int64_t last) {
            (seven_rows(p.outputs) ? pack_for_weight<kOther> : pack_for_weight<kHighest>)(p, dy, packed, first, last);
          },
          [](const ProductConvolution& p, const float* x, const float* packed, float* dw, int64_t first, int64_t last, float* scratch) {
            (seven_rows(p.outputs) ? grad_weight<kOther> : grad_weight<kHighest>)(p, x, packed, dw, first, last, scratch);
          },
          [](const ProductConvolution& p) { return panels_of(p.rows, seven_rows(p.rows) ? kOther : kHighest); },
          [](const ProductConvolution& p, const float* dy, float* packed, int64_t first, int64_t last) {
            (seven_rows(p.rows) ? pack_for_input<kOther> : pack_for_input<kHighest>)(p, dy, packed, first, last);
          },
          [](const ProductConvolution& p, const float* weight, const float* packed, float* dx, int64_t first, int64_t last, float* scratch) {
            (seven_rows(p.rows) ? grad_input<kOther> : grad_input<kHighest>)(p, weight, packed, dx, first, last, scratch);
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
