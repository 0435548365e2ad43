// SPDX-License-Identifier: Apache-2.0
// The parts of own matrix products (gemm_loops.h). Included once per vector unit (gemm_simd.cpp), and by a test that
// notes each access: it has an include guard per unit, as Highway's own inner headers do.
#if defined(ENGINE_CPU_GEMM_SIMD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ENGINE_CPU_GEMM_SIMD_INL_H
#undef ENGINE_CPU_GEMM_SIMD_INL_H
#else
#define ENGINE_CPU_GEMM_SIMD_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "engine/kernels/core/memory-inl.h"
#include "engine/kernels/gemm/gemm_loops.h"
#include "engine/kernels/gemm/gemm_simd.h"
#include "engine/kernels/gemm/gemm_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace {  // the same names live in every file that includes this: they must not be merged
namespace gemm {

namespace hn = hwy::HWY_NAMESPACE;
using loops::Beside;
using loops::Range;

constexpr bool kWideVectors = HWY_TARGET <= HWY_AVX3;
constexpr int kRows = loops::kRowsInRegisters, kVectors = loops::vectors_in_registers(kWideVectors);

template <class T>
constexpr int64_t max_lanes() {
  return static_cast<int64_t>(hn::MaxLanes(hn::ScalableTag<T>()));
}
template <class T>
constexpr loops::GemmTiles kTiles = loops::gemm_tiles(kWideVectors, max_lanes<T>());

/// A tile of c: where its first element lies, and what its sums are added to: `add`: what c holds, else a bias or
/// nothing.
template <class T>
struct Tile {
  T* c;
  int64_t c_row, cols;
  const T* bias;
  bool add;
};

/// Sums of kHigh rows by kWide vectors of which `cols` columns are stored.
template <class M, class T, int kHigh, int kWide>
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
          y = hn::Add(y, M::load(d, to + v * lanes));
        } else if (tile.bias != nullptr) {
          y = hn::Add(y, M::load(d, tile.bias + v * lanes));
        }
        M::store(y, d, to + v * lanes);
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
    for (int64_t j = 0; j < std::min(tile.cols, kWide * lanes); ++j)
      M::store(line[j] + (tile.add ? M::load(to + j) : tile.bias != nullptr ? M::load(tile.bias + j) : T{0}), to + j);
  }
}

template <class M, class T, int kHigh, int kWide, bool kPacked, Beside kBeside>
HWY_NOINLINE void compute(const tiles::Rows<T>& a, const tiles::Columns<T>& b, int64_t depth, const Tile<T>& tile,
                          const tiles::Ahead<T>& ahead, T* packed_b) {
  for (int64_t r = 0; r < kHigh && tile.add; ++r) {  // c is on its way while the sums are made
    for (int64_t v = 0; v < kWide; ++v) tiles::fetch<T>(tiles::address(tile.c, r * tile.c_row + v * max_lanes<T>()));
  }
  tiles::Sums<T, kHigh, kWide> sums;
  tiles::sum<M, kPacked, kBeside>(a, b, depth, ahead, packed_b, sums);
  store<M>(sums, tile);
}

/// One of the tiles that registers hold, by its height and whether a's rows lie as a whole packed panel.
template <class T>
using TileFunction = void (*)(const tiles::Rows<T>&, const tiles::Columns<T>&, int64_t, const Tile<T>&,
                              const tiles::Ahead<T>&, T*);
template <class M, class T, int kWide, Beside kBeside>
HWY_INLINE TileFunction<T> tile_of(int64_t rows, bool packed) {
  static_assert(kRows == 6);
  if (rows == 6) return packed ? compute<M, T, 6, kWide, true, kBeside> : compute<M, T, 6, kWide, false, kBeside>;
  if constexpr (kWide == kVectors) {  // even tiles
    if (rows == 5) return compute<M, T, 5, kWide, false, kBeside>;
  }
  if (rows == 4) return compute<M, T, 4, kWide, false, kBeside>;
  if constexpr (kBeside == Beside::nothing)
    return rows == 2 ? compute<M, T, 2, kWide, false, kBeside> : compute<M, T, 1, kWide, false, kBeside>;
  return nullptr;
}

