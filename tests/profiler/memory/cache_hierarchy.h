// SPDX-License-Identifier: Apache-2.0
// Cache hierarchies as tests write them.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

#include "profiler/memory/cache_config.h"

namespace test {

/// L1, L2, ... from the words of `tensortide cache --level`, nearest first; a test fails where they make no hierarchy.
inline profiler::CacheConfig hierarchy(const std::vector<const char*>& levels) {
  profiler::CacheConfig config;
  for (const char* text : levels) {
    const auto level = profiler::parse_cache_level(text, fmt::format("L{}", config.levels.size() + 1));
    EXPECT_TRUE(level.ok()) << level.error().message;
    config.levels.push_back(*level);
  }
  EXPECT_TRUE(check(config).ok()) << check(config).error().message;
  return config;
}

}  // namespace test
