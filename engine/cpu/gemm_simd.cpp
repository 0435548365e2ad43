// SPDX-License-Identifier: Apache-2.0
// The inner loops of own matrix products; this file is compiled once per vector unit.
#include "engine/cpu/gemm_simd.h"

#include <algorithm>

#include "engine/base/gemm_blocking.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/gemm_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, as Highway demands.
#include <hwy/highway.h>

#include "engine/cpu/gemm_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {  // the same names live in other files: they must not be merged

using gemm_blocking::kBlockColumns;
using gemm_blocking::kPackedSteps;
using gemm_blocking::kUnpackedUpTo;
constexpr bool kWideVectors = HWY_TARGET <= HWY_AVX3;
constexpr int kRows = gemm_blocking::kRowsInRegisters, kVectors = gemm_blocking::vectors_in_registers(kWideVectors);
constexpr int64_t kDepth = gemm_blocking::depth_of_panels(kWideVectors);
constexpr int64_t kBlockRows = gemm_blocking::row_panels(kWideVectors) * kRows;

int64_t round_up(int64_t value, int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

template <class T>
constexpr int64_t max_lanes() {
  return static_cast<int64_t>(hn::MaxLanes(hn::ScalableTag<T>()));
}
template <class T>
constexpr int64_t columns() {
  return kVectors * max_lanes<T>();
}

/// A tile of c: where its first element lies, and what its sums are added to: `add`: what c holds, else a bias or nothing.
template <class T>
struct Tile {
  T* c;
  int64_t c_row, cols;
  const T* bias;
  bool add;
};

/// Sums of kHigh rows by kWide vectors of which `cols` columns are stored.
template <class T, int kHigh, int kWide>
HWY_INLINE void store(const tiles::Sums<T, kHigh, kWide>& sums, const Tile<T>& tile) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = max_lanes<T>();
  if (tile.cols == kWide * lanes) {
#pragma GCC unroll 16
    for (int r = 0; r < kHigh; ++r) {
      T* to = tile.c + r * tile.c_row;
#pragma GCC unroll 4
      for (int v = 0; v < kWide; ++v) {
        auto y = sums.of[r][v];
        if (tile.add) {
          y = hn::Add(y, hn::LoadU(d, to + v * lanes));
        } else if (tile.bias != nullptr) {
          y = hn::Add(y, hn::LoadU(d, tile.bias + v * lanes));
        }
        hn::StoreU(y, d, to + v * lanes);
      }
    }
    return;
  }
  HWY_ALIGN T lines[kHigh * kWide * max_lanes<T>()];
#pragma GCC unroll 16
  for (int r = 0; r < kHigh; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kWide; ++v) hn::Store(sums.of[r][v], d, lines + (r * kWide + v) * lanes);
  }
  for (int64_t r = 0; r < kHigh; ++r) {
    const T* line = lines + r * kWide * lanes;
    T* to = tile.c + r * tile.c_row;
    for (int64_t j = 0; j < std::min(tile.cols, kWide * lanes); ++j) to[j] = line[j] + (tile.add ? to[j] : tile.bias != nullptr ? tile.bias[j] : T{0});
  }
}

template <class T, int kHigh, int kWide, bool kPacked, tiles::Beside kBeside = tiles::Beside::nothing>
HWY_NOINLINE void compute(const tiles::Rows<T>& a, const tiles::Columns<T>& b, int64_t depth, const Tile<T>& tile, const tiles::Ahead<T>& ahead = {},
                          T* packed_b = nullptr) {
  for (int64_t r = 0; r < kHigh && tile.add; ++r) {  // c is on its way while the sums are made
    for (int64_t v = 0; v < kWide; ++v) tiles::fetch<T>(tiles::address(tile.c, r * tile.c_row + v * max_lanes<T>()));
  }
  tiles::Sums<T, kHigh, kWide> sums;
  tiles::sum<kPacked, kBeside>(a, b, depth, ahead, packed_b, sums);
  store(sums, tile);
}

