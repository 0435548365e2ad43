// SPDX-License-Identifier: Apache-2.0
// Builds the GPU's captures.
#include "tests/support/gpu_lab.h"

#include <fmt/format.h>

#include "engine/base/check.h"

namespace tests {

using profiler::Activity;
using profiler::TrackKind;

GpuLab::GpuLab() {
  builder_.run().workload = builder_.run().title = "gpu lab";
  builder_.run().device = "cuda";
  builder_.add_gpu_device({.device = 0,
                           .name = "Lab GPU",
                           .compute_major = 7,
                           .compute_minor = 0,
                           .multiprocessors = 80,
                           .l2_bytes = 64'000'000,
                           .memory_bytes_per_s = 1'000'000'000'000,
                           .clock_hz = 1'000'000'000});
}

profiler::OpId GpuLab::op(const Op& made) {
  const auto half = static_cast<int64_t>(made.bytes / 2);
  const auto contiguous = [&] {
    std::vector<int64_t> strides(made.shape.size(), 1);
    for (size_t i = strides.size(); i-- > 1;) strides[i - 1] = strides[i] * made.shape[i];
    return strides;
  };
  const auto add = [&](const std::vector<int64_t>& strides) {
    return builder_.add_tensor({.id = 0,
                                .name = builder_.intern(fmt::format("t{}", builder_.so_far().tensors().size())),
                                .dtype = engine::DType::float32,
                                .shape = made.shape.empty() ? std::vector<int64_t>{half / 4} : made.shape,
                                .strides = strides.empty() ? std::vector<int64_t>{1} : strides,
                                .role = engine::Role::activation,
                                .persistent = true,
                                .alias_of = profiler::kNoTensor,
                                .size_bytes = half,
                                .offset_bytes = 0,
                                .first_op = 0,
                                .last_op = 0});
  };
  const profiler::TensorId in = add(made.read_strides.empty() ? contiguous() : made.read_strides),
                           out = add(contiguous());
  profiler::OpRecord record;
  record.name = builder_.intern(fmt::format("net/op{}", ops_.size()));
  record.type = builder_.intern("op");
  record.flops = made.flops;
  ops_.push_back(made);
  return builder_.add_op(record, {{profiler::kNoOp, in, engine::Role::activation, false, half, 0},
                                  {profiler::kNoOp, out, engine::Role::activation, true, 0, half}});
}

std::shared_ptr<const profiler::Capture> GpuLab::finish() {
  constexpr double kUs = 1000;
  const auto host = builder_.track(TrackKind::host_thread, "main thread", "Host");
  const auto stream = builder_.track(TrackKind::stream, "stream 7", "GPU 0");
  int64_t now = 1000;
  uint64_t correlation = 0;
  for (uint32_t step = 0; step < 5; ++step) {
    const int64_t begin = now;
    for (profiler::OpId op = 0; op < ops_.size(); ++op) {
      const Op& o = ops_[op];
      Activity a;
      a.step = step;
      a.op = op;
      const auto next = [&](const char* name, double us, profiler::TrackId track) {
        a.name = builder_.intern(name);
        a.track = track;
        a.start_ns = now;
        a.duration_ns = static_cast<int64_t>(us * kUs);
        now += a.duration_ns;
      };
      if (o.copy_us > 0) {
        a.correlation = ++correlation;
        next("Memcpy HtoD", o.copy_us, stream);
        builder_.add_copy(a, {.place = {0, 1, 7},
                              .kind = profiler::CopyKind::host_to_device,
                              .source = profiler::MemoryKind::pinned,
                              .destination = profiler::MemoryKind::device,
                              .bytes = static_cast<int64_t>(o.copy_bytes)});
      }
      a.correlation = ++correlation;
      next("cudaLaunchKernel", o.call_us, host);
      builder_.add_api_call(a, {});
      next("kernel", o.kernel_us, stream);
      builder_.add_kernel(
          a, {.place = {0, 1, 7}, .grid = {o.blocks, 1, 1}, .block = {256, 1, 1}, .registers_per_thread = 32});
    }
    builder_.add_step({step, begin, now - begin, true, false});
  }
  auto capture = builder_.finish();
  CHECK(capture.ok());
  return *capture;
}

}  // namespace tests
