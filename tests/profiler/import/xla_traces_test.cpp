// SPDX-License-Identifier: Apache-2.0
// What XLA's profilers (JAX, TensorFlow) and AMD's tools write: calls beside the work they launch, ops by hlo_op, steps
// on hosts and devices.
#include "tests/profiler/import/import_support.h"

using namespace profiler;
using namespace tests;

namespace {

std::string process(int pid, const char* name) {
  return R"({"ph":"M","name":"process_name","pid":)" + std::to_string(pid) + R"(,"args":{"name":")" + name + "\"}},";
}
std::string label(int pid, const char* name) {
  return R"({"ph":"M","name":"process_labels","pid":)" + std::to_string(pid) + R"(,"args":{"labels":")" + name +
         "\"}},";
}
std::string thread(int pid, int tid, const char* name) {
  return R"({"ph":"M","name":"thread_name","pid":)" + std::to_string(pid) + R"(,"tid":)" + std::to_string(tid) +
         R"(,"args":{"name":")" + name + "\"}},";
}
std::string span(int pid, int tid, const char* name, int time, int duration, const std::string& args = "") {
  return R"({"ph":"X","pid":)" + std::to_string(pid) + R"(,"tid":)" + std::to_string(tid) + R"(,"name":")" + name +
         R"(","ts":)" + std::to_string(time) + R"(,"dur":)" + std::to_string(duration) + R"(,"args":{)" + args + "}},";
}

CapturePtr import_spans(const std::string& text) {
  const auto c = import_events(text + "{}");
  EXPECT_TRUE(c) << c.error().message;
  return c ? *c : nullptr;
}

const std::string kHost = process(701, "/host:CPU") + thread(701, 5, "py_xla_execute/1"),
                  kGpu = process(1, "/device:GPU:0") + thread(1, 16, "Stream #16(Kernel)");

