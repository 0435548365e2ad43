// SPDX-License-Identifier: Apache-2.0
// Our own matrix product over anything that can be read as one: plain matrices, and convolutions as implicit products.
// Tiles in shared memory, sums in float, double or int64; long sums in parts that are joined in a fixed order.
#pragma once

#include <cstdint>

#include "engine/cuda/teams.cuh"

namespace engine::cuda {

// A problem F gives m, n, k, batches (int64), kDepthFastA, kDepthFastB (whether neighbours in k are neighbours in
// memory), and
//   Row row(z, i), Column column(z, j), Depth depth(z, l)   what is known of an index, computed once for many elements
//   Value a(Row, Depth), b(Depth, Column)                   elements; 0 on padding
//   void set(z, i, j, Value)                                a finished element

inline constexpr int kTile = 64, kTileDepth = 16, kGemmThreads = 256, kPerThread = 4;

/// How the depth of a product is cut.
struct Parts {
  int64_t count = 1, length = 0;
  void* sums = nullptr;  ///< [part][z][i][j], where there are several
};

template <class F>
struct PartSums {
  F f;
  Parts parts;
  using Value = typename F::Value;

  __host__ __device__ void keep(int64_t part, int64_t z, int64_t i, int64_t j, Value value) const {
    if (parts.count == 1) {
      f.set(z, i, j, value);
    } else {
      static_cast<Value*>(parts.sums)[((part * f.batches + z) * f.m + i) * f.n + j] = value;
    }
  }
  /// Joins the parts of element e.
  __host__ __device__ void operator()(int64_t e) const {
    const int64_t j = e % f.n, i = e / f.n % f.m, z = e / f.n / f.m;
    Value total = 0;
    for (int64_t part = 0; part < parts.count; ++part) {
      total += static_cast<const Value*>(parts.sums)[((part * f.batches + z) * f.m + i) * f.n + j];
    }
    f.set(z, i, j, total);
  }
};

template <class F>
__global__ void __launch_bounds__(kGemmThreads) gemm_kernel(const __grid_constant__ PartSums<F> work, int64_t tiles) {
  using Value = typename F::Value;
  const F& f = work.f;
  __shared__ Value tile_a[kTileDepth][kTile + 4], tile_b[kTileDepth][kTile + 4];
  const int thread = static_cast<int>(threadIdx.x), x = thread % 16, y = thread / 16;
  const int64_t tiles_m = (f.m + kTile - 1) / kTile, tiles_n = (f.n + kTile - 1) / kTile;
  for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    int64_t rest = tile;
    const int64_t first_j = rest % tiles_n * kTile;
    rest /= tiles_n;
    const int64_t first_i = rest % tiles_m * kTile;
    rest /= tiles_m;
    const int64_t z = rest % f.batches, part = rest / f.batches;
    const int64_t begin = part * work.parts.length, end = min(begin + work.parts.length, f.k);
    // What this thread loads: 4 elements of each tile, along the index that is no neighbour in memory.
    typename F::Row rows[kPerThread];
    typename F::Column columns[kPerThread];
    for (int e = 0; e < kPerThread; ++e) {
      rows[e] = f.row(z, min(first_i + (F::kDepthFastA ? thread / 16 + 16 * e : thread % 64), f.m - 1));
      columns[e] = f.column(z, min(first_j + (F::kDepthFastB ? thread / 16 + 16 * e : thread % 64), f.n - 1));
    }
    Value sums[kPerThread][kPerThread] = {};
    for (int64_t l = begin; l < end; l += kTileDepth) {
      for (int e = 0; e < kPerThread; ++e) {
        const int depth_a = F::kDepthFastA ? thread % 16 : thread / 64 + 4 * e;
        const int at_a = F::kDepthFastA ? thread / 16 + 16 * e : thread % 64;
        tile_a[depth_a][at_a] =
            l + depth_a < end && first_i + at_a < f.m ? f.a(rows[e], f.depth(z, l + depth_a)) : Value{0};
        const int depth_b = F::kDepthFastB ? thread % 16 : thread / 64 + 4 * e;
        const int at_b = F::kDepthFastB ? thread / 16 + 16 * e : thread % 64;
        tile_b[depth_b][at_b] =
            l + depth_b < end && first_j + at_b < f.n ? f.b(f.depth(z, l + depth_b), columns[e]) : Value{0};
      }
      __syncthreads();
      for (int depth = 0; depth < kTileDepth; ++depth) {
        Value a[kPerThread], b[kPerThread];
        for (int e = 0; e < kPerThread; ++e) {
          a[e] = tile_a[depth][y * kPerThread + e];
          b[e] = tile_b[depth][x * kPerThread + e];
        }
        for (int i = 0; i < kPerThread; ++i) {
          for (int j = 0; j < kPerThread; ++j) sums[i][j] += a[i] * b[j];
        }
      }
      __syncthreads();
    }
    for (int i = 0; i < kPerThread; ++i) {
      for (int j = 0; j < kPerThread; ++j) {
        const int64_t at_i = first_i + y * kPerThread + i, at_j = first_j + x * kPerThread + j;
        if (at_i < f.m && at_j < f.n) work.keep(part, z, at_i, at_j, sums[i][j]);
      }
    }
  }
}

/// The product as plain loops, in the same parts.
template <class F>
void gemm_on_host(const PartSums<F>& work) {
  using Value = typename F::Value;
  const F& f = work.f;
  for (int64_t part = 0; part < work.parts.count; ++part) {
    const int64_t begin = part * work.parts.length, end = std::min(begin + work.parts.length, f.k);
    for (int64_t z = 0; z < f.batches; ++z) {
      for (int64_t i = 0; i < f.m; ++i) {
        for (int64_t j = 0; j < f.n; ++j) {
          Value sum = 0;
          for (int64_t l = begin; l < end; ++l)
            sum += f.a(f.row(z, i), f.depth(z, l)) * f.b(f.depth(z, l), f.column(z, j));
          work.keep(part, z, i, j, sum);
        }
      }
    }
  }
}

template <class F>
cudaError_t multiply(const Launcher& launcher, const F& f, const Parts& parts) {
  const PartSums<F> work{f, parts};
  if (launcher.on_host) {
    gemm_on_host(work);
  } else {
    const int64_t tiles = (f.m + kTile - 1) / kTile * ((f.n + kTile - 1) / kTile) * f.batches * parts.count;
    if (tiles == 0) return cudaSuccess;
    const int64_t blocks = std::min<int64_t>(tiles, INT32_MAX);
    if (const cudaError_t code = start_kernel<gemm_kernel<F>>(launcher.stream, blocks, kGemmThreads, work, tiles);
        code != cudaSuccess)
      return code;
  }
  return parts.count == 1 ? cudaSuccess : for_each_element(launcher, work, f.batches * f.m * f.n);
}

}  // namespace engine::cuda
