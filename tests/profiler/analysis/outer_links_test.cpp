// SPDX-License-Identifier: Apache-2.0
// Links beyond the ops' memory: bytes that can be counted by hand.
#include "profiler/analysis/outer_links.h"

#include <gtest/gtest.h>

#include "tests/support/rank_lab.h"
#include "tests/support/sample_capture.h"
#include "tests/support/sample_gpu_capture.h"

namespace profiler {
namespace {

constexpr auto kInput = static_cast<size_t>(engine::Role::input), kWeight = static_cast<size_t>(engine::Role::weight);

TEST(OuterLinks, CopiesOfAStepByRoleAndDirection) {
  const auto capture = tests::sample_gpu_capture();
  const std::vector<OuterLink> links = outer_links(*capture, {}, "DRAM");
  ASSERT_EQ(links.size(), 1u);
  const OuterLink& link = links[0];
  EXPECT_EQ(link.bytes.outer, kHostMemory);
  EXPECT_EQ(link.bytes.inner, "DRAM");
  EXPECT_TRUE(link.bytes.measured_known);
  EXPECT_FALSE(link.bytes.modelled_known);
  EXPECT_DOUBLE_EQ(link.bytes.measured_read[static_cast<size_t>(capture->tensors()[0].role)], 1 << 20);
  EXPECT_DOUBLE_EQ(link.bytes.measured_read[kWeight], 1 << 18);
  EXPECT_DOUBLE_EQ(link.bytes.compulsory_read[kWeight], 1 << 17) << "of two copies the second brought what was there";
  EXPECT_DOUBLE_EQ(link.bytes.measured_written[static_cast<size_t>(capture->tensors()[3].role)], 4);
  EXPECT_DOUBLE_EQ(link.busy_ns, 27'000);
  ASSERT_EQ(link.flows.size(), 3u);
  EXPECT_EQ(link.flows[0].tensor, 0u);
  EXPECT_DOUBLE_EQ(link.flows[0].reads, 1);
  EXPECT_DOUBLE_EQ(link.flows[2].written, 4);
}

TEST(OuterLinks, CopiesOfUntracedStepsAreNotCounted) {
  CaptureBuilder builder = tests::sample_gpu_builder();
  builder.add_step({.index = 2, .start_ns = 1'200'000, .duration_ns = 100'000, .traced = false, .warmup = false});
  Activity copy;
  copy.kind = ActivityKind::copy;
  copy.start_ns = 1'210'000, copy.duration_ns = 20'000;
  copy.track = builder.track(TrackKind::copy_engine, "copies", "untraced");
  builder.add_copy(copy, {.kind = CopyKind::host_to_device, .bytes = 1 << 20});
  const auto capture = builder.finish();
  ASSERT_TRUE(capture.ok()) << capture.error().message;
  const OuterLink link = outer_links(**capture, {}, "DRAM").at(0);
  EXPECT_DOUBLE_EQ(link.bytes.measured_read[static_cast<size_t>((*capture)->tensors()[0].role)], 1 << 20);
  EXPECT_EQ(link.bytes.measured_read[static_cast<size_t>(engine::Role::workspace)], 0);
  EXPECT_DOUBLE_EQ(link.busy_ns, 27'000);
  EXPECT_NEAR(link.busy_ratio, 0.27, 1e-9);
}

TEST(OuterLinks, CopiesWithinDevicesAreCountedApart) {
  CaptureBuilder builder = tests::sample_gpu_builder();
  Activity copy;
  copy.kind = ActivityKind::copy;
  copy.start_ns = 1'040'000, copy.duration_ns = 2'000;
  copy.step = 0;
  copy.track = builder.track(TrackKind::copy_engine, "copies", "within");
  builder.add_copy(copy, {.kind = CopyKind::device_to_device, .bytes = 1000});
  const auto capture = builder.finish();
  ASSERT_TRUE(capture.ok()) << capture.error().message;
  EXPECT_DOUBLE_EQ(copied_within_devices(**capture, {}), 500) << "one of two steps copies";
  EXPECT_EQ(copied_within_devices(*tests::sample_gpu_capture(), {}), 0);
}

TEST(OuterLinks, OnlyCopiesThatBelongToAnOpCountForIt) {
  Scope op;
  op.op = 0;
  const std::vector<OuterLink> links = outer_links(*tests::sample_gpu_capture(), op, "DRAM");
  ASSERT_EQ(links.size(), 1u);
  EXPECT_EQ(links[0].bytes.compulsory_total(), 0);
  EXPECT_TRUE(links[0].flows.empty());
}

TEST(OuterLinks, ARunThatNeitherLoadsNorCopiesHasNone) {
  EXPECT_TRUE(outer_links(*tests::sample_capture(), {}, "DRAM").empty());
}

TEST(OuterLinks, WhatALoaderReadComesFromFiles) {
  CaptureBuilder builder = tests::sample_builder();
  builder.run().read_bytes_per_batch = 5000;
  const auto capture = builder.finish();
  ASSERT_TRUE(capture.ok());
  const std::vector<OuterLink> links = outer_links(**capture, {}, "DRAM");
  ASSERT_EQ(links.size(), 1u);
  EXPECT_EQ(links[0].bytes.outer, kFiles);
  EXPECT_EQ(links[0].bytes.inner, "DRAM");
  EXPECT_EQ(links[0].bytes.measured_read[kInput], 0) << "no op of this step loads";
}

/// Ranks have clocks of their own: what overlaps between them says nothing.
TEST(OuterLinks, OfRanksTheTimeIsThatOfOne) {
  tests::RankLab lab(2, 4, 1000);
  for (uint32_t step = 0; step < 4; ++step) {
    lab.copy(MemoryKind::pinned, {.rank = 0, .step = step, .at_us = 100, .us = 100});
    lab.copy(MemoryKind::pinned, {.rank = 1, .step = step, .at_us = 600, .us = 300});
  }
  lab.copy(MemoryKind::pinned, {.rank = 1, .step = kNoStep, .at_us = 10, .us = 50});
  const auto capture = lab.finish();
  const OuterLink link = outer_links(*capture, {}, "DRAM").at(0);
  EXPECT_DOUBLE_EQ(link.busy_ns, 200'000) << "mean of 100 and 300 us; what no step launched is in none";
  EXPECT_NEAR(link.busy_ratio, 0.2, 1e-9);
  EXPECT_DOUBLE_EQ(link.bytes.measured_read[static_cast<size_t>(engine::Role::workspace)], 2e6) << "of both";
}

}  // namespace
}  // namespace profiler
