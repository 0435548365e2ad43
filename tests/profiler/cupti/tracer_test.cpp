// SPDX-License-Identifier: Apache-2.0
// The tracer against a CUPTI of our own: from buffers to ops, refusals undone, losses counted, failures survived,
// memory bounded.
#include "profiler/cupti/tracer.h"

#include <cupti_driver_cbid.h>
#include <cupti_runtime_cbid.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "profiler/gpu/joiner.h"
#include "tests/profiler/cupti/fake_cupti.h"

namespace profiler::cupti {
namespace {

constexpr uint64_t kNow = 1'790'000'000'000'001'000;

class CuptiTracerTest : public testing::Test {
 protected:
  void SetUp() override {
    if (real_cupti() == nullptr) GTEST_SKIP() << "no CUPTI on this machine";
  }
  std::unique_ptr<CuptiTracer> started(FakeCupti& fake, TracerOptions options = {.read_out_ns = 1'000'000}) {
    auto tracer = CuptiTracer::start(fake.api(), options);
    EXPECT_TRUE(tracer.ok()) << (tracer ? "" : tracer.error().message);
    return tracer ? std::move(*tracer) : nullptr;
  }
  static size_t kernels(const std::vector<GpuEvents>& read_outs) {
    size_t sum = 0;
    for (const GpuEvents& events : read_outs) sum += events.kernels.size();
    return sum;
  }
  template <class F>
  static int64_t sum(const std::vector<GpuEvents>& read_outs, F&& figure) {
    int64_t total = 0;
    for (const GpuEvents& events : read_outs) total += figure(events);
    return total;
  }
};

TEST_F(CuptiTracerTest, CallsThatDoNothingAreMutedAndLaunchesOfLibrariesKnown) {
  FakeCupti fake;
  const auto tracer = started(fake, {.warning = "this one is old"});
  for (const CUpti_CallbackId muted :
       {CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020, CUPTI_RUNTIME_TRACE_CBID_cudaSetDevice_v3020,
        CUPTI_RUNTIME_TRACE_CBID_cudaGetLastError_v3020}) {
    ASSERT_TRUE(fake.runtime_calls.contains(muted)) << muted;
    EXPECT_FALSE(fake.runtime_calls[muted]);
  }
  for (const CUpti_CallbackId launch :
       {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz, CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz}) {
    ASSERT_TRUE(fake.driver_calls.contains(launch)) << launch;
    EXPECT_TRUE(fake.driver_calls[launch]);
  }
  std::vector<std::string> notes;
  for (const GpuEvents& events : tracer->stop()) notes.insert(notes.end(), events.notes.begin(), events.notes.end());
  EXPECT_EQ(notes, std::vector<std::string>{"this one is old."})
      << "what is wrong with this version stands in the capture";
}

// cupti.md 7.2.3: EXT(42) + API(7) + KERNEL(7), each in a buffer of its own and in the wrong order, to op 42.
TEST_F(CuptiTracerTest, FromBuffersToOps) {
  FakeCupti fake;
  const auto tracer = started(fake);
  EXPECT_TRUE(fake.enabled.contains(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
  EXPECT_FALSE(fake.enabled.contains(CUPTI_ACTIVITY_KIND_KERNEL)) << "it would run kernels one after the other";
  EXPECT_FALSE(fake.enabled.contains(CUPTI_ACTIVITY_KIND_DRIVER)) << "only two driver calls are wanted";
  {
    const ExternalScope step(*tracer, ExternalKind::step, 3);
    const ExternalScope op(*tracer, ExternalKind::op, 42);
    EXPECT_EQ(fake.stacks[CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0], std::vector<uint64_t>{42});
    EXPECT_EQ(fake.stacks[CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1], std::vector<uint64_t>{3});
  }
  EXPECT_TRUE(fake.stacks[CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0].empty());
  fake.write(Records().add(kernel_record(7, kNow, kNow + 500)));
  fake.write(Records().add(api_record(7, kNow - 300, kNow - 100)));
  fake.write(Records()
                 .add(external_record(7, CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 42))
                 .add(external_record(7, CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1, 3)));
  CaptureBuilder builder;
  for (int i = 0; i < 50; ++i) {
    OpRecord op;
    op.name = builder.intern("op" + std::to_string(i));
    builder.add_op(op, {});
  }
  builder.add_step({.index = 3, .start_ns = 0, .duration_ns = 1});
  GpuJoiner joiner(builder);
  for (GpuEvents& events : tracer->stop()) {
    const GpuBatch batch = joiner.join(std::move(events), false);
    builder.add_activities(batch.activities, batch.records);
  }
  const GpuBatch rest = joiner.join({}, true);
  builder.add_activities(rest.activities, rest.records);
  const auto capture = builder.finish();
  ASSERT_TRUE(capture.ok()) << capture.error().message;
  const ActivityColumns& a = (*capture)->activities();
  ASSERT_EQ(a.size(), 2u);
  EXPECT_EQ(a.kind[0], ActivityKind::api);
  EXPECT_EQ((*capture)->name(a.name[1]), "gemm(float*)");
  EXPECT_EQ(a.op[0], 42u);
  EXPECT_EQ(a.op[1], 42u);
  EXPECT_EQ(a.step[1], 3u);
  EXPECT_TRUE(fake.enabled.empty()) << "stop() switches off what was on";
  EXPECT_EQ(fake.calls("unsubscribe"), 1);
}

TEST_F(CuptiTracerTest, RefusalsAreWordsAndLeaveNothingOn) {
  const auto refused = [](auto&& arrange) {
    FakeCupti fake;
    arrange(fake);
    const auto tracer = CuptiTracer::start(fake.api(), {});
    EXPECT_TRUE(fake.enabled.empty());
    EXPECT_EQ(fake.calls("unsubscribe"), fake.refuse.contains("subscribe") ? 0 : 1);
    return tracer ? "started" : tracer.error().message;
  };
  EXPECT_EQ(refused([](FakeCupti& f) {
              f.refuse["subscribe"] = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
              f.other_subscriber = "CUPTI for nsys";
            }),
            "another profiler (CUPTI for nsys) is attached to this process: run without it to trace the GPU");
  EXPECT_NE(refused([](FakeCupti& f) {
              f.refuse["subscribe"] = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
            }).find("cuda-gdb"),
            std::string::npos);
  EXPECT_NE(
      refused([](FakeCupti& f) { f.refuse["subscribe"] = CUPTI_ERROR_UNKNOWN; }).find("CUPTI_ERROR_UNKNOWN (999)"),
      std::string::npos);
  EXPECT_NE(refused([](FakeCupti& f) { f.refuse["register_callbacks"] = CUPTI_ERROR_NOT_INITIALIZED; }).find("(15)"),
            std::string::npos);
  EXPECT_NE(refused([](FakeCupti& f) {
              f.refuse_kind[CUPTI_ACTIVITY_KIND_MEMCPY] = CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
            }).find("does not record copies: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (35)"),
            std::string::npos);
}

TEST_F(CuptiTracerTest, WhatIsNotNeededIsMissedWithANote) {
  FakeCupti fake;
  fake.refuse_kind[CUPTI_ACTIVITY_KIND_JIT] = CUPTI_ERROR_NOT_COMPATIBLE;
  fake.refuse["enable_callback"] = CUPTI_ERROR_INVALID_PARAMETER;
  const auto tracer = started(fake);
  const auto events = tracer->stop();
  std::string notes;
  for (const GpuEvents& read_out : events) {
    for (const std::string& note : read_out.notes) notes += note;
  }
  EXPECT_NE(notes.find("does not record translation of kernels"), std::string::npos) << notes;
  EXPECT_NE(notes.find("does not call back"), std::string::npos) << notes;
}

TEST_F(CuptiTracerTest, NoBufferLeftIsCountedNotFatal) {
  FakeCupti fake;
  const auto tracer = started(fake, {.buffers = {.buffer_bytes = 4096, .at_first = 2, .at_most = 2},
                                     .read_out_ns = int64_t{3600} * 1'000'000'000});
  for (uint32_t i = 0; i < 5; ++i)
    fake.deliver(Records().add(kernel_record(i + 1, kNow, kNow + 5)).add(kernel_record(i + 1, kNow, kNow + 5)));
  const auto events = tracer->stop();
  EXPECT_EQ(kernels(events), 4u);
  EXPECT_EQ(sum(events, [](const GpuEvents& e) { return e.dropped; }), 6);
  EXPECT_EQ(tracer->buffers().refused(), 3);
}

TEST_F(CuptiTracerTest, EventsNobodyTakesAreBounded) {
  FakeCupti fake;
  const auto tracer = started(fake, {.read_out_ns = 1'000'000, .most_waiting_events = 100});
  for (uint32_t i = 0; i < 50; ++i) {
    Records records;
    for (int k = 0; k < 10; ++k) records.add(kernel_record(i + 1, kNow, kNow + 5));
    fake.write(records);
    const int flushes = fake.calls("flush");
    while (fake.calls("flush") < flushes + 2) std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  const auto events = tracer->stop();
  EXPECT_LE(kernels(events), 100u);
  EXPECT_EQ(static_cast<int64_t>(kernels(events)) + sum(events, [](const GpuEvents& e) { return e.dropped; }), 500);
}

TEST_F(CuptiTracerTest, AfterAFatalErrorNothingOfCuptiIsCalled) {
  FakeCupti fake;
  const auto tracer = started(fake, {.read_out_ns = int64_t{3600} * 1'000'000'000});
  fake.deliver(Records().add(kernel_record(1, kNow, kNow + 5)));
  fake.fail(CUPTI_ERROR_HARDWARE, "the GPU has fallen off the bus");
  const int calls = fake.all_calls();
  tracer->push(ExternalKind::op, 1);
  tracer->pop(ExternalKind::op);
  const auto events = tracer->stop();
  EXPECT_EQ(fake.all_calls(), calls);
  EXPECT_EQ(kernels(events), 1u) << "what was collected stays";
  std::string failure;
  for (const GpuEvents& read_out : events) failure += read_out.failure;
  EXPECT_NE(failure.find("the GPU has fallen off the bus"), std::string::npos) << failure;
}

// CUPTI calls back for resources, and gives itself up, from within a flush of ours too: none of our locks is held
// there.
TEST_F(CuptiTracerTest, CallbacksDuringAFlushAreHeard) {
  FakeCupti fake;
  const auto tracer = started(fake, {.read_out_ns = int64_t{3600} * 1'000'000'000});
  fake.deliver(Records().add(kernel_record(1, kNow, kNow + 5)));
  fake.during_flush = [&fake] {
    fake.graph_node(100, 0);
    fake.fail(CUPTI_ERROR_HARDWARE, "in the middle of a flush");
  };
  const auto events = tracer->stop();
  EXPECT_EQ(kernels(events), 1u);
  EXPECT_EQ(fake.calls("flush"), 1) << "none after the failure";
  EXPECT_EQ(fake.calls("unsubscribe"), 0);
  size_t nodes = 0;
  std::string failure;
  for (const GpuEvents& read_out : events) nodes += read_out.graph_nodes.size(), failure += read_out.failure;
  EXPECT_EQ(nodes, 1u);
  EXPECT_NE(failure.find("in the middle of a flush"), std::string::npos) << failure;
}

TEST_F(CuptiTracerTest, GraphNodesAreNotedWithTheOpOfTheirCapture) {
  FakeCupti fake;
  const auto tracer = started(fake);
  tracer->push(ExternalKind::op, 5);
  fake.graph_node(100, 0);
  tracer->pop(ExternalKind::op);
  fake.graph_node(200, 100);
  std::vector<GraphNodeEvent> nodes;
  for (const GpuEvents& events : tracer->stop())
    nodes.insert(nodes.end(), events.graph_nodes.begin(), events.graph_nodes.end());
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[0].op, 5u);
  EXPECT_EQ(nodes[1].original, 100u);
  EXPECT_EQ(nodes[1].op, kNoOp);
}

int64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  int64_t total = 0, resident = 0;
  statm >> total >> resident;
  return resident * 4096;
}

// 10 000 buffers from two threads while a third reads out and a fourth takes: nothing lost, nothing twice, memory stays
// where it was.
TEST_F(CuptiTracerTest, SoakKeepsEverythingInBoundedMemory) {
  FakeCupti fake;
  const auto tracer = started(
      fake, {.buffers = {.buffer_bytes = size_t{64} << 10, .at_first = 16, .at_most = 32}, .read_out_ns = 200'000});
  constexpr uint32_t kBuffers = 5000, kRecords = 20;
  std::atomic<int64_t> kept{0}, lost{0};
  const auto produce = [&] {
    Records records;
    for (uint32_t k = 0; k < kRecords; ++k) records.add(kernel_record(k + 1, kNow, kNow + 5));
    for (uint32_t i = 0; i < kBuffers; ++i) {
      while (!fake.deliver(records)) {
        lost += kRecords;
        std::this_thread::sleep_for(std::chrono::microseconds(500));
      }
    }
  };
  std::thread first(produce), second(produce);
  int64_t before = 0, dropped = 0;
  const auto take = [&](const std::vector<GpuEvents>& events) {
    kept += static_cast<int64_t>(kernels(events));
    dropped += sum(events, [](const GpuEvents& e) { return e.dropped; });
    if (kept > kBuffers * kRecords / 4 && before == 0) before = resident_bytes();
  };
  while (kept < 2 * kBuffers * kRecords) {
    take(tracer->take());
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  first.join();
  second.join();
  take(tracer->stop());
  EXPECT_EQ(kept.load(), 2 * kBuffers * kRecords);
  EXPECT_EQ(dropped, lost.load());
  EXPECT_LE(tracer->buffers().allocated(), 32u);
  EXPECT_LT(resident_bytes() - before, int64_t{32} << 20);
}

}  // namespace
}  // namespace profiler::cupti
