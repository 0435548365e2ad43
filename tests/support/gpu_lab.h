// SPDX-License-Identifier: Apache-2.0
// GpuLab: captures of one GPU's ops whose limits are known by construction.
#pragma once

#include <memory>
#include <vector>

#include "profiler/capture/capture_builder.h"

namespace tests {

/// A GPU of 80 multiprocessors (compute capability 7.0, 2048 threads each) with 1 TB/s of memory, 10.24 TFLOP/s in f32
/// and 64 MB of L2. Each of five steps runs all ops: a call, then a copy if there is one, then a kernel of 256 threads
/// a block.
class GpuLab {
 public:
  struct Op {
    double bytes = 0, flops = 0;  ///< compulsory: half read, half written
    double kernel_us = 0, call_us = 1;
    int blocks = 6400;
    double copy_us = 0;  ///< from pinned memory, before the kernel, nothing beside it
    double copy_bytes = 0;
    std::vector<int64_t> shape = {},
                         read_strides =
                             {};  ///< of f32 operands, written contiguously; empty: vectors of half the bytes
  };
  GpuLab();
  profiler::OpId op(const Op&);
  std::shared_ptr<const profiler::Capture> finish();
  profiler::CaptureBuilder& builder() { return builder_; }

 private:
  profiler::CaptureBuilder builder_;
  std::vector<Op> ops_;
};

}  // namespace tests
