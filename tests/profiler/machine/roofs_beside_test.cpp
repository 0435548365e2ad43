// SPDX-License-Identifier: Apache-2.0
// Bandwidths measured beside a run against the probed ones: which of them is the roof, and how much room it has.
#include "profiler/machine/roofs_beside.h"

#include <gtest/gtest.h>

namespace profiler {
namespace {

Measured rate(double value) { return {value, value * 0.99, value * 1.01, 5}; }

/// Probed for two threads at 100 read and 80 copied, for one at 60 read.
Machine probed() {
  Machine machine;
  machine.probed_at = "2026-11-22T05:00:00+00:00";
  machine.bandwidth = {{"DRAM", AccessMix::read, 2, rate(100e9), 0},
                       {"DRAM", AccessMix::copy, 2, rate(80e9), 0},
                       {"DRAM", AccessMix::write, 2, rate(40e9), 0},
                       {"DRAM", AccessMix::read, 1, rate(60e9), 0},
                       {"L3", AccessMix::read, 2, rate(300e9), 0}};
  return machine;
}

Machine beside(double read_before, double read_after, double copy_before = 80e9, double copy_after = 80e9) {
  Machine machine = probed();
  machine.beside = {{"DRAM", AccessMix::read, 2, rate(read_before), rate(read_after)},
                    {"DRAM", AccessMix::copy, 2, rate(copy_before), rate(copy_after)}};
  return machine;
}

double roof(const Machine& machine, AccessMix mix, RoofEdge edge = RoofEdge::likely, int threads = 2) {
  return machine.bandwidth_roof("DRAM", mix, threads, edge)->bytes_per_s.median;
}

TEST(RoofsBeside, AsProbedWithinFivePercentTheyHold) {
  const Machine machine = beside(97e9, 104e9);
  EXPECT_EQ(roofs_beside(machine), BesideState::held);
  for (const RoofEdge edge : {RoofEdge::low, RoofEdge::likely, RoofEdge::high})
    EXPECT_EQ(roof(machine, AccessMix::read, edge), 100e9);
  EXPECT_EQ(roofs_beside_words(machine), "");
  EXPECT_EQ(roofs_beside(probed()), BesideState::unmeasured);
  EXPECT_EQ(roof(probed(), AccessMix::read, RoofEdge::low), 100e9);
}

TEST(RoofsBeside, DriftIsRoomWithoutAWord) {
  const Machine machine = beside(92e9, 108e9);
  EXPECT_EQ(roofs_beside(machine), BesideState::held);
  EXPECT_EQ(roofs_beside_words(machine), "");
  EXPECT_DOUBLE_EQ(roof(machine, AccessMix::read, RoofEdge::low), 92e9);
  EXPECT_DOUBLE_EQ(roof(machine, AccessMix::read), 100e9);
  EXPECT_DOUBLE_EQ(roof(machine, AccessMix::read, RoofEdge::high), 108e9);
}

TEST(RoofsBeside, WhereBeforeAndAfterAgreeTheyAreTheRoof) {
  const Machine machine = beside(50e9, 52e9, 42e9, 41e9);
  EXPECT_EQ(roofs_beside(machine), BesideState::moved);
  EXPECT_DOUBLE_EQ(roof(machine, AccessMix::read), 51e9);
  EXPECT_DOUBLE_EQ(roof(machine, AccessMix::read, RoofEdge::low), 50e9);
  EXPECT_DOUBLE_EQ(roof(machine, AccessMix::read, RoofEdge::high), 52e9);
  EXPECT_DOUBLE_EQ(roof(machine, AccessMix::write), 40e9 * 41.5 / 80)
      << "as the mix that writes most of those measured";
  Machine past = machine;
  past.bandwidth.push_back({"DRAM", AccessMix::write_past, 2, rate(60e9), 0});
  EXPECT_DOUBLE_EQ(roof(past, AccessMix::write_past), 60e9 * 41.5 / 80) << "of those there are";
  past.bandwidth.push_back({"DRAM", AccessMix::copy_past, 2, rate(100e9), 0});
  past.beside.push_back({"DRAM", AccessMix::copy_past, 2, rate(70e9), rate(70e9)});
  EXPECT_DOUBLE_EQ(roof(past, AccessMix::write_past), 42e9) << "stores past the caches move with each other";
  EXPECT_DOUBLE_EQ(roof(past, AccessMix::write), 40e9 * 41.5 / 80);
  EXPECT_DOUBLE_EQ(*machine.bandwidth_for("DRAM", 1, 0, 2), 51e9);
  EXPECT_EQ(roof(machine, AccessMix::read, RoofEdge::likely, 1), 60e9) << "another thread count was not measured again";
  EXPECT_EQ(machine.bandwidth_roof("L3", AccessMix::read, 2)->bytes_per_s.median, 300e9);
  EXPECT_NE(
      roofs_beside_words(machine).find("DRAM's bandwidth has moved since it was probed: 50.0 GB/s before and 52.0 GB/s "
                                       "after this run, 100 GB/s in the probe of 2026-11-22T05:00 (read, 2 threads)"),
      std::string::npos)
      << roofs_beside_words(machine);
}

TEST(RoofsBeside, WhereTheyDoNotTheRoofHasRoom) {
  const Machine machine = beside(50e9, 101e9);
  EXPECT_EQ(roofs_beside(machine), BesideState::unsteady);
  EXPECT_DOUBLE_EQ(roof(machine, AccessMix::read, RoofEdge::low), 50e9);
  EXPECT_DOUBLE_EQ(roof(machine, AccessMix::read), 100e9);
  EXPECT_DOUBLE_EQ(roof(machine, AccessMix::read, RoofEdge::high), 101e9);
  EXPECT_EQ(roof(machine, AccessMix::copy, RoofEdge::low), 80e9) << "copies held";
  EXPECT_NE(roofs_beside_words(machine).find("is unsteady: 50.0 GB/s before and 101 GB/s after"), std::string::npos)
      << roofs_beside_words(machine);
  const Machine faster = beside(150e9, 200e9);  // both beyond the probed one, which then is none of the ends
  EXPECT_DOUBLE_EQ(roof(faster, AccessMix::read, RoofEdge::low), 150e9);
  EXPECT_DOUBLE_EQ(roof(faster, AccessMix::read), 150e9);
  EXPECT_DOUBLE_EQ(roof(faster, AccessMix::read, RoofEdge::high), 200e9);
}

TEST(RoofsBeside, ARunThatWasStoppedHasOneSpell) {
  Machine machine = beside(50e9, 0);
  for (RoofBeside& b : machine.beside) b.after = {};
  EXPECT_EQ(roofs_beside(machine), BesideState::unsteady);
  EXPECT_DOUBLE_EQ(roof(machine, AccessMix::read, RoofEdge::low), 50e9);
  EXPECT_DOUBLE_EQ(roof(machine, AccessMix::read), 100e9);
  EXPECT_DOUBLE_EQ(roof(machine, AccessMix::read, RoofEdge::high), 100e9);
  EXPECT_NE(roofs_beside_words(machine).find(
                "is unsteady: 50.0 GB/s before this run (not measured after it), 100 GB/s in the probe"),
            std::string::npos)
      << roofs_beside_words(machine);
  Machine late = beside(0, 50e9);
  for (RoofBeside& b : late.beside) b.before = {};
  EXPECT_NE(roofs_beside_words(late).find(
                "is unsteady: 50.0 GB/s after this run (not measured before it), 100 GB/s in the probe"),
            std::string::npos)
      << roofs_beside_words(late);
  machine.beside = {{"DRAM", AccessMix::read, 2, rate(101e9), {}}};
  EXPECT_EQ(roofs_beside(machine), BesideState::held);
}

TEST(RoofsBeside, WithoutAProbedRoofTheySayNothing) {
  Machine machine = beside(50e9, 50e9);
  for (RoofBeside& b : machine.beside) b.threads = 3;
  EXPECT_EQ(roofs_beside(machine), BesideState::unmeasured);
  EXPECT_EQ(roofs_beside_words(machine), "");
}

TEST(RoofsBeside, AreStoredWithTheMachine) {
  const Machine machine = beside(50e9, 101e9);
  const auto back = machine_from_json(machine_to_json(machine));
  ASSERT_TRUE(back.ok()) << back.error().message;
  ASSERT_EQ(back->beside.size(), 2u);
  EXPECT_EQ(back->beside[0].after.median, 101e9);
  EXPECT_EQ(machine_to_json(*back), machine_to_json(machine));
}

}  // namespace
}  // namespace profiler
