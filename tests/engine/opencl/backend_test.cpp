// SPDX-License-Identifier: Apache-2.0
// The backend on a real driver: workloads step by step as on the CPU, refusals before a run, copies, the trace.
#include <algorithm>
#include <cmath>

#include "engine/base/clock.h"
#include "engine/cpu/backend.h"
#include "engine/netfile/network_file.h"
#include "engine/ops/ops.h"
#include "engine/runtime/plan.h"
#include "engine/workloads/workload.h"
#include "profiler/opencl/tracer.h"
#include "tests/engine/opencl/opencl_lab.h"
#include "tests/support/op_examples.h"

namespace {

using namespace engine;  // NOLINT: a test of this floor

std::shared_ptr<const Graph> graph_of(const Workload& workload, Arguments given) {
  for (const auto& [key, value] : workload.small) given.try_emplace(key, value);
  const auto arguments = resolve(workload, given);
  EXPECT_TRUE(arguments.ok()) << arguments.error().message;
  auto graph = build_graph(workload, *arguments);
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  return std::make_shared<const Graph>(*std::move(graph));
}

/// Outputs after each step, and parameters after the last.
std::vector<std::vector<double>> values_after(Backend& backend, const std::shared_ptr<const Graph>& graph, int steps) {
  const auto plan = Plan::make(graph, backend);
  EXPECT_TRUE(plan.ok()) << plan.error().message;
  if (!plan.ok()) return {};
  std::vector<std::vector<double>> values;
  const auto fetch = [&](ValueId id) {
    const Tensor host =
        test::make_tensor(TensorType::contiguous((*plan)->tensor(id).dtype(), (*plan)->tensor(id).shape()));
    const auto copied = backend.copy((*plan)->tensor(id), host);
    EXPECT_TRUE(copied.ok()) << copied.error().message;
    values.push_back(test::values(host));
  };
  for (int step = 0; step < steps; ++step) {
    (*plan)->run_step(static_cast<uint32_t>(step), nullptr);
    for (const ValueId output : graph->outputs()) fetch(output);
  }
  for (const Value& value : graph->values()) {
    if (value.kind == ValueKind::parameter) fetch(value.id);
  }
  return values;
}

void expect_as_on_the_cpu(Backend& backend, const std::shared_ptr<const Graph>& graph, double tolerance) {
  const auto cpu = *cpu::make_backend(1);
  const auto there = values_after(backend, graph, 3), here = values_after(*cpu, graph, 3);
  ASSERT_EQ(there.size(), here.size());
  ASSERT_FALSE(there.empty());
  for (size_t i = 0; i < there.size(); ++i) {
    double largest = 1e-3;
    for (const double value : here[i]) largest = std::max(largest, std::abs(value));
    for (size_t k = 0; k < here[i].size(); ++k)
      ASSERT_NEAR(there[i][k], here[i][k], tolerance * largest) << "value " << i << ", element " << k;
  }
}

TEST(OpenclBackend, TrainsAndInfersAsTheCpuDoes) {
  const auto backend = test::opencl_backend();
  if (backend == nullptr) GTEST_SKIP() << test::why_no_opencl();
  for (const char* const name : {"mlp", "transformer", "gpt", "squeezenet", "resnet56"}) {
    for (const char* const mode : {"training", "inference"}) {
      SCOPED_TRACE(std::string(name) + ", " + mode);
      const auto workload = find_workload(name);
      ASSERT_TRUE(workload.ok());
      expect_as_on_the_cpu(*backend, graph_of(**workload, {{"mode", mode}}), 2e-4);
    }
  }
}

TEST(OpenclBackend, RunsANetworkOfAFile) {
  const auto backend = test::opencl_backend();
  if (backend == nullptr) GTEST_SKIP() << test::why_no_opencl();
  const auto network = load_network_file(TENSORTIDE_SOURCE_DIR "/resources/workloads/small_cnn.json");
  ASSERT_TRUE(network.ok()) << network.error().message;
  for (const char* const mode : {"training", "inference"}) {
    SCOPED_TRACE(mode);
    expect_as_on_the_cpu(*backend, graph_of(*network, {{"mode", mode}, {"batch", "4"}}), 2e-4);
  }
}

TEST(OpenclBackend, ListsAllOpsThatItHasNoKernelForBeforeARun) {
  const auto backend = test::opencl_backend();
  if (backend == nullptr) GTEST_SKIP() << test::why_no_opencl();
  const auto lstm = find_workload("lstm");
  ASSERT_TRUE(lstm.ok());
  const auto plan = Plan::make(graph_of(**lstm, {{"mode", "training"}}), *backend);
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().kind, ErrorKind::refused);
  for (const char* const words : {"[lstm]", "opencl has no kernel", "lstm_grad", "clip_by_norm", "--device cpu"})
    EXPECT_NE(plan.error().message.find(words), std::string::npos) << plan.error().message;
}

