// SPDX-License-Identifier: Apache-2.0
// Nests of groups: whatever way they are heard, the same counts as their accesses one by one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <random>

#include "profiler/memory/cache_simulator.h"
#include "profiler/memory/op_simulation.h"
#include "profiler/memory/stoppable_sink.h"
#include "tests/profiler/memory/cache_hierarchy.h"
#include "tests/profiler/memory/cache_reference.h"
#include "tests/profiler/memory/cache_streams.h"

namespace {

using engine::AccessKind;
using engine::AccessSink;
using engine::AccessStream;
using engine::NestedGroup;
using engine::NestedStream;
using profiler::CacheConfig;
using profiler::CacheEpoch;
using test::hierarchy;

/// A nest that can be said again and again.
struct Said {
  int64_t outer = 1, inner = 1;
  std::vector<std::pair<int64_t, std::vector<NestedStream>>> groups;

  void say(AccessSink& sink) const {
    std::vector<NestedGroup> all;
    for (const auto& [n, streams] : groups) all.push_back({n, streams});
    sink.nest(outer, inner, all);
  }
};
using Nests = std::vector<Said>;

/// Takes nests and groups apart.
class OneByOne : public AccessSink {
 public:
  explicit OneByOne(AccessSink& to) : to_(to) {}
  using AccessSink::group;
  void group(int64_t iterations, std::span<const AccessStream> streams) override {
    for (int64_t i = 0; i < iterations; ++i) {
      for (AccessStream a : streams) {
        a.address += static_cast<uint64_t>(i * a.stride), a.stride = 0;
        to_.group(1, {a});
      }
    }
  }

