// SPDX-License-Identifier: Apache-2.0
// The ladder's rungs in vectors do what is said of them: their own code, compiled here over a memory that notes each
// access.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "engine/base/vector_bits.h"
#include "engine/kernels/core/describe_access.h"
#include "engine/ops/ladder.h"
#include "tests/engine/kernels/core/noted_kernels.h"

namespace engine {
namespace {

struct Product {
  int64_t m, n, k, tile, padding;
  bool sigmoid;
};

/// Runs a rung by its own code, and holds its accesses against its description and its result against plain sums.
void check(const std::string& rung, cpu::LadderLoop<float> loop, int64_t vector_bytes, const Product& s) {
  if (loop == nullptr) return;
  SCOPED_TRACE(testing::Message() << rung << ", vectors of " << vector_bytes << ": " << s.m << " x " << s.n << " x "
                                  << s.k << ", tile " << s.tile << ", padding " << s.padding);
  std::vector<float> a(static_cast<size_t>(s.m * s.k) + 1), b(static_cast<size_t>(s.k * (s.n + s.padding)) + 1),
      c(static_cast<size_t>(s.m * s.n) + 1);
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 7) - 3;
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 5) - 2;
  const cpu::LadderProblem<float> problem{.a = a.data(),
                                          .b = b.data(),
                                          .c = c.data(),
                                          .m = s.m,
                                          .n = s.n,
                                          .k = s.k,
                                          .row_of_b = s.n + s.padding,
                                          .tile = s.tile,
                                          .sigmoid = s.sigmoid};
  test::noted().clear();
  loop(problem);

  Node node;
  node.op = &ops::kLadderProduct;
  node.attributes = {{"rung", rung}, {"tile", s.tile}, {"sigmoid", int64_t{s.sigmoid}}};
  const auto operand = [](const std::vector<float>& x, int64_t rows, int64_t columns) {
    return access::Operand{TensorType::contiguous(DType::float32, {rows, columns}),
                           reinterpret_cast<uint64_t>(x.data()), 0};
  };
  access::Operand of_b = operand(b, s.k, s.n);
  of_b.type.strides[0] += s.padding;
  test::Said said;
  EXPECT_EQ(access::describe({.node = node,
                              .inputs = {operand(a, s.m, s.k), of_b},
                              .outputs = {operand(c, s.m, s.n)},
                              .vector_bytes = static_cast<int>(vector_bytes)},
                             said),
            access::Fidelity::loops);
  test::expect_same(said.accesses, test::noted());

  for (int64_t i = 0; i < s.m; ++i) {
    for (int64_t j = 0; j < s.n; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < s.k; ++k)
        sum += a[static_cast<size_t>(i * s.k + k)] * b[static_cast<size_t>(k * problem.row_of_b + j)];
      ASSERT_NEAR(c[static_cast<size_t>(i * s.n + j)], s.sigmoid ? 1 / (1 + std::exp(-sum)) : sum, 1e-6)
          << i << " " << j;
    }
  }
}

TEST(LadderLoops, VectorRungsAccessWhatIsSaidInItsOrder) {
  int64_t widest = 0;
  for (const test::NotedKernels& own : test::noted_kernels()) {
    for (const Product& s : {Product{1, 1, 1, 4, 0, false},
                             {1, 45, 11, 16, 0, true},
                             {19, 70, 23, 16, 3, true},
                             {8, 64, 8, 64, 0, false},
                             {7, 33, 9, 5, 2, false},
                             {3, 40, 0, 8, 0, true}}) {
      check("simd128", own.ladder.tiled_128, own.vector_bytes, s);
      check("simd256", own.ladder.tiled_256, own.vector_bytes, s);
      check("simd512", own.ladder.tiled_512, own.vector_bytes, s);
      check("registers", own.ladder.registers, own.vector_bytes, s);
    }
    widest = std::max(widest, own.vector_bytes);
  }
  EXPECT_EQ(8 * widest, vector_bits());
}

}  // namespace
}  // namespace engine
