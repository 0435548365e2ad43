// SPDX-License-Identifier: Apache-2.0
// Products as tiles in rounds, everything else as streams.
#include "profiler/predict/gpu_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/check.h"

namespace profiler {
namespace {

constexpr double kFloat = 4, kNsPerS = 1e9;
// Fitted on the even rows of DeepBench's products on eight GPUs, one set for all.
constexpr double kDramRatio = 0.83;        // of the data sheet's bandwidth that streams reach
constexpr double kL2PerDram = 1.7;         // L2 bandwidth / DRAM bandwidth of the data sheet
constexpr double kLaunchNs = 4000;         // what an empty kernel takes from call to end, back to back
constexpr double kReduceNs = 4400;         // second kernel that adds the parts of a split depth
constexpr double kFullOperandRate = 35;    // results per operand word of a tile that keep the lanes fed from shared memory
constexpr double kFullTile = 128 * 128;    // results; 256 threads
constexpr double kTilesAtOnce = 2;         // full tiles whose registers fit into one multiprocessor
constexpr double kLatencyHidden = 1.1;     // how fast more threads approach the full rate
constexpr double kFullAt = 1.32;           // the full rate is reached where the exponential gets to 1 / this
constexpr double kThreadsPower = 0.28;     // threads of a tile grow with its results to this power
constexpr double kLanesOfFit = 128;        // lanes the three above are for
constexpr double kLargeOperandBytes = 26e6;  // beyond, walks along the depth miss the address cache
constexpr double kNarrowCyclesPerStep = 19;  // a narrow block walks the depth alone
constexpr int64_t kLeastDepthOfPart = 128;
constexpr int64_t kNarrowTileColumns = 4;

double ceil_div(int64_t a, int64_t b) { return static_cast<double>((a - 1) / b + 1); }

void add_bytes(const ModelledGpu& gpu, double dram_bytes, double l2_bytes, GpuTime& time) {
  time.dram_bytes = dram_bytes, time.l2_bytes = l2_bytes;
  time.dram_ns = dram_bytes / (kDramRatio * gpu.memory_bytes_per_s) * kNsPerS;
  time.l2_ns = l2_bytes / (kL2PerDram * gpu.memory_bytes_per_s) * kNsPerS;
}

void sum_up(GpuTime& time) { time.ns = time.launch_ns + std::max({time.compute_ns, time.dram_ns, time.l2_ns}); }

/// One way to compute a product.
struct Kernel {
  TileSize tile;
  int64_t parts = 1;    ///< of the depth
  bool narrow = false;  ///< few columns a block, each block walks the depth alone
};

/// Part of the full arithmetic rate a multiprocessor has with `tiles` blocks of this size.
double rate_ratio(const ModelledGpu& gpu, const TileSize& tile, double tiles) {
  const double results = static_cast<double>(tile.rows * tile.columns), area = results / kFullTile;
  const double resident = std::min(tiles, kTilesAtOnce / area) * std::pow(area, kThreadsPower) * kLanesOfFit / gpu.lanes;
  const double hidden = std::min(1.0, kFullAt * (1 - std::exp(-kLatencyHidden * resident)));
  return hidden * std::min(1.0, results / static_cast<double>(tile.rows + tile.columns) / kFullOperandRate);
}

double compute_ns(const ModelledGpu& gpu, const GpuProduct& p, const Kernel& kernel) {
  if (kernel.narrow) return static_cast<double>(p.depth) * kNarrowCyclesPerStep / gpu.sustained_hz() * kNsPerS;
  const double blocks = ceil_div(p.rows, kernel.tile.rows) * ceil_div(p.columns, kernel.tile.columns) * static_cast<double>(kernel.parts);
  const double rounds = std::ceil(blocks / gpu.multiprocessors);
  const double left_bytes = kFloat * static_cast<double>(p.rows) * static_cast<double>(p.depth);
  const bool along_depth = p.left_transposed && !p.right_transposed && left_bytes > kLargeOperandBytes;
  const double rate = gpu.lanes * gpu.sustained_hz() * gpu.library.efficiency * (along_depth ? gpu.library.transposed_ratio : 1) * rate_ratio(gpu, kernel.tile, rounds);
  return rounds * static_cast<double>(kernel.tile.rows * kernel.tile.columns) * ceil_div(p.depth, kernel.parts) / rate * kNsPerS;
}

GpuTime kernel_time(const ModelledGpu& gpu, const GpuProduct& p, const Kernel& kernel) {
  constexpr double kMostBlocks = 8;
  const double area = static_cast<double>(kernel.tile.rows * kernel.tile.columns) / kFullTile;
  const GpuShape shape{.multiprocessors = gpu.multiprocessors, .l2_bytes = gpu.l2_bytes,
                       .blocks_per_multiprocessor = kernel.narrow ? 1 : static_cast<int>(std::clamp(kTilesAtOnce / area, 1.0, kMostBlocks))};
  // Column-major: blocks are dealt down the columns, sectors_of() along the rows of the transposed product.
  const SectorTraffic sectors = sectors_of({.m = p.columns, .n = p.rows, .k = p.depth, .tile_m = kernel.tile.columns, .tile_n = kernel.tile.rows}, shape);
  const double result = kFloat * static_cast<double>(p.rows) * static_cast<double>(p.columns);
  const double partial = kernel.parts > 1 ? 2 * result * static_cast<double>(kernel.parts) : 0;
  GpuTime time;
  time.compute_ns = compute_ns(gpu, p, kernel);
  time.launch_ns = kLaunchNs + (kernel.parts > 1 ? kReduceNs : 0);
  add_bytes(gpu, sectors.l2_misses * kSectorBytes + result + (partial > static_cast<double>(gpu.l2_bytes) ? partial : 0),
            sectors.l1_reads * kSectorBytes + result + partial, time);
  sum_up(time);
  time.how = fmt::format("tiles of {} x {}{}", kernel.tile.rows, kernel.tile.columns, kernel.parts > 1 ? fmt::format(", depth in {} parts", kernel.parts) : "");
  return time;
}

/// The library's kernels for this product. cuBLAS 8 computes products of up to 16 columns with blocks 4 columns wide, or 64 where the
/// operands lie along the depth, hardly split: seen in DeepBench's even rows, where 32 columns take less time than 16.
std::vector<Kernel> kernels_for(const GpuLibrary& library, const GpuProduct& p) {
  std::vector<Kernel> kernels;
  const bool along_depth = p.left_transposed && !p.right_transposed, narrow = p.columns <= library.narrow_columns;
  if (narrow && !along_depth) return {{.tile = {128, kNarrowTileColumns}, .narrow = true}};
  const std::vector<TileSize> tiles = narrow ? std::vector<TileSize>{{128, 64}} : library.tiles;
  const int64_t most = narrow ? 2 : library.split_most;
  for (const TileSize& tile : tiles) {
    for (int64_t parts = 1; parts <= most; parts *= 2) {
      if (parts > 1 && (p.depth / parts < kLeastDepthOfPart || p.depth < library.split_least_depth)) break;
      kernels.push_back({.tile = tile, .parts = parts});
    }
  }
  return kernels;
}

}  // namespace

std::string_view name(GpuLimit limit) {
  constexpr std::array<std::string_view, 4> kNames{"arithmetic", "DRAM", "L2", "launch"};
  return kNames[static_cast<size_t>(limit)];
}

GpuLimit GpuTime::limit() const {
  const std::array<double, 4> all{compute_ns, dram_ns, l2_ns, launch_ns};
  return static_cast<GpuLimit>(std::ranges::max_element(all) - all.begin());
}

GpuTime roof_time(const ModelledGpu& gpu, double flops, double bytes) {
  GpuTime time;
  time.compute_ns = flops / gpu.peak_flop_per_s() * kNsPerS;
  time.dram_bytes = bytes;
  time.dram_ns = bytes / gpu.memory_bytes_per_s * kNsPerS;
  sum_up(time);
  return time;
}

GpuTime product_time(const ModelledGpu& gpu, const GpuProduct& p) {
  CHECK(p.rows > 0 && p.columns > 0 && p.depth > 0);
  GpuTime best;
  best.ns = INFINITY;
  for (const Kernel& kernel : kernels_for(gpu.library, p)) {
    GpuTime time = kernel_time(gpu, p, kernel);
    if (time.ns < best.ns) best = std::move(time);
  }
  return best;
}

GpuTime stream_time(const ModelledGpu& gpu, double read_bytes, double written_bytes, int passes) {
  GpuTime time;
  time.launch_ns = kLaunchNs * passes;
  add_bytes(gpu, read_bytes + written_bytes, read_bytes + written_bytes, time);
  sum_up(time);
  time.how = passes > 1 ? fmt::format("{} kernels, coalesced", passes) : "coalesced";
  return time;
}

}  // namespace profiler
