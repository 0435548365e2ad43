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

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {  // the same names live in other files: they must not be merged

using gemm_blocking::kBlockColumns;
using gemm_blocking::kDepth;
using gemm_blocking::kUnpackedUpTo;
constexpr int64_t kRows = gemm_blocking::rows_in_registers(HWY_TARGET <= HWY_AVX3);
constexpr int64_t kBlockRows = gemm_blocking::kRowPanels * kRows;

int64_t round_up(int64_t value, int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

template <class T>
constexpr int64_t columns() {
  return 2 * static_cast<int64_t>(hn::MaxLanes(hn::ScalableTag<T>()));
}

/// kRows rows of a: row r, step k at data[r * row + k * step].
template <class T>
struct RowPanel {
  const T* data;
  int64_t row, step;
};
/// columns<T>() neighbours of b per step.
template <class T>
struct ColumnPanel {
  const T* data;
  int64_t step;
};

/// One tile of c, kHigh rows: what is stored is `cols` columns of it. `add`: onto what c holds.
template <class T, int64_t kHigh>
void tile(const RowPanel<T>& a, const ColumnPanel<T>& b, int64_t depth, const T* bias, T* c, int64_t c_row, int64_t cols, bool add) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  using V = hn::Vec<decltype(d)>;
  V left[kHigh], right[kHigh];
  for (int64_t r = 0; r < kHigh; ++r) left[r] = right[r] = hn::Zero(d);
  const T* ak = a.data;
  const T* bk = b.data;
  for (int64_t k = 0; k < depth; ++k, ak += a.step, bk += b.step) {
    const V b0 = hn::LoadU(d, bk), b1 = hn::LoadU(d, bk + lanes);
#pragma GCC unroll 14
    for (int64_t r = 0; r < kHigh; ++r) {
      const V x = hn::Set(d, ak[r * a.row]);
      left[r] = hn::MulAdd(x, b0, left[r]);
      right[r] = hn::MulAdd(x, b1, right[r]);
    }
  }
  if (cols == 2 * lanes) {
#pragma GCC unroll 14
    for (int64_t r = 0; r < kHigh; ++r) {
      T* to = c + r * c_row;
      V y0 = left[r], y1 = right[r];
      if (add) {
        y0 = hn::Add(y0, hn::LoadU(d, to));
        y1 = hn::Add(y1, hn::LoadU(d, to + lanes));
      } else if (bias != nullptr) {
        y0 = hn::Add(y0, hn::LoadU(d, bias));
        y1 = hn::Add(y1, hn::LoadU(d, bias + lanes));
      }
      hn::StoreU(y0, d, to);
      hn::StoreU(y1, d, to + lanes);
    }
    return;
  }
  HWY_ALIGN T line[columns<T>()];
  for (int64_t r = 0; r < kHigh; ++r) {
    hn::Store(left[r], d, line);
    hn::Store(right[r], d, line + lanes);
    T* to = c + r * c_row;
    for (int64_t j = 0; j < cols; ++j) to[j] = line[j] + (add ? to[j] : bias != nullptr ? bias[j] : T{0});
  }
}

/// A tile of kRows rows, or what is left of them in powers of two.
template <class T>
void tiles(RowPanel<T> a, const ColumnPanel<T>& b, int64_t depth, const T* bias, T* c, int64_t c_row, int64_t rows, int64_t cols, bool add) {
  if (rows == kRows) return tile<T, kRows>(a, b, depth, bias, c, c_row, cols, add);
  while (rows > 0) {
    const int64_t high = rows >= 8 ? 8 : rows >= 4 ? 4 : rows >= 2 ? 2 : 1;
    const auto some = high == 8 ? tile<T, 8> : high == 4 ? tile<T, 4> : high == 2 ? tile<T, 2> : tile<T, 1>;
    some(a, b, depth, bias, c, c_row, cols, add);
    a.data += high * a.row;
    c += high * c_row;
    rows -= high;
  }
}

/// b[0..depth, 0..cols] as a panel of columns<T>() neighbours, filled up with zeros.
template <class T>
void pack_columns(const GemmMatrix<T>& b, int64_t depth, int64_t cols, T* to) {
  constexpr int64_t kWide = columns<T>();
  if (b.column == 1 && cols == kWide) {
    for (int64_t k = 0; k < depth; ++k) std::copy_n(b.data + k * b.row, kWide, to + k * kWide);
    return;
  }
  for (int64_t j = 0; j < kWide; ++j) {
    const T* from = b.data + j * b.column;
    for (int64_t k = 0; k < depth; ++k) to[k * kWide + j] = j < cols ? from[k * b.row] : T{0};
  }
}

/// a[0..rows, 0..depth] as a panel of kRows neighbours per step, filled up with zeros.
template <class T>
void pack_rows(const GemmMatrix<T>& a, int64_t rows, int64_t depth, T* to) {
  for (int64_t r = 0; r < kRows; ++r) {
    const T* from = a.data + r * a.row;
    for (int64_t k = 0; k < depth; ++k) to[k * kRows + r] = r < rows ? from[k * a.column] : T{0};
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

template <class T>
void block_product(const GemmProblem<T>& p, const Block& block, bool in_place, const T* packed_b, T* packed_a) {
  constexpr int64_t kWide = columns<T>();
  const bool add = p.accumulate || block.k0 > 0;
  for (int64_t i = 0; i < block.rows; i += kRows) {
    const int64_t rows = std::min(kRows, block.rows - i);
    if (!in_place) pack_rows(p.a.from(block.i0 + i, block.k0), rows, block.depth, packed_a + i * block.depth);
  }
  for (int64_t j = 0; j < block.cols; j += kWide) {
    const int64_t cols = std::min(kWide, block.cols - j);
    const bool b_in_place = in_place && p.b.column == 1 && cols == kWide;
    const ColumnPanel<T> b = b_in_place ? ColumnPanel<T>{p.b.from(block.k0, block.j0 + j).data, p.b.row}
                                        : ColumnPanel<T>{packed_b + j * block.depth, kWide};
    const T* bias = p.bias == nullptr ? nullptr : p.bias + block.j0 + j;
    for (int64_t i = 0; i < block.rows; i += kRows) {
      const int64_t rows = std::min(kRows, block.rows - i);
      const RowPanel<T> a = in_place
                                ? RowPanel<T>{p.a.from(block.i0 + i, block.k0).data, p.a.row, p.a.column}
                                : RowPanel<T>{packed_a + i * block.depth, 1, kRows};
      tiles(a, b, block.depth, bias, p.c + (block.i0 + i) * p.c_row + block.j0 + j, p.c_row, rows, cols, add);
    }
  }
}

template <class T>
void multiply(const GemmProblem<T>& p, T* workspace) {
  constexpr int64_t kWide = columns<T>();
  T* const packed_b = workspace;
  T* const packed_a = workspace + round_up(packed_column_elements<T>(p.n, p.k), 16);
  const bool in_place = p.m * p.n <= kUnpackedUpTo / std::max<int64_t>(p.k, 1);
  for (int64_t j0 = 0; j0 < p.n; j0 += kBlockColumns) {
    const int64_t cols = std::min(kBlockColumns, p.n - j0);
    for (int64_t k0 = 0; k0 == 0 || k0 < p.k; k0 += kDepth) {
      const int64_t depth = std::min(kDepth, p.k - k0);
      for (int64_t j = 0; j < cols; j += kWide) {
        const int64_t width = std::min(kWide, cols - j);
        if (!(in_place && p.b.column == 1 && width == kWide)) {
          pack_columns(p.b.from(k0, j0 + j), depth, width, packed_b + j * depth);
        }
      }
      for (int64_t i0 = 0; i0 < p.m; i0 += kBlockRows) {
        block_product(p, Block{i0, std::min(kBlockRows, p.m - i0), j0, cols, k0, depth}, in_place, packed_b, packed_a);
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
