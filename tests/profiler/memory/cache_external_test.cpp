// SPDX-License-Identifier: Apache-2.0
// The cache simulator against figures that other simulators printed for the same loops, and against closed forms.
#include <gtest/gtest.h>

#include <functional>

#include "profiler/memory/cache_simulator.h"
#include "tests/profiler/memory/cache_hierarchy.h"
#include "tests/profiler/memory/cache_streams.h"

namespace {

using profiler::CacheConfig;
using profiler::CacheEpoch;
using profiler::CacheSimulator;
using test::hierarchy;
using test::ThreeArrays;

/// Counts of a loop on arrays that were filled before.
CacheEpoch after_fill(const CacheConfig& config, int64_t elements,
                      const std::function<void(engine::AccessSink&, const ThreeArrays&)>& loop, bool classify = false) {
  CacheSimulator simulator(config, {.classify = classify});
  const ThreeArrays arrays(elements);
  fill(simulator, arrays);
  simulator.take_epoch("fill");
  loop(simulator, arrays);
  return simulator.take_epoch("loop");
}

struct Row {
  const char* name;
  int64_t elements;
  const char* last_level;
  std::function<void(engine::AccessSink&, const ThreeArrays&)> loop;
  uint64_t d1_read, d1_write, ll_read, ll_write;  // misses
  uint64_t beyond =
      1;  // of d1_read: the return address on the stack, and what a loop with more integers than registers spills there
};

/// D1 to the line; its LL also serves instruction fetches (up to 86 lines).
void expect_like_cachegrind(std::initializer_list<Row> rows) {
  for (const Row& row : rows) {
    CacheConfig config = hierarchy({"32KiB/8/64:lru", row.last_level});
    config.rules.write_backs = false;
    const CacheEpoch epoch = after_fill(config, row.elements, row.loop);
    const profiler::CacheCounts d1 = epoch.total(0), ll = epoch.total(1);
    const double stack_writes = row.beyond > 1 ? 3 : 1;
    EXPECT_EQ(d1.load_misses, row.d1_read - row.beyond) << row.name;
    EXPECT_NEAR(static_cast<double>(d1.store_misses), static_cast<double>(row.d1_write), stack_writes) << row.name;
    EXPECT_NEAR(static_cast<double>(ll.load_misses), static_cast<double>(row.ll_read),
                1 + 0.005 * static_cast<double>(row.ll_read))
        << row.name;
    EXPECT_NEAR(static_cast<double>(ll.store_misses), static_cast<double>(row.ll_write),
                stack_writes + 0.005 * static_cast<double>(row.ll_write))
        << row.name;
  }
}

auto two(void (*loop)(engine::AccessSink&, const ThreeArrays&, int64_t), int64_t n) {
  return [=](engine::AccessSink& s, const ThreeArrays& x) { loop(s, x, n); };
}
auto tiled(int64_t n, int64_t tile) {
  return [=](engine::AccessSink& s, const ThreeArrays& x) { test::tiled(s, x, n, tile); };
}
auto stencil(int64_t n, int64_t rows) {
  return [=](engine::AccessSink& s, const ThreeArrays& x) { test::stencil(s, x, n, rows); };
}

// Source of all rows: valgrind 3.19, cachegrind --cache-sim=yes, volatile float loops at the same addresses, D1 32
// KiB/8.
TEST(CacheAgainst, Cachegrind) {
  expect_like_cachegrind({
      {"ijk 256", 65536, "256KiB/8", two(test::ijk, 256), 16849921, 65536, 627457, 65536},
      {"ikj 256", 65536, "256KiB/8", two(test::ikj, 256), 1056769, 0, 60218, 0},
      {"ijk 250", 62500, "256KiB/8", two(test::ijk, 250), 980876, 3907, 46909, 3907},
      {"ikj 250", 62500, "256KiB/8", two(test::ikj, 250), 984565, 0, 50939, 0},
      {"triad 1M x2", 1000000, "2MiB/16", two(test::triad, 2), 250001, 125000, 250001, 125000},
      {"triad 10k x20", 10000, "256KiB/8", two(test::triad, 20), 25001, 12500, 0, 0},
      {"transpose 512", 262144, "256KiB/8", two(test::transpose, 512), 16385, 262144, 16385, 262144},
      {"transpose 500", 250000, "256KiB/8", two(test::transpose, 500), 15626, 106099, 15626, 16000},
      {"stencil 1000x400", 400000, "256KiB/8", stencil(1000, 400), 25001, 24877, 25001, 24877},
      {"ikj 500", 250000, "2MiB/16", two(test::ikj, 500), 7843751, 0, 28338, 0},
      {"ikj 512", 262144, "2MiB/16", two(test::ikj, 512), 8421377, 0, 30989, 0},
  });
}

TEST(CacheAgainst, CachegrindOnColumnsOf500) {
  expect_like_cachegrind({{"ijk 500", 250000, "2MiB/16", two(test::ijk, 500), 57935729, 250000, 15631, 12706}});
}

TEST(CacheAgainst, CachegrindOnColumnsOf512) {
  expect_like_cachegrind({{"ijk 512", 262144, "2MiB/16", two(test::ijk, 512), 134511617, 262144, 16689, 16384}});
}

TEST(CacheAgainst, CachegrindOnLoopsThatSpill) {
  expect_like_cachegrind({
      {"tiled 256 (32)", 65536, "256KiB/8", tiled(256, 32), 605185, 3, 40946, 3, 20537},
      {"tiled 256 (16)", 65536, "256KiB/8", tiled(256, 16), 135233, 3, 70434, 3, 305},
      {"tiled 256 (64)", 65536, "256KiB/8", tiled(256, 64), 1083421, 3, 24594, 3, 2077},
      {"tiled 250 (32)", 62500, "256KiB/8", tiled(250, 32), 68711, 3, 38715, 3, 112},
      {"tiled 500 (32)", 250000, "2MiB/16", tiled(500, 32), 523003, 3, 28433, 3, 628},
      {"tiled 512 (32)", 262144, "2MiB/16", tiled(512, 32), 8929777, 3, 34870, 3, 16881},
      {"stencil 4000x100", 400000, "256KiB/8", stencil(4000, 100), 73599, 24501, 25001, 24501, 99},
      {"stencil 20000x40", 800000, "256KiB/8", stencil(20000, 40), 142539, 47501, 142539, 47501, 39},
  });
}

// The tiled loop has more live integers than registers, so that cachegrind also counts spills. The same loop as a
// micro-kernel without spills: 585,088 misses at D1, 40,945 at LL.
TEST(CacheAgainst, CachegrindOnTheTiledLoop) {
  CacheConfig config = hierarchy({"32KiB/8/64:lru", "256KiB/8/64:lru"});
  config.rules.write_backs = false;
  const CacheEpoch epoch =
      after_fill(config, 65536, [](engine::AccessSink& s, const ThreeArrays& x) { test::tiled(s, x, 256, 32); });
  EXPECT_EQ(epoch.total(0).misses(), 584648u);
  EXPECT_NEAR(static_cast<double>(epoch.total(0).misses()), 585088, 0.001 * 585088);
  EXPECT_NEAR(static_cast<double>(epoch.total(1).misses()), 40945, 1);
}

// pycachesim: a store that hits never moves its line. With that rule the third level of a triad sees 10,562 hits, with
// true LRU 23,530.
TEST(CacheAgainst, Pycachesim) {
  CacheConfig config = hierarchy({"32KiB/8/64:lru", "256KiB/8/64:lru", "1MiB/16/64:lru"});
  const auto hits = [&] {
    const CacheEpoch epoch =
        after_fill(config, 100000, [](engine::AccessSink& s, const ThreeArrays& x) { test::triad(s, x, 3); });
    const profiler::CacheCounts l3 = epoch.total(2);
    return l3.accesses() - l3.misses();
  };
  EXPECT_EQ(hits(), 23530u);
  config.rules.promote_on_write_hit = false;
  config.rules.fetch_on_write_back = true;
  EXPECT_EQ(hits(), 10562u);
}

TEST(CacheClosedForms, RowsOfAMatrixProduct) {
  // A row of b and of c fit, b as a whole does not: n (n^2 / 16) + 2 n^2 / 16 lines of 16 floats.
  const auto lines = [](int64_t n) {
    return after_fill(hierarchy({"32KiB/8/64:lru"}), n * n,
                      [n](engine::AccessSink& s, const ThreeArrays& x) { test::ikj(s, x, n); })
        .total(0)
        .misses();
  };
  EXPECT_EQ(lines(256), 256u * 4096 + 2 * 4096);
  EXPECT_EQ(lines(512), 512u * 16384 + 2 * 16384);
}

TEST(CacheClosedForms, ColumnsOfAPowerOfTwoConflict) {
  const auto ijk = [](int64_t n) { return [n](engine::AccessSink& s, const ThreeArrays& x) { test::ijk(s, x, n); }; };
  EXPECT_EQ(after_fill(hierarchy({"32KiB/8/64:lru"}), 65536, ijk(256)).total(0).misses(), 16915456u);
  const profiler::CacheCounts c = after_fill(hierarchy({"16KiB/8/64:lru"}), 16384, ijk(128), true).total(0);
  EXPECT_EQ(c.compulsory, 0u);  // all was filled before
  EXPECT_GT(c.conflict, 9 * c.capacity);
  EXPECT_EQ(c.capacity + c.conflict, c.misses());
}

TEST(CacheClosedForms, AStencilReadsOneLineInSixteenPointsWhenThreeRowsFit) {
  const auto loads = [](int64_t n, int64_t rows) {
    return after_fill(hierarchy({"32KiB/8/64:lru"}), n * rows,
                      [=](engine::AccessSink& s, const ThreeArrays& x) { test::stencil(s, x, n, rows); })
        .total(0)
        .load_misses;
  };
  EXPECT_EQ(loads(4000, 100), 3u * 24500);  // three rows of 16 KB do not fit in half of 32 KiB
  EXPECT_EQ(loads(20000, 40), 3u * 47500);  // cachegrind: 142,539, 39 of them its loop's spilled registers
  EXPECT_NEAR(static_cast<double>(loads(1000, 100)), 1000.0 * 100 / 16, 65);
}

// Lines as far apart as a level has sets fall on one of them, and hashed on as many as chance gives; neighbours on all
// alike, either way.
TEST(CacheClosedForms, HashedSetsSpreadWhatALongStrideCrowds) {
  const auto second_pass = [](const char* l2, int64_t lines, int64_t stride) {
    CacheSimulator simulator(hierarchy({"4KiB/8/64:lru", l2}), {});
    for (int pass = 0; pass < 2; ++pass) {
      simulator.take_epoch("");
      simulator.group(lines, {{1 << 20, stride, 0, 4, engine::AccessKind::load}});
    }
    return simulator.take_epoch("again").total(1).misses();
  };
  EXPECT_EQ(second_pass("1MiB/16/64:lru", 256, 65536), 256u);
  EXPECT_EQ(second_pass("1MiB/16/64:lru,hashed", 256, 65536), 0u) << "256 lines on 1024 sets of 16 ways";
  for (const char* l2 : {"1MiB/16/64:lru", "1MiB/16/64:lru,hashed"}) EXPECT_EQ(second_pass(l2, 16384, 64), 0u) << l2;
  EXPECT_EQ(second_pass("1056KiB/11/64:lru,hashed", 15360, 64), 0u)
      << "ten rows of 1536 sets, one of them in two parts that may meet";
}

TEST(CacheClosedForms, AVictimCacheAddsItsSizeToTheLevelAbove) {
  const auto memory_lines = [](const char* l3) {
    const CacheEpoch epoch = after_fill(hierarchy({"32KiB/8/64:lru", "1MiB/16/64:lru", l3}), 200000,
                                        [](engine::AccessSink& s, const ThreeArrays& x) { test::triad(s, x, 4); });
    return epoch.total_memory().read_bytes() / 64;
  };
  EXPECT_EQ(memory_lines("2MiB/16/64:lru"), 88136u);
  EXPECT_EQ(memory_lines("2MiB/16/64:lru,victim"), 0u);
}

}  // namespace
