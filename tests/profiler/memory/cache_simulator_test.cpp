// SPDX-License-Identifier: Apache-2.0
// The fast cache simulator against a slow one that is obviously right, over random hierarchies and random streams.
#include "profiler/memory/cache_simulator.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

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

/// A description that can be said again and again.
using Groups = std::vector<std::pair<int64_t, std::vector<AccessStream>>>;

Groups random_groups(std::mt19937& random, bool past_caches) {
  const auto upto = [&](int64_t n) { return std::uniform_int_distribution<int64_t>(0, n)(random); };
  Groups groups;
  for (int g = 0; g < 40; ++g) {
    std::vector<AccessStream> streams;
    const int64_t count = 1 + upto(upto(3) == 0 ? 19 : 4);
    for (int64_t k = 0; k < count; ++k) {
      AccessStream s;
      s.bytes = static_cast<uint16_t>(1 << upto(6));
      s.address = 0x10000 + static_cast<uint64_t>(upto(0x3000));
      if (upto(4) > 0) s.address = s.address / s.bytes * s.bytes;
      const int64_t strides[] = {0, 4, 4, 8, -4, 64, 256, -64, 12, 1024, s.bytes, s.bytes};
      s.stride = strides[upto(11)];
      if (s.stride < 0) s.address += 0x8000;
      if (k > 0 && upto(2) == 0) s.address = streams.back().address;
      const int64_t kind = upto(past_caches ? 5 : 4);
      s.kind = kind <= 2 ? AccessKind::load : kind <= 4 ? AccessKind::store : AccessKind::store_past_caches;
      streams.push_back(s);
    }
    groups.emplace_back(1 + upto(90), streams);
  }
  return groups;
}

void say(engine::AccessSink& sink, const Groups& groups) {
  for (const auto& [n, streams] : groups) sink.group(n, streams);
}

void expect_equal(const CacheEpoch& epoch, const test::ReferenceSimulator& truth, const std::string& what) {
  for (size_t l = 0; l < truth.counts.size(); ++l) {
    const profiler::CacheCounts got = epoch.total(l), want = truth.counts[l];
    EXPECT_EQ(got, want) << what << " level " << l
                         << fmt::format(": loads {} {} stores {} {} back {} {} pre {}; want {} {} {} {} {} {} {}",
                                        got.loads, got.load_misses, got.stores, got.store_misses, got.write_backs,
                                        got.write_back_misses, got.prefetches, want.loads, want.load_misses,
                                        want.stores, want.store_misses, want.write_backs, want.write_back_misses,
                                        want.prefetches);
    EXPECT_EQ(epoch.set_misses[l], truth.set_misses[l]) << what << " level " << l;
  }
  EXPECT_EQ(epoch.total_memory(), truth.memory) << what;
}

