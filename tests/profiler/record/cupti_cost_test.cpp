// SPDX-License-Identifier: Apache-2.0
// When CUPTI's cost is a figure, when it is noise, and when it is not known.
#include "profiler/record/cupti_cost.h"

#include <gtest/gtest.h>

#include <vector>

namespace profiler {
namespace {

using Steps = std::vector<double>;
const Steps kWithout{1000, 1000, 1010, 1020, 1020};  // lower quartile 1000, spread 20: 2 %

TEST(CuptiCost, BeyondTheSpreadOfTheStepsItIsAFigure) {
  const std::string words = cupti_cost_words(Steps{1100, 1100, 1105, 1110, 1110}, kWithout, "");
  EXPECT_TRUE(words.starts_with("CUPTI costs +10.0 % of a step (measured, one process each; spread of steps 2.0 %)"))
      << words;
  EXPECT_NE(words.find("1.10 µs with it, 1.00 µs in a process without it"), std::string::npos) << words;
}

TEST(CuptiCost, WithinItIsNoise) {
  for (const Steps& with : {Steps{1010, 1010, 1010, 1010}, Steps{1000, 1000, 1000, 1000}, Steps{990, 990, 990, 990}}) {
    const std::string words = cupti_cost_words(with, kWithout, "");
    EXPECT_TRUE(words.starts_with("CUPTI costs less than the noise (2.0 % of a step, measured)")) << words;
  }
  const std::string wide = cupti_cost_words(Steps{1100, 1100, 1200, 1300, 1300}, kWithout, "");
  EXPECT_TRUE(wide.starts_with("CUPTI costs less than the noise (20.0 %"))
      << "the wider of the two spreads counts: " << wide;
}

TEST(CuptiCost, ItNeverCostsLessThanNothing) {
  const std::string words = cupti_cost_words(Steps{900, 900, 900, 900}, kWithout, "");
  EXPECT_NE(words.find("is not known: "), std::string::npos) << words;
  EXPECT_EQ(words.find("-"), std::string::npos) << words;
}

TEST(CuptiCost, UnknownSaysWhy) {
  EXPECT_TRUE(cupti_cost_words(kWithout, {}, "the GPU is full").ends_with("was not measured (the GPU is full)."));
  EXPECT_TRUE(cupti_cost_words(kWithout, {}, "").ends_with("was not measured."));
  EXPECT_NE(cupti_cost_words(kWithout, Steps{1000, 1000}, "")
                .find("5 steps with it and 2 in a process without it are too few"),
            std::string::npos);
}

}  // namespace
}  // namespace profiler
