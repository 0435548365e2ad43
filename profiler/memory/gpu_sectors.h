// SPDX-License-Identifier: Apache-2.0
// Sectors on a GPU: what a warp's request touches, what tiled products and streams move between L1, L2 and memory, from
// tiles and waves.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "profiler/capture/capture.h"

namespace profiler {

inline constexpr int64_t kSectorBytes = 32;  ///< a line of 128 bytes has four

/// Distinct sectors one warp's request touches: lane i accesses `bytes` bytes at addresses[i].
int sectors_of_request(std::span<const uint64_t> addresses, int bytes);
/// The same for 32 lanes at address, address + stride, ...; 4 is ideal for 4-byte lanes.
int sectors_of_strided_request(uint64_t address, int64_t stride, int bytes);

struct GpuShape {
  int multiprocessors = 1;
  int64_t l2_bytes = 0;
  int blocks_per_multiprocessor = 1;
};

/// c (m x n) = a (m x k) times b (k x n) in tiles of tile_m x tile_n results. One block each, in the order of rows of
/// tiles.
struct TiledProduct {
  int64_t m = 0, n = 0, k = 0, tile_m = 128, tile_n = 128;
  int operand_bytes = 4, result_bytes = 4;
  bool reads_result = false;       ///< c is added to
  double store_amplification = 1;  ///< sectors written / sectors of c: above 1 where the epilogue does not coalesce
};

/// Sectors of one kernel, caches cold.
struct SectorTraffic {
  double l1_reads = 0;   ///< L2 to L1
  double l2_misses = 0;  ///< memory to L2
  double l2_hits() const { return l1_reads - l2_misses; }
  double l2_writes = 0;    ///< L1 to L2
  double dram_writes = 0;  ///< by the kernel's end
};

/// l1_reads: A ceil(n / tile_n) + B ceil(m / tile_m) (+ C). l2_misses: A + B (+ C) where one wave holds all tiles, or
/// half of L2 holds both operands. Else the sum of the distinct panels of each wave. dram_writes: max(0, written - L2 /
/// 2): half of L2 (one partition) stays dirty at the end of a kernel. Held against Nsight counters of a V100
/// (tests/profiler/memory/gpu_sectors_test.cpp), from which the two rules were formed.
SectorTraffic sectors_of(const TiledProduct&, const GpuShape&);
/// Every byte once, coalesced.
SectorTraffic sectors_of_stream(double read_bytes, double written_bytes, const GpuShape&);

/// Rows and columns of a product's result that one block computes.
struct TileSize {
  int64_t rows = 0, columns = 0;
};

/// The traffic of a run on a GPU as the sector model sees it: DRAM to L2, L2 to L1. GEMMs by tiles, assumed 128 x 128
/// where the kernel's facts have none. Elementwise and similar ops are streams. Other ops are unknown, with a note.
/// Nothing where the capture's device is no GPU or its L2 and multiprocessors are unknown.
std::optional<TrafficSource> gpu_sector_traffic(const Capture&);

}  // namespace profiler
