// SPDX-License-Identifier: Apache-2.0
// What the rungs of the ladder are said to access: the closed forms of their loops, and every byte of the operands.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "cache_streams.h"
#include "engine/kernels/core/describe_access.h"
#include "engine/kernels/teaching/ladder_scalar-inl.h"
#include "engine/ops/ladder.h"
#include "profiler/memory/cache_simulator.h"

namespace {

using engine::access::Fidelity;
using engine::access::OpCall;
using profiler::CacheConfig;
using profiler::CacheSimulator;

/// c = a b, all in f32, laid out as test::ThreeArrays.
Fidelity describe(const std::string& rung, int64_t m, int64_t n, int64_t k, int64_t tile, bool sigmoid,
                  const test::ThreeArrays& x, engine::AccessSink& sink, int64_t padding = 0) {
  engine::Node node;
  node.op = &engine::ops::kLadderProduct;
  node.attributes = {{"rung", rung}, {"tile", tile}, {"sigmoid", int64_t{sigmoid}}};
  const auto operand = [](uint64_t at, engine::Shape shape, uint32_t tensor) {
    return engine::access::Operand{engine::TensorType::contiguous(engine::DType::float32, std::move(shape)), at,
                                   tensor};
  };
  engine::access::Operand b = operand(x.b, {k, n}, 1);
  b.type.strides[0] += padding;
  return engine::access::describe(OpCall{.node = node,
                                         .inputs = {operand(x.a, {m, k}, 0), b},
                                         .outputs = {operand(x.c, {m, n}, 2)},
                                         .workspace_address = 0x60000000,
                                         .workspace_tensor = 3},
                                  sink);
}

profiler::CacheEpoch simulate(const std::string& rung, int64_t n, int64_t tile, int64_t padding = 0) {
  CacheConfig config{.levels = {*profiler::parse_cache_level("32KiB/8/64:lru", "L1")}, .rules = {}};
  CacheSimulator simulator(config, {.tensors = 4});
  EXPECT_EQ(describe(rung, n, n, n, tile, false, test::ThreeArrays(n * (n + padding)), simulator, padding),
            Fidelity::loops);
  return simulator.take_epoch("cold");
}

/// An access of four bytes.
struct Access {
  uint64_t address = 0;
  bool store = false;
  friend bool operator==(const Access&, const Access&) = default;
};

/// What a description says, access by access.
struct Said : engine::AccessSink {
  std::vector<Access> accesses;
  using engine::AccessSink::group;
  void group(int64_t iterations, std::span<const engine::AccessStream> streams) override {
    for (int64_t i = 0; i < iterations; ++i) {
      for (const engine::AccessStream& s : streams) {
        EXPECT_EQ(s.bytes, 4);
        accesses.push_back({s.address + static_cast<uint64_t>(i * s.stride), s.kind != engine::AccessKind::load});
      }
    }
  }
};

/// A number that notes when it is read or written in one of the watched arrays; elsewhere it is a register.
class Watched {
 public:
  Watched(float value = 0) : value_(value) {}
  Watched(const Watched& o) : value_(o.read()) {}
  Watched& operator=(const Watched& o) {
    value_ = o.read();
    note(true);
    return *this;
  }
  Watched& operator+=(const Watched& o) {
    const float more = o.read();
    value_ = read() + more;
    note(true);
    return *this;
  }
  friend Watched operator*(const Watched& x, const Watched& y) {
    const float left = x.read();
    return left * y.read();
  }
  friend Watched operator+(const Watched& x, const Watched& y) { return x.read() + y.read(); }
  friend Watched operator/(const Watched& x, const Watched& y) { return x.read() / y.read(); }
  Watched operator-() const { return -read(); }
  friend Watched exp(const Watched& x) { return std::exp(x.read()); }

  /// Runs `body` and returns what it did to the arrays.
  static std::vector<Access> watch(std::vector<std::span<const Watched>> arrays, const std::function<void()>& body) {
    arrays_ = std::move(arrays);
    log_.clear();
    body();
    arrays_.clear();
    return std::move(log_);
  }

