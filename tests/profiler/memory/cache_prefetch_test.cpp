// SPDX-License-Identifier: Apache-2.0
// Prefetchers of the cache simulation: what they cover, what inclusive levels hold while they work, where their lines
// count.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "profiler/memory/cache_simulator.h"
#include "tests/profiler/memory/cache_hierarchy.h"
#include "tests/profiler/memory/cache_reference.h"
#include "tests/profiler/memory/cache_streams.h"

namespace {

using engine::AccessKind;
using engine::AccessStream;
using profiler::CacheConfig;
using profiler::CacheEpoch;
using profiler::CacheSimulator;
using test::hierarchy;

TEST(CachePrefetch, StridePrefetchesCoverRunsWithinAPage) {
  // 256 lines, every second one of 512: of the 32 in each page the first two runs' lines miss, where the step is not
  // known yet, and the rest is there.
  const auto misses = [](const char* level, int64_t stride) {
    CacheSimulator simulator(hierarchy({level}), {});
    simulator.group(256, {test::load(0x100000, stride)});
    return simulator.take_epoch("").total(0);
  };
  const profiler::CacheCounts without = misses("64KiB/8/64:lru", 128), with = misses("64KiB/8/64:lru,stride", 128);
  EXPECT_EQ(without.load_misses, 256u);
  // The third line of all starts it; the first of each further page is not fetched ahead.
  EXPECT_EQ(with.load_misses, 3u + 7);
  EXPECT_EQ(with.load_misses + with.prefetches, 256u);
  EXPECT_EQ(misses("64KiB/8/64:lru,stride", 4096).load_misses, 256u) << "each line in a page of its own";
}

TEST(CachePrefetch, WhatAnInclusiveLevelPrefetchesTakesNothingFromUnderWay) {
  // All in one set of the second level: fetching 0x600 and 0x800 ahead drops 0x400, just when the first level asked for
  // it.
  CacheSimulator simulator(hierarchy({"1KiB/16/64:lru", "1KiB/2/64:lru,inclusive,stride"}), {});
  for (const uint64_t at : {0x0, 0x200, 0x400}) simulator.group(1, {test::load(at, 0)});
  EXPECT_EQ(simulator.take_epoch("").total(1).prefetches, 3u);
  EXPECT_EQ(simulator.lines(1), (std::vector<uint32_t>{0x800 / 64, 0xa00 / 64}));
  EXPECT_EQ(simulator.lines(0), std::vector<uint32_t>{});
}

TEST(CachePrefetch, WhatALevelPrefetchesCountsAtTheLevelsItAsks) {
  // 64 neighbouring lines, one page: the first level asks for three of them on demand and for the rest ahead.
  CacheSimulator simulator(hierarchy({"4KiB/8/64:lru,stride", "64KiB/8/64:lru"}), {});
  simulator.group(64, {test::load(0, 64)});
  const CacheEpoch epoch = simulator.take_epoch("");
  const profiler::CacheCounts first = epoch.total(0), second = epoch.total(1);
  EXPECT_EQ(second.misses(), 3u);
  EXPECT_EQ(first.prefetches, 61u);
  EXPECT_EQ(second.prefetch_requests, 61u);
  EXPECT_EQ(second.prefetch_misses, 61u);
  EXPECT_EQ(second.prefetches, 0u);
  EXPECT_EQ(first.fetched_lines(), 64u);
  EXPECT_EQ(second.fetched_lines(), 64u);
  EXPECT_EQ(epoch.total_memory().read_bytes(), 64u * 64);
}

/// A hierarchy with at least one inclusive level below others; prefetchers anywhere.
CacheConfig random_inclusive(std::mt19937& random) {
  const auto upto = [&](int64_t n) { return std::uniform_int_distribution<int64_t>(0, n)(random); };
  for (;;) {
    CacheConfig config;
    const int64_t depth = 2 + upto(2), inclusive = 1 + upto(depth - 2);
    for (int64_t l = 0; l < depth; ++l) {
      const char* policies[] = {"lru", "fifo", "plru", "qlru_h00_m1_r0_u1", "mru"};
      const char* fetching[] = {"", ",nextline", ",stride", ",stride,nextline"};
      const char* habits[] = {"", "", "", ",through", ",noallocate"};
      const bool victim = l > 0 && l != inclusive && upto(4) == 0;
      const std::string text = fmt::format("{}/{}/64:{}{}{}{}", 64 * (int64_t{1} << upto(3)) * (int64_t{2} << (l / 2)),
                                           int64_t{2} << (l / 2), policies[upto(4)],
                                           l == inclusive || (l > 0 && !victim && upto(2) == 0) ? ",inclusive"
                                           : victim                                             ? ",victim"
                                                                                                : "",
                                           victim ? "" : fetching[upto(3)], victim ? "" : habits[upto(4)]);
      auto level = profiler::parse_cache_level(text, fmt::format("L{}", l + 1));
      EXPECT_TRUE(level.ok()) << text << ": " << level.error().message;
      if (level.ok()) config.levels.push_back(*level);
    }
    if (check(config).ok()) return config;
  }
}

TEST(CachePrefetch, InclusiveLevelsHoldWhatTheLevelsAboveHold) {
  std::mt19937 random(31);
  uint64_t prefetches = 0, held = 0;
  for (int repeat = 0; repeat < 400; ++repeat) {
    CacheConfig config = random_inclusive(random);
    config.rules = {.promote_on_write_hit = repeat % 3 != 1, .fetch_on_write_back = repeat % 3 == 1};
    CacheSimulator fast(config, {});
    test::ReferenceSimulator slow(config);
    const auto upto = [&](int64_t n) { return std::uniform_int_distribution<int64_t>(0, n)(random); };
    for (int run = 0; run < 30; ++run) {
      const int64_t strides[] = {64, 128, -64, 512, 192, 0};
      const AccessStream a{.address = 0x10000 + static_cast<uint64_t>(upto(0x1000)) / 64 * 64,
                           .stride = strides[upto(5)],
                           .tensor = 0,
                           .bytes = 4,
                           .kind = upto(2) == 0 ? AccessKind::store : AccessKind::load};
      for (int64_t i = upto(12); i >= 0; --i) {
        AccessStream one = a;
        one.address += static_cast<uint64_t>(i * a.stride);
        fast.group(1, {one});
        slow.group(1, {one});
        for (size_t below = 1; below < config.levels.size(); ++below) {
          if (config.levels[below].inclusion != profiler::Inclusion::inclusive) continue;
          for (size_t above = 0; above < below; ++above) {
            ASSERT_TRUE(std::ranges::includes(fast.lines(below), fast.lines(above)))
                << config.text() << " levels " << above << " and " << below;
            ASSERT_TRUE(std::ranges::includes(slow.lines(below), slow.lines(above)))
                << config.text() << " levels " << above << " and " << below;
            held += fast.lines(above).size();
          }
        }
      }
    }
    const CacheEpoch epoch = fast.take_epoch("");
    for (size_t l = 0; l < config.levels.size(); ++l)
      EXPECT_EQ(epoch.total(l), slow.counts[l]) << config.text() << " level " << l;
    EXPECT_EQ(epoch.total_memory(), slow.memory) << config.text();
    EXPECT_EQ(epoch.total(config.levels.size() - 1).fetched_lines() * 64, epoch.total_memory().read_bytes())
        << config.text();
    if (HasFailure()) return;
    for (size_t l = 0; l < config.levels.size(); ++l) prefetches += epoch.total(l).prefetches;
  }
  EXPECT_GT(prefetches, 10000u);
  EXPECT_GT(held, 10000u);
}

}  // namespace
