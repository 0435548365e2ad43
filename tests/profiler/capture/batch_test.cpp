// SPDX-License-Identifier: Apache-2.0
// The batch of a run, from the arguments that it was recorded with.
#include "profiler/capture/batch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "profiler/capture/capture_builder.h"

namespace profiler {
namespace {

double batch_with(const std::map<std::string, std::string>& arguments) {
  CaptureBuilder builder;
  builder.run().arguments = arguments;
  return batch_of(**builder.finish());
}

TEST(Batch, IsTheArgumentOfThatNameOrTheAccessesOfAStep) {
  EXPECT_EQ(batch_with({{"batch", "4"}}), 4);
  EXPECT_EQ(batch_with({{"accesses", "1000"}}), 1000);
  EXPECT_EQ(batch_with({{"accesses", "1000"}, {"batch", "8"}}), 8);
}

TEST(Batch, IsUnknownWithoutAWholePositiveNumber) {
  EXPECT_TRUE(std::isnan(batch_with({})));
  for (const char* text : {"", "0", "-2", "many", "4x", " 4"})
    EXPECT_TRUE(std::isnan(batch_with({{"batch", text}}))) << text;
}

}  // namespace
}  // namespace profiler
