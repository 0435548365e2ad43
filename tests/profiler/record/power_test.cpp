// SPDX-License-Identifier: Apache-2.0
// Energy and throttling from folders like sysfs's: packages summed once, wraps, what is unreadable or missing said.
#include "profiler/record/power.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

namespace profiler {
namespace {

namespace fs = std::filesystem;

class PowerTest : public testing::Test {
 protected:
  PowerTest()
      : sys_(fs::path(testing::TempDir()) /
             ("tensortide-power-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()))) {
    fs::remove_all(sys_);
    fs::create_directories(sys_);
  }
  ~PowerTest() override { fs::remove_all(sys_); }

  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((sys_ / file).parent_path());
    std::ofstream(sys_ / file) << text << "\n";
  }
  void zone(const std::string& id, const std::string& name, const std::string& energy_uj) const {
    const std::string folder = "class/powercap/" + id + "/";
    write(folder + "name", name);
    write(folder + "max_energy_range_uj", "262143328850");
    if (!energy_uj.empty()) write(folder + "energy_uj", energy_uj);
  }
  const fs::path sys_;
};

TEST_F(PowerTest, SumsThePackagesAndNothingTwice) {
  zone("intel-rapl:0", "package-0", "1000000");
  zone("intel-rapl:1", "package-1", "5000000");
  zone("intel-rapl:2", "psys", "90000000");
  zone("intel-rapl:0:0", "core", "700000");
  zone("intel-rapl-mmio:0", "package-0", "1000000");
  const PowerCounters counters(sys_);
  ASSERT_TRUE(counters.has_energy()) << counters.why_no_energy();
  EXPECT_EQ(counters.packages(), 2);
  const PowerReading before = counters.read();
  zone("intel-rapl:0", "package-0", "3500000");
  zone("intel-rapl:1", "package-1", "6000000");
  zone("intel-rapl:2", "psys", "99000000");
  EXPECT_DOUBLE_EQ(counters.energy_j(before, counters.read()), 2.5 + 1.0);
}

TEST_F(PowerTest, ACounterThatStartsAnewHasWrapped) {
  zone("intel-rapl:0", "package-0", "262143328000");
  const PowerCounters counters(sys_);
  const PowerReading before = counters.read();
  zone("intel-rapl:0", "package-0", "999150");
  EXPECT_DOUBLE_EQ(counters.energy_j(before, counters.read()), 1.0);
}

TEST_F(PowerTest, WhatIsMissingIsUnknownAndSaid) {
  const PowerCounters none(sys_);
  EXPECT_FALSE(none.has_energy());
  EXPECT_NE(none.why_no_energy().find("no energy counter"), std::string::npos) << none.why_no_energy();
  EXPECT_TRUE(none.remedy().empty());
  EXPECT_TRUE(std::isnan(none.energy_j(none.read(), none.read())));
  EXPECT_TRUE(std::isnan(throttle_events(none.read(), none.read())));

  zone("intel-rapl:0", "package-0", "7");
  zone("intel-rapl:1", "package-1", "");  // as where reading is refused
  const PowerCounters part(sys_);
  EXPECT_FALSE(part.has_energy()) << "one of two packages is no figure";
  EXPECT_NE(part.why_no_energy().find("intel-rapl:1/energy_uj"), std::string::npos) << part.why_no_energy();
  EXPECT_NE(part.remedy().find("chmod"), std::string::npos);
}

TEST_F(PowerTest, ACounterThatVanishesIsUnknown) {
  zone("intel-rapl:0", "package-0", "7");
  const PowerCounters counters(sys_);
  const PowerReading before = counters.read();
  fs::remove(sys_ / "class/powercap/intel-rapl:0/energy_uj");
  EXPECT_TRUE(std::isnan(counters.energy_j(before, counters.read())));
}

TEST_F(PowerTest, ThrottlesOfAllProcessors) {
  write("devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "3");
  write("devices/system/cpu/cpu11/thermal_throttle/core_throttle_count", "4");
  write("devices/system/cpu/cpufreq/thermal_throttle/core_throttle_count", "100");
  const PowerCounters counters(sys_);
  const PowerReading before = counters.read();
  EXPECT_EQ(before.throttles, 7);
  write("devices/system/cpu/cpu11/thermal_throttle/core_throttle_count", "9");
  EXPECT_EQ(throttle_events(before, counters.read()), 5);
}

TEST_F(PowerTest, OfThisMachineEitherAFigureOrAReason) {
  const PowerCounters counters;
  const PowerReading before = counters.read();
  const double joules = counters.energy_j(before, counters.read());
  if (counters.has_energy()) {
    EXPECT_GE(joules, 0);
  } else {
    EXPECT_TRUE(std::isnan(joules));
    EXPECT_FALSE(counters.why_no_energy().empty());
  }
}

}  // namespace
}  // namespace profiler