TEST(CacheSimulator, EqualsTheReferenceOnRandomHierarchiesAndStreams) {
  const std::vector<std::vector<const char*>> hierarchies{
      {"1KiB/4/64:lru"},
      {"1KiB/8/32:lru", "4KiB/16/32:lru"},
      {"704/11/64:lru", "3KiB/3/64:lru", "8KiB/32/64:lru"},
      {"1536/12/64:lru3plru4", "4KiB/8/64:lru", "16KiB/16/64:lru,victim"},
      {"1KiB/4/64:plru", "4KiB/8/64:qlru_h00_m1_r2_u1", "12KiB/12/64:qlru_h11_m1_r0_u0,inclusive"},
      {"512/2/64:fifo", "2KiB/4/64:fifo", "8KiB/8/64:lru,inclusive"},
      {"1KiB/16/64:qlru_h11_m1_r1_u2", "4KiB/4/64:lru"},
      {"1KiB/4/64:lru,noallocate", "4KiB/8/64:plru"},
      {"1KiB/4/64:lru,through", "4KiB/8/64:lru,noallocate", "8KiB/8/64:lru"},
      {"1KiB/4/64:lru,through,noallocate"},
      {"1KiB/4/64:lru,nextline", "4KiB/8/64:lru,nextline", "16KiB/16/64:lru"},
      {"1KiB/4/64:lru,stride", "4KiB/8/64:plru,stride,nextline", "16KiB/16/64:lru,inclusive"},
      {"2KiB/4/64:lru", "4KiB/4/64:lru,inclusive,stride", "8KiB/4/64:qlru_h00_m1_r2_u1,inclusive"},
      {"512/1/64:lru", "1KiB/2/64:lru,inclusive", "2KiB/2/64:lru,inclusive"},
      {"704/11/64:lru", "5632/11/64:lru,victim"},
      {"1KiB/full/64:lru", "3KiB/3/64:fifo,inclusive"},
      {"1KiB/8/64:qlru_h21_m2_r0_u0_umo", "2KiB/8/64:qlru_h10_m3_r1_u3"},
      {"1KiB/8/64:mru", "3KiB/12/64:mru_n,inclusive"},
      {"1KiB/4/64:lru", "4KiB/8/64:lru,hashed", "12KiB/12/64:lru,hashed"},
      {"1KiB/4/64:plru", "2816/11/64:fifo,hashed,inclusive", "8KiB/8/64:lru,hashed,victim"},
      {"1KiB/4/64:mru_n", "2KiB/8/64:srrip", "8KiB/16/64:mru,victim"},
  };
  std::mt19937 random(7);
  int compared = 0;
  for (const auto& texts : hierarchies) {
    CacheConfig config;
    for (const char* text : texts) config.levels.push_back(*profiler::parse_cache_level(text, "L"));
    ASSERT_TRUE(check(config).ok()) << check(config).error().message;
    for (int rules = 0; rules < 4; ++rules) {
      config.rules = {.write_backs = rules != 1,
                      .promote_on_write_hit = rules != 2,
                      .fetch_on_write_back = rules == 2,
                      .full_line_store_fetches = rules != 3};
      for (int repeat = 0; repeat < 6; ++repeat) {
        const Groups groups = random_groups(random, repeat % 2 == 0);
        CacheSimulator fast(config, {});
        test::ReferenceSimulator slow(config);
        say(fast, groups);
        say(slow, groups);
        const CacheEpoch epoch = fast.take_epoch("");
        expect_equal(epoch, slow, fmt::format("{}, rules {}, repeat {}", config.text(), rules, repeat));
        EXPECT_EQ(epoch.total(texts.size() - 1).fetched_lines() * static_cast<uint64_t>(config.line_bytes()),
                  epoch.total_memory().read_bytes())
            << config.text();
        if (HasFailure()) return;
        ++compared;
      }
    }
  }
  EXPECT_EQ(compared, 21 * 24);
}

/// Groups as loops over arrays make them: one stride for most streams, equal and neighbouring addresses, rows a power
/// of two apart, some operands that stay, some by columns.
Groups random_loops(std::mt19937& random, int64_t line) {
  const auto upto = [&](int64_t n) { return std::uniform_int_distribution<int64_t>(0, n)(random); };
  Groups groups;
  for (int g = 0; g < 30; ++g) {
    const int64_t bytes = int64_t{1} << upto(4), sign = upto(3) == 0 ? -1 : 1;
    const int64_t stride = sign * std::min(line / 2, bytes << upto(1));
    const bool columns = upto(4) == 0;
    const int64_t longest = upto(5) == 0 ? 2000 : 150;
    std::vector<AccessStream> streams;
    const int64_t count = 1 + upto(upto(2) == 0 ? 7 : 3);
    for (int64_t k = 0; k < count; ++k) {
      AccessStream s{.address = 0x20000 + static_cast<uint64_t>(upto(0x2000) / bytes * bytes),
                     .stride = stride,
                     .tensor = 0,
                     .bytes = static_cast<uint16_t>(bytes),
                     .kind = upto(2) == 0 ? AccessKind::store : AccessKind::load};
      const int64_t near[] = {0, bytes, -bytes, 2 * stride, line, 1024, 4096, 960};
      if (k > 0 && upto(3) > 0)
        s.address =
            streams[static_cast<size_t>(upto(k - 1))].address + static_cast<uint64_t>(near[upto(7)] / bytes * bytes);
      if (upto(7) == 0) s.stride = 0;
      const int64_t far[] = {line, 2 * line, 1024, 4096, -line, -1024, 1040, 4 * line + 16};
      if (columns && upto(1) == 0) s.stride = far[upto(7)] / bytes * bytes;
      if (s.stride < 0) s.address += static_cast<uint64_t>(-s.stride * longest / bytes * bytes);
      streams.push_back(s);
    }
    groups.emplace_back(1 + upto(longest - 1), streams);
  }
  return groups;
}