/// kRows rows, or what is left of them in powers of two, by as many vectors as `cols` columns need.
template <class T, int kWide, bool kPacked>
void rows_of_tiles(tiles::Rows<T> a, const tiles::Columns<T>& b, int64_t depth, Tile<T> tile, int64_t rows) {
  if (rows == kRows) return compute<T, kRows, kWide, kPacked>(a, b, depth, tile);
  while (rows > 0) {
    const int64_t high = rows >= 4 ? 4 : rows >= 2 ? 2 : 1;
    // A packed panel has kRows rows, so that fewer of them are kRows apart.
    const auto some = high == 4 ? compute<T, 4, kWide, false> : high == 2 ? compute<T, 2, kWide, false> : compute<T, 1, kWide, false>;
    some(a, b, depth, tile, {}, nullptr);
    a.data += high * a.row;
    tile.c += high * tile.c_row;
    rows -= high;
  }
}

template <class T, bool kPacked>
void tile(const tiles::Rows<T>& a, const tiles::Columns<T>& b, int64_t depth, const Tile<T>& to, int64_t rows) {
  static_assert(kVectors == 2 || kVectors == 4);
  const int64_t vectors = (to.cols + max_lanes<T>() - 1) / max_lanes<T>();
  if constexpr (kVectors == 4) {
    if (vectors == 4) return rows_of_tiles<T, 4, kPacked>(a, b, depth, to, rows);
    if (vectors == 3) return rows_of_tiles<T, 3, kPacked>(a, b, depth, to, rows);
  }
  if (vectors == 2) return rows_of_tiles<T, 2, kPacked>(a, b, depth, to, rows);
  rows_of_tiles<T, 1, kPacked>(a, b, depth, to, rows);
}

/// b[0..depth, 0..cols] as a panel of columns<T>() neighbours, filled up with zeros to whole vectors.
template <class T>
void pack_columns(const GemmMatrix<T>& b, int64_t depth, int64_t cols, T* to) {
  constexpr int64_t kWide = columns<T>();
  if (b.column == 1 && cols == kWide) {
    for (int64_t k = 0; k < depth; ++k) std::copy_n(b.data + k * b.row, kWide, to + k * kWide);
    return;
  }
  for (int64_t k0 = 0; k0 < depth; k0 += kPackedSteps) {
    const int64_t end = std::min(depth, k0 + kPackedSteps);
    for (int64_t j = 0; j < round_up(cols, max_lanes<T>()); ++j) {
      const T* from = b.data + j * b.column;
      for (int64_t k = k0; k < end; ++k) to[k * kWide + j] = j < cols ? from[k * b.row] : T{0};
    }
  }
}

/// a[0..rows, 0..depth] as a panel of kRows neighbours per step, filled up with zeros.
template <class T>
void pack_rows(const GemmMatrix<T>& a, int64_t rows, int64_t depth, T* to) {
  static_assert(kRows == 6);
  int64_t k = 0;
  if (rows == kRows && a.row == 1) {
    for (; k < depth; ++k) std::copy_n(a.data + k * a.column, kRows, to + k * kRows);
  } else if (rows == kRows && a.column == 1) {
    // Six rows as steps: the even ones interleaved, the odd ones, then both.
    const hn::ScalableTag<T> d;
    constexpr int64_t kLanes = max_lanes<T>();
    HWY_ALIGN T even[3 * kLanes], odd[3 * kLanes];
    const auto row = [&](int64_t r) { return hn::LoadU(d, a.data + r * a.row + k); };
    for (; k + kLanes <= depth; k += kLanes) {
      hn::StoreInterleaved3(row(0), row(2), row(4), d, even);
      hn::StoreInterleaved3(row(1), row(3), row(5), d, odd);
      for (int64_t part = 0; part < 3; ++part) {
        hn::StoreInterleaved2(hn::Load(d, even + part * kLanes), hn::Load(d, odd + part * kLanes), d, to + k * kRows + 2 * part * kLanes);
      }
    }
  }
  for (; k < depth; ++k) {
    for (int64_t r = 0; r < kRows; ++r) to[k * kRows + r] = r < rows ? a.data[r * a.row + k * a.column] : T{0};
  }
}

template <class T>
int64_t packed_column_elements(int64_t n, int64_t k) {
  return round_up(std::min(n, kBlockColumns), columns<T>()) * std::min(k, kDepth);
}