/// The parts of a product of matrices. M: Memory, or what stands for it.
template <class T, class M = Memory>
class Parts : public loops::Computes {
 public:
  Parts(const GemmProblem<T>& problem, T* packed_b, T* packed_a)
      : p_(problem), packed_b_(packed_b), packed_a_(packed_a) {}

  HWY_NOINLINE void pack_lines(Range steps, Range columns, int64_t to) {
    const GemmMatrix<T> b = p_.b.from(steps.begin, columns.begin);
    const hn::ScalableTag<T> d;
    for (int64_t k = 0; k < steps.size(); ++k) {
#pragma GCC unroll 4
      for (int64_t j = 0; j < kWide; j += max_lanes<T>())
        M::store(M::load(d, b.data + k * b.row + j), d, packed_b_ + to + k * kWide + j);
    }
  }
  HWY_NOINLINE void pack_columns(Range steps, Range columns, int64_t to) {
    const GemmMatrix<T> b = p_.b.from(steps.begin, columns.begin);
    const int64_t cols = columns.size(), whole = (cols + max_lanes<T>() - 1) / max_lanes<T>() * max_lanes<T>();
    for (int64_t j = 0; j < whole; ++j) {
      const T* from = b.data + j * b.column;
      for (int64_t k = 0; k < steps.size(); ++k)
        M::store(j < cols ? M::load(from + k * b.row) : T{0}, packed_b_ + to + k * kWide + j);
    }
  }
  /// Six rows as steps: the even ones interleaved, the odd ones, then both.
  HWY_NOINLINE void pack_rows_by_vectors(Range rows, Range steps, int64_t to) {
    static_assert(kRows == 6);
    constexpr int64_t kLanes = max_lanes<T>();
    const hn::ScalableTag<T> d;
    const GemmMatrix<T> a = p_.a.from(rows.begin, steps.begin);
    T* const panel = packed_a_ + to;
    HWY_ALIGN T even[3 * kLanes], odd[3 * kLanes];
    for (int64_t k = 0; k < steps.size(); k += kLanes) {
      const T* const from = a.data + k;
      const auto r0 = M::load(d, from), r1 = M::load(d, from + a.row), r2 = M::load(d, from + 2 * a.row),
                 r3 = M::load(d, from + 3 * a.row), r4 = M::load(d, from + 4 * a.row),
                 r5 = M::load(d, from + 5 * a.row);
      hn::StoreInterleaved3(r0, r2, r4, d, even);
      hn::StoreInterleaved3(r1, r3, r5, d, odd);
      for (int64_t part = 0; part < 3; ++part)
        M::store_interleaved(hn::Load(d, even + part * kLanes), hn::Load(d, odd + part * kLanes), d,
                             panel + k * kRows + 2 * part * kLanes);
    }
  }
  HWY_NOINLINE void pack_rows(Range rows, Range steps, int64_t to) {
    const GemmMatrix<T> a = p_.a.from(rows.begin, steps.begin);
    T* const panel = packed_a_ + to;
    if (rows.size() == kRows && a.row == 1) {
      for (int64_t k = 0; k < steps.size(); ++k) M::template copy<kRows>(a.data + k * a.column, panel + k * kRows);
      return;
    }
    for (int64_t k = 0; k < steps.size(); ++k) {
      for (int64_t r = 0; r < kRows; ++r)
        M::store(r < rows.size() ? M::load(a.data + r * a.row + k * a.column) : T{0}, panel + k * kRows + r);
    }
  }

