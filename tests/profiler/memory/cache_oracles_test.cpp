// SPDX-License-Identifier: Apache-2.0
// The simulator against others' programs, on references made here: Dinero IV, nanoBench's policies, libCacheSim,
// pycachesim, Haystack. Their figures were taken by running them (sources and commits below) on the same references;
// nothing of theirs is kept here.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cache_streams.h"
#include "profiler/memory/cache_simulator.h"

namespace {

using profiler::CacheConfig;
using profiler::CacheCounts;
using profiler::CacheEpoch;
using profiler::CacheSimulator;

/// Knuth's generator: the figures below belong to these numbers.
struct Numbers {
  uint64_t state;
  uint64_t next() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 33;
  }
};

CacheConfig hierarchy(const std::vector<std::string>& levels) {
  CacheConfig config;
  for (const std::string& text : levels) {
    const auto level = profiler::parse_cache_level(text, fmt::format("L{}", config.levels.size() + 1));
    EXPECT_TRUE(level.ok()) << level.error().message;
    config.levels.push_back(*level);
  }
  EXPECT_TRUE(check(config).ok()) << check(config).error().message;
  return config;
}

/// 60,000 loads, stores and fetches (counted as loads) of 1 to 8 bytes, 5,428 of them across a boundary of 16 bytes: a
/// walk, a hot spot, random places, code with jumps.
void feed_mixed(engine::AccessSink& sink) {
  Numbers numbers{1};
  uint64_t walk = 0, code = 0;
  for (int i = 0; i < 60000; ++i) {
    const uint64_t kind = numbers.next() % 10, where = numbers.next() % 4, a = numbers.next();
    auto bytes = static_cast<uint16_t>(1 << (numbers.next() % 4));
    uint64_t address = 0;
    if (kind >= 7) {
      code = a % 16 != 0 ? (code + 4) % 3000 : (a >> 4) % 3000;
      address = 0x40000 + code / 4 * 4, bytes = 4;
    } else if (where == 0) {
      address = 0x10000 + (walk = (walk + 8) % 40960);
    } else {
      address = where == 1 ? 0x20000 + a % 2048 : 0x10000 + a % 65536;
    }
    sink.group(1,
               {{address, 0, 0, bytes, kind == 5 || kind == 6 ? engine::AccessKind::store : engine::AccessKind::load}});
  }
}

struct DineroRow {
  const char *what, *level;
  uint64_t accesses, load_misses, store_misses, bytes_read, bytes_written;
};

// Source: Dinero IV (atos-tools/dineroIV @cb3724c), options -l1-ufetch d -informat D, other options as `level` says;
// load misses: instrn + read.
TEST(CacheAgainst, DineroOnOneLevel) {
  const DineroRow rows[] = {
      {"direct mapped, lines of 4 bytes", "8KiB/1/4:lru", 84299, 11975 + 38777, 15822, 246840, 71808},
      {"4 ways", "8KiB/4/16:lru", 65428, 3832 + 21907, 9004, 555888, 185680},
      {"fully associative", "8KiB/full/16:lru", 65428, 3780 + 22038, 9038, 557696, 186096},
      {"larger than all data", "8MiB/8/16:lru", 65428, 188 + 3010, 1211, 70544, 61216},
      {"FIFO", "8KiB/4/16:fifo", 65428, 3921 + 22709, 9348, 575648, 193760},
      {"tree-PLRU", "8KiB/8/64:plru", 61333, 1797 + 16962, 6923, 1643648, 579584},
      {"write-through", "8KiB/4/16:lru,through", 65428, 3832 + 21907, 9004, 555888, 45730},
      {"no write-allocate", "8KiB/4/16:lru,noallocate", 65428, 3441 + 22952, 9376, 422288, 78726},
      {"neither", "8KiB/4/16:lru,through,noallocate", 65428, 3441 + 22952, 9376, 422288, 45730},
  };
  for (const DineroRow& row : rows) {
    SCOPED_TRACE(row.what);
    CacheConfig config = hierarchy({row.level});
    config.rules.full_line_store_fetches = false;
    CacheSimulator simulator(config, {});
    feed_mixed(simulator);
    simulator.flush();
    const CacheEpoch epoch = simulator.take_epoch("all");
    const CacheCounts c = epoch.total(0);
    EXPECT_EQ(c.accesses(), row.accesses);
    EXPECT_EQ(c.load_misses, row.load_misses);
    EXPECT_EQ(c.store_misses, row.store_misses);
    EXPECT_EQ(epoch.total_memory().read_bytes(), row.bytes_read);
    EXPECT_EQ(epoch.total_memory().all_written_bytes(), row.bytes_written);
  }
}