/// Metadata may come last, and an op may be called "kernel": neither makes it PyTorch's.
TEST(XlaTraces, CallsOfTheHostAreNoWork) {
  const auto c = import_spans(
      span(701, 5, "hipMemcpyDtoDAsync", 1, 12,
           R"("correlation_id":"66","memcpy_details":"kind:Unknown size:655360 dest:2 async:1")") +
      span(701, 5, "hipModuleLaunchKernel", 20, 5,
           R"("correlation_id":"67","hlo_op":"loop_add_fusion.3","hlo_module":"jit_f","name":"kernel")") +
      span(1, 16, "CopyDeviceToDevice", 15, 18,
           R"("correlation_id":"66","memcpy_details":"kind:Unknown size:655360 dest:2 async:1")") +
      span(
          1, 16, "loop_add_fusion.kd", 40, 7,
          R"("correlation_id":"67","hlo_op":"loop_add_fusion.3","hlo_module":"jit_f","name":"jit(f)/transpose(jvp(mlp))/add","kernel_details":" grid:1280,1,1 block:256,1,1")") +
      kHost + kGpu);
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->run().source, "Chrome trace");
  ASSERT_EQ(c->gpu().copies.size(), 1u);
  EXPECT_EQ(c->activities().duration_ns[c->gpu().copies[0].activity], 18'000);
  EXPECT_EQ(c->gpu().copies[0].bytes, 655'360);
  EXPECT_EQ(c->gpu().api_calls.size(), 2u);
  EXPECT_EQ(notes(*c).find("no launching call"), std::string::npos) << notes(*c);
  EXPECT_EQ(c->honesty().dropped_records, 0) << "{} behind the last comma is nothing";
  ASSERT_EQ(c->gpu().kernels.size(), 1u);
  const OpRecord& op = c->ops()[c->activities().op[c->gpu().kernels[0].activity]];
  EXPECT_EQ(c->name(op.name), "loop_add_fusion.3");
  EXPECT_EQ(c->name(op.type), "loop_add_fusion");
  EXPECT_EQ(c->name(op.layer), "jit(f)/transpose(jvp(mlp))");
  EXPECT_EQ(op.phase, Phase::backward);
  EXPECT_EQ(c->gpu().kernels[0].grid[0], 1280);
}

/// No process has a name: calls of a driver or runtime tell the host.
TEST(XlaTraces, CallsOfAHostWithoutANameAreNoWork) {
  const std::string copy = R"("memcpy_details":"kind:Unknown size:64 dest:2 async:1")";
  const auto c =
      import_spans(span(701, 5, "cuMemcpyDtoHAsync", 1, 12, R"("correlation_id":"66",)" + copy) +
                   span(701, 5, "hipModuleLaunchKernel", 20, 5, R"("correlation_id":"67")") +
                   span(1, 16, "MemcpyD2H", 15, 18, R"("correlation_id":"66",)" + copy) +
                   span(1, 16, "curand_init", 40, 7, R"("correlation_id":"67","kernel_details":"grid:1,1,1")"));
  ASSERT_NE(c, nullptr);
  ASSERT_EQ(c->gpu().copies.size(), 1u);
  EXPECT_EQ(c->activities().duration_ns[c->gpu().copies[0].activity], 18'000);
  EXPECT_EQ(c->gpu().kernels.size(), 1u);
  EXPECT_EQ(c->gpu().api_calls.size(), 2u);
}

TEST(XlaTraces, OpsOfAHostAreOps) {
  const auto c = import_spans(kHost + span(701, 5, "dot.3", 0, 10, R"("hlo_op":"dot.3","hlo_module":"jit_f")") +
                              span(701, 5, "dot.4", 20, 10, R"("hlo_op":"dot.4","hlo_module":"jit_f")") +
                              span(701, 5, "ThreadpoolListener::Region", 0, 40));
  ASSERT_NE(c, nullptr);
  ASSERT_EQ(c->ops().size(), 2u);
  EXPECT_EQ(c->name(c->ops()[0].type), "dot");
  EXPECT_EQ(c->name(c->ops()[1].layer), "jit_f");
}

TEST(XlaTraces, StepsOfTheHostAreMarkedByTheirNumber) {
  std::string text = kHost + kGpu;
  for (int i = 0; i < 3; ++i) {
    const std::string id = R"("correlation_id":")" + std::to_string(i + 1) + "\"";
    text += span(701, 5, "train", 100 * i, 50, R"("step_num":")" + std::to_string(i + 7) + "\"") +
            span(701, 5, "cuLaunchKernel", 100 * i + 10, 5, id) +
            span(1, 16, "fusion", 100 * i + 70, 20, id + R"(,"kernel_details":"grid:1,1,1")");
  }
  const auto c = import_spans(text);
  ASSERT_NE(c, nullptr);
  ASSERT_EQ(c->steps().size(), 3u);
  EXPECT_EQ(c->steps()[0].index, 7u);
  for (const KernelRecord& k : c->gpu().kernels)
    EXPECT_NE(c->activities().step[k.activity], kNoStep) << "by its launch, though the host's mark has ended";
}

/// TPUs and older GPUs: no step is marked on the host. Work belongs to the step it runs in, though it was launched
/// before.
TEST(XlaTraces, StepsOfDevicesAreOnALaneOfTheirOwn) {
  std::string text = kHost;
  for (int device = 0; device < 2; ++device) {
    text += process(device + 1, device == 0 ? "/device:GPU:0" : "/device:GPU:1") +
            thread(device + 1, 16, "Stream #16(Kernel)") + thread(device + 1, 2, "Steps");
    for (int i = 0; i < 3; ++i) {
      const std::string id = R"("correlation_id":")" + std::to_string(10 * device + i + 1) + "\"";
      text += span(701, 5, "cuLaunchKernel", 10 * device + i, 1, id) +
              span(device + 1, 2, std::to_string(i + 4).c_str(), 100 * (i + 1) + device, 90) +
              span(device + 1, 16, "fusion", 100 * (i + 1) + 20, 30, id + R"(,"kernel_details":"grid:1,1,1")");
    }
  }
  const auto c = import_spans(text);
  ASSERT_NE(c, nullptr);
  ASSERT_EQ(c->steps().size(), 3u) << notes(*c);
  EXPECT_EQ(c->steps()[0].index, 4u);
  ASSERT_EQ(c->gpu().kernels.size(), 6u);
  for (const KernelRecord& k : c->gpu().kernels) {
    const auto expected =
        static_cast<uint32_t>((c->activities().start_ns[k.activity] - c->activities().start_ns[0]) / 100'000 + 3);
    EXPECT_EQ(c->activities().step[k.activity], expected);
  }
}

