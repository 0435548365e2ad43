// SPDX-License-Identifier: Apache-2.0
// The stepped array: exact products, each operand read once, cycles and use as the closed forms have them.
#include "profiler/predict/systolic_steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "profiler/predict/systolic_array.h"

namespace profiler {
namespace {

SystolicSteps finished(int64_t rows, int64_t columns, int64_t m) {
  SystolicSteps array = *SystolicSteps::make(rows, columns, m);
  while (array.step()) {
  }
  return array;
}

TEST(SystolicSteps, MultiplyExactlyAndReadEachOperandOnce) {
  for (const auto& [rows, columns, m] :
       {std::array<int64_t, 3>{1, 1, 1}, {3, 3, 4}, {8, 8, 1}, {4, 7, 5}, {7, 4, 30}, {64, 64, 64}}) {
    const SystolicSteps array = finished(rows, columns, m);
    EXPECT_TRUE(array.output_is_right()) << rows << " x " << columns << ", " << m;
    const auto once = [](const std::vector<int>& reads) {
      return std::ranges::all_of(reads, [](int count) { return count == 1; });
    };
    EXPECT_TRUE(once(array.input_reads()));
    EXPECT_TRUE(once(array.weight_reads()));
    EXPECT_EQ(array.computing_cycles(), m + rows + columns - 2);
    EXPECT_EQ(array.cycle(), rows + m + rows + columns - 2);
    EXPECT_EQ(array.multiply_adds(), m * rows * columns);
    const auto closed = systolic_work({rows, columns, Dataflow::weight_stationary}, m, columns, rows);
    EXPECT_EQ(closed->cycles, static_cast<double>(array.cycle()));
    EXPECT_DOUBLE_EQ(closed->used_ratio, array.used_ratio(true));
    EXPECT_DOUBLE_EQ(array.used_ratio(false), static_cast<double>(m) / static_cast<double>(m + rows + columns - 2));
  }
}

TEST(SystolicSteps, AWaveOfWorkCrossesTheArray) {
  SystolicSteps array = *SystolicSteps::make(3, 3, 2);
  for (int i = 0; i < 3; ++i) array.step();
  EXPECT_FALSE(array.loading());
  for (int64_t r = 0; r < 3; ++r) {
    for (int64_t c = 0; c < 3; ++c) EXPECT_EQ(array.weight(r, c), array.weight_value(r, c));
  }
  const int64_t expected[] = {1, 3, 5, 5, 3, 1};  // PEs (r, c) with 0 <= t - r - c < 2
  for (const int64_t count : expected) {
    ASSERT_TRUE(array.step());
    EXPECT_EQ(array.working(), count);
  }
  EXPECT_FALSE(array.step());
}

TEST(SystolicSteps, RefuseWhatIsNoArray) {
  const auto endless = SystolicSteps::make(1024, 1024, 65536);
  ASSERT_FALSE(endless.ok());
  EXPECT_NE(endless.error().message.find("give fewer rows"), std::string::npos) << endless.error().message;
  EXPECT_TRUE(SystolicSteps::make(128, 128, 65536).ok());
  EXPECT_FALSE(SystolicSteps::make(0, 4, 1));
  EXPECT_FALSE(SystolicSteps::make(4, 2000, 1));
  EXPECT_FALSE(SystolicSteps::make(4, 4, 0));
}

}  // namespace
}  // namespace profiler