// Source: the same with -l1-uccc.
TEST(CacheAgainst, DineroOnCausesOfMisses) {
  CacheSimulator simulator(hierarchy({"8KiB/4/16:lru"}), {.classify = true});
  feed_mixed(simulator);
  const CacheCounts c = simulator.take_epoch("all").total(0);
  EXPECT_EQ(c.compulsory, 4409u);
  EXPECT_EQ(c.capacity, 28821u);
  EXPECT_EQ(c.conflict, 1513u);
}

// Source: the same with -l1-urepl f: the fully associative cache of Dinero's replaces as the level does. By Hill's
// definition it is LRU.
TEST(CacheAgainst, DineroOnCausesOfMissesOfFifo) {
  CacheConfig config = hierarchy({"8KiB/4/16:fifo"});
  const auto causes = [&] {
    CacheSimulator simulator(config, {.classify = true});
    feed_mixed(simulator);
    return simulator.take_epoch("all").total(0);
  };
  const CacheCounts hill = causes();
  config.rules.causes_by_own_policy = true;
  const CacheCounts c = causes();
  EXPECT_EQ(c.compulsory, 4409u);
  EXPECT_EQ(c.capacity, 29487u);
  EXPECT_EQ(c.conflict, 2082u);
  EXPECT_EQ(hill.compulsory, 4409u);
  EXPECT_GT(hill.conflict, c.conflict) << "what FIFO loses against LRU is not the lack of room";
  EXPECT_EQ(hill.misses(), c.misses());
}

// Source: the same with records m (every seventh place, where it is a load), c and v in between, each for
// the block at its address, and one of each for all lines.
TEST(CacheAgainst, DineroOnMiscellaneousRecordsCopyBacksAndInvalidations) {
  CacheSimulator simulator(hierarchy({"8KiB/4/16:lru"}), {});
  struct Ordered : engine::AccessSink {
    explicit Ordered(CacheSimulator& to) : simulator(to) {}
    void group(int64_t iterations, std::span<const engine::AccessStream> streams) override {
      simulator.group(iterations, streams);
      const uint64_t address = streams.front().address;
      if (i % 100 == 50) simulator.copy_back(address, 1);
      if (i % 150 == 75) simulator.invalidate(address + 16, 1);
      if (i == 30000) simulator.copy_back(0, 0);
      if (i == 40000) simulator.invalidate(0, 0);
      ++i;
    }
    CacheSimulator& simulator;
    int i = 0;
  } ordered(simulator);
  feed_mixed(ordered);
  simulator.flush();
  const CacheEpoch epoch = simulator.take_epoch("all");
  EXPECT_EQ(epoch.total(0).accesses(), 65428u);
  EXPECT_EQ(epoch.total(0).load_misses, 3878u + 18901 + 3075);
  EXPECT_EQ(epoch.total(0).store_misses, 9034u);
  EXPECT_EQ(epoch.total_memory().read_bytes(), 558208u);
  EXPECT_EQ(epoch.total_memory().written_bytes, 182848u);
}

struct SectorRow {
  const char *what, *level;
  uint64_t accesses, load_misses, store_misses, line_misses, bytes_read, bytes_written;
};