TEST(CacheSimulator, LoopsEqualTheReferenceWholeAndInSlices) {
  const std::vector<std::vector<const char*>> hierarchies{
      {"1KiB/8/64:lru", "4KiB/16/64:lru"},    {"4KiB/8/64:lru", "8KiB/4/64:lru", "32KiB/16/64:lru"},
      {"704/11/64:lru", "3KiB/3/64:lru"},     {"2112/11/64:lru", "8KiB/8/64:lru"},
      {"3KiB/12/64:lru", "16KiB/16/64:lru"},  {"2KiB/4/32:lru", "8KiB/8/32:lru"},
      {"1KiB/16/64:lru", "12KiB/12/64:lru"},  {"512/2/64:lru", "2KiB/4/64:lru"},
      {"8KiB/8/128:lru", "64KiB/16/128:lru"}, {"16KiB/2/64:lru", "64KiB/16/64:lru"},
      {"4KiB/32/64:lru", "8KiB/8/64:lru"},
  };
  std::mt19937 random(23);
  for (const auto& texts : hierarchies) {
    const CacheConfig config = [&] {
      CacheConfig c;
      for (const char* text : texts) c.levels.push_back(*profiler::parse_cache_level(text, "L"));
      return c;
    }();
    for (int repeat = 0; repeat < 24; ++repeat) {
      const Groups groups = random_loops(random, config.line_bytes());
      test::ReferenceSimulator slow(config);
      say(slow, groups);
      for (const int threads : {1, 2, 8}) {
        const auto fast = profiler::simulate(config, {.threads = threads}, {""},
                                             [&](engine::AccessSink& sink, size_t) { say(sink, groups); });
        ASSERT_TRUE(fast.ok()) << fast.error().message;
        expect_equal(fast->front(), slow, fmt::format("{}, repeat {}, threads {}", config.text(), repeat, threads));
        if (HasFailure()) return;
      }
    }
  }
}

/// Short groups of a few shapes in turn, as tiles say them: streams that lie on the same lines mostly, but not always;
/// others that meet at times.
Groups groups_of_few_shapes(std::mt19937& random) {
  const auto upto = [&](int64_t n) { return std::uniform_int_distribution<int64_t>(0, n)(random); };
  Groups shapes;
  for (int i = 0; i < 7; ++i) {
    std::vector<AccessStream> streams;
    for (int64_t k = upto(4); k >= 0; --k) {
      const int64_t bytes = int64_t{4} << upto(1), strides[] = {bytes, bytes, 2 * bytes, -bytes, 0, 12};
      streams.push_back({.address = 0,
                         .stride = strides[upto(5)] / bytes * bytes,
                         .tensor = static_cast<uint32_t>(upto(3)),
                         .bytes = static_cast<uint16_t>(bytes),
                         .kind = upto(2) == 0 ? AccessKind::store : AccessKind::load});
      if (streams.size() > 1 && upto(1) == 0)
        streams.back().stride = streams.front().stride, streams.back().bytes = streams.front().bytes;
    }
    shapes.emplace_back(2 + upto(i % 2 == 0 ? 4 : 60), streams);
  }
  Groups groups;
  while (groups.size() < 2000) {
    const size_t shape = static_cast<size_t>(upto(6));
    for (int64_t repeat = upto(4); repeat >= 0; --repeat) {
      groups.push_back(shapes[shape]);
      std::vector<AccessStream>& streams = groups.back().second;
      for (AccessStream& a : streams) {
        const auto step = static_cast<uint64_t>(a.bytes);
        a.address = 0x40000 + static_cast<uint64_t>(upto(upto(1) == 0 ? 0x8000 : 0x400)) / step * step;
        if (&a != &streams.front() && upto(2) > 0) a.address = streams.front().address / step * step;
        if (upto(60) == 0) a.address += 2;  // may lie on a line boundary
      }
    }
  }
  return groups;
}

