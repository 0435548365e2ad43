// SPDX-License-Identifier: Apache-2.0
// Findings of noisy times say so; a load that did nothing to the times is no caveat.
#include "profiler/analysis/findings/findings_caveat.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "profiler/base/foreign_load.h"
#include "profiler/capture/noise.h"
#include "profiler/machine/probe_notes.h"
#include "tests/support/op_lab.h"

namespace profiler {
namespace {

/// Of a run whose five timed steps lie so far around their mean.
std::string caveat(double jitter, double load, double queued = std::numeric_limits<double>::quiet_NaN()) {
  tests::OpLab lab;
  lab.op("relu", {lab.tensor(64)}, {lab.tensor(64)}, 16, 1e6, jitter);
  lab.builder().honesty().foreign_load_ratio = load;
  lab.builder().honesty().queued_ratio = queued;
  return findings_caveat(*lab.finish());
}

TEST(FindingsCaveat, NoiseDoesNotHideThreadsThatWaited) {
  for (const double jitter : {0.002, 0.4}) {
    const std::string words = caveat(jitter, 0.84, 0.7);
    EXPECT_NE(words.find("waited 70 % of a step"), std::string::npos) << words;
    EXPECT_EQ(words.find("noisy") != std::string::npos, jitter > 0.1) << words;
  }
}

TEST(FindingsCaveat, IsOfNoisyTimesAndNamesTheLoadBesideThem) {
  EXPECT_EQ(caveat(0.002, 0.0), "");
  EXPECT_EQ(caveat(0.002, 0.84), "") << "what the load did to the times is in their scatter";
  EXPECT_NE(caveat(0.4, 0.84).find("The step times are noisy (median between 600 µs and 1.40 ms)"), std::string::npos)
      << caveat(0.4, 0.84);
  EXPECT_NE(caveat(0.4, 0.84).find("Background load: 84 % of the processors."), std::string::npos) << caveat(0.4, 0.84);
  EXPECT_EQ(caveat(0.4, std::numeric_limits<double>::quiet_NaN()).find("Background load"), std::string::npos);
  EXPECT_NE(caveat(0.4, 0.0), "");
}

TEST(FindingsCaveat, ALoadIsSaidFromTheSameThresholdOnEverywhere) {
  for (const double load : {kBusyLoad, std::nextafter(kBusyLoad, 1.0)}) {
    const bool busy = load > kBusyLoad;
    EXPECT_EQ(!background_load_words(load).empty(), busy) << load;
    EXPECT_EQ(idle_time_ratio(load) < 1, busy) << load;
    Machine machine;
    machine.foreign_load_ratio = load;
    EXPECT_EQ(!probe_notes(machine).empty(), busy) << load;
  }
}

}  // namespace
}  // namespace profiler
