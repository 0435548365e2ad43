// SPDX-License-Identifier: Apache-2.0
// What an op would take on a modelled GPU: the best of its kernels by tiles, waves, and bytes of L2 and memory.
#pragma once

#include <string>
#include <string_view>

#include "profiler/predict/modelled_gpu.h"

namespace profiler {

/// occupancy: the product's tiles take more than twice as long as they would if they filled the GPU. They are too few
/// to fill the GPU, or each walks a long depth alone (few columns).
enum class GpuLimit : uint8_t { arithmetic, dram, l2, launch, occupancy };
inline constexpr size_t kGpuLimits = 5;
std::string_view name(GpuLimit);  ///< "arithmetic", "DRAM", "L2", "launch", "occupancy"

/// One kernel on a modelled GPU. Modelled, all of it.
struct GpuTime {
  double ns = 0;
  double compute_ns = 0, dram_ns = 0, l2_ns = 0, launch_ns = 0;  ///< ns = launch + the longest of the others
  double dram_bytes = 0;                                         ///< to and from memory
  double l2_bytes = 0;                                           ///< between L2 and the multiprocessors
  double peak_ns = 0;      ///< what a product's FLOPs take with all tiles at work; 0: nothing is held against it
  GpuLimit limit() const;  ///< the longest of the four; arithmetic far above peak_ns is occupancy
  std::string how;         ///< "tiles of 128 x 64, depth in 4 parts"
};

/// c (rows x columns) = a (rows x depth) times b (depth x columns), all f32 and column-major, as in BLAS. Transposed: a
/// lies along the depth, or b along its columns.
struct GpuProduct {
  int64_t rows = 0, columns = 0, depth = 0;
  bool left_transposed = false, right_transposed = false;
  int64_t batch = 1;  ///< number of GEMMs in one kernel
};

/// R0 of the literature: the longer of arithmetic at the data sheet's peak and each byte once at its bandwidth. A
/// bound, not a forecast.
GpuTime roof_time(const ModelledGpu&, double flops, double bytes);

/// The fastest of the library's tiles and splits of the depth. Multiprocessors get blocks in rounds; few or small
/// blocks hide less latency. Bytes of L2 and memory come from sectors_of() (waves, half of L2 dirty). Partial results
/// of a split depth are written and read again. Constants are one set for all GPUs, fitted on the even rows of
/// DeepBench's products. Extents and batch must be positive.
GpuTime product_time(const ModelledGpu&, const GpuProduct&);

/// Elementwise ops, normalisation, copies: their bytes, coalesced. `passes`: kernels the op takes, each with its
/// launch.
GpuTime stream_time(const ModelledGpu&, double read_bytes, double written_bytes, int passes = 1);

/// The recurrent part of an LSTM (4 gates), GRU (3) or plain recurrent layer (1). Each step is a GEMM of gates * hidden
/// x batch x hidden by the library's kernels for it, then the gates. The GEMM with the layer's input is one more
/// product_time().
struct GpuRecurrent {
  int64_t gates = 4, hidden = 0, batch = 0, steps = 0;
};
GpuTime recurrent_time(const ModelledGpu&, const GpuRecurrent&);

}  // namespace profiler
