// SPDX-License-Identifier: Apache-2.0
// Own matrix products do what is said of them: their own code, compiled over a memory that notes each access.
#include <gtest/gtest.h>

#include <vector>

#include "engine/kernels/core/describe_access.h"
#include "engine/kernels/gemm/gemm_loops.h"
#include "engine/ops/ops.h"
#include "tests/engine/kernels/core/noted_kernels.h"

namespace engine {
namespace {

struct Product {
  int64_t m, n, k;
  bool a_transposed = false, b_transposed = false;  ///< as they lie
  bool bias = false;
};

/// rows x columns, perhaps lying the other way round; small whole numbers.
struct Matrix {
  Matrix(int64_t rows, int64_t columns, bool turned)
      : type(TensorType::contiguous(DType::float32, {rows, columns})),
        numbers(static_cast<size_t>(rows * columns) + 1) {
    if (turned) type.strides = {1, rows};
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i * 7 % 11) - 5;
  }
  uint64_t address() const { return reinterpret_cast<uint64_t>(numbers.data()); }
  access::Operand operand() const { return {type, address(), 0}; }
  cpu::GemmMatrix<float> view() const { return {numbers.data(), type.strides[0], type.strides[1]}; }
  double at(int64_t i, int64_t j) const {
    return numbers[static_cast<size_t>(i * type.strides[0] + j * type.strides[1])];
  }

  TensorType type;
  std::vector<float> numbers;
};

/// Runs a product by its own code, and holds its accesses against its description and its result against plain sums.
void check(const test::NotedKernels& own, const Product& s) {
  SCOPED_TRACE(testing::Message() << "vectors of " << own.vector_bytes << ": " << s.m << " x " << s.n << " x " << s.k
                                  << (s.a_transposed ? ", a transposed" : "")
                                  << (s.b_transposed ? ", b transposed" : "") << (s.bias ? ", bias" : ""));
  const Matrix a(s.m, s.k, s.a_transposed), b(s.k, s.n, s.b_transposed), bias(1, s.n, false);
  Matrix c(s.m, s.n, false);
  std::vector<float> workspace(static_cast<size_t>(std::max(s.k, own.gemm.workspace_elements(s.m, s.n, s.k))) + 16);
  float* const scratch =
      workspace.data() + (64 - reinterpret_cast<uint64_t>(workspace.data()) % 64) % 64 / sizeof(float);
  const cpu::GemmProblem<float> problem{.a = a.view(),
                                        .b = b.view(),
                                        .bias = s.bias ? bias.numbers.data() : nullptr,
                                        .c = c.numbers.data(),
                                        .c_row = s.n,
                                        .m = s.m,
                                        .n = s.n,
                                        .k = s.k};
  test::noted().clear();
  (s.m == 1 ? own.gemm.vector_times_matrix : own.gemm.multiply)(problem, scratch);

  Node node;
  node.op = find_op(s.bias ? "linear" : "matmul");
  std::vector<access::Operand> inputs{a.operand(), b.operand()};
  if (s.bias) {
    std::swap(inputs[1].type.shape[0], inputs[1].type.shape[1]),
        std::swap(inputs[1].type.strides[0], inputs[1].type.strides[1]);  // weights lie [n, k]
    inputs.push_back({TensorType::contiguous(DType::float32, {s.n}), bias.address(), 0});
  }
  test::Said said;
  EXPECT_EQ(access::describe({.node = node,
                              .inputs = inputs,
                              .outputs = {c.operand()},
                              .workspace_address = reinterpret_cast<uint64_t>(scratch),
                              .vector_bytes = static_cast<int>(own.vector_bytes)},
                             said),
            access::Fidelity::loops);
  test::expect_same(said.accesses, test::noted());

  for (int64_t i = 0; i < s.m; i += 1 + s.m / 9) {
    for (int64_t j = 0; j < s.n; j += 1 + s.n / 9) {
      double sum = s.bias ? bias.at(0, j) : 0;
      for (int64_t k = 0; k < s.k; ++k) sum += a.at(i, k) * b.at(k, j);
      ASSERT_EQ(c.at(i, j), sum) << i << " " << j;
    }
  }
}

TEST(GemmLoops, SmallProductsAccessWhatIsSaidInItsOrder) {
  for (const test::NotedKernels& own : test::noted_kernels()) {
    for (const Product& s : {Product{2, 1, 3, false, false, true},
                             {6, 64, 20},
                             {7, 65, 9},
                             {13, 50, 300},
                             {5, 3, 17},
                             {12, 16, 0},
                             {9, 40, 33, false, false, true}}) {
      for (const bool a_transposed : {false, true}) {
        for (const bool b_transposed : {false, true}) check(own, {s.m, s.n, s.k, a_transposed, b_transposed, s.bias});
      }
    }
  }
}

/// Beyond kUnpackedUpTo: everything packed; one block of rows, whose panels are packed one at a time; the same with
/// rows read as they lie; several blocks of columns.
TEST(GemmLoops, PackedProductsAccessWhatIsSaidInItsOrder) {
  for (const test::NotedKernels& own : test::noted_kernels()) {
    for (const Product& s : {Product{300, 130, 200},
                             {300, 130, 200, true, false},
                             {290, 140, 190, false, true},
                             {49, 600, 260},
                             {49, 600, 260, true, false},
                             {51, 600, 260, false, true},
                             {20, 3200, 120},
                             {47, 530, 300, false, false, true}}) {
      ASSERT_GT(s.m * s.n * s.k, loops::kUnpackedUpTo);
      check(own, s);
    }
  }
}

TEST(GemmLoops, VectorTimesMatrixAccessesWhatIsSaidInItsOrder) {
  for (const test::NotedKernels& own : test::noted_kernels()) {
    for (const Product& s : {Product{1, 1, 1},
                             {1, 70, 37},
                             {1, 5000, 11},
                             {1, 9, 70, false, true},
                             {1, 33, 200, false, true, true},
                             {1, 33, 6, false, false, true},
                             {1, 20, 0}})
      check(own, s);
  }
}

}  // namespace
}  // namespace engine