  HWY_NOINLINE void tile(const loops::GemmTile& t) {
    const bool packed = !t.rows_in_place && t.rows.size() == kRows;
    const tiles::Rows<T> a = t.rows_in_place
                                 ? tiles::Rows<T>{p_.a.from(t.rows.begin, t.steps.begin).data, p_.a.row, p_.a.column}
                                 : tiles::Rows<T>{packed_a_ + t.packed_rows, 1, kRows};  // fewer rows are as far apart
    T* const panel = packed_b_ + t.packed_columns;
    const T* const as_it_lies = p_.b.from(t.steps.begin, t.columns.begin).data;
    const tiles::Columns<T> b =
        t.columns_in_place ? tiles::Columns<T>{as_it_lies, p_.b.row} : tiles::Columns<T>{panel, kWide};
    const Tile<T> to{p_.c + t.rows.begin * p_.c_row + t.columns.begin, p_.c_row, t.columns.size(),
                     p_.bias == nullptr ? nullptr : p_.bias + t.columns.begin, t.add};
    tiles::Ahead<T> ahead;
    if (t.beside == Beside::fetch) ahead = {as_it_lies + kWide + t.vector_ahead * max_lanes<T>(), p_.b.row};
    function_of(t, packed)(a, b, t.steps.size(), to, ahead, panel);
  }

 private:
  static constexpr int64_t kWide = kTiles<T>.columns;

  static HWY_INLINE TileFunction<T> function_of(const loops::GemmTile& t, bool packed) {
    static_assert(kVectors == 2 || kVectors == 4);
    const int64_t rows = t.rows.size(), vectors = (t.columns.size() + max_lanes<T>() - 1) / max_lanes<T>();
    if (t.beside == Beside::fetch) return tile_of<M, T, kVectors, Beside::fetch>(rows, packed);
    if (t.beside == Beside::pack) return tile_of<M, T, kVectors, Beside::pack>(rows, packed);
    if constexpr (kVectors == 4) {
      if (vectors == 4) return tile_of<M, T, 4, Beside::nothing>(rows, packed);
      if (vectors == 3) return tile_of<M, T, 3, Beside::nothing>(rows, packed);
    }
    return vectors == 2 ? tile_of<M, T, 2, Beside::nothing>(rows, packed)
                        : tile_of<M, T, 1, Beside::nothing>(rows, packed);
  }

  const GemmProblem<T>& p_;
  T *const packed_b_, *const packed_a_;
};

/// The parts of a vector times a matrix.
template <class T, class M = Memory>
class VectorParts : public loops::Computes {
 public:
  VectorParts(const GemmProblem<T>& problem, T* workspace) : p_(problem), x_(problem.a.data), workspace_(workspace) {}

  void gather() {
    for (int64_t k = 0; k < p_.k; ++k) M::store(M::load(p_.a.data + k * p_.a.column), workspace_ + k);
    x_ = workspace_;
  }