TEST(CacheSimulator, ShortGroupsOfFewShapesEqualTheirAccessesOneByOne) {
  std::mt19937 random(31);
  for (const CacheConfig& config : {hierarchy({"32KiB/8/64:lru", "256KiB/8/64:lru"}),
                                    hierarchy({"4KiB/4/64:lru", "16KiB/16/64:lru"}), hierarchy({"3KiB/6/32:lru"})}) {
    for (int repeat = 0; repeat < 6; ++repeat) {
      const Groups groups = groups_of_few_shapes(random);
      const size_t half = groups.size() / 2 + static_cast<size_t>(repeat);  // counts are taken amid groups of one shape
      const auto part = [&](size_t epoch) {
        return std::span(groups).subspan(epoch == 0 ? 0 : half, epoch == 0 ? half : groups.size() - half);
      };
      const profiler::SimulationRequest whole{.tensors = 4, .ranges = {{0x40000, 0x41000, 1}, {0x41000, 0x48000, 3}}};
      const auto single =
          profiler::simulate(config, whole, {"first", "second"}, [&](engine::AccessSink& sink, size_t epoch) {
            for (const auto& [n, streams] : part(epoch)) {
              for (int64_t i = 0; i < n; ++i) {
                for (AccessStream a : streams) {
                  a.address += static_cast<uint64_t>(i * a.stride), a.stride = 0;
                  sink.group(1, {a});
                }
              }
            }
          });
      ASSERT_TRUE(single.ok());
      for (const int threads : {1, 2, 3, 5, 16}) {
        profiler::SimulationRequest request = whole;
        request.threads = threads;
        const auto grouped =
            profiler::simulate(config, request, {"first", "second"}, [&](engine::AccessSink& sink, size_t epoch) {
              for (const auto& [n, streams] : part(epoch)) sink.group(n, streams);
            });
        ASSERT_TRUE(grouped.ok());
        for (size_t e = 0; e < 2; ++e) {
          const std::string what =
              fmt::format("{}, repeat {}, threads {}, epoch {}", config.text(), repeat, threads, e);
          EXPECT_EQ((*grouped)[e].levels, (*single)[e].levels) << what;
          EXPECT_EQ((*grouped)[e].memory, (*single)[e].memory) << what;
          EXPECT_EQ((*grouped)[e].set_misses, (*single)[e].set_misses) << what;
          EXPECT_EQ((*grouped)[e].refs, (*single)[e].refs) << what;
        }
        if (HasFailure()) return;
      }
    }
  }
}

