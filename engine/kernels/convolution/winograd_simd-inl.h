// SPDX-License-Identifier: Apache-2.0
// The parts of 3x3 convolutions by Winograd's minimal filtering (winograd_loops.h). Included once per vector unit
// (winograd_simd.cpp), and by a test that notes each access: it has an include guard per unit, as Highway's own inner
// headers do.
#if defined(ENGINE_CPU_WINOGRAD_SIMD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ENGINE_CPU_WINOGRAD_SIMD_INL_H
#undef ENGINE_CPU_WINOGRAD_SIMD_INL_H
#else
#define ENGINE_CPU_WINOGRAD_SIMD_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <utility>

#include "engine/kernels/convolution/winograd_loops.h"
#include "engine/kernels/convolution/winograd_simd.h"
#include "engine/kernels/core/memory-inl.h"
#include "engine/kernels/gemm/gemm_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace {  // the same names live in every file that includes this: they must not be merged
namespace winograd {

namespace hn = hwy::HWY_NAMESPACE;
using loops::kWinogradPoints;
using loops::kWinogradSide;
using loops::kWinogradTile;
using loops::Range;
using loops::WinogradCut;
using loops::WinogradProduct;
using loops::WinogradShape;

constexpr hn::ScalableTag<float> kVector;
using V = hn::Vec<decltype(kVector)>;
constexpr int64_t kLanes = static_cast<int64_t>(hn::MaxLanes(kVector));
constexpr int kSide = static_cast<int>(kWinogradSide), kTile = static_cast<int>(kWinogradTile);
constexpr int kVectors = loops::vectors_in_registers(kLanes >= 16);
constexpr int kHigh = loops::kRowsInRegisters;

/// Up to a whole vector of channels.
template <class M>
HWY_INLINE V load(const float* from, int64_t channels) {
  return channels >= kLanes ? M::load(kVector, from) : M::load_some(kVector, from, channels);
}
template <class M>
HWY_INLINE void store(V x, float* to, int64_t channels) {
  if (channels >= kLanes) M::store(x, kVector, to);
  else M::store_some(x, kVector, to, channels);
}

/// B^T d of Lavin and Gray's F(4, 3): six elements of a row or column.
HWY_INLINE void transform_input(V& d0, V& d1, V& d2, V& d3, V& d4, V& d5) {
  const V two = hn::Set(kVector, 2.0F), four = hn::Set(kVector, 4.0F), five = hn::Set(kVector, 5.0F);
  const V even = hn::NegMulAdd(four, d2, d4), odd = hn::NegMulAdd(four, d1, d3);
  const V wide = hn::Sub(d4, d2), twice = hn::Mul(two, hn::Sub(d3, d1));
  d0 = hn::MulAdd(four, d0, hn::NegMulAdd(five, d2, d4));
  d5 = hn::MulAdd(four, d1, hn::NegMulAdd(five, d3, d5));
  d1 = hn::Add(even, odd);
  d2 = hn::Sub(even, odd);
  d3 = hn::Add(wide, twice);
  d4 = hn::Sub(wide, twice);
}
/// A^T m: six points give four results, in m0 to m3.
HWY_INLINE void transform_result(V& m0, V& m1, V& m2, V& m3, V m4, V m5) {
  const V sum = hn::Add(m1, m2), difference = hn::Sub(m1, m2), far = hn::Add(m3, m4), apart = hn::Sub(m3, m4);
  m0 = hn::Add(m0, hn::Add(sum, far));
  m1 = hn::MulAdd(hn::Set(kVector, 2.0F), apart, difference);
  m2 = hn::MulAdd(hn::Set(kVector, 4.0F), far, sum);
  m3 = hn::MulAdd(hn::Set(kVector, 8.0F), apart, hn::Add(difference, m5));
}
/// G g: three weights give six points.
HWY_INLINE void transform_weights(V g0, V g1, V g2, V (&to)[kSide]) {
  const V sixth = hn::Set(kVector, -1.0F / 6), ends = hn::Add(g0, g2);
  const V outer = hn::MulAdd(hn::Set(kVector, 1.0F / 24), g0, hn::Mul(hn::Set(kVector, 1.0F / 6), g2)),
          middle = hn::Mul(hn::Set(kVector, 1.0F / 12), g1);
  to[0] = hn::Mul(hn::Set(kVector, 0.25F), g0);
  to[1] = hn::Mul(sixth, hn::Add(ends, g1));
  to[2] = hn::Mul(sixth, hn::Sub(ends, g1));
  to[3] = hn::Add(outer, middle);
  to[4] = hn::Sub(outer, middle);
  to[5] = g2;
}

/// The sums of kRows tiles and kWide vectors of outputs, onto what M holds where `add`. kFetch vectors per step are
/// fetched from `fetched` on, which lie as those of u, perhaps past its end.
template <class M, int kRows, int kWide, int kFetch>
HWY_NOINLINE void product(const tiles::Rows<float>& a, const tiles::Columns<float>& b, int64_t depth, float* m,
                          int64_t m_row, bool add, uintptr_t fetched) {
  const float *v = a.data, *u = b.data;
  tiles::Sums<float, kRows, kWide> sums;
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int w = 0; w < kWide; ++w) sums.of[r][w] = hn::Zero(kVector);
  }