/// Ops that hold others (a loop and its body) count once: also where the inner one seems to end later, because start
/// and duration are rounded, and where two inner ones cross.
TEST(XlaTraces, TimeOfOpsInsideOpsCountsOnce) {
  const std::string lane = process(1, "/device:TPU:0") + thread(1, 1, "XLA Ops");
  const auto op = [](const char* name, const char* time, const char* duration) {
    return std::string(R"({"ph":"X","pid":1,"tid":1,"name":")") + name + R"(","ts":)" + time + R"(,"dur":)" + duration +
           "},";
  };
  const auto sum_of = [](const Capture& c) {
    int64_t sum = 0;
    for (const KernelRecord& k : c.gpu().kernels) sum += c.activities().duration_ns[k.activity];
    return sum;
  };
  // 0.9505 and 0.0499 us are 951 and 50 ns: 1 ns more than the loop's 1000
  const auto rounded = import_spans(lane + op("while", "0", "1.0004") + op("copy", "0.9505", "0.0499"));
  ASSERT_NE(rounded, nullptr);
  EXPECT_EQ(sum_of(*rounded), 1000);
  const auto crossed = import_spans(lane + op("while", "0", "200") + op("a", "10", "40") + op("b", "20", "40"));
  ASSERT_NE(crossed, nullptr);
  EXPECT_EQ(sum_of(*crossed), 200'000);
  // neighbours that seem to overlap are neighbours
  const auto beside = import_spans(lane + op("a", "0.0006", "0.0036") + op("b", "0.0042", "0.002"));
  ASSERT_NE(beside, nullptr);
  EXPECT_EQ(sum_of(*beside), 6);
}

/// rocprofiler's "GPU2", and devices that only PyTorch's labels tell from the program that uses them.
TEST(XlaTraces, DevicesByTheirNumberOrLabel) {
  const auto rocm = import_spans(process(2, "GPU2") + span(2, 0, "CopyHostToDevice", 0, 5) + span(2, 0, "gemm", 10, 7) +
                                 span(9, 1, "hipLaunchKernel", 0, 1));
  ASSERT_NE(rocm, nullptr);
  ASSERT_EQ(rocm->gpu().kernels.size(), 1u);
  EXPECT_EQ(rocm->gpu().kernels[0].place.device, 2);
  ASSERT_EQ(rocm->gpu().copies.size(), 1u);
  EXPECT_EQ(rocm->gpu().copies[0].kind, CopyKind::host_to_device);
  const std::string program = process(9, "python3") + process(77, "python3") + label(9, "MTIA 9") + label(77, "CPU") +
                              span(77, 1, "aten::mm", 0, 5);
  const auto labelled = import_spans(program + span(9, 801, "matmul", 3, 8));
  ASSERT_EQ(labelled->gpu().kernels.size(), 1u);
  EXPECT_EQ(labelled->gpu().kernels[0].place.device, 9);
  // where work is named as such, what else lies on the device's lanes is none
  const auto named = import_spans(
      program + span(9, 801, "some range", 3, 8) +
      R"({"ph":"X","cat":"kernel","name":"k","ts":1,"dur":2,"pid":9,"tid":7,"args":{"device":9,"stream":7}},)");
  EXPECT_EQ(named->gpu().kernels.size(), 1u);
}

}  // namespace
