// SPDX-License-Identifier: Apache-2.0
// What the rungs of the ladder are said to access: the closed forms of their loops, and every byte of the operands.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "cache_streams.h"
#include "engine/access/describe.h"
#include "engine/ops/ladder.h"
#include "profiler/memory/cache_simulator.h"

namespace {

using engine::access::Fidelity;
using engine::access::OpCall;
using profiler::CacheConfig;
using profiler::CacheSimulator;

/// c = a b, all in f32, laid out as test::ThreeArrays.
Fidelity describe(const std::string& rung, int64_t m, int64_t n, int64_t k, int64_t tile, bool sigmoid, const test::ThreeArrays& x, engine::AccessSink& sink,
                  int64_t padding = 0) {
  engine::Node node;
  node.op = &engine::ops::kLadderProduct;
  node.attributes = {{"rung", rung}, {"tile", tile}, {"sigmoid", int64_t{sigmoid}}};
  const auto operand = [](uint64_t at, engine::Shape shape, uint32_t tensor) {
    return engine::access::Operand{engine::TensorType::contiguous(engine::DType::float32, std::move(shape)), at, tensor};
  };
  engine::access::Operand b = operand(x.b, {k, n}, 1);
  b.type.strides[0] += padding;
  return engine::access::describe(OpCall{.node = node, .inputs = {operand(x.a, {m, k}, 0), b}, .outputs = {operand(x.c, {m, n}, 2)},
                                         .workspace_address = 0x60000000, .workspace_tensor = 3}, sink);
}

profiler::CacheEpoch simulate(const std::string& rung, int64_t n, int64_t tile, int64_t padding = 0) {
  CacheConfig config{.levels = {*profiler::parse_cache_level("32KiB/8/64:lru", "L1")}, .rules = {}};
  CacheSimulator simulator(config, {.tensors = 4});
  EXPECT_EQ(describe(rung, n, n, n, tile, false, test::ThreeArrays(n * (n + padding)), simulator, padding), Fidelity::loops);
  return simulator.take_epoch("cold");
}

/// The same loops written down by hand.
template <class Loop>
profiler::CacheEpoch by_hand(const Loop& loop) {
  CacheConfig config{.levels = {*profiler::parse_cache_level("32KiB/8/64:lru", "L1")}, .rules = {}};
  CacheSimulator simulator(config, {});
  loop(simulator);
  return simulator.take_epoch("cold");
}

TEST(LadderAccess, ScalarRungsAreTheLoopsOfThePublishedChecks) {
  const int64_t n = 128;
  const test::ThreeArrays x(n * n);
  const auto naive = by_hand([&](engine::AccessSink& s) { test::ijk(s, x, n); });
  EXPECT_EQ(simulate("naive", n, 32).total(0).misses(), naive.total(0).misses());
  EXPECT_EQ(simulate("naive", n, 32).refs, naive.refs);
  const auto reordered = by_hand([&](engine::AccessSink& s) { s.group(n * n, {test::store(x.c, 4)}), test::ikj(s, x, n); });
  EXPECT_EQ(simulate("reordered", n, 32).total(0), reordered.total(0));
  const auto tiled = by_hand([&](engine::AccessSink& s) { s.group(n * n, {test::store(x.c, 4)}), test::tiled(s, x, n, 32); });
  EXPECT_EQ(simulate("tiled", n, 32).total(0), tiled.total(0));
}

TEST(LadderAccess, StepsUpMoveFewerLinesUnlessTheSizeIsAPowerOfTwo) {
  const auto misses = [](const char* rung, int64_t n) { return simulate(rung, n, 64).total(0).misses(); };
  EXPECT_GT(misses("naive", 128), uint64_t{128} * 128 * 128);                // every access to b
  EXPECT_EQ(misses("reordered", 256), uint64_t{256} * 4096 + 3 * 4096);      // b once per row of c; a; c cleared and read again
  EXPECT_GT(misses("tiled", 256), misses("reordered", 256));                 // rows 1 KiB apart: a tile's lines share a quarter of the sets
  EXPECT_LT(misses("tiled", 250), misses("reordered", 250) / 3);
  EXPECT_LT(misses("registers", 250), misses("reordered", 250) / 3);
}

TEST(LadderAccess, ALineOfPaddingSpreadsColumnsOverAllSets) {
  // 128 rows of 512 bytes: a column's lines share 8 of 64 sets, 64 of them fit. 576 bytes apart, all 128 fit and serve the next columns, too.
  EXPECT_GT(simulate("naive", 128, 64).total(0).misses(), 10 * simulate("naive", 128, 64, 16).total(0).misses());
  EXPECT_EQ(simulate("naive", 128, 64).refs, simulate("naive", 128, 64, 16).refs);
}

TEST(LadderAccess, VectorsAccessWhatScalarsDoInFewerPieces) {
  for (const int64_t n : {128, 100}) {
    const profiler::CacheEpoch scalar = simulate("tiled", n, 64);
    for (const char* rung : {"simd128", "simd256", "simd512"}) {
      const profiler::CacheEpoch vector = simulate(rung, n, 64);
      EXPECT_EQ(vector.total_memory().read_bytes(), scalar.total_memory().read_bytes()) << rung << " " << n;
      EXPECT_LT(vector.refs, scalar.refs) << rung << " " << n;
    }
  }
  // Three accesses per vector of 16, one to a, one store to clear.
  EXPECT_EQ(simulate("simd512", 128, 64).refs, uint64_t{128} * 128 * (128 / 16 * 3 + 2) + 128 * 128);
}

/// Collects the bytes touched per tensor.
struct Bytes : engine::AccessSink {
  std::set<uint64_t> loaded[4], stored[4];
  using engine::AccessSink::group;
  void group(int64_t iterations, std::span<const engine::AccessStream> streams) override {
    for (int64_t i = 0; i < iterations; ++i) {
      for (const engine::AccessStream& s : streams) {
        for (uint64_t byte = 0; byte < s.bytes; ++byte)
          (s.kind == engine::AccessKind::load ? loaded : stored)[s.tensor].insert(s.address + static_cast<uint64_t>(i * s.stride) + byte);
      }
    }
  }
};

TEST(LadderAccess, EveryRungTouchesEveryByteOfItsOperandsAndNoOther) {
  for (const engine::ops::LadderRung& rung : engine::ops::ladder_rungs()) {
    for (const bool sigmoid : {false, true}) {
      for (const auto& [m, n, k] : {std::tuple{int64_t{1}, int64_t{45}, int64_t{37}}, {int64_t{19}, int64_t{70}, int64_t{23}}}) {
        SCOPED_TRACE(testing::Message() << rung.name << " " << m);
        const test::ThreeArrays x(4096);
        Bytes bytes;
        describe(std::string(rung.name), m, n, k, 16, sigmoid, x, bytes);
        const auto whole = [](const std::set<uint64_t>& touched, uint64_t begin, int64_t elements) {
          return touched.size() == static_cast<size_t>(elements) * 4 && *touched.begin() == begin && *touched.rbegin() == begin + static_cast<uint64_t>(elements) * 4 - 1;
        };
        EXPECT_TRUE(whole(bytes.loaded[0], x.a, m * k));
        EXPECT_TRUE(whole(bytes.loaded[1], x.b, k * n));
        EXPECT_TRUE(whole(bytes.stored[2], x.c, m * n));
        EXPECT_TRUE(bytes.stored[0].empty() && bytes.stored[1].empty());
      }
    }
  }
}

}  // namespace
