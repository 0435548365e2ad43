// SPDX-License-Identifier: Apache-2.0
#include "engine/base/memory.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace engine {
namespace {

TEST(Memory, TheHostHasSome) {
  const HostMemory memory = host_memory();
  EXPECT_GT(memory.total_bytes, int64_t{64} << 20);
  EXPECT_GT(memory.available_bytes, 0);
  EXPECT_LE(memory.available_bytes, memory.total_bytes);
}

TEST(Memory, BytesInWords) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(512), "512 B");
  EXPECT_EQ(format_bytes(1024), "1.0 KiB");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes(100 * 1024), "100 KiB");
  EXPECT_EQ(format_bytes(1024 * 1024 - 1), "1.0 MiB");
  EXPECT_EQ(format_bytes(std::ldexp(3.25, 60)), "3.2 EiB");
  EXPECT_EQ(format_bytes(std::ldexp(1.0, 90)), "1024 YiB");
  EXPECT_EQ(format_bytes(std::numeric_limits<double>::quiet_NaN()), "unknown");
}

}  // namespace
}  // namespace engine
