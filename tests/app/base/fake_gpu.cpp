// SPDX-License-Identifier: Apache-2.0
// The fake GPU: a compute stream and two copy engines, each with a time until which it is busy. Every op is one kernel
// that takes as long as its work would at 60 TFLOP/s and 2.5 TB/s; the first op of a step brings the next input, the
// loss goes back.
#include "tests/app/base/fake_gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "engine/base/clock.h"

namespace test {
namespace {

using engine::Result;
using profiler::CopyKind;
using profiler::ExternalKind;
using profiler::GpuEvents;
using profiler::MemoryKind;

constexpr int64_t kClockOffset = 1'700'000'000'000'000'000, kCallNs = 2000, kStartNs = 3000;
constexpr int32_t kComputeStream = 7, kUpStream = 13, kDownStream = 14;
constexpr uint64_t kClonedBy = 1'000'000;  // from a node to its clone in what is launched

constexpr int64_t kInputBytes = int64_t{4} << 20;

/// One kernel.
struct Work {
  std::string name;
  int64_t duration_ns = 0;
  double read_bytes = 0, written_bytes = 0;
  bool returns = false;  ///< its result goes to the host
};

class FakeGpu {
 public:
  FakeGpu() {
    events_.clock.push_back({engine::now_ns() + kClockOffset, engine::now_ns(), 100});
    events_.devices.push_back({.device = 0,
                               .name = "Fake GPU",
                               .chip = "GH100",
                               .uuid = "GPU-fake",
                               .bus = "0000:01:00.0",
                               .compute_major = 9,
                               .compute_minor = 0,
                               .multiprocessors = 132,
                               .copy_engines = 3,
                               .memory_bytes = int64_t{80} << 30,
                               .l2_bytes = int64_t{50} << 20,
                               .memory_bytes_per_s = 3'350'000'000'000,
                               .clock_hz = 1'755'000'000});
    events_.contexts.push_back({.context = 1, .device = 0, .null_stream = 7});
    for (const int32_t stream : {kComputeStream, kUpStream, kDownStream})
      events_.streams.push_back({.stream = stream, .context = 1});
  }

  // ---- what the host does
  void enter(ExternalKind kind, uint64_t id) { (kind == ExternalKind::step ? step_ : op_) = id; }
  void leave(ExternalKind kind) { (kind == ExternalKind::step ? step_ : op_).reset(); }
  void run(const Work& work) {
    if (noting_) {
      const uint64_t node = 1 + noted_.size();
      noted_.push_back(work);
      events_.graph_nodes.push_back(
          {.node = node, .original = 0, .op = op_ ? static_cast<profiler::OpId>(*op_) : profiler::kNoOp});
      events_.graph_nodes.push_back({.node = node + kClonedBy, .original = node, .op = profiler::kNoOp});
      return;
    }
    const uint32_t correlation = call("cudaLaunchKernelExC_v11060");
    if (first_of_step_) copy(CopyKind::host_to_device, kInputBytes, up_end_, engine::now_ns());
    first_of_step_ = false;
    kernel(correlation, work, 0);
    if (work.returns) copy(CopyKind::device_to_host, 4, down_end_, compute_end_);
  }
  void begin_graph() { noting_ = true; }
  void end_graph() { noting_ = false; }
  void launch_graph() {
    const uint32_t correlation = call("cudaGraphLaunch_v10000");
    for (size_t i = 0; i < noted_.size(); ++i) kernel(correlation, noted_[i], 1 + i + kClonedBy);
  }
  /// Returns when the GPU is idle.
  void wait() {
    first_of_step_ = true;
    const int64_t begin = std::max(engine::now_ns(), call_end_), idle = std::max({compute_end_, up_end_, down_end_});
    if (idle <= begin) return;
    while (engine::now_ns() < idle)
      std::this_thread::sleep_for(std::chrono::nanoseconds(std::max<int64_t>(0, idle - engine::now_ns() - 100'000)));
    const int64_t end = std::max(engine::now_ns(), begin);
    const uint32_t correlation = next();
    note_call("cudaStreamSynchronize_v3020", correlation, begin, end);
    events_.synchronizations.push_back(
        {.time = at(begin, end),
         .correlation = correlation,
         .record = {.place = place(kComputeStream), .kind = profiler::SyncKind::stream}});
  }
  GpuEvents take() {
    GpuEvents out = std::exchange(events_, {});
    events_.clock.push_back({engine::now_ns() + kClockOffset, engine::now_ns(), 100});
    return out;
  }

 private:
  static profiler::EventTime at(int64_t begin, int64_t end) { return {begin + kClockOffset, end + kClockOffset}; }
  static profiler::GpuPlace place(int32_t stream) { return {.device = 0, .context = 1, .stream = stream}; }
  uint32_t next() {
    ++correlation_;
    if (op_) events_.externals.push_back({correlation_, ExternalKind::op, *op_});
    if (step_) events_.externals.push_back({correlation_, ExternalKind::step, *step_});
    return correlation_;
  }
  void note_call(const char* name, uint32_t correlation, int64_t begin, int64_t end) {
    events_.api_calls.push_back(
        {.time = at(begin, end), .correlation = correlation, .thread = 1, .name = events_.intern(name), .record = {}});
    call_end_ = end;
  }
  uint32_t call(const char* name) {
    const uint32_t correlation = next();
    const int64_t begin = std::max(engine::now_ns(), call_end_);
    note_call(name, correlation, begin, begin + kCallNs);
    return correlation;
  }
  void kernel(uint32_t correlation, const Work& work, uint64_t node) {
    const int64_t begin = std::max(compute_end_, call_end_ + kStartNs);
    compute_end_ = begin + work.duration_ns;
    events_.kernels.push_back({.time = at(begin, compute_end_),
                               .correlation = correlation,
                               .name = events_.intern(work.name),
                               .record = {.place = place(kComputeStream),
                                          .grid = {132, 4, 1},
                                          .block = {256, 1, 1},
                                          .registers_per_thread = 64,
                                          .static_shared_bytes = 0,
                                          .dynamic_shared_bytes = 0,
                                          .graph = node == 0 ? 0u : 1u,
                                          .graph_node = node}});
  }
  void copy(CopyKind kind, int64_t bytes, int64_t& engine_end, int64_t not_before) {
    const bool up = kind == CopyKind::host_to_device;
    const uint32_t correlation = call("cudaMemcpyAsync_v3020");
    const int64_t begin = std::max({engine_end, not_before, call_end_ + kStartNs});
    engine_end = begin + 1500 + bytes / 25;  // 25 GB/s
    events_.copies.push_back({.time = at(begin, engine_end),
                              .correlation = correlation,
                              .runtime_correlation = 0,
                              .record = {.place = place(up ? kUpStream : kDownStream),
                                         .kind = kind,
                                         .source = up ? MemoryKind::pinned : MemoryKind::device,
                                         .destination = up ? MemoryKind::device : MemoryKind::pinned,
                                         .synchrony = profiler::Synchrony::asynchronous,
                                         .bytes = bytes}});
  }

  GpuEvents events_;
  std::optional<uint64_t> step_, op_;
  bool noting_ = false;
  bool first_of_step_ = true;
  std::vector<Work> noted_;
  uint32_t correlation_ = 0;
  int64_t call_end_ = 0, compute_end_ = 0, up_end_ = 0, down_end_ = 0;
};

/// Null until something is traced: then ops take time.
std::unique_ptr<FakeGpu>& gpu() {
  static std::unique_ptr<FakeGpu> fake;
  return fake;
}

class FakeTracer final : public profiler::GpuTracer {
 public:
  void push(ExternalKind kind, uint64_t id) override { gpu()->enter(kind, id); }
  void pop(ExternalKind kind) override { gpu()->leave(kind); }
  std::vector<GpuEvents> take() override {
    std::vector<GpuEvents> all;
    all.push_back(gpu()->take());
    return all;
  }
  std::vector<GpuEvents> stop() override {
    auto all = take();
    gpu().reset();
    return all;
  }
};

class FakeCounters;
/// Those that count at present.
FakeCounters*& counting() {
  static FakeCounters* counters = nullptr;
  return counters;
}

/// Every op moves what it has to, and a tenth more.
class FakeCounters final : public profiler::GpuCounters {
 public:
  std::vector<std::string> keys() const override {
    return {"dram_read_bytes", "dram_written_bytes", "tensor_active_ratio"};
  }
  std::vector<std::string> missing() const override { return {}; }
  std::string chip() const override { return "GH100"; }
  Result<void> begin() override {
    ranges_.clear();
    return {};
  }
  Result<void> push(profiler::OpId op) override {
    ranges_.push_back({op, {0, 0, 0.5}});
    return {};
  }
  Result<void> pop() override { return {}; }
  Result<std::vector<profiler::CounterRange>> end() override { return ranges_; }
  FakeCounters() { counting() = this; }
  ~FakeCounters() override { counting() = nullptr; }
  void ran(const Work& work) {
    if (ranges_.empty()) return;
    ranges_.back().values[0] += 1.1 * work.read_bytes;
    ranges_.back().values[1] += 1.1 * work.written_bytes;
  }

 private:
  std::vector<profiler::CounterRange> ranges_;
};

/// Every millisecond between its start and its end, in which the device moved a gigabyte a second more than in the one
/// before; the third is lost.
class FakeSampler final : public profiler::GpuSampler {
 public:
  Result<profiler::GpuSamples> stop() override {
    profiler::GpuSamples samples;
    samples.chip = "GH100";
    samples.interval_ns = 1'000'000;
    samples.figures = {{"dram_read_bytes", "Device memory, read", "B/s", {}},
                       {"sm_active_ratio", "Multiprocessors at work", "ratio", {}}};
    samples.missing = {"nvlink_sent_bytes"};
    samples.overflows = samples.lost = 1;
    const int64_t end = engine::now_ns();
    for (int64_t at = start_ns_; at == start_ns_ || at + samples.interval_ns < end; at += samples.interval_ns) {
      samples.start_ns.push_back(at);
      samples.end_ns.push_back(at + samples.interval_ns);
      samples.figures[0].values.push_back(1e9 * static_cast<double>(samples.start_ns.size()));
      samples.figures[1].values.push_back(0.5);
      if (samples.start_ns.size() == 2) at += samples.interval_ns;
    }
    return samples;
  }

 private:
  const int64_t start_ns_ = engine::now_ns();
};

class FakeOp final : public engine::PreparedOp {
 public:
  FakeOp(Work work, engine::KernelFacts facts) : work_(std::move(work)), facts_(std::move(facts)) {}
  void run() override {
    if (gpu() != nullptr) gpu()->run(work_);
    if (counting() != nullptr) counting()->ran(work_);
  }
  engine::KernelFacts facts() const override { return facts_; }

 private:
  Work work_;
  engine::KernelFacts facts_;
};

class GraphLaunch final : public engine::PreparedOp {
 public:
  void run() override {
    if (gpu() != nullptr) gpu()->launch_graph();
  }
  engine::KernelFacts facts() const override { return {.name = "fake graph"}; }
};

class FakeBackend final : public engine::Backend {
 public:
  FakeBackend(std::unique_ptr<engine::Backend> inner, engine::Fp8 fp8) : inner_(std::move(inner)), fp8_(fp8) {}
  const engine::DeviceInfo& info() const override { return inner_->info(); }
  int threads() const override { return 1; }
  Result<std::shared_ptr<engine::Storage>> allocate(int64_t size_bytes) override {
    return inner_->allocate(size_bytes);
  }
  Result<void> copy(const engine::Tensor& from, const engine::Tensor& to) override { return inner_->copy(from, to); }
  Result<void> supports(const engine::Node& node, const engine::Call& call) const override {
    return inner_->supports(node, call);
  }
  int64_t workspace_bytes(const engine::Node& node, const engine::Call& call) const override {
    return inner_->workspace_bytes(node, call);
  }
  Result<std::unique_ptr<engine::PreparedOp>> prepare(const engine::PrepareRequest& request) override {
    std::vector<engine::TensorType> inputs, outputs;
    for (const engine::Tensor& tensor : request.arguments.inputs) inputs.push_back(tensor.type());
    for (const engine::Tensor& tensor : request.arguments.outputs) outputs.push_back(tensor.type());
    const engine::Cost cost = request.node.op->cost({request.node.attributes, inputs, outputs});
    Work work;
    for (const int64_t part : cost.read_bytes) work.read_bytes += static_cast<double>(part);
    for (const int64_t part : cost.written_bytes) work.written_bytes += static_cast<double>(part);
    work.duration_ns =
        1500 + static_cast<int64_t>(std::max(cost.flops / 60e3, (work.read_bytes + work.written_bytes) / 2.5e3));
    const std::string name(request.node.op->name);
    work.name = "fake_" + name;
    work.returns = name == "softmax_cross_entropy";
    engine::KernelFacts facts;
    if (fp8_ != engine::Fp8::off && (name == "matmul" || name == "linear")) {
      const int64_t columns = outputs[0].shape.back();
      if (columns % 16 == 0) facts.format = engine::ProductFormat::fp8;
      else facts.not_fp8 = fmt::format("its {} columns are no multiple of 16", columns);
      work.name +=
          columns % 16 == 0 ? fmt::format(", fp8 {} x e4m3", engine::name(fp8_)) : "; not fp8: " + facts.not_fp8;
    }
    facts.name = work.name;
    return std::unique_ptr<engine::PreparedOp>(std::make_unique<FakeOp>(std::move(work), std::move(facts)));
  }
  void synchronize() override {
    if (gpu() != nullptr) gpu()->wait();
  }
  Result<void> begin_graph() override {
    if (gpu() != nullptr) gpu()->begin_graph();
    return {};
  }
  Result<std::unique_ptr<engine::PreparedOp>> end_graph() override {
    if (gpu() != nullptr) gpu()->end_graph();
    return std::unique_ptr<engine::PreparedOp>(std::make_unique<GraphLaunch>());
  }

 private:
  std::unique_ptr<engine::Backend> inner_;
  const engine::Fp8 fp8_;
};

}  // namespace

std::unique_ptr<engine::Backend> make_fake_gpu(std::unique_ptr<engine::Backend> inner, engine::Fp8 fp8) {
  return std::make_unique<FakeBackend>(std::move(inner), fp8);
}

const profiler::GpuModule& fake_gpu_module() {
  static const profiler::GpuModule module{
      .examine =
          [](bool) {
            return std::vector<profiler::ChainLink>{
                {.name = "CUPTI", .works = true, .found = "a fake of it", .remedy = ""}};
          },
      .start_trace = []() -> Result<std::unique_ptr<profiler::GpuTracer>> {
        gpu() = std::make_unique<FakeGpu>();
        return std::unique_ptr<profiler::GpuTracer>(std::make_unique<FakeTracer>());
      },
      .start_counters = [](int, profiler::CounterSet, size_t) -> Result<std::unique_ptr<profiler::GpuCounters>> {
        return std::unique_ptr<profiler::GpuCounters>(std::make_unique<FakeCounters>());
      },
      .start_samples = [](int) -> Result<std::unique_ptr<profiler::GpuSampler>> {
        return std::unique_ptr<profiler::GpuSampler>(std::make_unique<FakeSampler>());
      }};
  return module;
}

}  // namespace test
