// SPDX-License-Identifier: Apache-2.0
// The ladder's rungs in vectors do what is said of them: their own code, compiled here over a memory that notes each access.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "engine/access/describe.h"
#include "engine/cpu/ladder_simd-inl.h"
#include "engine/ops/ladder.h"
#include "tests/engine/loops/accesses.h"

namespace engine::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using test::Access;

/// Of the file's vector unit, as ladder::Memory.
struct Noted {
  static inline std::vector<Access> accesses;
  static void note(const void* at, size_t bytes, bool store) { accesses.push_back({reinterpret_cast<uint64_t>(at), static_cast<int64_t>(bytes), store}); }

  template <class D, class T>
  static hn::Vec<D> load(D d, const T* from) {
    note(from, hn::Lanes(d) * sizeof(T), false);
    return hn::LoadU(d, from);
  }
  template <class D, class T>
  static void store(hn::Vec<D> x, D d, T* to) {
    note(to, hn::Lanes(d) * sizeof(T), true);
    hn::StoreU(x, d, to);
  }
  template <class T>
  static T load(const T* from) {
    note(from, sizeof(T), false);
    return *from;
  }
  template <class T>
  static void store(T x, T* to) {
    note(to, sizeof(T), true);
    *to = x;
  }
  template <class T>
  static void clear(T* to, int64_t count) {
    for (int64_t i = 0; i < count; ++i) store(T{0}, to + i);
  }
};

constexpr auto kVectorBytes = static_cast<int>(hn::MaxLanes(hn::ScalableTag<float>()) * sizeof(float));

struct Shape {
  int64_t m, n, k, tile, padding;
  bool sigmoid;
};

/// Runs `rung` by its own code, and holds its accesses against its description and its result against plain sums.
void check(const std::string& rung, void (*loop)(const LadderProblem<float>&), const Shape& s) {
  SCOPED_TRACE(testing::Message() << rung << " " << s.m << " x " << s.n << " x " << s.k << ", tile " << s.tile << ", padding " << s.padding);
  std::vector<float> a(static_cast<size_t>(s.m * s.k) + 1), b(static_cast<size_t>(s.k * (s.n + s.padding)) + 1), c(static_cast<size_t>(s.m * s.n) + 1);
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 7) - 3;
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 5) - 2;
  const LadderProblem<float> problem{.a = a.data(), .b = b.data(), .c = c.data(), .m = s.m, .n = s.n, .k = s.k, .row_of_b = s.n + s.padding, .tile = s.tile, .sigmoid = s.sigmoid};
  Noted::accesses.clear();
  loop(problem);

  Node node;
  node.op = &ops::kLadderProduct;
  node.attributes = {{"rung", rung}, {"tile", s.tile}, {"sigmoid", int64_t{s.sigmoid}}};
  const auto operand = [](const std::vector<float>& x, int64_t rows, int64_t columns) {
    return access::Operand{TensorType::contiguous(DType::float32, {rows, columns}), reinterpret_cast<uint64_t>(x.data()), 0};
  };
  access::Operand of_b = operand(b, s.k, s.n);
  of_b.type.strides[0] += s.padding;
  test::Said said;
  EXPECT_EQ(access::describe({.node = node, .inputs = {operand(a, s.m, s.k), of_b}, .outputs = {operand(c, s.m, s.n)}, .vector_bytes = kVectorBytes}, said),
            access::Fidelity::loops);
  ASSERT_EQ(said.accesses.size(), Noted::accesses.size());
  for (size_t i = 0; i < said.accesses.size(); ++i) ASSERT_EQ(said.accesses[i], Noted::accesses[i]) << "access " << i;

  for (int64_t i = 0; i < s.m; ++i) {
    for (int64_t j = 0; j < s.n; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < s.k; ++k) sum += a[static_cast<size_t>(i * s.k + k)] * b[static_cast<size_t>(k * problem.row_of_b + j)];
      ASSERT_NEAR(c[static_cast<size_t>(i * s.n + j)], s.sigmoid ? 1 / (1 + std::exp(-sum)) : sum, 1e-6) << i << " " << j;
    }
  }
}

TEST(LadderLoops, VectorRungsAccessWhatIsSaidInItsOrder) {
  for (const Shape& s : {Shape{1, 1, 1, 4, 0, false}, {1, 45, 11, 16, 0, true}, {19, 70, 23, 16, 3, true}, {8, 64, 8, 64, 0, false}, {7, 33, 9, 5, 2, false}, {3, 40, 0, 8, 0, true}}) {
    if constexpr (kVectorBytes >= 16) check("simd128", ladder::tiled<float, 128, Noted>, s);
    if constexpr (kVectorBytes >= 32) check("simd256", ladder::tiled<float, 256, Noted>, s);
    if constexpr (kVectorBytes >= 64) check("simd512", ladder::tiled<float, 512, Noted>, s);
    if constexpr (kVectorBytes >= 16) check("registers", ladder::registers<float, Noted>, s);
  }
}

}  // namespace
}  // namespace engine::cpu::HWY_NAMESPACE