// Source: the same with -l1-usbsize, sub-blocks; line misses: its demand block misses.
TEST(CacheAgainst, DineroOnSubBlocks) {
  const SectorRow rows[] = {
      {"direct mapped, lines of 8 bytes", "8KiB/1/8:lru,sector=4", 70896, 13692 + 32833, 13449, 49893, 274064, 73088},
      {"direct mapped", "8KiB/1/64:lru,sector=16", 61333, 5312 + 24396, 10059, 28135, 698208, 206016},
      {"4 ways", "8KiB/4/64:lru,sector=16", 61333, 4747 + 22884, 9420, 25517, 650528, 200016},
      {"4 ways, 16 sectors", "8KiB/4/64:lru,sector=4", 61333, 16251 + 29039, 11869, 25517, 300988, 75016},
      {"FIFO", "8KiB/4/64:fifo,sector=16", 61333, 4869 + 24306, 9988, 26812, 688544, 206016},
      {"tree-PLRU", "8KiB/8/32:plru,sector=8", 62751, 7942 + 27496, 11229, 28725, 422168, 115160},
      {"fully associative", "8KiB/full/64:lru,sector=16", 61333, 4754 + 22931, 9437, 25574, 651552, 200080},
      {"larger than all data", "8MiB/8/64:lru,sector=16", 61333, 188 + 2856, 1132, 1104, 75216, 61216},
      {"write-through", "8KiB/4/64:lru,sector=16,through", 61333, 4747 + 22884, 9420, 25517, 650528, 45730},
  };
  for (const SectorRow& row : rows) {
    SCOPED_TRACE(row.what);
    CacheConfig config = hierarchy({row.level});
    config.rules.full_line_store_fetches = false;
    config.rules.held_sectors_fetched = true;
    CacheSimulator simulator(config, {});
    feed_mixed(simulator);
    simulator.flush();
    const CacheEpoch epoch = simulator.take_epoch("all");
    const CacheCounts c = epoch.total(0);
    EXPECT_EQ(c.accesses(), row.accesses);
    EXPECT_EQ(c.load_misses, row.load_misses);
    EXPECT_EQ(c.store_misses, row.store_misses);
    EXPECT_EQ(c.misses() - c.sector_misses, row.line_misses);
    EXPECT_EQ(c.fetched_bytes(config.levels[0]), row.bytes_read);
    EXPECT_EQ(epoch.total_memory().read_bytes(), row.bytes_read);
    EXPECT_EQ(epoch.total_memory().all_written_bytes(), row.bytes_written);
  }
}

// Source: the same with -l1-uccc.
TEST(CacheAgainst, DineroOnCausesOfMissesOfSubBlocks) {
  const auto causes = [](const char* level) {
    CacheSimulator simulator(hierarchy({level}), {.classify = true});
    feed_mixed(simulator);
    const CacheCounts c = simulator.take_epoch("all").total(0);
    return std::array<uint64_t, 3>{c.compulsory, c.capacity, c.conflict};
  };
  EXPECT_EQ(causes("8KiB/4/64:lru,sector=16"), (std::array<uint64_t, 3>{4176, 31723, 1152}));
  EXPECT_EQ(causes("8KiB/1/8:lru,sector=4"), (std::array<uint64_t, 3>{14431, 38962, 6581}));
}

// Source: the same with two unified levels in sub-blocks, 4 KiB/8 and 16 KiB/16; then the loads of DineroOnThreeLevels.
// Its write-backs to the second level are counted by bunch of neighbouring sub-blocks, ours by line.
TEST(CacheAgainst, DineroOnTwoLevelsOfSubBlocks) {
  CacheConfig config = hierarchy({"4KiB/8/64:lru,sector=16", "16KiB/16/64:lru,sector=16"});
  config.rules.full_line_store_fetches = false;
  config.rules.held_sectors_fetched = true;
  CacheSimulator simulator(config, {});
  feed_mixed(simulator);
  simulator.group(2048, {{0x80000, 64, 0, 4, engine::AccessKind::load}});
  const CacheEpoch epoch = simulator.take_epoch("all");
  EXPECT_EQ(epoch.total(0).load_misses, 5062u + 27418);
  EXPECT_EQ(epoch.total(0).store_misses, 10403u);
  EXPECT_EQ(epoch.total(0).misses() - epoch.total(0).sector_misses, 32134u);
  EXPECT_EQ(epoch.total(0).fetched_bytes(config.levels[0]), 749504u);
  EXPECT_EQ(epoch.total(1).misses(), 4027u + 28896);
  EXPECT_EQ(epoch.total(1).misses() - epoch.total(1).sector_misses, 22575u);
  EXPECT_EQ(epoch.total_memory().read_bytes(), 572480u);
  EXPECT_EQ(epoch.total_memory().written_bytes, 171296u);
}

