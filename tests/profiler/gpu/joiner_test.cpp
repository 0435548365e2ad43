// SPDX-License-Identifier: Apache-2.0
// Joins: whatever order and read-out events come in, each kernel finds its op; what is lost is counted; memory stays
// bounded.
#include "profiler/gpu/joiner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace profiler {
namespace {

constexpr int64_t kEpoch = 1'790'000'000'000'000'000;

CaptureBuilder builder_with_ops(int count) {
  CaptureBuilder b;
  for (int i = 0; i < count; ++i) {
    OpRecord op;
    op.name = b.intern("op" + std::to_string(i));
    b.add_op(op, {});
  }
  for (uint32_t step = 0; step < 3; ++step) b.add_step({.index = step, .start_ns = 0, .duration_ns = 1'000'000'000});
  return b;
}

GpuEvents with_clock() {
  GpuEvents events;
  events.clock.push_back({kEpoch, 0, 50});
  return events;
}

EventTime at(int64_t from, int64_t to) { return {kEpoch + from, kEpoch + to}; }

GpuKernelEvent kernel(GpuEvents& events, uint32_t correlation, int64_t from, const char* name = "_Z4gemmPf") {
  return {.time = at(from, from + 100),
          .correlation = correlation,
          .name = events.intern(name),
          .record = {.place = {.device = 0, .context = 1, .stream = 7}}};
}

ExternalEvent op_of(uint32_t correlation, uint64_t op) { return {correlation, ExternalKind::op, op}; }
ExternalEvent step_of(uint32_t correlation, uint64_t step) { return {correlation, ExternalKind::step, step}; }

TEST(GpuJoiner, KernelFindsItsOpAndStep) {
  CaptureBuilder b = builder_with_ops(5);
  GpuJoiner joiner(b);
  GpuEvents events = with_clock();
  events.externals = {op_of(9, 3), step_of(9, 2)};
  events.api_calls.push_back(
      {.time = at(10, 20), .correlation = 9, .thread = 77, .name = events.intern("cudaLaunchKernel")});
  events.kernels.push_back(kernel(events, 9, 1000));
  const GpuBatch batch = joiner.join(std::move(events), false);
  ASSERT_EQ(batch.activities.size(), 2u);
  b.add_activities(batch.activities, batch.records);
  const auto capture = b.finish();
  ASSERT_TRUE(capture.ok()) << capture.error().message;
  const ActivityColumns& a = (*capture)->activities();
  EXPECT_EQ(a.kind[0], ActivityKind::api);
  EXPECT_EQ(a.start_ns[1], 1000);
  EXPECT_EQ((*capture)->name(a.name[1]), "gemm(float*)");
  EXPECT_EQ(a.correlation[0], a.correlation[1]);
  for (const size_t i : {0, 1}) {
    EXPECT_EQ(a.op[i], 3u);
    EXPECT_EQ(a.step[i], 2u);
  }
  EXPECT_EQ((*capture)->tracks()[a.track[1]].name, "stream 7");
  EXPECT_FALSE(joiner.losses().any());
}

// Events of one launch, split over read-outs in every order, with kernels before their calls.
TEST(GpuJoiner, OrderAndReadOutsDoNotMatter) {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    CaptureBuilder b = builder_with_ops(20);
    GpuJoiner joiner(b);
    GpuEvents parts[3];
    parts[0].clock.push_back({kEpoch, 0, 50});
    for (uint32_t c = 1; c <= 20; ++c) {
      parts[random() % 3].externals.push_back(op_of(c, c - 1));
      parts[random() % 3].externals.push_back(step_of(c, 1));
      GpuEvents& part = parts[random() % 3];
      part.kernels.push_back(kernel(part, c, 1000 * c));
    }
    for (GpuEvents& part : parts) std::shuffle(part.kernels.begin(), part.kernels.end(), random);
    std::vector<Activity> all;
    for (int i = 0; i < 3; ++i) {
      const GpuBatch batch = joiner.join(std::move(parts[i]), i == 2);
      all.insert(all.end(), batch.activities.begin(), batch.activities.end());
    }
    ASSERT_EQ(all.size(), 20u);
    for (const Activity& a : all) {
      ASSERT_EQ(a.op, a.start_ns / 1000 - 1);
      ASSERT_EQ(a.step, 1u);
    }
    ASSERT_EQ(joiner.losses().unattributed, 0);
  }
}

TEST(GpuJoiner, OneOpMayLaunchManyAndCopiesAreKnownByEitherId) {
  CaptureBuilder b = builder_with_ops(3);
  GpuJoiner joiner(b);
  GpuEvents events = with_clock();
  events.externals = {op_of(4, 2), op_of(5, 2), step_of(4, 0), step_of(5, 0)};
  events.kernels = {kernel(events, 4, 0), kernel(events, 5, 500, "splitKreduce")};
  events.copies.push_back({.time = at(900, 950),
                           .correlation = 88,
                           .runtime_correlation = 5,
                           .record = {.kind = CopyKind::host_to_device, .bytes = 64}});
  const GpuBatch batch = joiner.join(std::move(events), false);
  ASSERT_EQ(batch.activities.size(), 3u);
  for (const Activity& a : batch.activities) EXPECT_EQ(a.op, 2u);
  EXPECT_EQ(batch.records.copies.at(0).bytes, 64);
}

TEST(GpuJoiner, GraphNodesAreMappedByNodeNotByCall) {
  CaptureBuilder b = builder_with_ops(3);
  GpuJoiner joiner(b);
  GpuEvents events = with_clock();
  // captured while ops 0 to 2 ran, then cloned by instantiation; all kernels carry the id of the one launch call
  for (OpId op = 0; op < 3; ++op) {
    events.graph_nodes.push_back({.node = 100 + op, .original = 0, .op = op});
    events.graph_nodes.push_back({.node = 200 + op, .original = 100 + op, .op = kNoOp});
  }
  events.externals = {step_of(50, 1)};
  for (uint32_t replay = 0; replay < 4; ++replay) {
    for (uint32_t node = 0; node < 3; ++node) {
      GpuKernelEvent k = kernel(events, 50, replay * 1000 + node * 100);
      k.record.graph = 7;
      k.record.graph_node = 200 + node;
      events.kernels.push_back(k);
    }
  }
  const GpuBatch batch = joiner.join(std::move(events), false);
  ASSERT_EQ(batch.activities.size(), 12u);
  for (const Activity& a : batch.activities) {
    EXPECT_EQ(a.op, a.start_ns % 1000 / 100);
    EXPECT_EQ(a.step, 1u);
  }
}

TEST(GpuJoiner, UntimedAndUnattributedAreCounted) {
  CaptureBuilder b = builder_with_ops(3);
  GpuJoiner joiner(b);
  GpuEvents events = with_clock();
  GpuKernelEvent untimed = kernel(events, 1, 0);
  untimed.time = {};
  GpuKernelEvent backwards = kernel(events, 1, 0);
  backwards.time = {kEpoch + 10, kEpoch + 5};
  events.kernels = {untimed, backwards, kernel(events, 2, 0), kernel(events, 3, 0)};
  events.externals = {step_of(2, 1)};  // in a step, in no op; kernel 3 is of the time before the first step
  events.dropped = 5;
  events.unreadable = 2;
  GpuBatch batch = joiner.join(std::move(events), false);
  EXPECT_TRUE(batch.activities.empty()) << "they wait for their op";
  for (int i = 0; i < 10 && batch.activities.empty(); ++i) batch = joiner.join(with_clock(), false);
  EXPECT_EQ(batch.activities.size(), 2u);
  EXPECT_EQ(joiner.losses(),
            (GpuLosses{.dropped = 5, .untimed = 2, .unattributed = 1, .unreadable = 2, .clock_steps = 0}));
}

TEST(GpuJoiner, OpIdsThatDoNotExistAreNotBelieved) {
  CaptureBuilder b = builder_with_ops(2);
  GpuJoiner joiner(b);
  GpuEvents events = with_clock();
  events.externals = {op_of(1, 2), op_of(2, ~uint64_t{0})};
  events.kernels = {kernel(events, 1, 0), kernel(events, 2, 0)};
  const GpuBatch batch = joiner.join(std::move(events), true);
  for (const Activity& a : batch.activities) EXPECT_EQ(a.op, kNoOp);
}

// Correlation ids are 32 bits: after the wrap an id comes again and must not find the old op.
TEST(GpuJoiner, IdsThatWrapAroundDoNotAlias) {
  CaptureBuilder b = builder_with_ops(64);
  GpuJoiner joiner(b, {.most_calls = 1000});
  uint32_t correlation = 0xffffff00u;
  std::vector<uint64_t> wide;
  int64_t now = 0;
  for (int cycle = 0; cycle < 64; ++cycle) {
    GpuEvents events = with_clock();
    for (int i = 0; i < 16; ++i, ++correlation, now += 1000) {
      if (correlation == 0) ++correlation;
      events.externals.push_back(op_of(correlation, static_cast<uint64_t>(cycle)));
      events.externals.push_back(step_of(correlation, 0));
      events.kernels.push_back(kernel(events, correlation, now));
    }
    const GpuBatch batch = joiner.join(std::move(events), false);
    ASSERT_EQ(batch.activities.size(), 16u);
    for (const Activity& a : batch.activities) {
      ASSERT_EQ(a.op, static_cast<OpId>(cycle));
      wide.push_back(a.correlation);
    }
  }
  EXPECT_LT(correlation, 0x1000u) << "the test has wrapped";
  EXPECT_TRUE(std::is_sorted(wide.begin(), wide.end()));
  EXPECT_EQ(std::adjacent_find(wide.begin(), wide.end()), wide.end());
}

TEST(GpuJoiner, MemoryStaysBoundedOverALongRun) {
  CaptureBuilder b = builder_with_ops(4);
  GpuJoiner joiner(b, {.most_calls = 5000});
  uint32_t correlation = 1;
  size_t most = 0, kernels = 0;
  for (int cycle = 0; cycle < 2000; ++cycle) {
    GpuEvents events = with_clock();
    for (int i = 0; i < 100; ++i, ++correlation) {
      events.externals.push_back(op_of(correlation, 1));
      events.externals.push_back(step_of(correlation, 0));
      if (i % 2 == 0) events.kernels.push_back(kernel(events, correlation, cycle * 1000));  // the others launch nothing
    }
    kernels += joiner.join(std::move(events), false).activities.size();
    most = std::max(most, joiner.remembered());
  }
  EXPECT_EQ(kernels, 100'000u);
  EXPECT_LE(most, 5100u);
}

}  // namespace
}  // namespace profiler
