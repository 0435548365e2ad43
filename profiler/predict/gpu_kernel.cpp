// SPDX-License-Identifier: Apache-2.0
// Rates of multiprocessors by what is resident, and times of bytes.
#include "profiler/predict/gpu_kernel.h"

#include <algorithm>
#include <cmath>

namespace profiler {
namespace {

// Fitted on the even rows of DeepBench's products on eight GPUs, one set for all.
constexpr double kDramRatio = 0.83;  // of the data sheet's bandwidth that streams reach
constexpr double kL2PerDram = 1.7;   // L2 bandwidth / DRAM bandwidth of the data sheet
constexpr double kFullOperandRate =
    35;  // results per operand word of a tile that keep the lanes fed from shared memory
constexpr double kFullTile = 128 * 128;  // results; 256 threads
constexpr double kLatencyHidden = 1.1;   // how fast more threads approach the full rate
constexpr double kFullAt = 1.32;         // the full rate is reached where the exponential gets to 1 / this
constexpr double kThreadsPower = 0.28;   // threads of a tile grow with its results to this power
constexpr double kLanesOfFit = 128;      // lanes the three above are for

}  // namespace

double rate_ratio(const ModelledGpu& gpu, const TileSize& tile, double tiles) {
  const double results = static_cast<double>(tile.rows * tile.columns), area = results / kFullTile;
  const double resident =
      std::min(tiles, kTilesAtOnce / area) * std::pow(area, kThreadsPower) * kLanesOfFit / gpu.lanes;
  const double hidden = std::min(1.0, kFullAt * (1 - std::exp(-kLatencyHidden * resident)));
  return hidden * std::min(1.0, results / static_cast<double>(tile.rows + tile.columns) / kFullOperandRate);
}

double blocks_ns(const ModelledGpu& gpu, const TileSize& tile, double blocks, double depth, double efficiency) {
  const double rounds = std::ceil(blocks / gpu.multiprocessors);
  const double rate = gpu.lanes * gpu.sustained_hz() * efficiency * rate_ratio(gpu, tile, rounds);
  return rounds * static_cast<double>(tile.rows * tile.columns) * depth / rate * kNsPerS;
}

double dram_ns(const ModelledGpu& gpu, double bytes) { return bytes / (kDramRatio * gpu.memory_bytes_per_s) * kNsPerS; }

void set_bytes(const ModelledGpu& gpu, double dram_bytes, double l2_bytes, GpuTime& time) {
  time.dram_bytes = dram_bytes, time.l2_bytes = l2_bytes;
  time.dram_ns = dram_ns(gpu, dram_bytes);
  time.l2_ns = l2_bytes / (kL2PerDram * gpu.memory_bytes_per_s) * kNsPerS;
}

void sum_up(GpuTime& time) { time.ns = time.launch_ns + std::max({time.compute_ns, time.dram_ns, time.l2_ns}); }

}  // namespace profiler