TEST(OpenclBackend, CopiesAnyLayoutThereAndBack) {
  const auto backend = test::opencl_backend();
  if (backend == nullptr) GTEST_SKIP() << test::why_no_opencl();
  for (const DType dtype : {DType::float32, DType::float64, DType::float16, DType::int64, DType::boolean}) {
    SCOPED_TRACE(name(dtype));
    for (const Strides& strides : {Strides{12, 4, 1}, Strides{1, 2, 6}, Strides{100, 10, 2}}) {
      const Tensor from = test::make_tensor({dtype, {2, 3, 4}, strides});
      fill(from, {Fill::Kind::arange}, 1, 0);
      const auto block = backend->allocate(24 * size_bytes(dtype));
      ASSERT_TRUE(block.ok());
      const Tensor there(*block, {dtype, {2, 3, 4}, {1, 2, 6}});
      const Tensor back = test::make_tensor(TensorType::contiguous(dtype, {2, 3, 4}));
      ASSERT_TRUE(backend->copy(from, there).ok());
      ASSERT_TRUE(backend->copy(there, back).ok());
      EXPECT_EQ(test::values(back), test::values(from));
    }
  }
  const Tensor wide = test::make_tensor(TensorType::contiguous(DType::float64, {2}));
  EXPECT_FALSE(backend->copy(wide, test::make_tensor(TensorType::contiguous(DType::float32, {2}))).ok());
}

/// Every kernel and copy with its op, step and times within the step that it was given in.
TEST(OpenclTrace, HasKernelsAndCopiesWithTimesOfTheirEvents) {
  if (test::opencl_backend() == nullptr) GTEST_SKIP() << test::why_no_opencl();
  const auto tracer = profiler::opencl::gpu_module().start_trace();
  ASSERT_TRUE(tracer.ok());
  const auto backend = test::opencl_backend();
  const auto workload = find_workload("mlp");
  const auto plan = Plan::make(graph_of(**workload, {{"mode", "training"}}), *backend);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  (*plan)->run_step(0, nullptr);  // kernels are compiled here
  const auto first = (*tracer)->take();
  size_t copies = 0;
  for (const auto& events : first) {
    copies += events.copies.size();
    for (const auto& copy : events.copies) {
      EXPECT_TRUE(copy.time.known());
      EXPECT_EQ(copy.record.kind, profiler::CopyKind::host_to_device);
      EXPECT_GT(copy.record.bytes, 0);
    }
    EXPECT_EQ(events.calls_of, "OpenCL");
  }
  EXPECT_GT(copies, 0u) << "the weights went there";
  (*tracer)->push(profiler::ExternalKind::step, 7);
  (*tracer)->push(profiler::ExternalKind::op, 3);
  const int64_t begin = now_ns();
  (*plan)->run_step(1, nullptr);
  const int64_t end = now_ns();
  (*tracer)->pop(profiler::ExternalKind::op);
  (*tracer)->pop(profiler::ExternalKind::step);
  (*plan)->run_step(2, nullptr);  // untraced: nobody notes it
  size_t kernels = 0;
  constexpr int64_t kClockErrorNs = 2'000'000;
  for (const auto& events : (*tracer)->stop()) {
    EXPECT_EQ(events.dropped, 0);
    kernels += events.kernels.size();
    for (const auto& kernel : events.kernels) {
      ASSERT_TRUE(kernel.time.known());
      EXPECT_GE(kernel.time.start_ns, begin - kClockErrorNs);
      EXPECT_LE(kernel.time.end_ns, end + kClockErrorNs);
      EXPECT_GT(kernel.record.grid[0] * kernel.record.block[0], 0);
      const auto of = [&](profiler::ExternalKind kind, uint64_t id) {
        return std::ranges::any_of(events.externals, [&](const profiler::ExternalEvent& e) {
          return e.correlation == kernel.correlation && e.kind == kind && e.id == id;
        });
      };
      EXPECT_TRUE(of(profiler::ExternalKind::op, 3) && of(profiler::ExternalKind::step, 7));
    }
  }
  size_t ran = 0;
  for (const Node& node : (*plan)->graph().nodes()) ran += node.op->view == nullptr ? 1 : 0;
  EXPECT_GE(kernels, ran) << "one kernel per op, or more";
}

}  // namespace