// Source: the same with three unified levels, 4 KiB/8, 16 KiB/16 and 33 KiB/11 in lines of 64 bytes; then 2,048 loads
// of other lines, that nothing dirty is left to flush.
TEST(CacheAgainst, DineroOnThreeLevels) {
  CacheConfig config = hierarchy({"4KiB/8/64:lru", "16KiB/16/64:lru", "33KiB/11/64:lru"});
  config.rules.full_line_store_fetches = false;
  CacheSimulator simulator(config, {});
  feed_mixed(simulator);
  simulator.group(2048, {{0x80000, 64, 0, 4, engine::AccessKind::load}});
  const CacheEpoch epoch = simulator.take_epoch("all");
  EXPECT_EQ(epoch.total(0).load_misses, 1988u + 21959);
  EXPECT_EQ(epoch.total(0).store_misses, 8187u);
  EXPECT_EQ(epoch.total(1).misses(), 1441u + 21179);
  EXPECT_EQ(epoch.total(1).write_backs, 10017u);  // Dinero's demand writes
  EXPECT_EQ(epoch.total(1).write_back_misses, 17u);
  EXPECT_EQ(epoch.total(2).misses(), 784u + 14495);
  EXPECT_EQ(epoch.total(2).write_backs, 7419u);
  EXPECT_EQ(epoch.total(2).write_back_misses, 784u);
  EXPECT_EQ(epoch.total_memory().read_bytes(), 977856u);
  EXPECT_EQ(epoch.total_memory().written_bytes, 391616u);
}

uint64_t hashed(uint64_t hash, uint64_t value) { return (hash ^ value) * 1099511628211u; }
constexpr uint64_t kHashStart = 14695981039346656037u;

/// Blocks for one set: now 1.1, now 1.5, now 2 times as many as it has ways.
uint64_t next_block(Numbers& numbers, int ways, int i) {
  constexpr int kTenths[] = {11, 15, 20};
  return numbers.next() % static_cast<uint64_t>(ways * kTenths[i / 100 % 3] / 10);
}

struct PolicyRow {
  const char* policy;
  int ways;
  uint64_t misses, hash;  // of 3,000 accesses; the hash goes over each one's 0 (miss) or 1 (hit)
};