#pragma GCC unroll 4
  for (int64_t k = 0; k < depth; ++k) {
#pragma GCC unroll 4
    for (int f = 0; f < kFetch; ++f) tiles::fetch<float>(fetched + static_cast<uintptr_t>(f * kLanes) * sizeof(float));
    fetched += static_cast<uintptr_t>(kWide * kLanes) * sizeof(float);
    tiles::step<M, false, false>(v, a.row, u, static_cast<float*>(nullptr), sums);
    v += a.step;
    u += b.step;
  }
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int w = 0; w < kWide; ++w) {
      float* const to = m + r * m_row + w * kLanes;
      M::store(add ? hn::Add(sums.of[r][w], M::load(kVector, to)) : sums.of[r][w], kVector, to);
    }
  }
}
using Product = void (*)(const tiles::Rows<float>&, const tiles::Columns<float>&, int64_t, float*, int64_t, bool,
                         uintptr_t);
/// How many vectors each part fetches, so that all together fetch a panel: one, half of it, or all.
constexpr int kFetches[] = {1, kVectors / 2, kVectors};
constexpr int kCells = kHigh * kVectors * 3;
template <class M, int... kCell>
constexpr void fill_products(Product (&table)[kCells], std::integer_sequence<int, kCell...>) {
  ((table[kCell] = product<M, kCell / (3 * kVectors) + 1, kCell / 3 % kVectors + 1, kFetches[kCell % 3]>), ...);
}
/// By rows and vectors less one, and kFetches.
template <class M>
struct Products {
  Product of[kCells];
  constexpr Products() : of{} { fill_products<M>(of, std::make_integer_sequence<int, kCells>()); }
  Product find(int64_t rows, int64_t wide, int fetches) const {
    return of[((rows - 1) * kVectors + wide - 1) * 3 + fetches];
  }
};

