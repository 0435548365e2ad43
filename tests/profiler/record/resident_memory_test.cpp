// SPDX-License-Identifier: Apache-2.0
// The process's memory as the system tells it, and as series of a capture.
#include "profiler/record/resident_memory.h"

#include <gtest/gtest.h>

#include <vector>

#include "profiler/capture/resident_series.h"

namespace profiler {
namespace {

TEST(ResidentMemory, ReadsStatm) {
  const auto pages = parse_statm("2048 512 128 10 0 300 0\n");
  ASSERT_TRUE(pages);
  EXPECT_EQ(pages->resident, 512);
  EXPECT_EQ(pages->files, 128);
  EXPECT_FALSE(parse_statm(""));
  EXPECT_FALSE(parse_statm("a b c"));
  EXPECT_FALSE(parse_statm("10 5 6 0 0 0 0")) << "more of files than all";
  EXPECT_FALSE(parse_statm("10 -5 -6 0 0 0 0"));
}

TEST(ResidentMemory, GrowsWithWhatIsTouched) {
  ResidentMemory memory;
  memory.look();
  constexpr size_t kBytes = 64 << 20;
  const std::vector<char> touched(kBytes, 1);
  memory.look();
  ASSERT_EQ(touched[kBytes / 2], 1);
  CaptureBuilder builder;
  memory.add_to(builder);
  const Capture& capture = builder.so_far();
  ASSERT_EQ(capture.counters().size(), 2u);
  const CounterSeries& resident = capture.counters()[0];
  EXPECT_EQ(capture.name(resident.name), kResidentName);
  EXPECT_EQ(capture.name(resident.unit), "B");
  ASSERT_EQ(resident.value.size(), 2u);
  EXPECT_GE(resident.value[1] - resident.value[0], 0.9 * kBytes);
  EXPECT_LT(capture.counters()[1].value[1], resident.value[1]) << "files alone";
}

}  // namespace
}  // namespace profiler
