// SPDX-License-Identifier: Apache-2.0
// Products as tiles in rounds, everything else as streams.
#include "profiler/predict/gpu_time.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/check.h"
#include "profiler/base/say.h"
#include "profiler/predict/gpu_kernel.h"

namespace profiler {
namespace {

// Fitted on the even rows of DeepBench's products.
constexpr double kLargeOperandBytes = 26e6;  // beyond, walks along the depth miss the address cache
constexpr double kNarrowCyclesPerStep = 19;  // a narrow block walks the depth alone
constexpr int64_t kNarrowTileColumns = 4;
// Fitted on the even rows of DeepBench's LSTM layers: the kernels of one step wait for each other.
constexpr double kStepNs = 25000;
constexpr double kWordsPerState = 12;  // gates, cell and hidden state of one unit, read and written

/// One way to compute a product.
struct Kernel {
  TileSize tile;
  int64_t parts = 1;    ///< of the depth
  bool narrow = false;  ///< few columns a block, each block walks the depth alone
};

double compute_ns(const ModelledGpu& gpu, const GpuProduct& p, const Kernel& kernel) {
  if (kernel.narrow) return static_cast<double>(p.depth) * kNarrowCyclesPerStep / gpu.sustained_hz() * kNsPerS;
  const double blocks = ceil_div(p.rows, kernel.tile.rows) * ceil_div(p.columns, kernel.tile.columns) *
                        static_cast<double>(kernel.parts * p.batch);
  const double left_bytes = kFloatBytes * static_cast<double>(p.rows) * static_cast<double>(p.depth);
  const bool along_depth = p.left_transposed && !p.right_transposed && left_bytes > kLargeOperandBytes;
  return blocks_ns(gpu, kernel.tile, blocks, ceil_div(p.depth, kernel.parts),
                   gpu.library.efficiency * (along_depth ? gpu.library.transposed_ratio : 1));
}

/// Of one of the batch; the same for all splits of the depth.
SectorTraffic sectors_with(const ModelledGpu& gpu, const GpuProduct& p, const Kernel& kernel) {
  constexpr double kMostBlocks = 8;
  const double area = static_cast<double>(kernel.tile.rows * kernel.tile.columns) / (128.0 * 128);
  const GpuShape shape{.multiprocessors = gpu.multiprocessors,
                       .l2_bytes = gpu.l2_bytes,
                       .blocks_per_multiprocessor =
                           kernel.narrow ? 1 : static_cast<int>(std::clamp(kTilesAtOnce / area, 1.0, kMostBlocks))};
  // Column-major: blocks are dealt down the columns, sectors_of() along the rows of the transposed product.
  return sectors_of(
      {.m = p.columns, .n = p.rows, .k = p.depth, .tile_m = kernel.tile.columns, .tile_n = kernel.tile.rows}, shape);
}

GpuTime kernel_time(const ModelledGpu& gpu, const GpuProduct& p, const Kernel& kernel, const SectorTraffic& sectors) {
  const double batch = static_cast<double>(p.batch),
               result = batch * kFloatBytes * static_cast<double>(p.rows) * static_cast<double>(p.columns);
  const double partial = kernel.parts > 1 ? 2 * result * static_cast<double>(kernel.parts) : 0;
  GpuTime time;
  time.compute_ns = compute_ns(gpu, p, kernel);
  time.launch_ns = kKernelNs + (kernel.parts > 1 ? kReduceNs : 0);
  set_bytes(
      gpu,
      batch * sectors.l2_misses * kSectorBytes + result + (partial > static_cast<double>(gpu.l2_bytes) ? partial : 0),
      batch * sectors.l1_reads * kSectorBytes + result + partial, time);
  sum_up(time);
  time.how = say("tiles of {} x {}{}", kernel.tile.rows, kernel.tile.columns,
                 kernel.parts > 1 ? say(", depth in {} parts", kernel.parts) : "");
  return time;
}

/// The library's kernels for this product. cuBLAS 8 computes products of up to 16 columns with blocks 4 columns wide,
/// or 64 where the operands lie along the depth, hardly split: seen in DeepBench's even rows, where 32 columns take
/// less time than 16.
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
  constexpr std::array<std::string_view, kGpuLimits> kNames{"arithmetic", "DRAM", "L2", "launch", "occupancy"};
  return kNames[static_cast<size_t>(limit)];
}

GpuLimit GpuTime::limit() const {
  const std::array<double, 4> all{compute_ns, dram_ns, l2_ns, launch_ns};
  const auto limit = static_cast<GpuLimit>(std::ranges::max_element(all) - all.begin());
  return limit == GpuLimit::arithmetic && peak_ns > 0 && compute_ns > 2 * peak_ns ? GpuLimit::occupancy : limit;
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
  CHECK(p.rows > 0 && p.columns > 0 && p.depth > 0 && p.batch > 0);
  GpuTime best;
  best.ns = INFINITY;
  SectorTraffic sectors;
  for (const Kernel& kernel : kernels_for(gpu.library, p)) {
    if (kernel.parts == 1) sectors = sectors_with(gpu, p, kernel);  // splits of a tile follow it
    GpuTime time = kernel_time(gpu, p, kernel, sectors);
    if (time.ns < best.ns) best = std::move(time);
  }
  return best;
}

GpuTime stream_time(const ModelledGpu& gpu, double read_bytes, double written_bytes, int passes) {
  GpuTime time;
  time.launch_ns = kKernelNs * passes;
  set_bytes(gpu, read_bytes + written_bytes, read_bytes + written_bytes, time);
  sum_up(time);
  time.how = passes > 1 ? say("{} kernels, coalesced", passes) : "coalesced";
  return time;
}

GpuTime recurrent_time(const ModelledGpu& gpu, const GpuRecurrent& r) {
  CHECK(r.gates > 0 && r.hidden > 0 && r.batch > 0 && r.steps > 0);
  ModelledGpu inner = gpu;
  inner.library = gpu.recurrent_library;
  const double steps = static_cast<double>(r.steps);
  GpuTime time = product_time(inner, {.rows = r.gates * r.hidden, .columns = r.batch, .depth = r.hidden});
  const GpuTime points =
      stream_time(gpu, kWordsPerState * kFloatBytes * static_cast<double>(r.hidden) * static_cast<double>(r.batch), 0);
  time.launch_ns += kStepNs, time.dram_ns += points.dram_ns, time.compute_ns += points.dram_ns,
      time.l2_ns += points.dram_ns;
  for (double* part : {&time.launch_ns, &time.dram_ns, &time.compute_ns, &time.l2_ns}) *part *= steps;
  time.dram_bytes = steps * (time.dram_bytes + points.dram_bytes),
  time.l2_bytes = steps * (time.l2_bytes + points.l2_bytes);
  sum_up(time);
  time.how = say("{} steps, each in {}", r.steps, time.how);
  return time;
}

}  // namespace profiler