/// `from`: the first of the tile's rows and columns that x has.
template <bool kInside, class M>
HWY_INLINE void transform_tile(const float* from, const WinogradImages& layout, int64_t channels, Range rows,
                               Range columns, float* to, int64_t point) {
  V d[kSide][kSide];
#pragma GCC unroll 6
  for (int j = 0; j < kSide; ++j) {
#pragma GCC unroll 6
    for (int i = 0; i < kSide; ++i) {
      const bool is_there = kInside || (i >= rows.begin && i < rows.end && j >= columns.begin && j < columns.end);
      const int64_t row = kInside ? i : i - rows.begin, column = kInside ? j : j - columns.begin;
      d[i][j] = is_there ? load<M>(from + row * layout.row + column * layout.pixel, channels) : hn::Zero(kVector);
    }
    transform_input(d[0][j], d[1][j], d[2][j], d[3][j], d[4][j], d[5][j]);
  }
#pragma GCC unroll 6
  for (int i = 0; i < kSide; ++i) {
    transform_input(d[i][0], d[i][1], d[i][2], d[i][3], d[i][4], d[i][5]);
#pragma GCC unroll 6
    for (int j = 0; j < kSide; ++j) store<M>(d[i][j], to + (i * kSide + j) * point, channels);
  }
}
/// V of some tiles of a unit.
template <class M>
HWY_NOINLINE void transform(const WinogradShape& s, const float* x, const WinogradImages& layout, Range unit,
                            Range tiles, float* v, int64_t point) {
  for (int64_t t = tiles.begin; t < tiles.end; ++t) {
    const loops::WinogradTile at = loops::winograd_tile_at(s, t);
    const int64_t top = at.row - s.above, left = at.column - s.left;
    const Range rows{std::max<int64_t>(0, -top), std::min<int64_t>(kSide, s.x_height - top)},
        columns{std::max<int64_t>(0, -left), std::min<int64_t>(kSide, s.x_width - left)};
    const bool inside = rows.size() == kSide && columns.size() == kSide,
               none = rows.size() <= 0 || columns.size() <= 0;  // padding alone
    const float* const from =
        none ? x
             : x + at.image * layout.image + (top + rows.begin) * layout.row + (left + columns.begin) * layout.pixel;
    float* const to = v + (t - unit.begin) * s.inputs;
    for (int64_t c = 0; c < s.inputs; c += kLanes) {
      if (inside) transform_tile<true, M>(from + c, layout, s.inputs - c, rows, columns, to + c, point);
      else transform_tile<false, M>(from + c, layout, s.inputs - c, none ? Range{} : rows, columns, to + c, point);
    }
  }
}

template <class M>
class Unit : public loops::Computes {
 public:
  Unit(const WinogradCall& call, float* scratch)
      : c_(call), v_(scratch), m_(scratch + kWinogradPoints * call.cut.v_point(call.shape, call.cut.block)) {}

  void transform(Range unit, Range tiles) {
    winograd::transform<M>(c_.shape, c_.x, c_.x_layout, unit, tiles, v_, c_.cut.v_point(c_.shape, unit.size()));
  }

  void multiply(const WinogradProduct& p, int64_t tiles) {
    static constexpr Products<M> kProducts;
    const WinogradShape& s = c_.shape;
    const float* const u = c_.u + c_.cut.weights_at(s, p.point, p.outputs.begin, p.steps.begin);
    const float* const v = v_ + p.point * c_.cut.v_point(s, tiles) + p.tiles.begin * s.inputs + p.steps.begin;
    float* const m = m_ + p.point * c_.cut.m_point(tiles) + p.tiles.begin * c_.cut.outputs + p.outputs.begin;
    const int fetches = p.parts >= kVectors ? 0 : p.parts >= 2 ? 1 : 2;
    const int64_t vector = std::min<int64_t>(p.part * kFetches[fetches], kVectors - 1);
    kProducts.find(p.tiles.size(), p.outputs.size() / kLanes, fetches)(
        {v, s.inputs, 1}, {u, p.outputs.size()}, p.steps.size(), m, c_.cut.outputs, p.steps.begin > 0,
        tiles::address(u, p.steps.size() * p.outputs.size() + vector * kLanes));
  }

  HWY_NOINLINE void results(Range unit, Range tiles) {
    const WinogradShape& s = c_.shape;
    const int64_t point = c_.cut.m_point(unit.size());
    for (int64_t t = tiles.begin; t < tiles.end; ++t) {
      const loops::WinogradTile at = loops::winograd_tile_at(s, t);
      const float* const from = m_ + (t - unit.begin) * c_.cut.outputs;
      float* const to = c_.y + at.image * c_.y_layout.image + at.row * c_.y_layout.row + at.column * c_.y_layout.pixel;
      const int64_t high = std::min<int64_t>(kTile, s.height - at.row),
                    wide = std::min<int64_t>(kTile, s.width - at.column);
      for (int64_t o = 0; o < s.outputs; o += kLanes) result_of(from + o, point, s.outputs - o, o, high, wide, to + o);
    }
  }

