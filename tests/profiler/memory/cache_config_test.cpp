// SPDX-License-Identifier: Apache-2.0
// Caches as text: what is understood, and how the rest is refused.
#include "profiler/memory/cache_config.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace {

using profiler::CacheConfig;
using profiler::Inclusion;
using profiler::Replacement;

TEST(CacheConfig, ReadsALevel) {
  const auto level = profiler::parse_cache_level("2MiB/16/64:qlru_h11_m1_r0_u0,victim", "L3");
  ASSERT_TRUE(level.ok()) << level.error().message;
  EXPECT_EQ(level->size_bytes, 2 << 20);
  EXPECT_EQ(level->ways, 16);
  EXPECT_EQ(level->sets(), 2048);
  EXPECT_EQ(level->inclusion, Inclusion::victim);
  EXPECT_EQ(level->replacement, Replacement::qlru);
  EXPECT_EQ(profiler::name_of(*level), "qlru_h11_m1_r0_u0");
  EXPECT_EQ(profiler::name_of(*profiler::parse_cache_level("4KiB/4/64:srrip", "L1")), "qlru_h00_m2_r0_u0_umo");
  EXPECT_EQ(profiler::name_of(*profiler::parse_cache_level("4KiB/4/64:mru", "L1")), "mru");
  EXPECT_EQ(profiler::name_of(*profiler::parse_cache_level("4KiB/4/64:mru_n", "L1")), "mru_n");
  EXPECT_EQ(profiler::parse_cache_level("48k/12", "L1")->line_bytes, 64);
  EXPECT_EQ(profiler::parse_cache_level("4KiB/full/64", "L1")->ways, 64);
  const auto words = profiler::parse_cache_level("4KiB/4/64:plru,through,noallocate,nextline", "L1");
  ASSERT_TRUE(words.ok());
  EXPECT_FALSE(words->write_back || words->write_allocate);
  EXPECT_TRUE(words->next_line_prefetch);
  EXPECT_FALSE(words->stride_prefetch);
  EXPECT_TRUE(profiler::parse_cache_level("4KiB/4/64:stride", "L1")->stride_prefetch);
  EXPECT_EQ(profiler::parse_cache_level("4KiB/4/64:sector=16,plru", "L1")->sector_bytes, 16);
  EXPECT_EQ(profiler::parse_cache_level("4KiB/4/64", "L1")->sector_bytes, 0);
  profiler::CacheConfig config;
  config.levels.push_back(*profiler::parse_cache_level("4KiB/4/64:sector=16", "L1"));
  EXPECT_EQ(config.text(), "L1 4 KiB 4-way lru in sectors of 16 B");
  config.levels = {};
  config.levels.push_back(*profiler::parse_cache_level("4KiB/4/64:stride", "L1"));
  EXPECT_NE(config.text().find("stride prefetch"), std::string::npos);
}

TEST(CacheConfig, RefusesWithTheWordInQuestion) {
  const auto message = [](const char* text) {
    const auto level = profiler::parse_cache_level(text, "L1");
    return level.ok() ? std::string("accepted") : level.error().message;
  };
  EXPECT_NE(message("32KiB").find("ways"), std::string::npos);
  EXPECT_NE(message("32XB/8").find("\"32XB\""), std::string::npos);
  EXPECT_NE(message("99999999999GiB/8").find("no size"), std::string::npos);
  EXPECT_NE(message("32KiB/eight").find("\"eight\""), std::string::npos);
  EXPECT_NE(message("32KiB/8/0").find("\"0\""), std::string::npos);
  EXPECT_NE(message("32KiB/8/64:lrv").find("\"lru\""), std::string::npos);
  for (const char* word : {"qlru_h00_m1_r0_u2", "qlru_h00_m1_r2_u3_umo"}) {
    const std::string said = message((std::string("32KiB/8/64:") + word).c_str());
    EXPECT_NE(said.find(word), std::string::npos) << said;
    EXPECT_NE(said.find("may leave none of that age"), std::string::npos) << said;
    EXPECT_EQ(said.find("no word"), std::string::npos) << said;
  }
  EXPECT_NE(message("32KiB/8/64:qlru_h00_m1_r0_u2").find("r0 replaces a line of age 3. u2"), std::string::npos);
  for (const char* word : {"32KiB/8/64:qlru", "32KiB/8/64:qlru_h12_m1_r0_u1", "32KiB/8/64:qlru_h00_m4_r0_u1",
                           "32KiB/8/64:qlru_h00_m1_r3_u1", "32KiB/8/64:qlru_h00_m1_r0_u1_um"})
    EXPECT_NE(message(word).find("write qlru_hXY_mI_rV_uA"), std::string::npos) << message(word);
  EXPECT_NE(message("32KiB/8/64:sector=").find("\"\" is no number of bytes"), std::string::npos);
  EXPECT_NE(message("32KiB/8/64:sector=x").find("\"x\" is no number of bytes"), std::string::npos);
  EXPECT_NE(message("32KiB/8/64:sector").find("no word"), std::string::npos);
  EXPECT_NE(message("").find("32KiB/8/64:lru"), std::string::npos);
}