TEST(CacheSimulator, SlicesOnThreadsCountTheSame) {
  std::mt19937 random(11);
  const CacheConfig config = hierarchy({"4KiB/4/64:lru", "16KiB/8/64:plru", "64KiB/16/64:lru,victim"});
  EXPECT_EQ(profiler::most_slices(config), 16);
  for (int repeat = 0; repeat < 5; ++repeat) {
    const Groups groups = random_groups(random, true);
    const auto describe = [&](engine::AccessSink& sink, size_t) { say(sink, groups); };
    const auto one = profiler::simulate(config, {.threads = 1}, {"cold", "steady"}, describe);
    ASSERT_TRUE(one.ok());
    for (const int threads : {2, 4, 16}) {
      const auto many = profiler::simulate(config, {.threads = threads}, {"cold", "steady"}, describe);
      ASSERT_TRUE(many.ok());
      for (size_t e = 0; e < 2; ++e) {
        EXPECT_EQ((*one)[e].levels, (*many)[e].levels);
        EXPECT_EQ((*one)[e].memory, (*many)[e].memory);
        EXPECT_EQ((*one)[e].set_misses, (*many)[e].set_misses);
        EXPECT_EQ((*one)[e].refs, (*many)[e].refs);
      }
    }
  }
}

TEST(CacheSimulator, RepeatsAskAgainForWhatAPrefetchedLineCameInFrontOf) {
  // The first iteration loads y, then x, whose next line comes into y's set in front of it; the second asks for y
  // again. Seven more lines then push one of the two out of eight ways.
  const CacheConfig config = hierarchy({"2KiB/8/64:lru,nextline"});
  const uint64_t y = 0x10000, x = 0x20000 - 64;
  const auto y_misses = [&](bool together) {
    CacheSimulator simulator(config, {});
    for (int i = 0; i < (together ? 1 : 2); ++i)
      simulator.group(together ? 2 : 1, {test::load(y, 0), test::load(x, 0)});
    for (uint64_t k = 0; k < 7; ++k) simulator.group(1, {test::load(0x40000 + k * 256, 0)});
    simulator.take_epoch("");
    simulator.group(1, {test::load(y, 0)});
    return simulator.take_epoch("").total(0).load_misses;
  };
  EXPECT_EQ(y_misses(false), 0u);
  EXPECT_EQ(y_misses(true), 0u);
}

TEST(CacheSimulator, SampledSetsComeNear) {
  const CacheConfig config = hierarchy({"32KiB/8/64:lru", "256KiB/8/64:lru"});
  const auto describe = [](engine::AccessSink& sink, size_t) {
    test::tiled(sink, test::ThreeArrays(200 * 200), 200, 32);
  };
  const auto exact = profiler::simulate(config, {}, {"cold"}, describe);
  const auto sampled = profiler::simulate(config, {.sample = 8}, {"cold"}, describe);
  ASSERT_TRUE(exact.ok() && sampled.ok());
  EXPECT_EQ(sampled->front().sampled, 8);
  EXPECT_EQ(exact->front().sampled, 1);
  EXPECT_TRUE(exact->front().miss_errors.empty());
  ASSERT_EQ(sampled->front().miss_errors.size(), 2u);
  for (size_t l = 0; l < 2; ++l) {
    const double want = static_cast<double>(exact->front().total(l).misses()),
                 got = static_cast<double>(sampled->front().total(l).misses());
    EXPECT_NEAR(got / want, 1, 0.02) << l;
    EXPECT_NE(got, want);
    EXPECT_LE(std::abs(got - want), 2 * sampled->front().miss_errors[l]) << l;
  }
  EXPECT_NE(profiler::sampling_text(sampled->front(), config).find("L1 ± "), std::string::npos);
  EXPECT_FALSE(profiler::simulate(config, {.sample = 3}, {"cold"}, describe).ok());
  EXPECT_FALSE(profiler::simulate(config, {.sample = 128}, {"cold"}, describe).ok());
}

