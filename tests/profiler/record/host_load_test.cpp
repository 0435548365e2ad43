// SPDX-License-Identifier: Apache-2.0
#include "profiler/record/host_load.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

namespace profiler {
namespace {

TEST(HostLoad, ReadsTheFieldsOfProcStat) {
  std::istringstream stat("cpu  100 20 30 400 50 6 7 8 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\n");
  const auto ticks = parse_proc_stat(stat);
  ASSERT_TRUE(ticks.has_value());
  EXPECT_EQ(ticks->busy, 100 + 20 + 30 + 6 + 7);
  EXPECT_EQ(ticks->steal, 8);
  EXPECT_EQ(ticks->total, 163 + 400 + 50 + 8);
  std::istringstream other("intr 1 2 3");
  EXPECT_FALSE(parse_proc_stat(other).has_value());
}

TEST(HostLoad, CountsOthersAndStolenTimeButNotOurs) {
  const HostTicks before{.busy = 1000, .total = 5000, .steal = 10, .own = 300};
  const HostTicks after{.busy = 1180, .total = 5200, .steal = 20, .own = 400};
  EXPECT_DOUBLE_EQ(foreign_load(before, after), (80.0 + 10.0) / 200.0);
  EXPECT_TRUE(std::isnan(foreign_load(before, before)));
}

TEST(HostLoad, OwnWorkIsNotForeign) {
  const auto before = host_ticks_now();
  ASSERT_TRUE(before.has_value());
  const auto until = before->own + 20;  // 0.2 s of our own time
  auto after = before;
  while (after->own < until) after = host_ticks_now();
  const double busy =
      static_cast<double>(after->busy - before->busy) / static_cast<double>(after->total - before->total);
  EXPECT_LT(foreign_load(*before, *after), busy);
}

}  // namespace
}  // namespace profiler
