// SPDX-License-Identifier: Apache-2.0
// Balance of machines: FLOPs per byte at each level, unknown where nothing was measured, specified for presets.
#include "profiler/machine/machine_balance.h"

#include <gtest/gtest.h>

#include <cmath>

namespace profiler {
namespace {

TEST(MachineBalance, IsArithmeticByRate) {
  Machine machine;
  machine.compute.push_back({.threads = 2, .flop_per_s = {200e9, 190e9, 210e9, 5}, .method = "FMA"});
  for (const char* level : {"L1", "DRAM"}) machine.levels.emplace_back().name = level;
  machine.bandwidth.push_back({.level = "DRAM", .threads = 2, .bytes_per_s = {20e9, 19e9, 21e9, 5}});
  const MachineBalance balance = balance_of(machine, {0.5e9, 0.4e9, 0.6e9, 3});
  ASSERT_EQ(balance.levels.size(), 3U);
  EXPECT_EQ(balance.levels[0].level, "Disk");
  EXPECT_DOUBLE_EQ(balance.flop_per_byte(balance.levels[0]), 400);
  EXPECT_EQ(balance.levels[1].level, "DRAM");
  EXPECT_DOUBLE_EQ(balance.flop_per_byte(balance.levels[1]), 10);
  EXPECT_TRUE(std::isnan(balance.flop_per_byte(balance.levels[2]))) << "L1 was not measured";
  const Table table = balance_table(balance);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(table.rows[2][2]));
  EXPECT_EQ(table.columns[2].origin, Origin::measured);
}

TEST(MachineBalance, SaysWhatIsUnknownWithoutAProbe) {
  const MachineBalance balance = balance_of({});
  EXPECT_TRUE(std::isnan(balance.flop_per_s));
  EXPECT_NE(balance_sentences(balance)[0].find("probe"), std::string::npos);
  EXPECT_EQ(balance.levels[0].how, "not measured");
}

TEST(MachineBalance, EveryPresetIsSpecifiedAndNamesItsSources) {
  for (const std::string& key : machine_presets()) {
    const MachineBalance balance = *preset_balance(key);
    EXPECT_GT(balance.flop_per_s, 0) << key;
    EXPECT_EQ(balance.flop_origin, Origin::specified);
    EXPECT_NE(balance.sources, "");
    for (const BalanceLevel& level : balance.levels) {
      EXPECT_GT(level.bytes_per_s, 0) << level.level;
      EXPECT_EQ(level.origin, Origin::specified);
      EXPECT_NE(level.how, "");
    }
  }
  const MachineBalance dgx = *preset_balance("dgx-1");
  EXPECT_DOUBLE_EQ(dgx.flop_per_s, 8 * 15.7e12);
  EXPECT_DOUBLE_EQ(dgx.levels.back().bytes_per_s, 8 * 900e9);
  const auto none = preset_balance("dgx-9");
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.error().message.find("dgx-1"), std::string::npos) << none.error().message;
}

}  // namespace
}  // namespace profiler
