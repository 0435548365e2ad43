// SPDX-License-Identifier: Apache-2.0
// Findings and trials of a busy machine say so; those of a quiet one do not.
#include "profiler/analysis/findings_caveat.h"

#include <gtest/gtest.h>

#include <limits>

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

}  // namespace
}  // namespace profiler