 private:
  AccessSink& to_;
};

/// Nests as tiled loops make them and worse: rows of neighbouring, equal or far addresses, some that stay in one loop
/// or both, lines that streams share or that meet in a set, all directions; now and then one that no short way is for.
Nests random_nests(std::mt19937& random, int64_t line, bool awkward) {
  const auto upto = [&](int64_t n) { return std::uniform_int_distribution<int64_t>(0, n)(random); };
  Nests nests;
  for (int i = 0; i < 24; ++i) {
    Said nest{.outer = 1 + upto(upto(2) == 0 ? 40 : 5), .inner = 1 + upto(upto(2) == 0 ? 40 : 6), .groups = {}};
    const int64_t bytes = int64_t{4} << upto(1);
    const int64_t steps[] = {bytes,
                             bytes,
                             bytes,
                             -bytes,
                             2 * bytes,
                             0,
                             line,
                             -line,
                             awkward ? 3 * bytes : bytes,
                             awkward ? 2 * line : bytes};
    const int64_t moves[] = {
        0, 0, bytes, -bytes, line, -line, 1024, 2000, -2000, 4 * bytes, 4096, 144, awkward ? bytes / 2 : 0};
    std::vector<uint64_t> seen;
    const int64_t sharing = upto(2);
    for (int64_t g = upto(2); g >= 0; --g) {
      std::vector<NestedStream> streams;
      for (int64_t k = upto(g == 0 ? 3 : 1); k >= 0; --k) {
        AccessStream a{.address = 0x100000 + static_cast<uint64_t>(upto(0x3000) / bytes * bytes),
                       .stride = steps[upto(9)],
                       .tensor = static_cast<uint32_t>(upto(3)),
                       .bytes = static_cast<uint16_t>(bytes),
                       .kind = upto(2) == 0 ? AccessKind::store : AccessKind::load};
        const int64_t near[] = {0, 0, bytes, -bytes, line, 4096, 8192, 960};
        if (!seen.empty() && upto(2) <= sharing)
          a.address = seen[static_cast<size_t>(upto(static_cast<int64_t>(seen.size()) - 1))] +
                      static_cast<uint64_t>(near[upto(7)]);
        if (awkward && upto(40) == 0) a.kind = AccessKind::store_past_caches;
        if (awkward && upto(40) == 0) a.address += 2;  // may lie on a line boundary
        seen.push_back(a.address);
        NestedStream stream{a, moves[upto(12)], moves[upto(12)]};
        if (!streams.empty() && upto(2) == 0) stream = streams.back(), stream.stream.kind = AccessKind::store;
        streams.push_back(stream);
      }
      const int64_t n = upto(2) == 0 ? 1 : upto(4) == 0 ? upto(200) : 2 + upto(30);
      nest.groups.emplace_back(n, streams);
    }
    nests.push_back(nest);
  }
  return nests;
}

void say(AccessSink& sink, const Nests& nests) {
  for (const Said& nest : nests) nest.say(sink);
}

void expect_equal(const CacheEpoch& a, const CacheEpoch& b, const std::string& what) {
  EXPECT_EQ(a.levels, b.levels) << what;
  EXPECT_EQ(a.memory, b.memory) << what;
  EXPECT_EQ(a.set_misses, b.set_misses) << what;
  EXPECT_EQ(a.refs, b.refs) << what;
}

TEST(CacheNests, EqualTheirAccessesOneByOneWholeAndInSlices) {
  const std::vector<std::vector<const char*>> hierarchies{
      {"4KiB/8/64:lru", "16KiB/16/64:lru"},
      {"2KiB/4/32:lru", "8KiB/8/32:lru"},
      {"8KiB/8/64:lru", "16KiB/4/64:lru", "64KiB/16/64:lru"},
      {"32KiB/8/64:lru", "256KiB/16/64:lru"},
      {"128KiB/16/64:lru", "1MiB/16/64:lru"},
      {"2KiB/16/64:lru", "12KiB/12/64:lru"},
      {"512/4/64:lru"},
      {"1KiB/full/64:lru", "8KiB/8/64:lru"},
      {"704/11/64:lru", "3KiB/3/64:lru"},
      {"1KiB/2/64:lru", "4KiB/4/64:lru"},
  };
  std::mt19937 random(41);
  for (const auto& levels : hierarchies) {
    const CacheConfig config = hierarchy(levels);
    for (int repeat = 0; repeat < 12; ++repeat) {
      const Nests nests = random_nests(random, config.line_bytes(), repeat % 3 == 0);
      profiler::SimulationRequest request{.tensors = 4, .ranges = {{0x100000, 0x101000, 1}, {0x101000, 0x108000, 3}}};
      const auto single = profiler::simulate(config, request, {"cold", "steady"}, [&](AccessSink& sink, size_t) {
        OneByOne apart(sink);
        say(apart, nests);
      });
      ASSERT_TRUE(single.ok()) << single.error().message;
      test::ReferenceSimulator slow(config);
      say(slow, nests);
      for (size_t l = 0; l < slow.counts.size(); ++l) EXPECT_EQ(single->front().total(l), slow.counts[l]);
      for (const int threads : {1, 2, 3, 16}) {
        request.threads = threads;
        const auto said = profiler::simulate(config, request, {"cold", "steady"},
                                             [&](AccessSink& sink, size_t) { say(sink, nests); });
        ASSERT_TRUE(said.ok()) << said.error().message;
        for (size_t e = 0; e < 2; ++e)
          expect_equal((*said)[e], (*single)[e],
                       fmt::format("{}, repeat {}, threads {}, epoch {}", config.text(), repeat, threads, e));
        if (HasFailure()) return;
      }
    }
  }
}

TEST(CacheNests, EqualTheirAccessesUnderEveryPolicyAndWithMissCauses) {
  const std::vector<std::vector<const char*>> hierarchies{
      {"1KiB/4/64:plru", "4KiB/8/64:qlru_h00_m1_r2_u1", "12KiB/12/64:qlru_h11_m1_r0_u0,inclusive"},
      {"3KiB/12/64:lru3plru4", "4KiB/8/64:lru", "16KiB/16/64:lru,victim"},
      {"2KiB/8/64:lru", "4KiB/4/64:lru,inclusive"},
      {"2KiB/8/64:lru", "4KiB/8/64:lru,victim"},
      {"1KiB/4/64:lru,through", "4KiB/8/64:lru,noallocate"},
      {"2KiB/8/64:fifo", "8KiB/8/64:lru"},
      {"2KiB/8/64:lru,nextline", "8KiB/8/64:lru"},
      {"1KiB/4/64:mru", "4KiB/8/64:mru_n,inclusive"},
      {"2KiB/8/64:lru", "4KiB/8/64:lru,hashed"},
      {"2KiB/8/64:lru", "8KiB/8/64:lru"},
  };
  std::mt19937 random(43);
  for (const auto& levels : hierarchies) {
    const CacheConfig config = hierarchy(levels);
    for (int repeat = 0; repeat < 5; ++repeat) {
      const Nests nests = random_nests(random, config.line_bytes(), true);
      for (const bool classify : {false, true}) {
        const profiler::SimulationRequest request{.tensors = 4, .threads = classify ? 1 : 2, .classify = classify};
        const auto single = profiler::simulate(config, request, {"cold"}, [&](AccessSink& sink, size_t) {
          OneByOne apart(sink);
          say(apart, nests);
        });
        const auto said =
            profiler::simulate(config, request, {"cold"}, [&](AccessSink& sink, size_t) { say(sink, nests); });
        ASSERT_TRUE(single.ok() && said.ok());
        expect_equal(said->front(), single->front(),
                     fmt::format("{}, repeat {}, causes {}", config.text(), repeat, classify));
        if (HasFailure()) return;
      }
    }
  }
}

/// Tiles that overlap each other's sets, more rounds than there is room for, sets of single lines: a tile of every kind
/// of fullness.
TEST(CacheNests, TilesOfAllSizesEqualTheirRows) {
  const CacheConfig config = hierarchy({"4KiB/8/64:lru", "32KiB/16/64:lru"});
  for (const int64_t n : {64, 90, 125}) {
    for (const int64_t t : {3, 8, 20, 33, 64}) {
      const test::ThreeArrays x(n * n);
      const auto rows = profiler::simulate(config, {}, {""}, [&](AccessSink& sink, size_t) {
        OneByOne apart(sink);
        test::tiled(apart, x, n, t);
      });
      for (const int threads : {1, 2}) {
        const auto tiles = profiler::simulate(config, {.threads = threads}, {""},
                                              [&](AccessSink& sink, size_t) { test::tiled(sink, x, n, t); });
        ASSERT_TRUE(rows.ok() && tiles.ok());
        expect_equal(tiles->front(), rows->front(), fmt::format("n {}, tile {}, threads {}", n, t, threads));
      }
    }
  }
}

/// A row of c is met in each round, and in one set first after, then before lines of b: of two ways b's lines take
/// both.
TEST(CacheNests, LinesThatAlternateMayPushOutWhatStays) {
  const Said nest{.outer = 1,
                  .inner = 4,
                  .groups = {{32,
                              {{{.address = 0x100000 + 3 * 64 + 32, .stride = 4}, 0, 0},
                               {{.address = 0x200000 + 32, .stride = 4}, 640, 0}}}}};
  for (const auto& [level, misses] : {std::pair{"1KiB/2/64:lru", 16u}, std::pair{"2KiB/4/64:lru", 15u}}) {
    profiler::CacheSimulator said(hierarchy({level}), {}), single(hierarchy({level}), {});
    nest.say(said);
    OneByOne apart(single);
    nest.say(apart);
    const CacheEpoch counts = said.take_epoch("");
    expect_equal(counts, single.take_epoch(""), level);
    EXPECT_EQ(counts.total(0).load_misses, misses) << level;  // three lines of c, twelve of b
  }
}

TEST(CacheNests, MoreLinesThanWaysPushEachOtherOutInEveryRound) {
  std::vector<NestedStream> streams;
  for (uint64_t k = 0; k < 5; ++k) streams.push_back({{.address = 0x100000 + k * 4096, .stride = 0}, 0, 0});
  profiler::CacheSimulator simulator(hierarchy({"2KiB/4/64:lru"}), {});
  Said{.outer = 3, .inner = 7, .groups = {{1, streams}}}.say(simulator);
  EXPECT_EQ(simulator.take_epoch("").total(0).load_misses, 105u);
}

/// Rounds that cannot be simulated side by side since a stream passes through many lines, and a nest without rounds.
TEST(CacheNests, LongRoundsAndNone) {
  const CacheConfig config = hierarchy({"32KiB/8/64:lru"});
  const auto epoch = [&](const Said& nest) {
    profiler::CacheSimulator simulator(config, {});
    nest.say(simulator);
    return simulator.take_epoch("");
  };
  const AccessStream far{.address = 0x100000, .stride = 0, .tensor = 0, .bytes = 4, .kind = AccessKind::load};
  // 70000 rounds, more than are heard at once, over one line that stays and lines that do not come again.
  const CacheEpoch long_rounds = epoch({.outer = 3, .inner = 70000, .groups = {{1, {{far, 4, 280000}}}}});
  EXPECT_EQ(long_rounds.total(0).loads, 210000u);
  EXPECT_EQ(long_rounds.total(0).load_misses, 840000u / 64);
  const CacheEpoch many_rounds = epoch({.outer = 210000, .inner = 1, .groups = {{1, {{far, 0, 4}}}}});
  EXPECT_EQ(many_rounds.total(0), long_rounds.total(0));
  const CacheEpoch wide_step = epoch({.outer = 2, .inner = 4096, .groups = {{1, {{far, 4096, 0}}}}});
  EXPECT_EQ(wide_step.total(0).load_misses, 8192u);
  EXPECT_EQ(epoch({.outer = 0, .inner = 5, .groups = {{1, {{far, 4, 0}}}}}).refs, 0u);
  EXPECT_EQ(epoch({.outer = 5, .inner = 5, .groups = {{0, {{far, 4, 0}}}}}).refs, 0u);
}

TEST(CacheNests, AreCountedAndPassedOnUntilSomebodyStops) {
  const NestedStream stream{{.address = 0x100000, .stride = 4}, 64, 4096};
  const Said nest{.outer = 3, .inner = 5, .groups = {{7, {stream, stream}}, {0, {stream}}, {1, {stream}}}};
  profiler::AccessDescription description;
  description.describe = [&](AccessSink& sink) {
    nest.say(sink);
    return engine::access::Fidelity::loops;
  };
  EXPECT_EQ(profiler::count_accesses(description, nullptr), 3u * 5 * 15);
  std::atomic<bool> stop = false;
  profiler::CacheSimulator simulator(hierarchy({"4KiB/8/64:lru"}), {});
  profiler::StoppableSink sink(simulator, &stop);
  nest.say(sink);
  EXPECT_EQ(simulator.take_epoch("").refs, 3u * 5 * 15);
  stop = true;
  nest.say(sink);
  EXPECT_EQ(simulator.take_epoch("").refs, 0u);

  // Whoever hears groups only hears no more of a nest than the round in which it has enough.
  struct Enough : AccessSink {
    using AccessSink::group;
    int groups = 0;
    void group(int64_t, std::span<const AccessStream>) override { ++groups; }
    bool stopped() const override { return groups > 0; }
  } enough;
  nest.say(enough);
  EXPECT_EQ(enough.groups, 5 * 3);
}

}  // namespace