template <class T>
int64_t workspace_elements(int64_t m, int64_t n, int64_t k) {
  return round_up(packed_column_elements<T>(n, k), 16) + round_up(std::min(m, kBlockRows), kRows) * std::min(k, kDepth);
}

/// One block of c: rows [i0, i0 + rows) by columns [j0, j0 + cols), sums over [k0, k0 + depth).
struct Block {
  int64_t i0, rows, j0, cols, k0, depth;
};

/// All tiles of one panel of b.
template <class T>
void panel_of_tiles(const GemmProblem<T>& p, const Block& block, bool in_place, const tiles::Columns<T>& b, const T* packed_a, Tile<T> to) {
  T* const c = to.c;
  for (int64_t i = 0; i < block.rows; i += kRows) {
    const int64_t rows = std::min<int64_t>(kRows, block.rows - i);
    to.c = c + i * p.c_row;
    if (in_place) {
      tile<T, false>({p.a.from(block.i0 + i, block.k0).data, p.a.row, p.a.column}, b, block.depth, to, rows);
    } else {
      tile<T, true>({packed_a + i * block.depth, 1, kRows}, b, block.depth, to, rows);
    }
  }
}

/// A panel of b that only one block of rows meets.
template <class T>
struct LonePanel {
  tiles::Columns<T> b;  ///< where it lies; its columns are neighbours
  T* packed;
  bool last;  ///< no other is beside it
};

/// Tile `index` of such a panel: the first packs it as it reads it, the next ones fetch what the panel beside it begins with.
template <class T, int kHigh, bool kPacked>
void lone_tile(const tiles::Rows<T>& a, const LonePanel<T>& panel, int64_t depth, int64_t index, const Tile<T>& to) {
  using tiles::Beside;
  const tiles::Columns<T> packed{panel.packed, columns<T>()};
  const int64_t vector = index - 1;
  if (index == 0) {
    compute<T, kHigh, kVectors, kPacked, Beside::pack>(a, panel.b, depth, to, {}, panel.packed);
  } else if (vector < kVectors && !panel.last) {
    compute<T, kHigh, kVectors, kPacked, Beside::fetch>(a, packed, depth, to, {panel.b.data + columns<T>() + vector * max_lanes<T>(), panel.b.step});
  } else {
    compute<T, kHigh, kVectors, kPacked>(a, packed, depth, to);
  }
}

/// All tiles of such a panel. `packed_a`: null where rows are read as they lie.
template <class T>
void lone_panel_of_tiles(const GemmProblem<T>& p, const Block& block, const LonePanel<T>& panel, const T* packed_a, Tile<T> to) {
  T* const c = to.c;
  if (packed_a == nullptr) {
    const int64_t count = gemm_blocking::even_tiles(block.rows);
    for (int64_t index = 0; index < count; ++index) {
      const int64_t i = block.rows * index / count, rows = block.rows * (index + 1) / count - i;
      to.c = c + i * p.c_row;
      const auto of = rows == 6 ? lone_tile<T, 6, false> : rows == 5 ? lone_tile<T, 5, false> : lone_tile<T, 4, false>;
      of({p.a.from(block.i0 + i, block.k0).data, p.a.row, p.a.column}, panel, block.depth, index, to);
    }
    return;
  }
  for (int64_t i = 0; i < block.rows; i += kRows) {
    const int64_t rows = std::min<int64_t>(kRows, block.rows - i);
    const tiles::Rows<T> a{packed_a + i * block.depth, 1, kRows};
    to.c = c + i * p.c_row;
    if (rows == kRows) lone_tile<T, kRows, true>(a, panel, block.depth, i / kRows, to);
    else tile<T, true>(a, {panel.packed, columns<T>()}, block.depth, to, rows);
  }
}

/// What is read where it lies.
struct InPlace {
  bool rows, whole_panels;  ///< of a; of b, where their columns are neighbours
};

