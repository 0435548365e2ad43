// SPDX-License-Identifier: Apache-2.0
// A small capture written by hand: one training step of a tiny convolution net on a machine with
// known roofs.
#pragma once

#include <memory>

#include "profiler/capture/capture_builder.h"

namespace tests {

/// f32, batch 16: images [16,3,64,64] -> conv1 (32 channels, 3x3) -> relu1 -> global average pool
/// -> flatten (a view) -> fc (10)
/// -> softmax cross-entropy, backward, SGD with momentum. Steps 0 (warm-up), 1, 2, 4 (traced) and 3
/// (untraced). Machine: 2 threads, f32 peak 100 GFLOP/s, DRAM read 10 GB/s; L3 claims 32 MiB but is
/// worth 4 MiB, so that the 8 MiB activations of conv1 and relu1 do not fit.
profiler::CaptureBuilder sample_builder();
std::shared_ptr<const profiler::Capture> sample_capture();

/// Operations of the sample, by their index.
struct SampleOps {
  static constexpr profiler::OpId conv = 0, relu = 1, pool = 2, flatten = 3, linear = 4, loss = 5, loss_gradient = 6,
                                  linear_weight_gradient = 7, linear_bias_gradient = 8, linear_input_gradient = 9,
                                  pool_gradient = 10, relu_gradient = 11, conv_weight_gradient = 12, conv_update = 13,
                                  linear_update = 14, bias_update = 15;
  static constexpr uint32_t count = 16;
};

/// Nanoseconds of one op in traced step 1, 2 or 4 (0 for the view).
int64_t sample_op_ns(profiler::OpId op, uint32_t step);

}  // namespace tests
