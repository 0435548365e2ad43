// SPDX-License-Identifier: Apache-2.0
#include "profiler/machine/machine.h"

#include <gtest/gtest.h>

#include <cmath>

#include "profiler/machine/probe_notes.h"
#include "profiler/machine/roofs_trust.h"

namespace profiler {
namespace {

Measured rate(double value) { return {value, value * 0.9, value * 1.1, 5}; }

Machine made_up() {
  Machine machine;
  machine.compute.push_back({engine::DType::float32, 1, rate(100), "m"});
  machine.compute.push_back({engine::DType::float64, 1, rate(50), "m"});
  machine.compute.push_back({engine::DType::float32, 2, {}, "not measured"});
  machine.bandwidth.push_back({"DRAM", AccessMix::read, 1, rate(30), 0});
  machine.bandwidth.push_back({"DRAM", AccessMix::write, 1, rate(10), 0});
  machine.bandwidth.push_back({"DRAM", AccessMix::copy, 1, rate(20), 0});
  machine.bandwidth.push_back({"L2", AccessMix::copy, 1, rate(70), 0});
  return machine;
}

TEST(Machine, NarrowFloatsFallBackToSingle) {
  const Machine machine = made_up();
  EXPECT_EQ(machine.compute_roof(engine::DType::float64, 1)->flop_per_s.median, 50);
  EXPECT_EQ(machine.compute_roof(engine::DType::bfloat16, 1)->flop_per_s.median, 100);
  EXPECT_EQ(machine.compute_roof(engine::DType::float16, 1)->dtype, engine::DType::float32);
  EXPECT_FALSE(machine.compute_roof(engine::DType::int8, 1).has_value());
  EXPECT_FALSE(machine.compute_roof(engine::DType::float32, 2).has_value());  // listed, but unknown
  EXPECT_FALSE(machine.compute_roof(engine::DType::float32, 4).has_value());
}

TEST(Machine, BandwidthFollowsTheShareWritten) {
  const Machine machine = made_up();
  EXPECT_DOUBLE_EQ(*machine.bandwidth_for("DRAM", 1, 0, 1), 30);
  EXPECT_DOUBLE_EQ(*machine.bandwidth_for("DRAM", 0, 1, 1), 10);
  EXPECT_DOUBLE_EQ(*machine.bandwidth_for("DRAM", 5, 5, 1), 20);
  // A quarter written lies midway between read and copy: the times per byte, 1/30 and 1/20, are
  // averaged.
  EXPECT_DOUBLE_EQ(*machine.bandwidth_for("DRAM", 3, 1, 1), 24);
  double last = 31;
  for (double written = 0; written <= 1; written += 0.125) {
    const double now = *machine.bandwidth_for("DRAM", 1 - written, written, 1);
    EXPECT_LT(now, last);
    last = now;
  }
  // With a single mix measured, that one stands for all.
  EXPECT_DOUBLE_EQ(*machine.bandwidth_for("L2", 1, 0, 1), 70);
  EXPECT_DOUBLE_EQ(*machine.bandwidth_for("L2", 0, 1, 1), 70);
  EXPECT_FALSE(machine.bandwidth_for("L3", 1, 1, 1).has_value());
  EXPECT_FALSE(machine.bandwidth_for("DRAM", 1, 1, 2).has_value());
  EXPECT_FALSE(machine.bandwidth_for("DRAM", 0, 0, 1).has_value());
  EXPECT_EQ(name(AccessMix::triad), "triad");
}

TEST(Machine, StoresPastTheCachesHaveRoofsOfTheirOwn) {
  Machine machine = made_up();
  EXPECT_FALSE(machine.bandwidth_past_caches("DRAM", 1, 1, 1).has_value()) << "an older probe has none";
  machine.bandwidth.push_back({"DRAM", AccessMix::copy_past, 1, rate(24), 0});
  machine.bandwidth.push_back({"DRAM", AccessMix::write_past, 1, rate(16), 0});
  EXPECT_DOUBLE_EQ(*machine.bandwidth_past_caches("DRAM", 1, 0, 1), 30) << "reads are reads";
  EXPECT_DOUBLE_EQ(*machine.bandwidth_past_caches("DRAM", 1, 1, 1), 24);
  EXPECT_DOUBLE_EQ(*machine.bandwidth_past_caches("DRAM", 0, 1, 1), 16);
  EXPECT_DOUBLE_EQ(*machine.bandwidth_past_caches("DRAM", 3, 1, 1), 1 / (0.5 / 30 + 0.5 / 24));
  EXPECT_DOUBLE_EQ(*machine.bandwidth_for("DRAM", 1, 1, 1), 20) << "and the others keep theirs";
  EXPECT_FALSE(machine.bandwidth_past_caches("DRAM", 1, 1, 2).has_value());
  EXPECT_FALSE(machine.bandwidth_past_caches("L2", 1, 1, 1).has_value());
  const auto back = machine_from_json(machine_to_json(machine));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->bandwidth.back().mix, AccessMix::write_past);
}

TEST(Machine, SaysWhenItsRoofsAreWeak) {
  Machine machine;
  const auto roof = [](double spread) { return Measured{100, 100 - 50 * spread, 100 + 50 * spread, 5}; };
  machine.compute = {{engine::DType::float32, 1, roof(0.02), "m"}};
  machine.bandwidth = {{"DRAM", AccessMix::read, 1, roof(0.30), 0}, {"L2", AccessMix::read, 1, roof(0.04), 0}};
  EXPECT_EQ(roofs_weakness(machine), "") << "never probed: there is nothing to be weak";
  machine.probed_at = "2026-01-01T00:00:00+00:00";
  EXPECT_DOUBLE_EQ(roof_spread(machine), 0.04) << "the median: one roof alone does not condemn all";
  machine.foreign_load_ratio = 0.05;
  EXPECT_EQ(roofs_weakness(machine), "");
  machine.foreign_load_ratio = std::nan("");
  EXPECT_EQ(roofs_weakness(machine), "") << "a little is no load, nor is one that is not known";
  machine.foreign_load_ratio = 0.52;
  EXPECT_NE(roofs_weakness(machine).find("busy machine (background load 52 % of the processors)"), std::string::npos)
      << roofs_weakness(machine);
  EXPECT_EQ(roof_origin_words(Origin::measured, machine), "measured, low confidence");
  EXPECT_EQ(roof_origin_words(Origin::specified, machine), "specified") << "no probe weakens a data sheet";
  EXPECT_NE(roofs_weakness(machine).find("Run `tensortide probe` on a quiet machine"), std::string::npos)
      << roofs_weakness(machine);
  machine.foreign_load_ratio = 0;
  machine.notes = {"Others used 52 % of the processors.", "Time ran out before L2 read, 1 thread."};
  EXPECT_EQ(roofs_weakness(machine), "") << "sentences decide nothing";
  machine.bandwidth[1].bytes_per_s = roof(0.36);
  EXPECT_NE(roofs_weakness(machine).find("repeats of a roof differ by 30 %"), std::string::npos)
      << roofs_weakness(machine);
  machine.bandwidth.clear();
  machine.unfinished = {"L2 read, 1 thread"};
  EXPECT_EQ(roofs_weakness(machine).find("Not all roofs were measured (time ran out before: L2 read, 1 thread)"), 0u)
      << roofs_weakness(machine);
}

TEST(RoofsTrust, TwoThreadsThatComputeLessThanOneHadNoMachineToThemselves) {
  Machine machine;
  machine.probed_at = "2026-01-01T00:00:00+00:00";
  const auto roof = [](double rate) { return Measured{rate, rate, rate, 5}; };
  machine.compute = {{engine::DType::float32, 1, roof(234), "m"},
                     {engine::DType::float64, 2, roof(118), "m"},
                     {engine::DType::float32, 2, roof(230), "m"}};
  EXPECT_EQ(roofs_weakness(machine), "") << "threads of one core share its units; of other types nothing is known";
  machine.compute.back().flop_per_s = roof(201);
  EXPECT_NE(roofs_weakness(machine).find("busy machine (2 threads reach 0.86 of what 1 does in f32)"),
            std::string::npos)
      << roofs_weakness(machine);
}

/// A cache below what lies behind it is named, with both figures; overlapping ranges are none.
TEST(Machine, ACacheSlowerThanMemoryIsNoted) {
  const auto notes = [](double cache, double memory, int threads_of_memory) {
    Machine machine;
    machine.levels.resize(2);
    machine.levels[0].name = "L3", machine.levels[1].name = "DRAM";
    const auto measured = [](double gb) {
      return Measured{.median = gb * 1e9, .low = gb * 0.95e9, .high = gb * 1.05e9, .samples = 5};
    };
    machine.bandwidth = {{"L3", AccessMix::read, 2, measured(cache), 0},
                         {"DRAM", AccessMix::read, threads_of_memory, measured(memory), 0}};
    return probe_notes(machine);
  };
  ASSERT_EQ(notes(28.6, 50.6, 2).size(), 1u);
  EXPECT_EQ(
      notes(28.6, 50.6, 2).front().rfind("L3 is slower than DRAM: read, 2 threads (28.6 GB/s against 50.6 GB/s).", 0),
      0u)
      << notes(28.6, 50.6, 2).front();
  EXPECT_TRUE(notes(49, 50, 2).empty()) << "the repeats overlap";
  EXPECT_TRUE(notes(60, 50, 2).empty());
  EXPECT_TRUE(notes(28.6, 50.6, 1).empty()) << "other numbers of threads say nothing";
}

}  // namespace
}  // namespace profiler