/// One block of a's rows by one of b's columns. `packed_b`: its panels, or with `lone` room for one.
template <class T>
void block_product(const GemmProblem<T>& p, const Block& block, InPlace in_place, bool lone, T* packed_b, T* packed_a) {
  constexpr int64_t kWide = columns<T>();
  for (int64_t i = 0; i < block.rows && !in_place.rows; i += kRows) {
    pack_rows(p.a.from(block.i0 + i, block.k0), std::min<int64_t>(kRows, block.rows - i), block.depth, packed_a + i * block.depth);
  }
  for (int64_t j = 0; j < block.cols; j += kWide) {
    const int64_t cols = std::min(kWide, block.cols - j);
    const tiles::Columns<T> where_it_lies{p.b.from(block.k0, block.j0 + j).data, p.b.row};
    const Tile<T> to{p.c + block.i0 * p.c_row + block.j0 + j, p.c_row, cols, p.bias == nullptr ? nullptr : p.bias + block.j0 + j,
                     p.accumulate || block.k0 > 0};
    if (lone && cols == kWide) {
      lone_panel_of_tiles<T>(p, block, {where_it_lies, packed_b, j + 2 * kWide > block.cols}, in_place.rows ? nullptr : packed_a, to);
    } else if (in_place.whole_panels && p.b.column == 1 && cols == kWide) {
      panel_of_tiles(p, block, in_place.rows, where_it_lies, packed_a, to);
    } else {
      T* const packed = lone ? packed_b : packed_b + j * block.depth;
      if (lone) pack_columns(p.b.from(block.k0, block.j0 + j), block.depth, cols, packed);
      panel_of_tiles(p, block, in_place.rows, {packed, kWide}, packed_a, to);
    }
  }
}

template <class T>
void multiply(const GemmProblem<T>& p, T* workspace) {
  constexpr int64_t kWide = columns<T>();
  T* const packed_b = workspace;
  T* const packed_a = workspace + round_up(packed_column_elements<T>(p.n, p.k), 16);
  const bool small = p.m * p.n <= kUnpackedUpTo / std::max<int64_t>(p.k, 1);
  const bool lone = !small && p.m >= kRows && p.m <= kBlockRows && p.b.column == 1;
  const bool rows_in_place = lone && gemm_blocking::reads_rows_in_place(p.m, p.a.row * static_cast<int64_t>(sizeof(T)), p.a.column == 1);
  const InPlace in_place{.rows = small || rows_in_place, .whole_panels = small};
  for (int64_t j0 = 0; j0 < p.n; j0 += kBlockColumns) {
    const int64_t cols = std::min(kBlockColumns, p.n - j0);
    for (int64_t k0 = 0; k0 == 0 || k0 < p.k; k0 += kDepth) {
      const int64_t depth = std::min(kDepth, p.k - k0);
      for (int64_t j = 0; j < cols && !lone; j += kWide) {
        const int64_t width = std::min(kWide, cols - j);
        if (!(in_place.whole_panels && p.b.column == 1 && width == kWide)) {
          pack_columns(p.b.from(k0, j0 + j), depth, width, packed_b + j * depth);
        }
      }
      for (int64_t i0 = 0; i0 < p.m; i0 += kBlockRows) {
        block_product(p, Block{i0, std::min(kBlockRows, p.m - i0), j0, cols, k0, depth}, in_place, lone, packed_b, packed_a);
      }
    }
  }
}

/// Sums of x[k] * b[k, j] where the columns of b lie side by side along k: one dot product per column, four at a time.
template <class T>
void dot_columns(const GemmProblem<T>& p, const T* x) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  constexpr int64_t kAtOnce = 4;
  for (int64_t j = 0; j < p.n; j += kAtOnce) {
    const int64_t cols = std::min(kAtOnce, p.n - j);
    const T* column[kAtOnce];
    for (int64_t q = 0; q < kAtOnce; ++q) column[q] = p.b.data + (j + std::min(q, cols - 1)) * p.b.column;
    hn::Vec<decltype(d)> sums[kAtOnce][2];
    for (auto& s : sums) s[0] = s[1] = hn::Zero(d);
    int64_t k = 0;
    for (; k + 2 * lanes <= p.k; k += 2 * lanes) {
      const auto x0 = hn::LoadU(d, x + k), x1 = hn::LoadU(d, x + k + lanes);
#pragma GCC unroll 4
      for (int64_t q = 0; q < kAtOnce; ++q) {
        sums[q][0] = hn::MulAdd(x0, hn::LoadU(d, column[q] + k), sums[q][0]);
        sums[q][1] = hn::MulAdd(x1, hn::LoadU(d, column[q] + k + lanes), sums[q][1]);
      }
    }
    for (int64_t q = 0; q < cols; ++q) {
      T y = hn::GetLane(hn::SumOfLanes(d, hn::Add(sums[q][0], sums[q][1])));
      for (int64_t rest = k; rest < p.k; ++rest) y += x[rest] * column[q][rest];
      p.c[j + q] = y + (p.bias != nullptr ? p.bias[j + q] : T{0});
    }
  }
}