 private:
  HWY_INLINE void result_of(const float* from, int64_t point, int64_t channels, int64_t output, int64_t high,
                            int64_t wide, float* to) {
    V m[kSide][kSide];
#pragma GCC unroll 6
    for (int j = 0; j < kSide; ++j) {
#pragma GCC unroll 6
      for (int i = 0; i < kSide; ++i) m[i][j] = M::load(kVector, from + (i * kSide + j) * point);
      transform_result(m[0][j], m[1][j], m[2][j], m[3][j], m[4][j], m[5][j]);
    }
    const V bias = c_.bias != nullptr ? load<M>(c_.bias + output, channels) : hn::Zero(kVector);
#pragma GCC unroll 4
    for (int i = 0; i < kTile; ++i) {
      if (i >= high) break;
      transform_result(m[i][0], m[i][1], m[i][2], m[i][3], m[i][4], m[i][5]);
#pragma GCC unroll 4
      for (int j = 0; j < kTile; ++j) {
        if (j < wide) store<M>(hn::Add(m[i][j], bias), to + i * c_.y_layout.row + j * c_.y_layout.pixel, channels);
      }
    }
  }

  const WinogradCall& c_;
  float *v_, *m_;
};

template <class M>
void unit(const WinogradCall& call, Range tiles, float* scratch) {
  Unit<M> parts(call, scratch);
  loops::winograd_unit(call.shape, call.cut, tiles, parts);
}
template <class M>
void transform(const WinogradCall& call, Range unit, Range tiles, float* scratch) {
  Unit<M>(call, scratch).transform(unit, tiles);
}
template <class M>
void multiply(const WinogradCall& call, Range unit, Range products, float* scratch) {
  Unit<M> parts(call, scratch);
  loops::winograd_products(call.shape, call.cut, unit.size(), products, parts);
}
template <class M>
void results(const WinogradCall& call, Range unit, Range tiles, float* scratch) {
  Unit<M>(call, scratch).results(unit, tiles);
}

/// A vector of outputs of one input; outputs that are none are zeros.
template <class M>
HWY_INLINE void weights_of(const WinogradWeights& w, const float* factor, int64_t outputs, float* u, int64_t u_point) {
  HWY_ALIGN float taps[9][kLanes] = {};
  for (int64_t lane = 0; lane < outputs; ++lane) {
    const float* const kernel = w.data + lane * w.output;
    const float scale = factor != nullptr ? M::load(factor + lane) : 1.0F;
    for (int64_t tap = 0; tap < 9; ++tap)
      taps[tap][lane] = M::load(kernel + tap / 3 * w.row + tap % 3 * w.column) * scale;
  }
  V columns[3][kSide];
#pragma GCC unroll 3
  for (int j = 0; j < 3; ++j)
    transform_weights(hn::Load(kVector, taps[j]), hn::Load(kVector, taps[3 + j]), hn::Load(kVector, taps[6 + j]),
                      columns[j]);
#pragma GCC unroll 6
  for (int i = 0; i < kSide; ++i) {
    V points[kSide];
    transform_weights(columns[0][i], columns[1][i], columns[2][i], points);
#pragma GCC unroll 6
    for (int j = 0; j < kSide; ++j) M::store(points[j], kVector, u + (i * kSide + j) * u_point);
  }
}

/// Panel by panel, and of each an input after another.
template <class M>
void weights(const WinogradShape& s, const WinogradCut& cut, const WinogradWeights& w, const float* factor,
             Range inputs, float* u) {
  for (int64_t panel = 0; panel < cut.outputs; panel += cut.panel()) {
    const int64_t wide = std::min(cut.panel(), cut.outputs - panel);
    for (int64_t c = inputs.begin; c < inputs.end; ++c) {
      float* const to = u + cut.weights_at(s, 0, panel, c);
      for (int64_t o = panel; o < panel + wide; o += kLanes) {
        WinogradWeights kernels = w;
        kernels.data += o * w.output + c * w.input;
        weights_of<M>(kernels, factor != nullptr ? factor + o : nullptr, std::min(kLanes, s.outputs - o),
                      to + o - panel, cut.u_point(s));
      }
    }
  }
}

