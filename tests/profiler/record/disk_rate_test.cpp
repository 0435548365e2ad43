// SPDX-License-Identifier: Apache-2.0
// The disk's rate is measured past the page cache, or refused with the reason; the test file is removed either way.
#include "profiler/record/disk_rate.h"

#include <gtest/gtest.h>

#include <iterator>

#include "tests/support/temporary_folder.h"

namespace profiler {
namespace {

TEST(DiskRate, IsMeasuredOrRefusedAndLeavesNothing) {
  tests::TemporaryFolder folder;
  const std::atomic<bool> stop = false;
  const auto rate = measure_disk(folder.path(), 4 << 20, stop);
  if (rate) {
    EXPECT_GT(rate->read_bytes_per_s.low, 0);
    EXPECT_LE(rate->read_bytes_per_s.low, rate->read_bytes_per_s.median);
    EXPECT_LE(rate->read_bytes_per_s.median, rate->read_bytes_per_s.high);
    EXPECT_EQ(rate->file_bytes, 4 << 20);
  } else {
    EXPECT_NE(rate.error().message.find("O_DIRECT"), std::string::npos) << rate.error().message;
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 0);
}

TEST(DiskRate, RefusesFoldersAndSizesThatCannotBe) {
  tests::TemporaryFolder folder;
  const std::atomic<bool> stop = false, stopped = true;
  EXPECT_FALSE(measure_disk(folder.path() / "none", 1 << 20, stop));
  EXPECT_FALSE(measure_disk(folder.path(), 1000, stop));
  EXPECT_FALSE(measure_disk(folder.path(), 1 << 20, stopped));
}

}  // namespace
}  // namespace profiler
