// SPDX-License-Identifier: Apache-2.0
// A small GPU capture written by hand: two steps that copy their input in, run two kernels and read the loss back.
#pragma once

#include "profiler/capture/capture_builder.h"

namespace tests {

/// Two steps of 100 us, from 1 ms on. In each: API calls on the main thread; 10..30 us input copied from pinned memory
/// (1 MiB); 30..60 us kernel "gemm" (op 0) on stream 7; 60..65 us weights copied again unchanged from pageable memory
/// (256 KiB); 70..90 us kernel "relu" (op 1); 92..93 us memset; 93..95 us loss read back (4 B); the host waits 65..96
/// us. Tensors: 0 input, 1 weights, 2 output, 3 loss.
profiler::CaptureBuilder sample_gpu_builder();
std::shared_ptr<const profiler::Capture> sample_gpu_capture();

}  // namespace tests