// ---- the gradient by the weights

/// A y: four results of a row or column give six points.
HWY_INLINE void spread_result(V y0, V y1, V y2, V y3, V (&to)[kSide]) {
  const V even = hn::Add(y0, y2), odd = hn::Add(y1, y3), far = hn::MulAdd(hn::Set(kVector, 4.0F), y2, y0),
          apart = hn::MulAdd(hn::Set(kVector, 8.0F), y3, hn::Add(y1, y1));
  to[0] = y0;
  to[1] = hn::Add(even, odd);
  to[2] = hn::Sub(even, odd);
  to[3] = hn::Add(far, apart);
  to[4] = hn::Sub(far, apart);
  to[5] = y3;
}
/// G^T u: six points give three weights.
HWY_INLINE void gather_weights(V u0, V u1, V u2, V u3, V u4, V u5, V (&to)[3]) {
  const V sixth = hn::Set(kVector, 1.0F / 6), near = hn::Mul(sixth, hn::Add(u1, u2)), far = hn::Add(u3, u4);
  to[0] = hn::MulAdd(hn::Set(kVector, 0.25F), u0, hn::MulSub(hn::Set(kVector, 1.0F / 24), far, near));
  to[1] = hn::MulAdd(sixth, hn::Sub(u2, u1), hn::Mul(hn::Set(kVector, 1.0F / 12), hn::Sub(u3, u4)));
  to[2] = hn::Add(hn::MulSub(sixth, far, near), u5);
}

template <class M>
class Gradient : public loops::Computes {
 public:
  Gradient(const WinogradGradientCall& call, float* scratch) : c_(call), v_(scratch) {}

  void transform(Range unit, Range tiles) {
    winograd::transform<M>(c_.shape, c_.x, c_.x_layout, unit, tiles, v_, c_.cut.v_point(c_.shape, unit.size()));
  }
  HWY_NOINLINE void spread(Range unit, Range tiles) {
    const WinogradShape& s = c_.shape;
    const int64_t point = c_.cut.m_point(unit.size());
    for (int64_t t = tiles.begin; t < tiles.end; ++t) {
      const loops::WinogradTile at = loops::winograd_tile_at(s, t);
      const float* const from =
          c_.dy + at.image * c_.y_layout.image + at.row * c_.y_layout.row + at.column * c_.y_layout.pixel;
      float* const to = m() + (t - unit.begin) * c_.cut.outputs;
      const int64_t high = std::min<int64_t>(kTile, s.height - at.row),
                    wide = std::min<int64_t>(kTile, s.width - at.column);
      for (int64_t o = 0; o < s.outputs; o += kLanes) spread_tile(from + o, s.outputs - o, high, wide, to + o, point);
    }
  }
  void sum(const loops::WinogradSum& p, int64_t tiles) {
    static constexpr Products<M> kProducts;
    const WinogradShape& s = c_.shape;
    const float* const v = v_ + p.point * c_.cut.v_point(s, tiles) + p.tiles.begin * s.inputs + p.inputs.begin;
    const float* const dm = m() + p.point * c_.cut.m_point(tiles) + p.tiles.begin * c_.cut.outputs + p.outputs.begin;
    float* const u = c_.u + c_.cut.weights_at(s, p.point, p.outputs.begin, p.inputs.begin);
    // The next inputs' sums are fetched meanwhile.
    kProducts.find(p.inputs.size(), p.outputs.size() / kLanes, 0)(
        {v, 1, s.inputs}, {dm, c_.cut.outputs}, p.tiles.size(), u, p.outputs.size(), p.add,
        tiles::address(u, p.inputs.size() * p.outputs.size()));
  }
  HWY_NOINLINE void gradients(Range inputs) {
    const WinogradShape& s = c_.shape;
    for (int64_t panel = 0; panel < s.outputs; panel += c_.cut.panel()) {
      for (int64_t c = inputs.begin; c < inputs.end; ++c) {
        for (int64_t o = panel; o < std::min(panel + c_.cut.panel(), s.outputs); o += kLanes)
          gradient_of(c_.u + c_.cut.weights_at(s, 0, panel, c) + o - panel, std::min(kLanes, s.outputs - o),
                      c_.dw + o * c_.output + c * c_.input);
      }
    }
  }