// Source: andreas-abel/nanoBench @36c077f, tools/CacheAnalyzer/cacheSim.py, its class of that name (LRU_PLRU4 for
// lru3plru4; PLRUl for plru: empty ways are filled from the left, as Dinero IV does).
TEST(CacheAgainst, NanoBenchAccessByAccess) {
  const PolicyRow rows[] = {
      {"lru", 4, 884, 0x5cd0738bff9cdd49},
      {"lru", 8, 887, 0x17c850b0b5d9c91c},
      {"lru", 12, 956, 0x985a81b71076edb9},
      {"lru", 16, 989, 0xc85a6837cd89d44e},
      {"fifo", 4, 888, 0x86591be5ce977227},
      {"fifo", 8, 904, 0x40a61ccd4a25a4d9},
      {"fifo", 16, 995, 0x8b1a124d77421640},
      {"plru", 4, 887, 0xdd6bd7ee5e7c96ea},
      {"plru", 8, 895, 0x275cf858309c8a12},
      {"plru", 16, 1037, 0x7b390faf6734f9b2},
      {"lru3plru4", 4, 887, 0xdd6bd7ee5e7c96ea},
      {"lru3plru4", 8, 895, 0x275cf858309c8a12},
      {"lru3plru4", 12, 985, 0x9d19850b95c2ca50},
      {"lru3plru4", 16, 1025, 0xc1441721cac18dc8},
      {"qlru_h11_m1_r0_u0", 4, 887, 0xa8640f552aeba02a},
      {"qlru_h11_m1_r0_u0", 16, 999, 0xe1798c0b83128c68},
      {"qlru_h21_m2_r0_u0_umo", 8, 915, 0x2982177938ec7a5e},
      {"qlru_h21_m2_r0_u0_umo", 16, 1035, 0xd18b1d5a72c7be8c},
      {"qlru_h11_m1_r1_u2", 8, 884, 0xa716747a5252f2cf},
      {"qlru_h11_m1_r1_u2", 12, 944, 0x59f44053a255c2f3},
      {"qlru_h00_m1_r2_u1", 4, 894, 0xd0151d25f2fe8035},
      {"qlru_h00_m1_r2_u1", 16, 1006, 0xf6bc1caf74592aa5},
      {"qlru_h00_m1_r0_u1", 8, 895, 0xd1e8ff6650e2df66},
      {"qlru_h00_m1_r0_u1", 16, 1010, 0x8c4daf086fe061ed},
      {"qlru_h00_m2_r0_u0_umo", 8, 900, 0x335a0dd62f809661},
      {"qlru_h00_m2_r0_u0_umo", 16, 1009, 0x8a05264418cbd67a},
      {"srrip", 8, 900, 0x335a0dd62f809661},
      {"srrip", 12, 958, 0x60bfd3b0da57d1d3},
      {"mru", 4, 890, 0x16ff976c7d333a1f},
      {"mru", 8, 880, 0xa8c16da57b1a4233},
      {"mru", 12, 982, 0x5fc462c63fefaaaf},
      {"mru_n", 16, 989, 0x03e9d26333444fbe},
  };
  for (const PolicyRow& row : rows) {
    SCOPED_TRACE(fmt::format("{} {} ways", row.policy, row.ways));
    CacheSimulator simulator(hierarchy({fmt::format("{}/{}/64:{}", row.ways * 64, row.ways, row.policy)}), {});
    Numbers numbers{static_cast<uint64_t>(row.ways)};
    uint64_t hash = kHashStart, misses = 0;
    for (int i = 0; i < 3000; ++i) {
      simulator.group(1, {{next_block(numbers, row.ways, i) * 64, 0, 0, 4, engine::AccessKind::load}});
      const uint64_t missed = simulator.take_epoch("one").total(0).misses();
      misses += missed;
      hash = hashed(hash, 1 - missed);
    }
    EXPECT_EQ(misses, row.misses);
    EXPECT_EQ(hash, row.hash);
  }
}

// Source: the same, MRU and MRU_N in 50 sets that are empty at first: they differ while a set fills. 5 accesses per way
// to twice as many blocks.
TEST(CacheAgainst, NanoBenchOnMruWhileSetsFill) {
  const PolicyRow rows[] = {
      {"mru", 4, 586, 0x5780fa927c2d64ed},     {"mru", 8, 1158, 0xc0b3e8baade086b5},
      {"mru", 12, 1693, 0x79001df8585be544},   {"mru", 16, 2298, 0x94c4d652c8db897d},
      {"mru_n", 4, 573, 0x42453a454954a0cc},   {"mru_n", 8, 1154, 0x5f1288d27c2fad2b},
      {"mru_n", 12, 1691, 0xc6bb163214df70c6}, {"mru_n", 16, 2302, 0xd5513b0616106fe3},
  };
  for (const PolicyRow& row : rows) {
    SCOPED_TRACE(fmt::format("{} {} ways", row.policy, row.ways));
    Numbers numbers{static_cast<uint64_t>(row.ways)};
    uint64_t hash = kHashStart, misses = 0;
    for (int set = 0; set < 50; ++set) {
      CacheSimulator simulator(hierarchy({fmt::format("{}/{}/64:{}", row.ways * 64, row.ways, row.policy)}), {});
      for (int i = 0; i < 5 * row.ways; ++i) {
        simulator.group(
            1, {{numbers.next() % static_cast<uint64_t>(2 * row.ways) * 64, 0, 0, 4, engine::AccessKind::load}});
        const uint64_t missed = simulator.take_epoch("one").total(0).misses();
        misses += missed;
        hash = hashed(hash, 1 - missed);
      }
    }
    EXPECT_EQ(misses, row.misses);
    EXPECT_EQ(hash, row.hash);
  }
}

