// SPDX-License-Identifier: Apache-2.0
// Words that follow numbers.
#include "profiler/base/words.h"

#include <gtest/gtest.h>

namespace {

TEST(Words, OneAndMany) {
  EXPECT_EQ(profiler::counted(1, "copy", "copies"), "1 copy");
  EXPECT_EQ(profiler::counted(0, "op"), "0 ops");
}

TEST(Words, NoiseBeyondAStepIsNoFigure) {
  EXPECT_EQ(profiler::noise_text(0.0123), "within noise of ± 1.23 % of a step");
  EXPECT_EQ(profiler::noise_text(97.5636), "from one to the next, steps differed by more than a step takes");
}

}  // namespace
