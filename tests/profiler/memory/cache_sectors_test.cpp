// SPDX-License-Identifier: Apache-2.0
// Levels whose lines come sector by sector: what is fetched, what is written back, and that whole lines behave as
// without sectors.
#include <gtest/gtest.h>

#include <random>

#include "profiler/memory/cache_simulator.h"
#include "tests/profiler/memory/cache_hierarchy.h"
#include "tests/profiler/memory/cache_streams.h"

namespace profiler {
namespace {

using engine::AccessKind;
using test::hierarchy;

engine::AccessStream access(AccessKind kind, uint64_t at, int64_t stride, uint16_t bytes) {
  return {at, stride, 0, bytes, kind};
}

TEST(CacheSectors, AMissFetchesWhatIsMissing) {
  CacheSimulator simulator(hierarchy({"16KiB/4/128:lru,sector=32"}), {});
  simulator.group(32, {access(AccessKind::load, 0, 128, 4)});  // a column of 32 rows: a sector of each
  CacheEpoch epoch = simulator.take_epoch("column");
  EXPECT_EQ(epoch.total(0).load_misses, 32u);
  EXPECT_EQ(epoch.total(0).sector_misses, 0u) << "no line was there";
  EXPECT_EQ(epoch.total_memory().read_bytes(), 32u * 32);
  EXPECT_EQ(epoch.total(0).fetched_bytes(simulator.config().levels[0]), 32u * 32);
  simulator.group(32, {access(AccessKind::load, 32, 128, 4)});
  simulator.group(32, {access(AccessKind::load, 16, 128, 32)});  // half of it in each of two sectors that are there
  epoch = simulator.take_epoch("next to it");
  EXPECT_EQ(epoch.total(0).sector_misses, 32u);
  EXPECT_EQ(epoch.total(0).load_misses, 32u);
  simulator.group(1, {access(AccessKind::load, 48, 0, 32)});  // 32 .. 63 are there, 64 .. 95 are not
  EXPECT_EQ(simulator.take_epoch("across").total_memory().read_bytes(), 32u);
  CacheConfig dinero = hierarchy({"16KiB/4/128:lru,sector=32"});
  dinero.rules.held_sectors_fetched = true;
  CacheSimulator both(dinero, {});
  both.group(1, {access(AccessKind::load, 32, 0, 32)});
  both.group(1, {access(AccessKind::load, 48, 0, 32)});
  EXPECT_EQ(both.take_epoch("across").total_memory().read_bytes(), 32u + 64);
}

TEST(CacheSectors, WhatIsDirtyIsWrittenBack) {
  CacheSimulator simulator(hierarchy({"16KiB/4/128:lru,sector=32"}), {});
  simulator.group(
      1, {access(AccessKind::store, 0, 0, 4), access(AccessKind::load, 32, 0, 4), access(AccessKind::store, 96, 0, 4)});
  simulator.flush();
  simulator.flush();
  EXPECT_EQ(simulator.take_epoch("flushed").total_memory().written_bytes, 64u) << "two sectors, once";
  simulator.group(1, {access(AccessKind::store, 0, 0, 4)});
  simulator.group(4, {access(AccessKind::load, 4096, 4096, 4)});  // the same set: it leaves
  EXPECT_EQ(simulator.take_epoch("evicted").total_memory().written_bytes, 32u);
  simulator.group(1, {access(AccessKind::store, 0x10000, 0, 4)});
  simulator.invalidate(0x10000, 1);
  simulator.flush();
  EXPECT_EQ(simulator.take_epoch("invalidated").total_memory().written_bytes, 0u);
  simulator.group(1, {access(AccessKind::store, 0x10000, 0, 4), access(AccessKind::store_past_caches, 0x10000, 0, 8)});
  simulator.flush();
  const MemoryCounts past = simulator.take_epoch("past").total_memory();
  EXPECT_EQ(past.past_caches_bytes, 8u);
  EXPECT_EQ(past.written_bytes, 0u);
}

TEST(CacheSectors, LevelsWithAndWithout) {
  const auto memory = [](const std::vector<const char*>& levels) {
    CacheSimulator simulator(hierarchy(levels), {});
    for (int pass = 0; pass < 2; ++pass)
      simulator.group(1024, {access(AccessKind::load, 0, 128, 4)});  // 128 KiB of lines, of which 32 KiB are asked for
    return simulator.take_epoch("").total_memory().read_bytes();
  };
  EXPECT_EQ(memory({"16KiB/4/128:lru,sector=32", "1MiB/16/128:lru,sector=32"}), 1024u * 32);
  EXPECT_EQ(memory({"16KiB/4/128:lru,sector=32", "1MiB/16/128:lru"}), 1024u * 128)
      << "the second level takes whole lines";
  EXPECT_EQ(memory({"16KiB/4/128:lru", "1MiB/16/128:lru,sector=32"}), 1024u * 128) << "the first one asks for them";
  EXPECT_EQ(memory({"16KiB/4/128:lru,sector=32", "64KiB/16/128:lru,sector=32"}), 2048u * 32)
      << "lines have room for all of themselves";
}

TEST(CacheSectors, AStoreBelowALevelWithoutIsOfItsSectors) {
  for (const char* first : {"16KiB/4/128:lru,through", "16KiB/4/128:lru,through,noallocate"}) {
    CacheSimulator simulator(hierarchy({first, "1MiB/16/128:lru,sector=32"}), {});
    simulator.group(1, {access(AccessKind::store, 4, 0, 4)});
    simulator.flush();
    const MemoryCounts memory = simulator.take_epoch("").total_memory();
    EXPECT_EQ(memory.written_bytes, 32u) << first;
    EXPECT_EQ(memory.write_allocate_bytes, simulator.config().levels[0].write_allocate ? 128u : 32u) << first;
  }
}

TEST(CacheSectors, WhatALevelWithoutLacksOfAWriteBackIsFetched) {
  CacheSimulator simulator(hierarchy({"128B/1/128:lru,sector=32", "256B/1/128:lru", "64KiB/16/128:lru"}), {});
  simulator.group(1, {access(AccessKind::store, 0, 0, 4)});
  simulator.take_epoch("");
  simulator.group(
      1, {access(AccessKind::load, 512, 0, 4)});  // its line leaves L1 into L2, where this one has just taken its place
  CacheEpoch epoch = simulator.take_epoch("");
  EXPECT_EQ(epoch.total(1).write_back_misses, 1u);
  EXPECT_EQ(epoch.total(1).write_back_fetches, 1u);
  EXPECT_EQ(epoch.total(2).loads, 2u) << "what was asked for, and the rest of the line written back";
  EXPECT_EQ(epoch.total(1).fetched_bytes(simulator.config().levels[1]), 256u);
}

TEST(CacheSectors, AStorePastTheCachesLeavesOtherSectors) {
  CacheSimulator simulator(hierarchy({"16KiB/4/128:lru,sector=32"}), {});
  simulator.group(1, {access(AccessKind::store, 0, 0, 4), access(AccessKind::store, 96, 0, 4),
                      access(AccessKind::store_past_caches, 96, 0, 32)});
  simulator.take_epoch("");
  simulator.group(1, {access(AccessKind::load, 0, 0, 4)});
  EXPECT_EQ(simulator.take_epoch("").total(0).load_misses, 0u);
  simulator.group(1, {access(AccessKind::load, 96, 0, 4)});
  simulator.flush();
  const CacheEpoch epoch = simulator.take_epoch("");
  EXPECT_EQ(epoch.total(0).sector_misses, 1u);
  EXPECT_EQ(epoch.total_memory().written_bytes, 32u);
  CacheSimulator without(hierarchy({"16KiB/4/128:lru", "1MiB/16/128:lru,sector=32"}),
                         {});  // knows of one dirty line only
  without.group(1, {access(AccessKind::store, 0, 0, 4), access(AccessKind::store_past_caches, 96, 0, 32)});
  without.flush();
  EXPECT_EQ(without.take_epoch("").total_memory().written_bytes, 96u);
}

TEST(CacheSectors, CausesBelowALevelWithout) {
  CacheSimulator simulator(hierarchy({"128B/1/128:lru", "64KiB/full/128:lru", "1MiB/16/128:lru,sector=32"}),
                           {.classify = true});
  simulator.group(4096, {access(AccessKind::load, 0, 128, 4)});
  EXPECT_EQ(simulator.take_epoch("").total(2).compulsory, 4096u);
  simulator.group(16384, {access(AccessKind::load, 32, 128, 4)});
  const CacheCounts c = simulator.take_epoch("").total(2);
  EXPECT_EQ(c.load_misses, 12288u) << "4096 lines came whole before";
  EXPECT_EQ(c.compulsory, 12288u);
  simulator.group(16384, {access(AccessKind::load, 64, 128, 4)});
  EXPECT_EQ(simulator.take_epoch("").total(2).compulsory, 0u) << "other bytes of lines that came whole";
}

/// Accesses to whole lines, at random.
void whole_lines(engine::AccessSink& sink) {
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    const uint64_t line = random() % 4 != 0 ? random() % 200 : random() % 3000;
    sink.group(1, {access(random() % 3 == 0 ? AccessKind::store : AccessKind::load, line * 64, 0, 64)});
  }
}

TEST(CacheSectors, OfWholeLinesAllComesAtOnce) {
  for (const bool causes : {false, true}) {
    CacheSimulator with(hierarchy({"4KiB/4/64:lru,sector=16", "32KiB/8/64:lru,sector=16"}), {.classify = causes}),
        without(hierarchy({"4KiB/4/64:lru", "32KiB/8/64:lru"}), {.classify = causes});
    whole_lines(with);
    whole_lines(without);
    CacheEpoch a = with.take_epoch(""), b = without.take_epoch("");
    EXPECT_EQ(a.memory, b.memory);
    EXPECT_EQ(a.set_misses, b.set_misses);
    for (size_t l = 0; l < 2; ++l) {
      EXPECT_EQ(a.total(l).fetched_bytes(with.config().levels[l]),
                b.total(l).fetched_bytes(without.config().levels[l]));
      a.levels[l][0].fetched_sectors = 0;
      EXPECT_EQ(a.levels[l], b.levels[l]) << "level " << l;
    }
  }
}

TEST(CacheSectors, SlicesOnThreadsCountTheSame) {
  const CacheConfig config = hierarchy({"4KiB/4/64:lru,sector=16", "32KiB/8/64:lru,sector=16"});
  const auto run = [&](int threads) {
    return *simulate(config, {.threads = threads}, {"one", "two"}, [](engine::AccessSink& sink, size_t) {
      test::transpose(sink, test::ThreeArrays(200 * 200), 200);
    });
  };
  const auto one = run(1), two = run(4);
  for (size_t e = 0; e < 2; ++e) {
    EXPECT_EQ(one[e].levels, two[e].levels);
    EXPECT_EQ(one[e].memory, two[e].memory);
  }
  EXPECT_GT(one[0].total(0).sector_misses, 0u);
}

}  // namespace
}  // namespace profiler