TEST(CacheSimulator, SampledSetsMeetRowsAndColumnsAlike) {
  // 64 sets. Columns of rows a power of two apart, all of them, and rows that begin anywhere: each meets its share of
  // the sets.
  const CacheConfig config = hierarchy({"4KiB/1/64:lru"});
  for (const int sample : {2, 4, 8}) {
    for (const int64_t lines : {1, 2, 3, 4, 5, 8, 9, 16, 32}) {
      const auto describe = [&](engine::AccessSink& sink, size_t) {
        for (uint64_t column = 0; column < 64; ++column)
          sink.group(64, {test::load(0x100000 + column * 64, lines * 64)});
      };
      const auto exact = profiler::simulate(config, {}, {"cold"}, describe),
                 part = profiler::simulate(config, {.sample = sample}, {"cold"}, describe);
      ASSERT_TRUE(exact.ok() && part.ok());
      const auto want = static_cast<double>(exact->front().total(0).misses());
      EXPECT_NEAR(static_cast<double>(part->front().total(0).misses()), want, 0.02 * want + 8)
          << "one of " << sample << ", rows of " << lines << " lines";
    }
  }
  // The sets picked are those of the sample, however many threads share them.
  const auto describe = [](engine::AccessSink& sink, size_t) {
    test::tiled(sink, test::ThreeArrays(100 * 100), 100, 32);
  };
  const auto one = profiler::simulate(config, {.sample = 8}, {"cold"}, describe),
             two = profiler::simulate(config, {.threads = 4, .sample = 8}, {"cold"}, describe);
  ASSERT_TRUE(one.ok() && two.ok());
  EXPECT_EQ(one->front().total(0), two->front().total(0));
  EXPECT_EQ(one->front().miss_errors, two->front().miss_errors);
}

TEST(CacheSimulator, WhatAnInclusiveLevelDropsIsWrittenOnce) {
  // x is dirty in both levels and the oldest in both when w comes: under way from the first, what the second drops
  // would miss it, and both copies would be written.
  CacheSimulator simulator(hierarchy({"128/2/64:lru", "192/3/64:lru,inclusive"}), {});
  const uint64_t x = 0x10000, y = 0x20000, z = 0x30000, w = 0x40000;
  simulator.group(1, {test::store(x, 0)});
  simulator.group(1, {test::load(y, 0)});
  simulator.group(1, {test::load(z, 0)});  // x leaves the first level and is dirty in the second
  simulator.group(1, {test::store(x, 0)});
  simulator.group(1, {test::load(y, 0)});
  simulator.group(1, {test::load(x, 0)});  // a hit, of which the second level does not hear
  simulator.group(1, {test::load(z, 0)});
  simulator.group(1, {test::load(w, 0)});
  const CacheEpoch epoch = simulator.take_epoch("");
  EXPECT_EQ(epoch.total_memory().written_bytes, 64u);
  EXPECT_EQ(epoch.total(1).write_back_misses, 0u);
  simulator.flush();
  EXPECT_EQ(simulator.take_epoch("").total_memory().written_bytes, 0u);
}

TEST(CacheSimulator, MissesOfRunsArePrefetchable) {
  const auto counts = [](const std::function<void(CacheSimulator&)>& say) {
    CacheSimulator simulator(hierarchy({"4KiB/8/64:lru"}), {.classify = true});
    say(simulator);
    return simulator.take_epoch("").total(0);
  };
  const auto stream = counts([](CacheSimulator& s) {
    s.group(16 * 100, {test::load(0x100000, 4), test::store(0x200000, 4)});
  });
  EXPECT_EQ(stream.misses(), 200u);
  EXPECT_EQ(stream.prefetchable, 2u * 98) << "two runs that take turns, without their first two lines";
  const auto scattered = counts([](CacheSimulator& s) {
    std::mt19937 random(5);
    for (int i = 0; i < 1000; ++i) s.group(1, {test::load(0x100000 + 64 * (random() % 1000000), 0)});
  });
  EXPECT_GT(scattered.misses(), 990u);
  EXPECT_LT(scattered.prefetchable, 10u);
}

