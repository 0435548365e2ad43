// SPDX-License-Identifier: Apache-2.0
// What the models of one room share: blocks dealt to multiprocessors in rounds, and bytes at the bandwidth that streams
// reach.
#pragma once

#include "profiler/predict/gpu_time.h"

namespace profiler {

inline constexpr double kFloatBytes = 4, kNsPerS = 1e9;
// Fitted on the even rows of DeepBench's products on eight GPUs, one set for all.
inline constexpr double kKernelNs = 4000;  ///< what an empty kernel takes from call to end, back to back
inline constexpr double kReduceNs = 4400;  ///< second kernel that adds the parts of a split depth
inline constexpr double kTilesAtOnce = 2;  ///< tiles of 128 x 128 whose registers fit into one multiprocessor
inline constexpr int64_t kLeastDepthOfPart = 128;

inline double ceil_div(int64_t a, int64_t b) { return static_cast<double>((a - 1) / b + 1); }

/// Part of the full arithmetic rate that a multiprocessor reaches with this number of blocks of this size. Few threads
/// hide little latency. Small tiles need more operand words per result than shared memory delivers.
double rate_ratio(const ModelledGpu&, const TileSize&, double tiles);

/// `blocks` tiles of `depth` multiply-adds per result, dealt to all multiprocessors in rounds; a started round counts
/// whole.
double blocks_ns(const ModelledGpu&, const TileSize&, double blocks, double depth, double efficiency);

double dram_ns(const ModelledGpu&, double bytes);
void set_bytes(const ModelledGpu&, double dram_bytes, double l2_bytes, GpuTime&);
/// ns = launch + the longest of the others.
void sum_up(GpuTime&);

}  // namespace profiler
