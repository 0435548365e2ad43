// SPDX-License-Identifier: Apache-2.0
// GPUs by their data sheets: what the time model knows of a device that is not here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "profiler/memory/gpu_sectors.h"

namespace profiler {

/// Properties of the GEMM kernels of a library's generation. Tiles and limits follow from its GEMMs. The ratios are
/// fitted on one half of DeepBench's GEMMs and layers and tested on the other
/// (tests/profiler/predict/deepbench_test.cpp). An exception is weight_gradient_ratio.
struct GpuLibrary {
  std::string key;
  std::vector<TileSize> tiles = {};  ///< results of one block
  int64_t split_most = 1;            ///< blocks that may share the depth of one tile
  int64_t split_least_depth = 0;     ///< shallower products are not split
  double efficiency = 1;             ///< of a full multiprocessor's arithmetic at the sustained clock
  double transposed_ratio = 1;       ///< times this where both operands lie along the depth and the left one is large
  std::vector<TileSize> convolution_tiles = {};  ///< results x filters of one block
  double convolution_efficiency =
      1;                           ///< of convolutions as implicit products; above 1: short kernels at the boost clock
  double winograd_efficiency = 1;  ///< of Winograd's way with 2 x 2 results, in one kernel
  double weight_gradient_ratio = 1;  ///< of implicit products for gradients of weights, times convolution_efficiency;
                                     ///< chosen with whole networks in sight
  bool winograd_batched =
      false;  ///< has Winograd's way in batches of products, 4 x 4 results (2 x 2 for windows of 5 x 5)
  int64_t narrow_columns = 0;  ///< products of so few columns have kernels of their own: see product_time()
};

/// Mean relative errors of modelled times against measured ones, per class of ops: the stated error bands. From
/// DeepBench (tests/acceptance/results/modelled_gpus.md), the larger of both halves of its rows.
struct ModelErrors {
  double product = 0, convolution = 0, gradient = 0, recurrent = 0;
  bool checked = false;  ///< on this GPU; else the mean over those that were
};

/// Specified figures, from data sheets.
struct ModelledGpu {
  std::string key, name;
  int multiprocessors = 0;
  int lanes = 0;  ///< f32 multiply-adds a multiprocessor starts in one cycle
  double base_hz = 0, boost_hz = 0;
  double memory_bytes_per_s = 0;
  int64_t l2_bytes = 0;
  GpuLibrary library;
  GpuLibrary
      recurrent_library;  ///< whose kernels recurrent layers use: cuDNN 6 still brought those of the time before it
  ModelErrors errors = {};
  /// f32, at the boost clock, as data sheets have it.
  double peak_flop_per_s() const { return 2.0 * multiprocessors * lanes * boost_hz; }
  /// The base clock, or where boost is more than twice that (held back by power), the geometric mean of both.
  double sustained_hz() const;
};

/// Of resources/modelled_gpus.json, in its order.
const std::vector<ModelledGpu>& modelled_gpus();
/// By key, case ignored; fails (usage) naming the nearest and all others.
engine::Result<ModelledGpu> modelled_gpu(std::string_view key);

}  // namespace profiler