// Source: the same, all 320 policies of AllDetQLRUVariants in the order of their names; the hash goes over the misses
// of 600 accesses.
TEST(CacheAgainst, NanoBenchOnEveryQlruPolicy) {
  const std::pair<int, uint64_t> wanted[] = {
      {4, 0xbe7f1c64185202c3}, {8, 0xed96cde891b22243}, {16, 0x52ebb54e0fd1c459}};
  for (const auto& [ways, hash_wanted] : wanted) {
    uint64_t hash = kHashStart;
    int policies = 0;
    for (const char* hit : {"00", "10", "11", "20", "21"}) {
      for (int rest = 0; rest < 4 * 3 * 4 * 2; ++rest) {
        const int insert = rest / 24, replace = rest / 8 % 3, update = rest / 2 % 4;
        if (replace != 1 && update >= 2) continue;  // finds no victim
        CacheSimulator simulator(hierarchy({fmt::format("{}/{}/64:qlru_h{}_m{}_r{}_u{}{}", ways * 64, ways, hit, insert,
                                                        replace, update, rest % 2 == 0 ? "" : "_umo")}),
                                 {});
        Numbers numbers{static_cast<uint64_t>(ways)};
        for (int i = 0; i < 600; ++i)
          simulator.group(1, {{next_block(numbers, ways, i) * 64, 0, 0, 4, engine::AccessKind::load}});
        hash = hashed(hash, simulator.take_epoch("all").total(0).misses());
        ++policies;
      }
    }
    EXPECT_EQ(policies, 320);
    EXPECT_EQ(hash, hash_wanted) << ways;
  }
}

// Source: libCacheSim 0.3.5 (its Python package), LRU of objects of size 1, one cache per size.
TEST(CacheAgainst, LibCacheSimAtTenSizesAtOnce) {
  Numbers numbers{5};
  profiler::StackDistance distances;
  for (int i = 0; i < 50000; ++i) {
    const uint64_t a = numbers.next(), kind = numbers.next() % 8;
    distances.touch(static_cast<uint32_t>(kind < 3 ? a % 20 : kind < 6 ? a % 300 : a % 5000));
  }
  EXPECT_EQ(distances.lines(), 4552u);
  const std::pair<uint64_t, uint64_t> wanted[] = {{1, 49555},  {2, 49170},  {4, 48350},   {8, 46761},    {16, 43745},
                                                  {20, 42388}, {64, 31870}, {300, 20033}, {1000, 10603}, {4000, 4827}};
  for (const auto& [lines, misses] : wanted) EXPECT_EQ(distances.misses(lines), misses) << lines;
}

struct PycachesimRow {
  const char* name;
  std::vector<std::string> levels;
  int64_t elements;
  void (*loop)(engine::AccessSink&, const test::ThreeArrays&);
  uint64_t l1_misses, l1_write_backs, l2_misses, l2_write_backs, l3_hits, memory_reads, memory_writes;  // lines
};