  /// One dot product per column, all at a time.
  HWY_NOINLINE void dot(Range of) {
    constexpr int64_t kAtOnce = loops::kVectorAtOnce;
    const hn::ScalableTag<T> d;
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d)), cols = of.size();
    const T* column[kAtOnce];
    for (int64_t q = 0; q < kAtOnce; ++q) column[q] = p_.b.data + (of.begin + std::min(q, cols - 1)) * p_.b.column;
    hn::Vec<decltype(d)> sums[kAtOnce][2];
    for (auto& s : sums) s[0] = s[1] = hn::Zero(d);
    int64_t k = 0;
    for (; k + 2 * lanes <= p_.k; k += 2 * lanes) {
      const auto x0 = M::load(d, x_ + k), x1 = M::load(d, x_ + k + lanes);
#pragma GCC unroll 4
      for (int64_t q = 0; q < kAtOnce; ++q) {
        sums[q][0] = hn::MulAdd(x0, M::load(d, column[q] + k), sums[q][0]);
        sums[q][1] = hn::MulAdd(x1, M::load(d, column[q] + k + lanes), sums[q][1]);
      }
    }
    for (int64_t q = 0; q < cols; ++q) {
      T y = hn::GetLane(hn::SumOfLanes(d, hn::Add(sums[q][0], sums[q][1])));
      for (int64_t rest = k; rest < p_.k; ++rest) {
        const T x = M::load(x_ + rest);
        y += x * M::load(column[q] + rest);
      }
      M::store(y + (p_.bias != nullptr ? M::load(p_.bias + of.begin + q) : T{0}), p_.c + of.begin + q);
    }
  }

  HWY_NOINLINE void begin(Range columns) {
    for (int64_t j = columns.begin; j < columns.end; ++j)
      M::store(p_.bias != nullptr ? M::load(p_.bias + j) : T{0}, p_.c + j);
  }

  /// Four rows of b at a time: b streams through once, c stays near. One alone is added without the others' factors: 0
  /// would turn an infinity into NaN.
  HWY_NOINLINE void add_rows(Range steps, Range columns) {
    static_assert(loops::kVectorAtOnce == 4);
    const hn::ScalableTag<T> d;
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d)), end = columns.end;
    const T* const row = p_.b.data + steps.begin * p_.b.row;
    T* const c = p_.c;
    int64_t j = columns.begin;
    const T f0 = M::load(x_ + steps.begin);
    if (steps.size() == 1) {
      for (; j < end; ++j) {
        const T b = M::load(row + j);
        M::store(M::load(c + j) + f0 * b, c + j);
      }
      return;
    }
    const T f1 = M::load(x_ + steps.begin + 1), f2 = M::load(x_ + steps.begin + 2), f3 = M::load(x_ + steps.begin + 3);
    const T *const row1 = row + p_.b.row, *const row2 = row1 + p_.b.row, *const row3 = row2 + p_.b.row;
    const auto v0 = hn::Set(d, f0), v1 = hn::Set(d, f1), v2 = hn::Set(d, f2), v3 = hn::Set(d, f3);
    for (; j + lanes <= end; j += lanes) {
      const auto b0 = M::load(d, row + j), b1 = M::load(d, row1 + j), b2 = M::load(d, row2 + j),
                 b3 = M::load(d, row3 + j);
      const auto y = hn::MulAdd(v2, b2, hn::MulAdd(v0, b0, M::load(d, c + j))), z = hn::MulAdd(v3, b3, hn::Mul(v1, b1));
      M::store(hn::Add(y, z), d, c + j);
    }
    for (; j < end; ++j) {
      const T b0 = M::load(row + j), b1 = M::load(row1 + j), b2 = M::load(row2 + j), b3 = M::load(row3 + j);
      M::store(M::load(c + j) + (f0 * b0 + f1 * b1 + f2 * b2 + f3 * b3), c + j);
    }
  }

 private:
  const GemmProblem<T>& p_;
  const T* x_;
  T* const workspace_;
};

template <class T>
loops::GemmShape shape_of(const GemmProblem<T>& p) {
  return {.m = p.m,
          .n = p.n,
          .k = p.k,
          .row_of_a_bytes = p.a.row * static_cast<int64_t>(sizeof(T)),
          .rows_of_a_are_neighbours = p.a.row == 1,
          .steps_of_a_are_neighbours = p.a.column == 1,
          .columns_of_b_are_neighbours = p.b.column == 1,
          .steps_of_b_are_neighbours = p.b.row == 1,
          .accumulate = p.accumulate};
}

template <class T>
int64_t workspace_elements(int64_t m, int64_t n, int64_t k) {
  return kTiles<T>.packed_columns(n, k) + kTiles<T>.packed_rows(m, k);
}

template <class T, class M = Memory>
void multiply(const GemmProblem<T>& p, T* workspace) {
  Parts<T, M> parts(p, workspace, workspace + kTiles<T>.packed_columns(p.n, p.k));
  loops::gemm(shape_of(p), kTiles<T>, parts);
}

template <class T, class M = Memory>
void vector_times_matrix(const GemmProblem<T>& p, T* workspace) {
  VectorParts<T, M> parts(p, workspace);
  loops::vector_times_matrix(shape_of(p), parts);
}

template <class T, class M = Memory>
GemmLoops<T> loops_over() {
  return {kRows, kTiles<T>.columns, workspace_elements<T>, multiply<T, M>, vector_times_matrix<T, M>};
}

}  // namespace gemm
}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#endif
