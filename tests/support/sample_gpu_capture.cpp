// SPDX-License-Identifier: Apache-2.0
// The hand-made GPU capture.
#include "tests/support/sample_gpu_capture.h"

#include "engine/base/check.h"

namespace tests {

using profiler::Activity;
using profiler::CaptureBuilder;
using profiler::CopyKind;
using profiler::GpuPlace;
using profiler::MemoryKind;
using profiler::TrackKind;

namespace {

constexpr int64_t kUs = 1000;
constexpr GpuPlace kCompute{.device = 0, .context = 1, .stream = 7},
    kTransfers{.device = 0, .context = 1, .stream = 13};

/// Adds the activities of one step; times count from its start.
class StepWriter {
 public:
  StepWriter(CaptureBuilder& b, uint32_t step, int64_t start_ns) : b_(b), step_(step), start_(start_ns) {}

  void copy(const char* name, int64_t from_us, int64_t to_us, profiler::CopyRecord record) {
    const bool up = record.kind == CopyKind::host_to_device;
    record.place = kTransfers;
    const Activity a =
        at(name, from_us, to_us, b_.track(TrackKind::copy_engine, up ? "host to device" : "device to host", "GPU 0"));
    b_.add_copy(a, record);
    call("cudaMemcpyAsync", a);
  }
  void kernel(const char* name, int64_t from_us, int64_t to_us, profiler::OpId op) {
    Activity a = at(name, from_us, to_us, b_.track(TrackKind::stream, "stream 7", "GPU 0"));
    a.op = op;
    b_.add_kernel(a, {.place = kCompute,
                      .grid = {64, 2, 1},
                      .block = {128, 1, 1},
                      .registers_per_thread = 40,
                      .static_shared_bytes = 1024,
                      .dynamic_shared_bytes = 0});
    call("cudaLaunchKernelExC_v11060", a);
  }
  void memset(int64_t from_us, int64_t to_us) {
    const Activity a = at("Memset", from_us, to_us, b_.track(TrackKind::stream, "stream 7", "GPU 0"));
    b_.add_memset(a, {.place = kCompute, .bytes = 4096, .value = 0, .memory = MemoryKind::device});
    call("cudaMemsetAsync", a);
  }
  void wait(int64_t from_us, int64_t to_us) {
    Activity a = at("stream synchronize", from_us, to_us, b_.track(TrackKind::host_thread, "synchronisation", "Host"));
    b_.add_synchronization(a, {.place = kTransfers, .kind = profiler::SyncKind::stream});
  }
  void overhead(int64_t from_us, int64_t to_us) {
    b_.add_overhead(at("buffer flush", from_us, to_us, b_.track(TrackKind::overhead, "CUPTI", "Profiler")),
                    {.kind = 65536});
  }

 private:
  Activity at(const char* name, int64_t from_us, int64_t to_us, profiler::TrackId track) {
    Activity a;
    a.start_ns = start_ + from_us * kUs;
    a.duration_ns = (to_us - from_us) * kUs;
    a.correlation = 100 * step_ + ++correlation_;
    a.name = b_.intern(name);
    a.step = step_;
    a.track = track;
    return a;
  }
  /// The API call that launched `what`: 2 us, ending when it starts.
  void call(const char* name, const Activity& what) {
    Activity a = what;
    a.start_ns = what.start_ns - 3 * kUs;
    a.duration_ns = 2 * kUs;
    a.name = b_.intern(name);
    a.track = b_.track(TrackKind::host_thread, "main thread API", "Host");
    b_.add_api_call(a, {});
  }

  CaptureBuilder& b_;
  uint32_t step_;
  int64_t start_;
  uint64_t correlation_ = 0;
};

void describe(CaptureBuilder& b) {
  b.run().workload = b.run().title = "two kernels";
  b.run().device = "cuda";
  const int64_t sizes[] = {1 << 20, 1 << 18, 1 << 20, 4};
  const engine::Role roles[] = {engine::Role::input, engine::Role::weight, engine::Role::activation,
                                engine::Role::activation};
  const char* names[] = {"x", "w", "y", "loss"};
  for (int i = 0; i < 4; ++i) {
    b.add_tensor({.id = 0,
                  .name = b.intern(names[i]),
                  .dtype = engine::DType::float32,
                  .shape = {sizes[i] / 4},
                  .strides = {1},
                  .role = roles[i],
                  .persistent = i < 2,
                  .alias_of = profiler::kNoTensor,
                  .size_bytes = sizes[i],
                  .offset_bytes = 0,
                  .first_op = 0,
                  .last_op = 1});
  }
  for (const char* name : {"fc/matmul", "fc/relu"}) {
    profiler::OpRecord op;
    op.name = b.intern(name);
    op.type = b.intern(std::string_view(name).substr(3));
    op.flops = 1e6;
    b.add_op(op, {});
  }
  b.add_gpu_device({.device = 0,
                    .name = "NVIDIA H200",
                    .chip = "GH100",
                    .uuid = "GPU-0",
                    .bus = "0000:01:00.0",
                    .compute_major = 9,
                    .compute_minor = 0,
                    .multiprocessors = 132,
                    .memory_bytes = int64_t{141} << 30});
  b.add_gpu_context({.context = 1, .device = 0, .null_stream = 7});
  b.add_gpu_stream({.stream = 7, .context = 1});
  b.add_gpu_stream({.stream = 13, .context = 1, .priority = -5, .flag = 2});
}

}  // namespace

CaptureBuilder sample_gpu_builder() {
  CaptureBuilder b;
  describe(b);
  const profiler::NameId input = b.intern("input of the step"), weights = b.intern("read by fc/matmul"),
                         loss = b.intern("printed");
  for (uint32_t step = 0; step < 2; ++step) {
    const int64_t start = 1000 * kUs + step * 100 * kUs;
    b.add_step({.index = step, .start_ns = start, .duration_ns = 100 * kUs});
    StepWriter w(b, step, start);
    const auto async = profiler::Synchrony::asynchronous;
    w.copy("Memcpy HtoD", 10, 30,
           {.kind = CopyKind::host_to_device,
            .source = MemoryKind::pinned,
            .destination = MemoryKind::device,
            .synchrony = async,
            .bytes = 1 << 20,
            .tensor = 0,
            .reason = input,
            .content_version = step + 1});
    w.kernel("void gemm<float, 128>(float const*, float*)", 30, 60, 0);
    w.copy("Memcpy HtoD", 60, 65,
           {.kind = CopyKind::host_to_device,
            .source = MemoryKind::pageable,
            .destination = MemoryKind::device,
            .synchrony = async,
            .bytes = 1 << 18,
            .tensor = 1,
            .reason = weights,
            .content_version = 1});
    w.kernel("void relu<float>(float*)", 70, 90, 1);
    w.memset(92, 93);
    w.copy("Memcpy DtoH", 93, 95,
           {.kind = CopyKind::device_to_host,
            .source = MemoryKind::device,
            .destination = MemoryKind::pinned,
            .synchrony = async,
            .bytes = 4,
            .tensor = 3,
            .reason = loss,
            .content_version = step + 1});
    w.wait(65, 96);
    w.overhead(97, 98);
  }
  b.honesty().gpu_losses.untimed = 3;
  return b;
}

std::shared_ptr<const profiler::Capture> sample_gpu_capture() {
  auto capture = sample_gpu_builder().finish();
  CHECK(capture.ok());
  return *capture;
}

}  // namespace tests