/// c += sums over four rows of b at a time: b streams through once, c stays near.
template <class T>
void add_rows(const GemmProblem<T>& p, const T* x) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  constexpr int64_t kNear = 4096;  // elements of c: stay in L1
  for (int64_t j0 = 0; j0 < p.n; j0 += kNear) {
    const int64_t end = std::min(p.n, j0 + kNear);
    for (int64_t j = j0; j < end; ++j) p.c[j] = p.bias != nullptr ? p.bias[j] : T{0};
    for (int64_t k = 0; k < p.k; k += 4) {
      const int64_t rows = std::min<int64_t>(4, p.k - k);
      const T* row[4];
      T factor[4];
      for (int64_t q = 0; q < 4; ++q) {
        row[q] = p.b.data + (k + std::min(q, rows - 1)) * p.b.row;
        factor[q] = q < rows ? x[k + q] : T{0};
      }
      if (rows < 4) {  // a factor 0 would turn an infinity in the repeated row into NaN
        for (int64_t q = 0; q < rows; ++q)
          for (int64_t j = j0; j < end; ++j) p.c[j] += factor[q] * row[q][j];
        continue;
      }
      const auto f0 = hn::Set(d, factor[0]), f1 = hn::Set(d, factor[1]), f2 = hn::Set(d, factor[2]), f3 = hn::Set(d, factor[3]);
      int64_t j = j0;
      for (; j + lanes <= end; j += lanes) {
        auto y = hn::MulAdd(f0, hn::LoadU(d, row[0] + j), hn::LoadU(d, p.c + j));
        auto z = hn::Mul(f1, hn::LoadU(d, row[1] + j));
        y = hn::MulAdd(f2, hn::LoadU(d, row[2] + j), y);
        z = hn::MulAdd(f3, hn::LoadU(d, row[3] + j), z);
        hn::StoreU(hn::Add(y, z), d, p.c + j);
      }
      for (; j < end; ++j)
        p.c[j] += factor[0] * row[0][j] + factor[1] * row[1][j] + factor[2] * row[2][j] + factor[3] * row[3][j];
    }
  }
}

template <class T>
void vector_times_matrix(const GemmProblem<T>& p, T* workspace) {
  const T* x = p.a.data;
  if (p.a.column != 1) {
    for (int64_t k = 0; k < p.k; ++k) workspace[k] = p.a.data[k * p.a.column];
    x = workspace;
  }
  if (p.b.row == 1) {
    dot_columns(p, x);
  } else {
    add_rows(p, x);
  }
}

template <class T>
GemmLoops<T> loops() {
  return {kRows, columns<T>(), workspace_elements<T>, multiply<T>, vector_times_matrix<T>};
}
GemmLoops<float> loops_f32() { return loops<float>(); }
GemmLoops<double> loops_f64() {
#if HWY_HAVE_FLOAT64
  return loops<double>();
#else
  return {};
#endif
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace engine::cpu {

HWY_EXPORT(loops_f32);
HWY_EXPORT(loops_f64);

GemmLoops<float> gemm_loops_f32() { return HWY_DYNAMIC_DISPATCH(loops_f32)(); }
GemmLoops<double> gemm_loops_f64() { return HWY_DYNAMIC_DISPATCH(loops_f64)(); }

}  // namespace engine::cpu
#endif