TEST(CacheSimulator, ChargesTensorsAlsoWithTheirWriteBacks) {
  const CacheConfig config = hierarchy({"1KiB/4/64:lru"});
  CacheSimulator simulator(config, {.tensors = 2, .ranges = {{0x10000, 0x11000, 0}, {0x20000, 0x21000, 1}}});
  // Tensor 1 is written and stays; reading tensor 0 drives all of it out.
  simulator.group(64, {AccessStream{0x20000, 4, 1, 4, AccessKind::store}});
  simulator.group(1024, {AccessStream{0x10000, 4, 0, 4, AccessKind::load}});
  const CacheEpoch epoch = simulator.take_epoch("cold");
  EXPECT_EQ(epoch.levels[0][0].loads, 1024u);
  EXPECT_EQ(epoch.levels[0][0].load_misses, 64u);
  EXPECT_EQ(epoch.levels[0][1].store_misses, 4u);
  EXPECT_EQ(epoch.memory[0].written_bytes, 0u);
  EXPECT_EQ(epoch.memory[1].written_bytes, 256u);
  EXPECT_EQ(epoch.memory[1].write_allocate_bytes, 256u);
  EXPECT_EQ(simulator.take_epoch("nothing").total(0).accesses(), 0u);
}

TEST(CacheSimulator, FlushWritesWhatIsDirtyOnce) {
  CacheSimulator simulator(hierarchy({"1KiB/4/64:lru", "4KiB/4/64:lru"}), {});
  simulator.group(512, {test::store(0x10000, 4)});
  const uint64_t written = simulator.take_epoch("").total_memory().written_bytes;
  simulator.flush();
  EXPECT_EQ(written + simulator.take_epoch("").total_memory().written_bytes, 2048u);
  simulator.flush();
  EXPECT_EQ(simulator.take_epoch("").total_memory().written_bytes, 0u);
}

TEST(CacheSimulator, MissesHaveCauses) {
  // Two lines 1 KiB apart share a set of a direct-mapped cache of 1 KiB: all conflict after the first.
  CacheSimulator simulator(hierarchy({"1KiB/1/64:lru"}), {.classify = true});
  simulator.group(10, {test::load(0x10000, 0), test::load(0x10400, 0)});
  const profiler::CacheCounts c = simulator.take_epoch("").total(0);
  EXPECT_EQ(c.compulsory, 2u);
  EXPECT_EQ(c.conflict, 18u);
  EXPECT_EQ(c.capacity, 0u);
  // 32 lines round and round through 16: all capacity, fully associative or not.
  for (int round = 0; round < 3; ++round) simulator.group(32, {test::load(0x20000, 64)});
  const profiler::CacheCounts d = simulator.take_epoch("").total(0);
  EXPECT_EQ(d.compulsory, 32u);
  EXPECT_EQ(d.capacity, 64u);
  EXPECT_EQ(d.conflict, 0u);
}

TEST(CacheSimulator, DistancesOfRunsEqualThoseOfSingleAccesses) {
  std::mt19937 random(3);
  const CacheConfig config = hierarchy({"8KiB/8/64:lru"});
  for (int repeat = 0; repeat < 20; ++repeat) {
    const Groups groups = random_groups(random, false);
    CacheSimulator runs(config, {.classify = true});
    profiler::StackDistance single;
    say(runs, groups);
    for (const auto& [n, streams] : groups) {
      for (int64_t i = 0; i < n; ++i) {
        for (const AccessStream& s : streams) {
          const uint64_t at = s.address + static_cast<uint64_t>(i * s.stride);
          for (uint64_t line = at / 64; line <= (at + s.bytes - 1) / 64; ++line)
            single.touch(static_cast<uint32_t>(line));
        }
      }
    }
    EXPECT_EQ(runs.distances()->accesses(), single.accesses());
    for (uint64_t lines = 0; lines < 1024; ++lines)
      ASSERT_EQ(runs.distances()->misses(lines), single.misses(lines)) << lines;
  }
}

}  // namespace
