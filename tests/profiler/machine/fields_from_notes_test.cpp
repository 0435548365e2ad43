// SPDX-License-Identifier: Apache-2.0
// What probes left in sentences until schema 2 of machines, read into fields; and said again in the same words.
#include "profiler/machine/fields_from_notes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "profiler/base/foreign_load.h"
#include "profiler/machine/probe_notes.h"
#include "profiler/machine/roofs_trust.h"

namespace profiler {
namespace {

Machine of(std::vector<std::string> notes) {
  Machine machine;
  machine.probed_at = "2026-11-22T18:30:00+0000";
  machine.notes = std::move(notes);
  set_fields_from_notes(machine);
  return machine;
}

/// Every sentence that a probe of schema 1 could leave, of each kind one or two.
const std::vector<std::string> kNotes{
    "L2 bandwidth at 1 thread was not measured: no working set lies in this level alone.",
    "DRAM bandwidth at 12 threads was not measured: memory is full.",
    "Time ran out before L2 read, 1 thread.",
    "At 3 shapes of matrix products or convolutions others disturbed every run: which library is the fastest there is "
    "not known, and the nearest other shape, or a rule, "
    "chooses. Probe again when the machine is quiet.",
    "f16 and i8 have no peak of their own: the engine's kernels do not use faster units for them, and this CPU names "
    "none.",
    "Others used 52 % of the processors.",
    "Kept from the probe of 2026-11-22T18:20:11+0000: f32 arithmetic, 2 threads; L3 copy, 1 thread.",
    "Kept from the probe of 2026-11-22T18:25:11+0000: time stamp."};

/// What is written of the same fields today.
const std::vector<std::string> kWords = [] {
  std::vector<std::string> words = kNotes;
  words[3] =
      "At 3 shapes of matrix multiplications or convolutions every run had background load. The fastest library there "
      "is unknown: the nearest other shape, or a rule, chooses. Probe again on a quiet machine.";
  words[5] = "Background load: 52 % of the processors.";
  return words;
}();

TEST(FieldsFromNotes, EachSentenceOfAProbeBecomesAField) {
  const Machine machine = of(kNotes);
  EXPECT_DOUBLE_EQ(machine.foreign_load_ratio, 0.52);
  EXPECT_EQ(machine.unfinished, std::vector<std::string>{"L2 read, 1 thread"});
  ASSERT_EQ(machine.unmeasured.size(), 2u);
  EXPECT_EQ(machine.unmeasured[0].level, "L2");
  EXPECT_EQ(machine.unmeasured[0].threads, 1);
  EXPECT_EQ(machine.unmeasured[1].threads, 12);
  EXPECT_EQ(machine.unmeasured[1].why, "memory is full");
  EXPECT_EQ(machine.unsettled_shapes, 3);
  ASSERT_EQ(machine.kept.size(), 3u);
  EXPECT_EQ(machine.kept[1].figure, "L3 copy, 1 thread");
  EXPECT_EQ(machine.kept[1].probed_at, "2026-11-22T18:20:11+0000");
  EXPECT_EQ(machine.kept[2].figure, "time stamp");
  ASSERT_EQ(machine.notes.size(), 1u) << "what no field says stays a note";
  EXPECT_TRUE(machine.notes[0].starts_with("f16 and i8"));
  EXPECT_EQ(probe_notes(machine), kWords) << "and people read them again";
}

TEST(FieldsFromNotes, OlderWordsAreReadToo) {
  EXPECT_EQ(of({"Not everything was measured: the budget of 20 s was used up before \"L2 copy\"."}).unfinished,
            std::vector<std::string>{"L2 copy"});
  EXPECT_EQ(of({"Not everything was measured: who knows why."}).unfinished, std::vector<std::string>{"who knows why"});
  EXPECT_EQ(of({"At 1 shape of matrix products or convolutions others disturbed every run: which"}).unsettled_shapes,
            1);
}

TEST(FieldsFromNotes, ALoadThatWasNotedIsAboveTheLimit) {
  const Machine machine = of({"Others used 10 % of the processors."});  // 10.4 %, say: less was never noted
  EXPECT_GT(machine.foreign_load_ratio, kBusyLoad);
  EXPECT_NE(roofs_weakness([&] {
              Machine m = machine;
              m.compute = {{}};
              return m;
            }()),
            "");
}

TEST(FieldsFromNotes, WhatIsNotWhollyOfTheFormStaysANote) {
  const std::vector<std::string> odd{"Others used many % of the processors.",
                                     "Others used -3 % of the processors.",
                                     "Others used 52 % of the processors",
                                     "Kept from the probe of yesterday.",
                                     "L2 bandwidth at some threads was not measured: x",
                                     "At dawn shapes of matrix products or convolutions others disturbed every run",
                                     "",
                                     "Others used "};
  const Machine machine = of(odd);
  EXPECT_EQ(machine.notes, odd);
  EXPECT_TRUE(std::isnan(machine.foreign_load_ratio) && machine.kept.empty() && machine.unmeasured.empty() &&
              machine.unfinished.empty());
  EXPECT_EQ(machine.unsettled_shapes, 0);
}

TEST(FieldsFromNotes, OnlyMachinesOfSchemaOneAreReadSo) {
  Machine machine;
  machine.notes = kNotes;
  nlohmann::json stored = nlohmann::json::parse(machine_to_json(machine));
  ASSERT_EQ(stored["schema"], 2);
  EXPECT_EQ(machine_from_json(stored.dump())->notes, kNotes) << "today's sentences are for people alone";
  stored["schema"] = 1;
  for (const char* key : {"foreign_load_ratio", "unfinished", "unmeasured", "unsettled_shapes", "kept"})
    stored.erase(key);
  const auto older = machine_from_json(stored.dump());
  ASSERT_TRUE(older.ok()) << older.error().message;
  EXPECT_EQ(older->kept.size(), 3u);
  const auto again = machine_from_json(machine_to_json(*older));
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(probe_notes(*again), kWords);
  EXPECT_EQ(machine_to_json(*again), machine_to_json(*older));
}

}  // namespace
}  // namespace profiler