TEST(CacheConfig, ChecksWhatBelongsTogether) {
  const auto refusal = [](std::initializer_list<const char*> levels) {
    CacheConfig config;
    for (const char* text : levels) {
      const auto level = profiler::parse_cache_level(text, "L" + std::to_string(config.levels.size() + 1));
      if (!level) return level.error().message;
      config.levels.push_back(*level);
    }
    const auto ok = check(config);
    return ok.ok() ? std::string() : ok.error().message;
  };
  EXPECT_EQ(refusal({"32KiB/8/64:plru", "1MiB/16/64:lru,inclusive"}), "");
  EXPECT_NE(refusal({}), "");
  EXPECT_NE(refusal({"32KiB/8/64", "1MiB/16/128"}).find("128"), std::string::npos);
  EXPECT_NE(refusal({"100/8/64"}).find("100"), std::string::npos);
  EXPECT_NE(refusal({"32KiB/7/64"}).find("7 ways"), std::string::npos);
  EXPECT_NE(refusal({"48KiB/12/64:plru"}).find("power of two"), std::string::npos);
  EXPECT_NE(refusal({"32KiB/8/60"}).find("60"), std::string::npos);
  EXPECT_NE(refusal({"32KiB/8/64:victim"}).find("above"), std::string::npos);
  EXPECT_NE(refusal({"32KiB/8/64:hashed"}).find("further levels"), std::string::npos);
  EXPECT_EQ(refusal({"32KiB/8/64", "1MiB/16/64:hashed"}), "");
  EXPECT_EQ(refusal({"32KiB/8/64:sector=16", "1MiB/16/64:lru"}), "");
  EXPECT_NE(refusal({"32KiB/8/64:sector=64"}).find("sectors of 64 bytes in a line of 64"), std::string::npos);
  EXPECT_NE(refusal({"32KiB/8/64:sector=2"}).find("sectors of 2 bytes"), std::string::npos);
  EXPECT_NE(refusal({"32KiB/8/64:sector=24"}).find("sectors of 24 bytes"), std::string::npos);
  EXPECT_NE(refusal({"32KiB/8/1024:sector=8"}).find("at most 64 per line"), std::string::npos);
  EXPECT_NE(refusal({"32KiB/8/64:sector=16", "1MiB/16/64:sector=32"}).find("where L2 has 32"), std::string::npos);
  EXPECT_NE(refusal({"32KiB/8/64:sector=16", "1MiB/16/64:inclusive"}).find("where L2 is inclusive"), std::string::npos);
  EXPECT_NE(refusal({"32KiB/8/64:nextline,sector=16"}).find("prefetches"), std::string::npos);
  EXPECT_NE(refusal({"32KiB/8/64:noallocate,sector=16"}).find("write-allocate"), std::string::npos);
  EXPECT_NE(refusal({"8GiB/8/64"}).find("lines"), std::string::npos);
  EXPECT_NE(refusal({"8GiB/full/64"}).find("lines"), std::string::npos);
  EXPECT_NE(refusal({"1k/4", "2k/4", "4k/4", "8k/4", "16k/4", "32k/4", "64k/4"}).find("7 levels"), std::string::npos);
}

TEST(CacheConfig, RefusesTwoWordsThatSettleTheSame) {
  const auto refusal = [](const char* text) {
    const auto level = profiler::parse_cache_level(text, "L1");
    return level.ok() ? std::string() : level.error().message;
  };
  for (const auto& [text, one, other] :
       {std::tuple("32KiB/8/64:lru,fifo", "\"lru\"", "\"fifo\""),
        std::tuple("32KiB/8/64:plru,nextline,qlru_h00_m1_r0_u1", "\"plru\"", "\"qlru_h00_m1_r0_u1\""),
        std::tuple("32KiB/8/64:mru,srrip", "\"mru\"", "\"srrip\""),
        std::tuple("32KiB/8/64:inclusive,victim", "\"inclusive\"", "\"victim\""),
        std::tuple("32KiB/8/64:sector=16,sector=32", "\"sector=16\"", "\"sector=32\"")}) {
    EXPECT_NE(refusal(text).find(one), std::string::npos) << refusal(text);
    EXPECT_NE(refusal(text).find(other), std::string::npos) << refusal(text);
  }
  EXPECT_EQ(refusal("32KiB/8/64:lru,inclusive,nextline,stride"), "");
}