 private:
  float read() const {
    note(false);
    return value_;
  }
  void note(bool store) const {
    for (const auto& array : arrays_) {
      if (this >= array.data() && this < array.data() + array.size())
        log_.push_back({reinterpret_cast<uint64_t>(this), store});
    }
  }
  static inline std::vector<std::span<const Watched>> arrays_;
  static inline std::vector<Access> log_;
  float value_;
};
static_assert(sizeof(Watched) == 4);

/// The description of a rung is what its own loops do, access by access and in their order: they run here over numbers
/// that tell.
TEST(LadderAccess, ScalarRungsAreDescribedAsTheirLoopsGo) {
  using Loop = void (*)(const engine::cpu::LadderProblem<Watched>&);
  for (const auto& [rung, loop] : {std::pair<const char*, Loop>{"naive", engine::cpu::ladder_scalar_naive},
                                   {"reordered", engine::cpu::ladder_scalar_reordered},
                                   {"tiled", engine::cpu::ladder_scalar_tiled}}) {
    for (const auto& [m, n, k] :
         {std::tuple{int64_t{1}, int64_t{1}, int64_t{1}}, {1, 20, 11}, {8, 8, 8}, {7, 13, 9}, {5, 3, 17}}) {
      for (const auto& [tile, padding, sigmoid] :
           {std::tuple{int64_t{4}, int64_t{0}, false}, {3, 2, true}, {64, 0, true}}) {
        SCOPED_TRACE(testing::Message() << rung << " " << m << " x " << n << " x " << k << ", tile " << tile
                                        << ", padding " << padding);
        std::vector<Watched> a(static_cast<size_t>(m * k), 1.0F), b(static_cast<size_t>(k * (n + padding)), 0.5F),
            c(static_cast<size_t>(m * n));
        const engine::cpu::LadderProblem<Watched> problem{.a = a.data(),
                                                          .b = b.data(),
                                                          .c = c.data(),
                                                          .m = m,
                                                          .n = n,
                                                          .k = k,
                                                          .row_of_b = n + padding,
                                                          .tile = tile,
                                                          .sigmoid = sigmoid};
        const std::vector<Access> done = Watched::watch({a, b, c}, [&] { loop(problem); });
        test::ThreeArrays x(0);
        x.a = reinterpret_cast<uint64_t>(a.data()), x.b = reinterpret_cast<uint64_t>(b.data()),
        x.c = reinterpret_cast<uint64_t>(c.data());
        Said said;
        describe(rung, m, n, k, tile, sigmoid, x, said, padding);
        ASSERT_EQ(said.accesses.size(), done.size());
        EXPECT_TRUE(said.accesses == done);
      }
    }
  }
}

/// Misses of a pass after the first over n x n in tiles of 64, with so many bytes before the arrays.
double misses_of_a_pass(const char* rung, int64_t n, uint64_t before_a, uint64_t before_b, uint64_t before_c) {
  test::ThreeArrays x(128 * 128);
  x.a += before_a, x.b += 4096 + before_b, x.c += 8192 + before_c;
  CacheSimulator simulator({.levels = {*profiler::parse_cache_level("32KiB/8/64:lru", "L1")}, .rules = {}},
                           {.tensors = 4});
  describe(rung, n, n, n, 64, false, x, simulator);
  simulator.take_epoch("first");
  describe(rung, n, n, n, 64, false, x, simulator);
  return static_cast<double>(simulator.take_epoch("next").total(0).misses());
}

/// cachegrind 3.19 on the compiled loops of ladder_scalar.cpp, D1 32 KiB, 8 ways: misses of one pass (of eleven less
/// one, over ten).
TEST(LadderAccess, ScalarRungsMissAsOftenAsTheirMachineCodeWhereverTheArraysLie) {
  struct Run {
    const char* rung;
    int64_t n;
    uint64_t a, b, c;
    double misses;
  };
  for (const Run& r : {Run{"naive", 120, 0, 0, 0, 109921}, Run{"reordered", 120, 0, 0, 0, 111068},
                       Run{"tiled", 120, 0, 0, 0, 6946}, Run{"naive", 128, 0, 0, 0, 2135185},
                       Run{"naive", 128, 0, 0, 256, 2119809}, Run{"naive", 128, 0, 64, 256, 2119681},
                       Run{"reordered", 128, 0, 0, 0, 134536}, Run{"reordered", 128, 64, 0, 128, 134536}}) {
    const double misses = misses_of_a_pass(r.rung, r.n, r.a, r.b, r.c);
    EXPECT_NEAR(misses / r.misses, 1, 0.03)
        << r.rung << " " << r.n << ", " << r.a << " " << r.b << " " << r.c << ": " << misses << " against " << r.misses;
  }
  // Rows of 512 bytes: a tile of b fills 32 of the 64 sets to the brim, so that where the other arrays lie makes 22,000
  // misses. Loop variables on the stack, which a description leaves out, are touched once a row of a tile: two lines,
  // each of which drives the eight of its set out.
  const double rows = 128 * 2 * 2, of_the_stack = rows * 2 * (8 + 1);
  for (const Run& r : {Run{"tiled", 128, 0, 0, 0, 46280}, Run{"tiled", 128, 0, 0, 256, 25600},
                       Run{"tiled", 128, 0, 64, 256, 31364}, Run{"tiled", 128, 64, 0, 128, 35924}}) {
    const double misses = misses_of_a_pass(r.rung, r.n, r.a, r.b, r.c);
    EXPECT_LE(misses, r.misses) << r.a << " " << r.b << " " << r.c;
    EXPECT_GE(misses, r.misses - of_the_stack) << r.a << " " << r.b << " " << r.c;
  }
}

TEST(LadderAccess, StepsUpMoveFewerLinesUnlessTheSizeIsAPowerOfTwo) {
  const auto misses = [](const char* rung, int64_t n) { return simulate(rung, n, 64).total(0).misses(); };
  EXPECT_GT(misses("naive", 128), uint64_t{128} * 128 * 128);  // every access to b
  EXPECT_EQ(misses("reordered", 256),
            uint64_t{256} * 4096 + 3 * 4096);  // b once per row of c; a; c cleared and read again
  EXPECT_GT(misses("tiled", 256),
            misses("reordered", 256));  // rows 1 KiB apart: a tile's lines share a quarter of the sets
  EXPECT_LT(misses("tiled", 250), misses("reordered", 250) / 3);
  EXPECT_LT(misses("registers", 250), misses("reordered", 250) / 3);
}

TEST(LadderAccess, ALineOfPaddingSpreadsColumnsOverAllSets) {
  // 128 rows of 512 bytes: a column's lines share 8 of 64 sets, 64 of them fit. 576 bytes apart, all 128 fit and serve
  // the next columns, too.
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
          (s.kind == engine::AccessKind::load ? loaded : stored)[s.tensor].insert(
              s.address + static_cast<uint64_t>(i * s.stride) + byte);
      }
    }
  }
};

TEST(LadderAccess, EveryRungTouchesEveryByteOfItsOperandsAndNoOther) {
  for (const engine::ops::LadderRung& rung : engine::ops::ladder_rungs()) {
    for (const bool sigmoid : {false, true}) {
      for (const auto& [m, n, k] :
           {std::tuple{int64_t{1}, int64_t{45}, int64_t{37}}, {int64_t{19}, int64_t{70}, int64_t{23}}}) {
        SCOPED_TRACE(testing::Message() << rung.name << " " << m);
        const test::ThreeArrays x(4096);
        Bytes bytes;
        describe(std::string(rung.name), m, n, k, 16, sigmoid, x, bytes);
        const auto whole = [](const std::set<uint64_t>& touched, uint64_t begin, int64_t elements) {
          return touched.size() == static_cast<size_t>(elements) * 4 && *touched.begin() == begin &&
                 *touched.rbegin() == begin + static_cast<uint64_t>(elements) * 4 - 1;
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
