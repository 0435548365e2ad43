// SPDX-License-Identifier: Apache-2.0
// Findings and trials of a busy machine say so; those of a quiet one do not.
#include "profiler/analysis/findings_caveat.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "profiler/model/roofs_trust.h"
#include "profiler/sweep/sweep.h"
#include "tests/support/op_lab.h"

namespace profiler {
namespace {

TEST(FindingsCaveat, SaysHowMuchOthersUsedWhereTheyDid) {
  const auto words = [](double load) {
    tests::OpLab lab;
    lab.op("relu", {lab.tensor(64)}, {lab.tensor(64)});
    lab.builder().honesty().foreign_load_ratio = load;
    return findings_caveat(*lab.finish());
  };
  EXPECT_NE(words(0.84).find("Other programs used 84 %"), std::string::npos) << words(0.84);
  EXPECT_EQ(words(0.05), "");
  EXPECT_EQ(words(std::numeric_limits<double>::quiet_NaN()), "");
  EXPECT_NE(trial_caveat(0.5).find("up to 50 %"), std::string::npos);
  EXPECT_EQ(trial_caveat(0.1), "");
  EXPECT_EQ(trial_caveat(std::numeric_limits<double>::quiet_NaN()), "");
}

TEST(FindingsCaveat, BusyBeginsAtTheSameLoadEverywhere) {
  for (const double load : {kBusyLoad, std::nextafter(kBusyLoad, 1.0)}) {
    const bool busy = load > kBusyLoad;
    tests::OpLab lab;
    lab.op("relu", {lab.tensor(64)}, {lab.tensor(64)});
    lab.builder().honesty().foreign_load_ratio = load;
    const auto capture = lab.finish();
    EXPECT_EQ(capture->disturbed(), busy) << load;
    EXPECT_EQ(!findings_caveat(*capture).empty(), busy) << load;
    EXPECT_EQ(!trial_caveat(load).empty(), busy) << load;
    SweepSample sample;
    sample.foreign_load_ratio = load;
    EXPECT_EQ(sample.disturbed(), busy) << load;
    Machine machine;
    note_foreign_load(machine, load);
    EXPECT_EQ(!machine.notes.empty(), busy) << load;
  }
}

}  // namespace
}  // namespace profiler
