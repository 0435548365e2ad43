// SPDX-License-Identifier: Apache-2.0
// The inner loops of weight layouts; this file is compiled once per vector unit.
#include "engine/kernels/convolution/weight_layout_simd.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/convolution/weight_layout_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, as Highway demands.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {  // the same names live in other files: they must not be merged

/// Columns of a tile that are moved in one go over its rows: one cache line of each row.
constexpr int64_t kGo = 16;

#if HWY_TARGET != HWY_SCALAR
struct Four {
  hn::Vec<hn::FixedTag<float, 4>> v0, v1, v2, v3;
};

/// Rows become columns.
HWY_INLINE Four transposed(const Four& a) {
  const hn::FixedTag<float, 4> d;
  const hn::FixedTag<uint64_t, 2> pairs;
  const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, a.v0, a.v1)),
             low23 = hn::BitCast(pairs, hn::InterleaveLower(d, a.v2, a.v3));
  const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, a.v0, a.v1)),
             high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, a.v2, a.v3));
  return {hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23)),
          hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23)),
          hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23)),
          hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23))};
}

HWY_INLINE void pack_four(const float* from, int64_t row, const int64_t* at, float* to) {
  const hn::FixedTag<float, 4> d;
  const Four t = transposed(
      {hn::LoadU(d, from), hn::LoadU(d, from + row), hn::LoadU(d, from + 2 * row), hn::LoadU(d, from + 3 * row)});
  hn::StoreU(t.v0, d, to + at[0]);
  hn::StoreU(t.v1, d, to + at[1]);
  hn::StoreU(t.v2, d, to + at[2]);
  hn::StoreU(t.v3, d, to + at[3]);
}

HWY_INLINE void unpack_four(const float* from, int64_t row, const int64_t* at, float* to) {
  const hn::FixedTag<float, 4> d;
  const Four t = transposed(
      {hn::LoadU(d, from + at[0]), hn::LoadU(d, from + at[1]), hn::LoadU(d, from + at[2]), hn::LoadU(d, from + at[3])});
  hn::StoreU(t.v0, d, to);
  hn::StoreU(t.v1, d, to + row);
  hn::StoreU(t.v2, d, to + 2 * row);
  hn::StoreU(t.v3, d, to + 3 * row);
}
constexpr int64_t kFewestColumns = 4;
#else
void pack_four(const float*, int64_t, const int64_t*, float*) {}
void unpack_four(const float*, int64_t, const int64_t*, float*) {}
constexpr int64_t kFewestColumns = INT64_MAX;
#endif

/// Rows that are neighbours: whole tiles are lines.
bool is_line(const WeightTiles& t) { return t.row == 1 && t.columns == 1; }

void pack_tile(const WeightTiles& t, const float* plain, float* blocked) {
  const int64_t* at = t.column_at;
  if (t.columns < kFewestColumns) {
    for (int64_t r = 0; r < kWeightTileRows; ++r)
      for (int64_t c = 0; c < t.columns; ++c) blocked[at[c] + r] = plain[r * t.row + c];
    return;
  }
  for (int64_t begin = 0; begin < t.columns; begin += kGo) {
    const int64_t end = std::min(t.columns, begin + kGo);
    for (int64_t c = begin; c < end; c += 4) {
      const int64_t first = std::min(c, t.columns - 4);  // the last four overlap those before
      for (int64_t r = 0; r < kWeightTileRows; r += 4)
        pack_four(plain + r * t.row + first, t.row, at + first, blocked + r);
    }
  }
}

void unpack_tile(const WeightTiles& t, const float* blocked, float* plain) {
  const int64_t* at = t.column_at;
  if (t.columns < kFewestColumns) {
    for (int64_t r = 0; r < kWeightTileRows; ++r)
      for (int64_t c = 0; c < t.columns; ++c) plain[r * t.row + c] = blocked[at[c] + r];
    return;
  }
  for (int64_t begin = 0; begin < t.columns; begin += kGo) {
    const int64_t end = std::min(t.columns, begin + kGo);
    for (int64_t r = 0; r < kWeightTileRows; r += 4) {
      for (int64_t c = begin; c < end; c += 4) {
        const int64_t first = std::min(c, t.columns - 4);
        unpack_four(blocked + r, t.row, at + first, plain + r * t.row + first);
      }
    }
  }
}

/// Small tiles lie far apart: neither side's next lines are guessed by the hardware.
constexpr int64_t kAhead = 4, kSmallColumns = 32, kLine = 16;

void prefetch_tile(const WeightTiles& t, const float* plain, const float* blocked) {
  for (int64_t at = 0; at < kWeightTileRows * t.columns && t.row == t.columns; at += kLine) hwy::Prefetch(plain + at);
  for (int64_t c = 0; c < t.columns; ++c) hwy::Prefetch(blocked + t.column_at[c]);
}

void pack(const WeightTiles& t, const float* plain, float* blocked) {
  for (int64_t i = 0; i < t.count; ++i) {
    if (t.columns <= kSmallColumns && i + kAhead < t.count) {
      prefetch_tile(t, plain + (i + kAhead) * t.next, blocked + t.tile_at[i + kAhead]);
    }
    const float* from = plain + i * t.next;
    float* to = blocked + t.tile_at[i];
    if (is_line(t)) {
      std::copy_n(from, kWeightTileRows, to + t.column_at[0]);
    } else {
      pack_tile(t, from, to);
    }
  }
}

void unpack(const WeightTiles& t, const float* blocked, float* plain) {
  for (int64_t i = 0; i < t.count; ++i) {
    const float* from = blocked + t.tile_at[i];
    float* to = plain + i * t.next;
    if (is_line(t)) {
      std::copy_n(from + t.column_at[0], kWeightTileRows, to);
    } else {
      unpack_tile(t, from, to);
    }
  }
}

WeightLoops loops() { return {pack, unpack}; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace engine::cpu {

HWY_EXPORT(loops);

WeightLoops weight_loops() { return HWY_DYNAMIC_DISPATCH(loops)(); }

}  // namespace engine::cpu
#endif