 private:
  float* m() const { return v_ + kWinogradPoints * c_.cut.v_point(c_.shape, c_.cut.block); }
  HWY_INLINE void spread_tile(const float* from, int64_t channels, int64_t high, int64_t wide, float* to,
                              int64_t point) {
    V columns[kTile][kSide];
#pragma GCC unroll 4
    for (int j = 0; j < kTile; ++j) {
      V y[kTile];
#pragma GCC unroll 4
      for (int i = 0; i < kTile; ++i)
        y[i] = i < high && j < wide ? load<M>(from + i * c_.y_layout.row + j * c_.y_layout.pixel, channels)
                                    : hn::Zero(kVector);
      spread_result(y[0], y[1], y[2], y[3], columns[j]);
    }
#pragma GCC unroll 6
    for (int i = 0; i < kSide; ++i) {
      V points[kSide];
      spread_result(columns[0][i], columns[1][i], columns[2][i], columns[3][i], points);
#pragma GCC unroll 6
      for (int j = 0; j < kSide; ++j) M::store(points[j], kVector, to + (i * kSide + j) * point);
    }
  }
  HWY_INLINE void gradient_of(const float* u, int64_t outputs, float* to) {
    const int64_t point = c_.cut.u_point(c_.shape);
    V rows[3][kSide];
#pragma GCC unroll 6
    for (int j = 0; j < kSide; ++j) {
      V of[kSide], taps[3];
#pragma GCC unroll 6
      for (int i = 0; i < kSide; ++i) of[i] = M::load(kVector, u + (i * kSide + j) * point);
      gather_weights(of[0], of[1], of[2], of[3], of[4], of[5], taps);
#pragma GCC unroll 3
      for (int i = 0; i < 3; ++i) rows[i][j] = taps[i];
    }
    HWY_ALIGN float lanes[9][kLanes];
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
      V taps[3];
      gather_weights(rows[i][0], rows[i][1], rows[i][2], rows[i][3], rows[i][4], rows[i][5], taps);
#pragma GCC unroll 3
      for (int j = 0; j < 3; ++j) hn::Store(taps[j], kVector, lanes[3 * i + j]);
    }
    for (int64_t lane = 0; lane < outputs; ++lane) {
      for (int64_t tap = 0; tap < 9; ++tap)
        M::store(lanes[tap][lane], to + lane * c_.output + tap / 3 * c_.row + tap % 3 * c_.column);
    }
  }

  const WinogradGradientCall& c_;
  float* v_;
};

template <class M>
WinogradGradientLoops gradient_over() {
  using Call = WinogradGradientCall;
  return {.transform = [](const Call& call, Range unit, Range tiles,
                          float* scratch) { Gradient<M>(call, scratch).transform(unit, tiles); },
          .spread = [](const Call& call, Range unit, Range tiles,
                       float* scratch) { Gradient<M>(call, scratch).spread(unit, tiles); },
          .sums =
              [](const Call& call, Range unit, Range sums, float* scratch) {
                Gradient<M> parts(call, scratch);
                loops::winograd_sums(call.shape, call.cut, unit, sums, parts);
              },
          .gradients = [](const Call& call, Range inputs) { Gradient<M>(call, nullptr).gradients(inputs); }};
}

template <class M = Memory>
WinogradLoops loops_over() {
  return {.lanes = kLanes,
          .weights = weights<M>,
          .unit = unit<M>,
          .transform = transform<M>,
          .multiply = multiply<M>,
          .results = results<M>,
          .gradient = gradient_over<M>()};
}

}  // namespace winograd
}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#endif
