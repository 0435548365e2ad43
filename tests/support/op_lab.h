// SPDX-License-Identifier: Apache-2.0
// OpLab: captures of a few ops whose traffic and times have closed forms, on a machine with round
// figures.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "profiler/capture/capture_builder.h"

namespace tests {

/// Machine: L1 32 KiB and L2 1 MiB per thread, L3 32 MiB for all, 256-bit vectors. Traffic roofs
/// (fills counted, any mix, all threads): DRAM 20 GB/s, L3 80 GB/s, L2 400 GB/s, L1 1000 GB/s. f32
/// peak 100 GFLOP/s per thread. Stamp 10 ns, fork and join 2 us, latencies 1, 5, 25, 100 ns.
/// Tensors are f32 vectors, each with bytes of its own.
class OpLab {
 public:
  explicit OpLab(int threads = 2);

  struct Options {
    engine::Role role = engine::Role::activation;
    bool persistent = false;
    profiler::TensorId alias_of = profiler::kNoTensor;
    std::vector<int64_t> shape = {}, strides = {};  ///< empty: a vector
    engine::DType dtype = engine::DType::float32;
  };
  profiler::TensorId tensor(int64_t size_bytes, const Options& options);
  profiler::TensorId tensor(int64_t size_bytes) { return tensor(size_bytes, Options()); }
  /// Reads and writes every byte of its operands once; takes time_ns, spread evenly by +-jitter
  /// over 5 traced steps.
  profiler::OpId op(const std::string& type, const std::vector<profiler::TensorId>& reads,
                    const std::vector<profiler::TensorId>& writes, double flops = 0, double time_ns = 1e6,
                    double jitter = 0, const std::string& layer = "net", const std::string& kernel = "lab");
  profiler::CaptureBuilder& builder() { return builder_; }
  /// Adds the steps (one warm-up of ten times the duration, one untraced, five traced) and freezes.
  std::shared_ptr<const profiler::Capture> finish();

  static constexpr int64_t kMiB = int64_t{1} << 20;

 private:
  struct Timed {
    profiler::OpId op;
    double time_ns, jitter;
  };
  profiler::CaptureBuilder builder_;
  std::vector<Timed> timed_;
  std::vector<profiler::TensorRecord> tensors_;
  int64_t next_offset_ = 0;
};

}  // namespace tests
