// SPDX-License-Identifier: Apache-2.0
// Lines asked for against a first level that counts them, and in sampled simulations.
#include "profiler/memory/lookup_count.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "profiler/memory/cache_simulator.h"
#include "tests/profiler/memory/cache_hierarchy.h"

namespace {

using engine::AccessKind;
using engine::AccessStream;
using profiler::LookupCount;

AccessStream random_stream(std::mt19937& random, bool aligned) {
  const uint64_t bytes = uint64_t{1} << random() % 7;
  AccessStream s{1000000 + random() % 100000, static_cast<int64_t>(random() % 400) - 200,
                 static_cast<uint32_t>(random() % 2), static_cast<uint16_t>(bytes),
                 static_cast<AccessKind>(random() % 3)};
  if (aligned) s.address -= s.address % bytes, s.stride -= s.stride % static_cast<int64_t>(bytes);
  return s;
}

TEST(LookupCount, EqualsTheFirstLevelOfASimulation) {
  std::mt19937 random(11);
  for (const char* level : {"4KiB/4/64:lru", "2KiB/8/16:fifo", "4KiB/2/128:plru,sector=32"}) {
    profiler::CacheSimulator simulator(test::hierarchy({level}), {.tensors = 2});
    LookupCount lookups(simulator.config().line_bytes(), 2);
    for (int i = 0; i < 400; ++i) {
      const bool aligned = random() % 2 == 0;
      const std::array streams{random_stream(random, aligned), random_stream(random, aligned)};
      const auto iterations = static_cast<int64_t>(random() % 300);
      simulator.group(iterations, streams);
      lookups.group(iterations, streams);
      const std::array nested{engine::NestedStream{streams[0], 128, aligned ? 64 : 7}};
      const std::array groups{engine::NestedGroup{iterations % 9, nested}};
      simulator.nest(3, 4, groups);
      lookups.nest(3, 4, groups);
    }
    const auto epoch = simulator.take_epoch("");
    const auto counts = lookups.take();
    for (const size_t tensor : {0, 1}) {
      EXPECT_EQ(counts[tensor].loads, epoch.levels[0][tensor].loads) << level;
      EXPECT_EQ(counts[tensor].stores, epoch.levels[0][tensor].stores) << level;
      EXPECT_GT(counts[tensor].loads, 0u);
    }
    EXPECT_EQ(lookups.take()[0].loads, 0u) << "taken";
  }
}

TEST(LookupCount, NestsBeyondTheRangeOfSignedNumbers) {
  LookupCount lookups(64, 1);
  const std::array nested{engine::NestedStream{{4096, 0, 0, 4, AccessKind::load}, 0, 0}};
  const std::array groups{engine::NestedGroup{2, nested}};
  lookups.nest(int64_t{1} << 31, int64_t{1} << 31, groups);
  EXPECT_EQ(lookups.take()[0].loads, uint64_t{1} << 63) << "2^31 * 2^31 * 2";
}

// Two lines of sixteen sets, three accesses: whichever sets stand for all, as many accesses are shown as were made.
TEST(LookupCount, ASampleShowsAsManyAccessesAsWereMade) {
  const auto config = test::hierarchy({"1KiB/1/64:lru", "4KiB/4/64:lru"});
  for (const int sample : {1, 2, 4, 8, 16}) {
    const auto epochs =
        profiler::simulate(config, {.sample = sample}, {"one", "two"}, [](engine::AccessSink& sink, size_t epoch) {
          sink.group(epoch == 0 ? 3 : 5, {{4096, 64, 0, 4, AccessKind::load}});
          sink.group(2, {{4096, 0, 0, 4, AccessKind::store}});
        });
    ASSERT_TRUE(epochs.ok()) << epochs.error().message;
    for (const size_t epoch : {0, 1}) {
      EXPECT_EQ((*epochs)[epoch].total(0).loads, epoch == 0 ? 3u : 5u) << sample;
      EXPECT_EQ((*epochs)[epoch].total(0).stores, 2u) << sample;
    }
  }
}

}  // namespace