// Source: pycachesim 0.3.1 (RRZE-HPC), three LRU levels, arrays stored to first; write-backs: its EVICT, hits: its HIT.
TEST(CacheAgainst, PycachesimOnSevenCountersOfThreeStreams) {
  const PycachesimRow rows[] = {
      {"ikj 128",
       {"4KiB/4/64", "16KiB/8/64", "64KiB/16/64"},
       128 * 128,
       [](engine::AccessSink& s, const test::ThreeArrays& x) { test::ikj(s, x, 128); },
       133120,
       1080,
       134136,
       1272,
       96767,
       37369,
       2032},
      {"transpose 300",
       {"8KiB/8/64", "32KiB/8/64", "128KiB/16/64"},
       300 * 300,
       [](engine::AccessSink& s, const test::ThreeArrays& x) { test::transpose(s, x, 300); },
       95625,
       90008,
       11475,
       5985,
       0,
       11475,
       6892},
      {"triad 100000 x3",
       {"32KiB/8/64", "256KiB/8/64", "1MiB/16/64"},
       100000,
       [](engine::AccessSink& s, const test::ThreeArrays& x) { test::triad(s, x, 3); },
       56250,
       19134,
       56250,
       21566,
       10562,
       45688,
       24104},
  };
  for (const PycachesimRow& row : rows) {
    SCOPED_TRACE(row.name);
    CacheConfig config = hierarchy(row.levels);
    config.rules.promote_on_write_hit = false;
    config.rules.fetch_on_write_back = true;
    CacheSimulator simulator(config, {});
    const test::ThreeArrays arrays(row.elements);
    test::fill(simulator, arrays);
    simulator.take_epoch("fill");
    row.loop(simulator, arrays);
    const CacheEpoch epoch = simulator.take_epoch("loop");
    EXPECT_EQ(epoch.total(0).misses(), row.l1_misses);
    EXPECT_EQ(epoch.total(1).write_backs, row.l1_write_backs);
    EXPECT_EQ(epoch.total(1).misses() + epoch.total(1).write_back_misses, row.l2_misses);
    EXPECT_EQ(epoch.total(2).write_backs, row.l2_write_backs);
    EXPECT_EQ(epoch.total(2).accesses() - epoch.total(2).misses(), row.l3_hits);
    EXPECT_EQ(epoch.total_memory().read_bytes() / 64, row.memory_reads);
    EXPECT_EQ(epoch.total_memory().written_bytes / 64, row.memory_writes);
  }
}

// Source: spcl/haystack @0753e07, README.md, on its examples/gemm.c with D = 1024: compulsory 3 D^2 / 16 = 196,608;
// capacity, at 512 and at 8192 lines, D^3 / 16 - D^2 / 16 = 67,043,328; 4 D^3 + 2 D^2 = 4,297,064,448 accesses. Here D
// = 96 in caches that hold b, and do not; the full size is `tensortide_benchmarks cache`.
TEST(CacheAgainst, HaystackOnItsMatrixProduct) {
  const auto d = int64_t{96};
  CacheSimulator simulator(hierarchy({"32KiB/full/64"}), {.classify = true});
  test::haystack_gemm(simulator, d);
  const auto lines = static_cast<uint64_t>(d * d / 16);
  const profiler::StackDistance& distances = *simulator.distances();
  EXPECT_EQ(distances.accesses(), static_cast<uint64_t>(4 * d * d * d + 2 * d * d));
  EXPECT_EQ(distances.first_uses(), 3 * lines);
  EXPECT_EQ(distances.misses(512) - distances.first_uses(), lines * static_cast<uint64_t>(d) - lines);
  EXPECT_EQ(distances.misses(1024) - distances.first_uses(), 0u);
}

// Every access by columns misses where rows are a power of two apart: 134,217,728 of them in all 512 rows, a
// sixty-fourth in eight.
TEST(CacheClosedForms, EveryAccessToAColumnOfAPowerOfTwoMisses) {
  CacheSimulator simulator(hierarchy({"32KiB/8/64"}), {.tensors = 1});
  const int64_t n = 512;
  const test::ThreeArrays x(n * n);
  for (int64_t i = 0; i < 8; ++i) {
    for (int64_t j = 0; j < n; ++j) simulator.group(n, {test::load(x.b + static_cast<uint64_t>(j) * 4, n * 4)});
  }
  EXPECT_EQ(simulator.take_epoch("columns").total(0).load_misses, 134217728u / 64);
}

// A pass over a arrays of n elements moves a n / 16 lines.
TEST(CacheClosedForms, AStreamMovesOneLineInSixteenElementsOfEachArray) {
  CacheSimulator simulator(hierarchy({"32KiB/8/64", "256KiB/8/64"}), {});
  const test::ThreeArrays x(int64_t{1} << 20);
  test::triad(simulator, x, 2);
  const CacheEpoch epoch = simulator.take_epoch("two passes");
  for (const size_t level : {0, 1}) EXPECT_EQ(epoch.total(level).misses(), 2u * 3 * (1 << 20) / 16);
}

}  // namespace
