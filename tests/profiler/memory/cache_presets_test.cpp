// SPDX-License-Identifier: Apache-2.0
// Known processors: their figures, and that each of them can be simulated.
#include "profiler/memory/cache_presets.h"

#include <gtest/gtest.h>

#include <set>

#include "profiler/memory/cache_simulator.h"

namespace {

using profiler::CacheConfig;
using profiler::Inclusion;

TEST(CachePresets, EachIsAHierarchyThatSimulates) {
  std::set<std::string_view> names;
  for (const profiler::CachePreset& preset : profiler::cache_presets()) {
    SCOPED_TRACE(preset.name);
    EXPECT_TRUE(names.insert(preset.name).second);
    const CacheConfig config = config_of(preset);
    ASSERT_TRUE(check(config).ok()) << check(config).error().message;
    ASSERT_EQ(config.levels.size(), 3u);
    for (size_t l = 1; l < 3; ++l) EXPECT_GT(config.levels[l].size_bytes, config.levels[l - 1].size_bytes);
    // A stream of as much as the L2 holds: the second pass goes to memory nowhere.
    profiler::CacheSimulator simulator(config, {});
    for (int pass = 0; pass < 2; ++pass) {
      simulator.take_epoch("");
      simulator.group(config.levels[1].size_bytes / 64, {{1 << 20, 64, 0, 8, engine::AccessKind::load}});
    }
    const profiler::CacheEpoch again = simulator.take_epoch("again");
    EXPECT_EQ(again.total_memory().read_bytes(), 0u);
    EXPECT_GT(again.total(0).load_misses, 0u);
  }
}

// From the sources in the header: size, ways and sets of a slice times the slices.
TEST(CachePresets, HaveTheFiguresOfTheirSources) {
  const auto levels = [](const char* name) { return config_of(**profiler::find_cache_preset(name)).levels; };
  const auto ice_lake = levels("ice-lake");
  EXPECT_EQ(ice_lake[0].sets(), 64);
  EXPECT_EQ(ice_lake[1].sets(), 1024);
  EXPECT_EQ(ice_lake[2].sets(), 8 * 1024);
  EXPECT_EQ(ice_lake[2].ways, 12);
  EXPECT_EQ(levels("skylake-sp")[2].size_bytes, 20 * 1408 * 1024);
  EXPECT_EQ(levels("skylake-sp")[2].sets(), 20 * 2048);
  EXPECT_EQ(levels("icelake-sp")[2].size_bytes, 36 * 1536 * 1024);
  EXPECT_EQ(levels("zen3")[2].inclusion, Inclusion::victim);
  EXPECT_EQ(name_of(levels("nehalem")[2]), "mru");
  EXPECT_EQ(name_of(levels("sandy-bridge")[2]), "mru_n");
}

TEST(CachePresets, AnUnknownOneNamesThem) {
  const auto none = profiler::find_cache_preset("zen4");
  ASSERT_FALSE(none.ok());
  for (const char* part : {"\"zen4\"", "did you mean", "zen3", "skylake-sp"})
    EXPECT_NE(none.error().message.find(part), std::string::npos) << none.error().message;
}

}  // namespace
