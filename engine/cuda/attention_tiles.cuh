// SPDX-License-Identifier: Apache-2.0
// Attention in tiles of 64 queries by 64 keys: a block keeps its rows' sums in registers and stages what it multiplies
// in shared memory, so that a key or value is read once for 64 queries. Source: T. Dao, FlashAttention-2, 2023.
#pragma once

#include "engine/cuda/attention.h"
#include "engine/cuda/numbers.cuh"
#include "engine/cuda/teams.cuh"

namespace engine::cuda {

inline constexpr int kTileSide = 64, kTilePitch = kTileSide + 4, kTileSlice = 32, kTileThreads = 256;

/// Rows of an operand, of one batch and head.
template <class T>
struct TileRows {
  const T* base;
  int64_t stride, step;  ///< from row to row, from feature to feature
  int64_t count;         ///< rows that there are
};

/// The shared memory of a block.
struct TileMemory {
  alignas(16) float left[kTileSlice][kTilePitch];
  alignas(16) float right[kTileSlice][kTilePitch];
  alignas(16) float weights[kTileSide][kTilePitch];
};

/// Thread (x, y) of 16 x 16 has rows 4 y to 4 y + 3 and columns 4 x to 4 x + 3 of a tile: the 16 that share rows are
/// half a warp.
struct TilePlace {
  int x, y;
  __host__ __device__ explicit TilePlace(int thread) : x(thread % 16), y(thread / 16) {}
  __host__ __device__ LaneTeam<16> row_team() const { return {x}; }
};

__host__ __device__ inline void load_four(const float* from, float (&to)[4]) {
  const Vector<float, 4> four = load_vector<4>(from);
  unrolled<4>([&](int k) { to[k] = four.at[k]; });
}

/// features [depth, depth + 32) of 64 rows from `first` on, turned over: slice[feature][row]; 0 where there is none.
template <class T>
__device__ void stage_turned(float (&slice)[kTileSlice][kTilePitch], const TileRows<T>& rows, int64_t first,
                             int64_t depth, int64_t features) {
  constexpr int kLoads = kTileSide * kTileSlice / kTileThreads;
  const int thread = static_cast<int>(threadIdx.x);
  T raw[kLoads];
  unrolled<kLoads>([&](int n) {  // a warp: 8 features of 4 rows, which lie in different banks
    const int feature = thread % 8 + n % 4 * 8, row = thread / 8 + n / 4 * 32;
    const bool inside = first + row < rows.count && depth + feature < features;
    raw[n] = inside ? rows.base[(first + row) * rows.stride + (depth + feature) * rows.step] : T{};
  });
  unrolled<kLoads>([&](int n) { slice[thread % 8 + n % 4 * 8][thread / 8 + n / 4 * 32] = number(raw[n]); });
}

/// products[i][j] = row i of a . row j of b, for this thread's rows and columns.
template <class T>
__device__ void multiply_rows(TileMemory& memory, const TilePlace& place, const TileRows<T>& a, int64_t first_a,
                              const TileRows<T>& b, int64_t first_b, int64_t features, float (&products)[4][4]) {
  unrolled<4>([&](int i) { unrolled<4>([&](int j) { products[i][j] = 0; }); });
  for (int64_t depth = 0; depth < features; depth += kTileSlice) {
    __syncthreads();  // what was staged before has been read
    stage_turned(memory.left, a, first_a, depth, features);
    stage_turned(memory.right, b, first_b, depth, features);
    __syncthreads();
    for (int d = 0; d < kTileSlice; ++d) {
      float left[4], right[4];
      load_four(&memory.left[d][4 * place.y], left);
      load_four(&memory.right[d][4 * place.x], right);
      unrolled<4>([&](int i) { unrolled<4>([&](int j) { products[i][j] += left[i] * right[j]; }); });
    }
  }
}

/// sums[i][g][k] += sum over columns c of weights[4 y + i][c] times feature 64 g + 4 x + k of row c. Begins with a
/// barrier, behind which the weights are there; rows that there are none of count as 0.
template <int kGroups, class T>
__device__ void add_weighted_rows(TileMemory& memory, const TilePlace& place, const TileRows<T>& rows, int64_t first,
                                  int64_t features, float (&sums)[4][kGroups][4]) {
  constexpr int kLoads = kTileSide * kTileSlice / kTileThreads;
  const int thread = static_cast<int>(threadIdx.x);
  unrolled<2 * kGroups>([&](int part) {  // 32 rows of 64 features at a time
    const int group = part / 2, upper = part % 2 * kTileSlice;
    if (group * kTileSide >= features) return;
    __syncthreads();
    T raw[kLoads];
    unrolled<kLoads>([&](int n) {
      const int row = upper + thread / kTileSide + n * (kTileThreads / kTileSide),
                feature = group * kTileSide + thread % kTileSide;
      const bool inside = first + row < rows.count && feature < features;
      raw[n] = inside ? rows.base[(first + row) * rows.stride + feature * rows.step] : T{};
    });
    unrolled<kLoads>([&](int n) {
      memory.left[thread / kTileSide + n * (kTileThreads / kTileSide)][thread % kTileSide] = number(raw[n]);
    });
    __syncthreads();
    for (int c = 0; c < kTileSlice; c += 4) {
      float weights[4][4];
      unrolled<4>([&](int i) { load_four(&memory.weights[4 * place.y + i][upper + c], weights[i]); });
      unrolled<4>([&](int n) {
        float right[4];
        load_four(&memory.left[c + n][4 * place.x], right);
        unrolled<4>([&](int i) { unrolled<4>([&](int k) { sums[i][group][k] += weights[i][n] * right[k]; }); });
      });
    }
  });
}

/// Writes factor(i) * sums of this thread's rows and features.
template <int kGroups, class T, class Factor>
__device__ void write_rows(const TilePlace& place, T* base, int64_t stride, int64_t step, int64_t first, int64_t count,
                           int64_t features, const float (&sums)[4][kGroups][4], const Factor& factor) {
  unrolled<4>([&](int i) {
    const int64_t row = first + 4 * place.y + i;
    if (row >= count) return;
    unrolled<kGroups>([&](int g) {
      unrolled<4>([&](int k) {
        const int64_t feature = g * kTileSide + 4 * place.x + k;
        if (feature < features) base[row * stride + feature * step] = rounded<T>(factor(i) * sums[i][g][k]);
      });
    });
  });
}

}  // namespace engine::cuda