TEST(CacheConfig, TakesTheMachinesOwn) {
  profiler::Machine machine;
  EXPECT_FALSE(profiler::cache_config_of(machine).ok());
  machine.info.caches = {{"L1d", 48 << 10, 64, 12, 1}, {"L2", 2 << 20, 64, 16, 1}, {"L3", 480 << 20, 64, 15, 48}};
  const auto claimed = profiler::cache_config_of(machine);
  ASSERT_TRUE(claimed.ok()) << claimed.error().message;
  EXPECT_EQ(claimed->levels[0].replacement, Replacement::lru3plru4);
  EXPECT_EQ(claimed->levels[2].size_bytes, 480 << 20);
  machine.levels.resize(4);
  machine.levels[1].effective_size_bytes = 3 << 19;  // softer than claimed, but no lie: stays
  machine.levels[2].effective_size_bytes = 30 << 20;
  const auto seen = profiler::cache_config_of(machine);
  EXPECT_EQ(seen->levels[1].size_bytes, 2 << 20);
  EXPECT_EQ(seen->levels[2].size_bytes, 30 << 20);
  // A neighbour on the same core takes ways: the sets stay.
  machine.levels[0].effective_size_bytes = 20 << 10;
  const auto shared = profiler::cache_config_of(machine);
  EXPECT_EQ(shared->levels[0].ways, 5);
  EXPECT_EQ(shared->levels[0].size_bytes, 20 << 10);
}

TEST(CacheConfig, ComesAsCloseToAProbedSizeAsSetsAndWaysAllow) {
  constexpr int64_t kKiB = 1024, kMiB = 1024 * kKiB;
  for (const engine::CacheLevel& cache : {engine::CacheLevel{"L3", 32 * kMiB, 64, 16, 2},
                                          {"L3", 480 * kMiB, 64, 15, 48},
                                          {"L2", kMiB, 64, 16, 1},
                                          {"L3", 36 * kMiB, 64, 12, 8},
                                          {"L3", 30 * kMiB, 64, 20, 8},
                                          {"L2", 512 * kKiB, 64, 8, 1},
                                          {"L1d", 64 * kKiB, 64, 4, 1},
                                          {"L1d", 64 * kKiB, 128, 2, 1},
                                          {"L3", 8 * kMiB, 64, 0, 4}}) {
    const int ways = cache.ways > 0 ? cache.ways : 16;
    int64_t sizes = 0;
    for (int64_t size = int64_t{cache.line_bytes} * ways; size <= cache.size_bytes;
         size += std::max<int64_t>(cache.line_bytes, size / 97)) {
      const profiler::CacheGeometry g = profiler::closest_geometry(size, cache);
      const double held = static_cast<double>(g.sets * g.ways * cache.line_bytes),
                   wanted = static_cast<double>(size / cache.line_bytes * cache.line_bytes);
      EXPECT_LE(std::abs(held - wanted), wanted / ways)
          << size << " of " << cache.size_bytes << " in " << ways << " ways: " << g.sets << " x " << g.ways;
      EXPECT_TRUE(std::has_single_bit(static_cast<uint64_t>(g.sets)));
      EXPECT_LE(g.ways, ways);
      EXPECT_GE(g.ways, std::min(4, ways / 2));
      ++sizes;
    }
    EXPECT_GT(sizes, 100);
    const profiler::CacheGeometry whole = profiler::closest_geometry(cache.size_bytes, cache);
    EXPECT_EQ(whole.sets * whole.ways * cache.line_bytes, cache.size_bytes);
  }
  const profiler::CacheGeometry own = profiler::closest_geometry(32 * kMiB, {"L3", 32 * kMiB, 64, 16, 2});
  EXPECT_EQ(own.ways, 16) << "what a cache says of itself is taken as it is";
  EXPECT_EQ(own.sets, 32768);
}

TEST(CacheConfig, SaysWhichSizeIsSimulatedInPlaceOfTheProbedOne) {
  profiler::Machine machine;
  machine.info.caches = {{"L1d", 48 << 10, 64, 12, 1}, {"L2", 2 << 20, 64, 16, 1}, {"L3", 32 << 20, 64, 16, 2}};
  machine.levels.resize(4);
  machine.levels[2].effective_size_bytes = 8'199'864;  // 7.82 MiB
  const auto config = profiler::cache_config_of(machine);
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->levels[2].size_bytes, 8 << 20);
  EXPECT_EQ(config->levels[2].ways, 4);
  EXPECT_EQ(config->sizes_note,
            "L3: 8 MiB simulated, in 32768 sets of 4 ways, where the probe saw 7.82 MiB (the system claims 32 MiB)");
  machine.levels[2].effective_size_bytes = 8 << 20;
  EXPECT_EQ(profiler::cache_config_of(machine)->sizes_note, "");
}

}  // namespace
