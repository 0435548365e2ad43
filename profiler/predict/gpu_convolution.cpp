// SPDX-License-Identifier: Apache-2.0
// Three ways to compute a convolution, as products.
#include "profiler/predict/gpu_convolution.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "engine/base/check.h"
#include "profiler/base/say.h"
#include "profiler/predict/gpu_kernel.h"

namespace profiler {
namespace {

// Fitted on the even rows of DeepBench's forward convolutions.
constexpr double kCallNs = 20000;         // of one call of a convolution: its kernel and what prepares it
constexpr double kStepsBesideDepth = 20;  // a block's start and end, in steps of its depth
constexpr double kBatchedEfficiency = 0.8;
constexpr int64_t kMostParts = 64, kTileResults = 128, kFewFilters = 32, kLeastFilters = 8;
constexpr double kBatchedKernels = 3;  // two transforms and the products

constexpr std::array<TileSize, 5> kBatchedTiles{{{128, 128}, {128, 64}, {128, 32}, {64, 64}, {64, 32}}};

double real(int64_t x) { return static_cast<double>(x); }

/// Bytes of the operands, one group.
struct Sizes {
  double image = 0, result = 0, weights = 0;
  double sum() const { return image + result + weights; }
};
Sizes sizes_of(const GpuConvolution& c) {
  return {.image = kFloatBytes * real(c.batch * c.channels) * real(c.height * c.width),
          .result = kFloatBytes * real(c.batch * c.filters) * real(c.out_height * c.out_width),
          .weights = kFloatBytes * real(c.filters * c.channels) * real(c.kernel_height * c.kernel_width)};
}

/// A convolution of one pass as rows x columns results of `depth` multiply-adds.
struct AsProduct {
  int64_t rows = 0, columns = 0, depth = 0;
};
AsProduct product_of(const GpuConvolution& c, ConvolutionPass pass) {
  const int64_t window = c.kernel_height * c.kernel_width, results = c.batch * c.out_height * c.out_width;
  switch (pass) {
    case ConvolutionPass::forward: return {results, c.filters, c.channels * window};
    case ConvolutionPass::weight_gradient: return {c.filters, c.channels * window, results};
    case ConvolutionPass::input_gradient: break;
  }
  const int64_t phase = ((c.kernel_height - 1) / c.stride_height + 1) * ((c.kernel_width - 1) / c.stride_width + 1);
  return {c.batch * c.height * c.width, c.channels, c.filters * phase};
}

GpuTime implicit_product(const ModelledGpu& gpu, const GpuConvolution& c, ConvolutionPass pass) {
  const AsProduct p = product_of(c, pass);
  const bool weights = pass == ConvolutionPass::weight_gradient;
  const double efficiency = gpu.library.convolution_efficiency * (weights ? gpu.library.weight_gradient_ratio : 1);
  // Results of few filters are computed in tiles of 32 of which the spare part, in steps of 8, is left out.
  const double used =
      !weights && p.columns < kFewFilters ? ceil_div(p.columns, kLeastFilters) * kLeastFilters / kFewFilters : 1;
  GpuTime best;
  best.ns = INFINITY;
  for (const TileSize& tile : gpu.library.convolution_tiles) {
    for (const bool turned : {false, true}) {
      if (turned && !weights) continue;
      const TileSize t = turned ? TileSize{tile.columns, tile.rows} : tile;
      for (int64_t parts = 1;
           parts <= (weights ? kMostParts : 1) && (parts == 1 || p.depth / parts >= kLeastDepthOfPart); parts *= 2) {
        const double down = ceil_div(p.rows, t.rows), across = ceil_div(p.columns, t.columns);
        GpuTime time;
        time.compute_ns = used * blocks_ns(gpu, t, down * across * real(parts),
                                           ceil_div(p.depth, parts) + kStepsBesideDepth, efficiency);
        time.launch_ns = kCallNs + (parts > 1 ? kReduceNs : 0);
        const double through_l2 =
            weights ? kFloatBytes * real(p.depth) * (real(p.rows) * across + real(p.columns) * down) : 0;
        const Sizes sizes = sizes_of(c);
        set_bytes(gpu, sizes.sum(), std::max(through_l2, sizes.sum()), time);
        sum_up(time);
        if (time.ns >= best.ns) continue;
        time.how = say("implicit product, tiles of {} x {}{}", t.rows, t.columns,
                       parts > 1 ? say(", depth in {} parts", parts) : "");
        best = std::move(time);
      }
    }
  }
  return best;
}

/// Extents of what a pass computes by Winograd: images of rows x columns, from and to so many channels.
struct WinogradShape {
  int64_t height = 0, width = 0, from = 0, to = 0;
};
std::optional<WinogradShape> winograd_shape(const GpuConvolution& c, ConvolutionPass pass) {
  if (c.stride_height != 1 || c.stride_width != 1 || c.kernel_height != c.kernel_width) return {};
  if (pass == ConvolutionPass::input_gradient) return WinogradShape{c.height, c.width, c.filters, c.channels};
  return WinogradShape{c.out_height, c.out_width, c.channels, c.filters};
}

std::optional<GpuTime> winograd_fused(const ModelledGpu& gpu, const GpuConvolution& c, ConvolutionPass pass) {
  const auto shape = winograd_shape(c, pass);
  if (!shape || c.kernel_height != 3 || pass == ConvolutionPass::weight_gradient) return {};
  constexpr TileSize kBlock{kTileResults, 32};
  const double tiles = real(c.batch) * ceil_div(shape->height, 2) * ceil_div(shape->width, 2);
  const double blocks = std::ceil(4 * tiles / kTileResults) * ceil_div(shape->to, kBlock.columns);
  GpuTime time;
  // 16 multiply-adds a tile of 4 results; a block keeps 16 products of each tile, so that operands do not slow it down.
  time.compute_ns = blocks_ns(gpu, kBlock, blocks, 4 * real(shape->from), gpu.library.winograd_efficiency) *
                    rate_ratio(gpu, kBlock, 4);
  const Sizes sizes = sizes_of(c);
  time.launch_ns = kCallNs + dram_ns(gpu, 4 * sizes.weights);
  set_bytes(gpu, sizes.sum() + 4 * sizes.weights, sizes.sum() + 4 * sizes.weights, time);
  time.dram_ns = dram_ns(gpu, sizes.sum());  // the weights are transformed before: in launch_ns
  sum_up(time);
  time.how = say("Winograd, 2 x 2 results");
  return time;
}

std::optional<GpuTime> winograd_batched(const ModelledGpu& gpu, const GpuConvolution& c, ConvolutionPass pass) {
  const auto shape = winograd_shape(c, pass);
  if (!shape || !gpu.library.winograd_batched || (c.kernel_height != 3 && c.kernel_height != 5)) return {};
  const int64_t side = c.kernel_height == 3 ? 4 : 2,
                points = (side + c.kernel_height - 1) * (side + c.kernel_height - 1);
  const double tiles = real(c.batch) * ceil_div(shape->height, side) * ceil_div(shape->width, side);
  const int64_t whole_tiles = static_cast<int64_t>(tiles);
  const bool weights = pass == ConvolutionPass::weight_gradient;
  const AsProduct p =
      weights ? AsProduct{shape->to, shape->from, whole_tiles} : AsProduct{whole_tiles, shape->to, shape->from};
  double compute = INFINITY;
  for (const TileSize& tile : kBatchedTiles) {
    for (const TileSize& t : {tile, TileSize{tile.columns, tile.rows}}) {
      compute =
          std::min(compute, blocks_ns(gpu, t, ceil_div(p.rows, t.rows) * ceil_div(p.columns, t.columns) * real(points),
                                      real(p.depth), kBatchedEfficiency));
    }
  }
  const double transformed =
      kFloatBytes * real(points) * (tiles * real(shape->from) + tiles * real(shape->to) + real(c.channels * c.filters));
  const Sizes sizes = sizes_of(c);
  GpuTime time;
  time.compute_ns = compute;
  set_bytes(gpu, sizes.sum() + 2 * transformed, sizes.sum() + 2 * transformed, time);
  time.launch_ns = kBatchedKernels * kCallNs +
                   dram_ns(gpu, sizes.sum() + transformed);  // the transforms stand before and behind the products
  time.dram_ns = dram_ns(gpu, transformed);
  sum_up(time);
  time.how = say("Winograd, {0} x {0} results, {1} products", side, points);
  return time;
}

}  // namespace

double GpuConvolution::flops() const {
  return 2.0 * real(batch * filters) * real(out_height * out_width) * real(channels / groups) *
         real(kernel_height * kernel_width);
}

GpuTime convolution_time(const ModelledGpu& gpu, const GpuConvolution& c, ConvolutionPass pass) {
  CHECK(c.batch > 0 && c.channels > 0 && c.filters > 0 && c.height > 0 && c.width > 0 && c.out_height > 0 &&
        c.out_width > 0);
  CHECK(c.kernel_height > 0 && c.kernel_width > 0 && c.stride_height > 0 && c.stride_width > 0 && c.groups > 0);
  GpuConvolution one = c;
  one.channels = std::max<int64_t>(1, c.channels / c.groups), one.filters = std::max<int64_t>(1, c.filters / c.groups),
  one.groups = 1;
  GpuTime best = implicit_product(gpu, one, pass);
  for (auto way : {winograd_fused(gpu, one, pass), winograd_batched(gpu, one, pass)}) {
    if (way && way->ns < best.ns) best = *std::move(way);
  }
  if (c.groups == 1) return best;
  const double groups = real(c.groups);
  for (double* part :
       {&best.ns, &best.compute_ns, &best.dram_ns, &best.l2_ns, &best.launch_ns, &best.dram_bytes, &best.l2_bytes})
    *part *= groups;
  best.how = say("{} groups, each by {}", c.groups, best.how);
  return best;
}

}  // namespace profiler
