// SPDX-License-Identifier: Apache-2.0
// Walks over strided operands: kernels and descriptions go through the same rows in the same order, which visit every
// element once, as the result lies in memory.
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "engine/kernels/core/describe_access.h"
#include "engine/kernels/core/loop_nest.h"
#include "tests/engine/kernels/core/accesses.h"
#include "tests/engine/kernels/core/described.h"

namespace engine {
namespace {

struct Example {
  Shape shape;
  Strides result, operand;  ///< elements; operand: 0 where it repeats
};

/// Operands across each other: kernels and descriptions take the same tiles, each element once, and no row is longer
/// than a tile where rows divide.
TEST(WalkLoops, TilesCoverEveryElementOnceInTheSameOrder) {
  constexpr int64_t kBytes = 4;
  constexpr uint64_t kResult = 1 << 24, kOperand = 2 << 24;
  struct Tiles {
    Shape shape;
    Strides result, operand;
    int64_t row;
  };
  for (const Tiles& e : {Tiles{{128, 300}, {300, 1}, {1, 128}, 60},
                         {{7, 1024}, {1024, 1}, {1, 7}, 64},
                         {{300, 127}, {127, 1}, {1, 300}, 127},
                         {{3, 20, 40}, {800, 40, 1}, {1, 3, 60}, 40},
                         {{5, 48, 200}, {9600, 200, 1}, {9600, 1, 48}, 50},
                         {{128, 300}, {300, 1}, {300, 1}, 128 * 300},
                         {{64, 96}, {1, 64}, {96, 1}, 64},
                         {{16, 320}, {320, 1}, {-1, 16}, 64}}) {
    SCOPED_TRACE(testing::PrintToString(e.shape) + testing::PrintToString(e.operand));
    const std::vector<TensorType> types{{DType::float32, e.shape, e.result}, {DType::float32, e.shape, e.operand}};
    const cpu::LoopNest nest = cpu::make_tiled_loops(e.shape, types, 0);
    EXPECT_EQ(nest.inner, e.row);
    const cpu::Addresses base{reinterpret_cast<std::byte*>(kResult), reinterpret_cast<std::byte*>(kOperand)};
    std::vector<test::Access> done;
    std::map<uint64_t, uint64_t> met;
    cpu::run_loops(nest, base, 1, [&](const cpu::Addresses& at, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        const auto address = [&](size_t k) {
          return reinterpret_cast<uint64_t>(at[k]) + static_cast<uint64_t>(i * nest.inner_stride[k]);
        };
        done.push_back({address(1), kBytes, false}), done.push_back({address(0), kBytes, true});
        met[address(0)] = address(1);
      }
    });
    test::Said said;
    const auto bytes = [](Strides strides) {
      for (int64_t& s : strides) s *= kBytes;
      return strides;
    };
    access::walk_tiles(e.shape,
                       {{kOperand, bytes(e.operand), 0, kBytes, AccessKind::load},
                        {kResult, bytes(e.result), 0, kBytes, AccessKind::store}},
                       said);
    test::expect_same(said.accesses, done);
    ASSERT_EQ(met.size(), static_cast<size_t>(types[0].elements()));
    for (int64_t i = 0; i < types[0].elements(); ++i) {
      uint64_t result = kResult, operand = kOperand;
      int64_t rest = i;
      for (size_t axis = e.shape.size(); axis-- > 0; rest /= e.shape[axis]) {
        result += static_cast<uint64_t>(rest % e.shape[axis] * e.result[axis] * kBytes);
        operand += static_cast<uint64_t>(rest % e.shape[axis] * e.operand[axis] * kBytes);
      }
      ASSERT_EQ(met.at(result), operand) << i;
    }
  }
}

TEST(WalkLoops, KernelsAndDescriptionsGoThroughTheSameRows) {
  constexpr int64_t kBytes = 4;
  constexpr uint64_t kResult = 1 << 20, kOperand = 2 << 20;
  for (const Example& e : {Example{{2, 3, 4}, {12, 4, 1}, {12, 4, 1}},
                           {{2, 3, 4}, {1, 8, 2}, {12, 4, 1}},
                           {{4, 1, 5}, {5, 5, 1}, {0, 0, 1}},
                           {{3, 4}, {4, 1}, {1, 0}},
                           {{3, 4}, {-4, -1}, {4, 1}},
                           {{2, 3, 2, 2}, {12, 1, 6, 3}, {0, 1, 0, 0}},
                           {{}, {}, {}},
                           {{1, 1}, {7, 3}, {0, 0}},
                           {{5}, {2}, {1}}}) {
    SCOPED_TRACE(testing::PrintToString(e.shape) + testing::PrintToString(e.result));
    std::vector<test::Access> done;
    Shape operand_shape = e.shape;
    for (size_t i = 0; i < e.shape.size(); ++i) operand_shape[i] = e.operand[i] == 0 ? 1 : e.shape[i];
    const std::vector<TensorType> types{{.dtype = DType::float32, .shape = e.shape, .strides = e.result},
                                        {.dtype = DType::float32, .shape = operand_shape, .strides = e.operand}};
    const cpu::LoopNest nest = cpu::make_loops(e.shape, types, 0);
    const cpu::Addresses base{reinterpret_cast<std::byte*>(kResult), reinterpret_cast<std::byte*>(kOperand)};
    cpu::run_loops(nest, base, 1, [&](const cpu::Addresses& at, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        for (const int k : {1, 0})
          done.push_back({reinterpret_cast<uint64_t>(at[static_cast<size_t>(k)]) +
                              static_cast<uint64_t>(i * nest.inner_stride[static_cast<size_t>(k)]),
                          kBytes, k == 0});
      }
    });

    test::Said said;
    const auto bytes = [](Strides strides) {
      for (int64_t& s : strides) s *= kBytes;
      return strides;
    };
    access::walk(e.shape,
                 {{kOperand, bytes(e.operand), 0, kBytes, AccessKind::load},
                  {kResult, bytes(e.result), 0, kBytes, AccessKind::store}},
                 said);
    test::expect_same(said.accesses, done);

    // Element by element, whose result lies where; in the order of its strides.
    std::map<uint64_t, uint64_t> wanted;
    const int64_t count = types[0].elements();
    for (int64_t i = 0; i < count; ++i) {
      uint64_t result = kResult, operand = kOperand;
      int64_t rest = i;
      for (size_t axis = e.shape.size(); axis-- > 0; rest /= e.shape[axis]) {
        result += static_cast<uint64_t>(rest % e.shape[axis] * e.result[axis] * kBytes);
        operand += static_cast<uint64_t>(rest % e.shape[axis] * e.operand[axis] * kBytes);
      }
      wanted[result] = operand;
    }
    ASSERT_EQ(done.size(), 2 * static_cast<size_t>(count));
    const bool backwards = !e.result.empty() && e.result[0] < 0;
    for (size_t i = 0; i < done.size(); i += 2) {
      ASSERT_TRUE(wanted.contains(done[i + 1].address));
      EXPECT_EQ(wanted[done[i + 1].address], done[i].address);
      if (i > 0) {
        EXPECT_EQ(done[i + 1].address < done[i - 1].address, backwards);
      }
    }
  }
}

/// Whatever the op: copies around what is said of it in f32.
TEST(WalkLoops, SixteenBitFloatsThatTheKernelWidensAreDescribedSo) {
  constexpr uint64_t kFrom = 0x1000, kTo = 0x2000, kWorkspace = 0x10000, kCopy = 128;  // 32 elements of f32
  const TensorType half = TensorType::contiguous(DType::bfloat16, {32}),
                   whole = TensorType::contiguous(DType::float32, {32});
  Node node;
  node.op = find_op("relu");
  test::Said said, copies, narrow;
  EXPECT_EQ(access::describe({.node = node,
                              .inputs = {{half, kFrom}},
                              .outputs = {{half, kTo}},
                              .workspace_address = kWorkspace,
                              .copies = {.widens = true}},
                             said),
            access::Fidelity::loops);
  access::describe({.node = node,
                    .inputs = {{whole, kWorkspace}},
                    .outputs = {{whole, kWorkspace + kCopy}},
                    .workspace_address = kWorkspace + 2 * kCopy},
                   copies);
  std::vector<test::Access> expected;
  for (uint64_t i = 0; i < 32; ++i)
    expected.push_back({kFrom + 2 * i, 2, false}), expected.push_back({kWorkspace + 4 * i, 4, true});
  expected.insert(expected.end(), copies.accesses.begin(), copies.accesses.end());
  for (uint64_t i = 0; i < 32; ++i)
    expected.push_back({kWorkspace + kCopy + 4 * i, 4, false}), expected.push_back({kTo + 2 * i, 2, true});
  test::expect_same(said.accesses, expected);
  access::describe({.node = node, .inputs = {{half, kFrom}}, .outputs = {{half, kTo}}, .workspace_address = kWorkspace},
                   narrow);
  EXPECT_EQ(narrow.accesses.size(), 64U) << "its kernel has loops for them";
  const TensorType matrix = TensorType::contiguous(DType::bfloat16, {8, 8});
  node.op = find_op("matmul");
  test::Said product;
  EXPECT_EQ(access::describe({.node = node,
                              .inputs = {{matrix, kFrom}, {matrix, kFrom + 128}},
                              .outputs = {{matrix, kTo}},
                              .workspace_address = kWorkspace,
                              .copies = {.widens = true}},
                             product),
            access::Fidelity::loops);
  EXPECT_EQ(product.accesses.front(), (test::Access{kFrom, 2, false}));
  EXPECT_EQ(product.accesses.back(), (test::Access{kTo + 2 * 63, 2, true}));
}

/// Operands that do not lie as the kernel wants them: copies in the workspace, of convolutions of the images alone,
/// around what is said of the dense op.
TEST(WalkLoops, OperandsThatTheKernelCopiesAreDescribedSo) {
  constexpr uint64_t kX = 0x1000, kWeight = 0x4000, kY = 0x6000, kWorkspace = 0x10000,
                     kCopy = 4 * 8 * 6 * 6;  // bytes of x as a copy
  const TensorType dense = TensorType::channels_last(DType::float32, {1, 8, 6, 6}),
                   weight = TensorType::contiguous(DType::float32, {8, 8, 3, 3});
  const TensorType chunk{
      DType::float32, {1, 8, 6, 6}, TensorType::channels_last(DType::float32, {1, 16, 6, 6}).strides};
  Node node;
  node.op = find_op("conv2d");
  node.attributes = {{"padding", std::vector<int64_t>{1, 1, 1, 1}}};
  const OperandCopies copies{.widens = false, .layout = CopyLayout::channels_last};
  test::Said said, inner;
  EXPECT_EQ(access::describe({.node = node,
                              .inputs = {{chunk, kX}, {weight, kWeight}},
                              .outputs = {{dense, kY}},
                              .workspace_address = kWorkspace,
                              .copies = copies},
                             said),
            access::Fidelity::modelled);
  access::describe({.node = node,
                    .inputs = {{dense, kWorkspace}, {weight, kWeight}},
                    .outputs = {{dense, kY}},
                    .workspace_address = kWorkspace + kCopy},
                   inner);
  std::vector<test::Access> expected;
  for (uint64_t pixel = 0; pixel < 36; ++pixel) {
    for (uint64_t c = 0; c < 8; ++c)
      expected.push_back({kX + 4 * (16 * pixel + c), 4, false}),
          expected.push_back({kWorkspace + 4 * (8 * pixel + c), 4, true});
  }
  expected.insert(expected.end(), inner.accesses.begin(), inner.accesses.end());
  test::expect_same(said.accesses, expected);
  test::Said into;
  access::describe({.node = node,
                    .inputs = {{dense, kX}, {weight, kWeight}},
                    .outputs = {{chunk, kY}},
                    .workspace_address = kWorkspace,
                    .copies = copies},
                   into);
  ASSERT_GE(into.accesses.size(), 2 * 288U);
  EXPECT_EQ(into.accesses.back(), (test::Access{kY + 4 * (16 * 35 + 7), 4, true}));
  EXPECT_EQ(into.accesses[into.accesses.size() - 2], (test::Access{kWorkspace + kCopy - 4, 4, false}))
      << "results are copied back";
}

TEST(WalkLoops, OpsOfOneShapeThatDoNotGoElementByElementAreNotSaidTo) {
  const TensorType square = TensorType::contiguous(DType::float32, {8, 8}),
                   image = TensorType::contiguous(DType::float32, {1, 8, 4, 4});
  EXPECT_EQ(test::fidelity("relu", {square}, {square}), access::Fidelity::loops);
  EXPECT_EQ(test::fidelity("cumulative_sum", {square}, {square}), access::Fidelity::loops) << "along its lines";
  EXPECT_EQ(test::fidelity("local_response_norm", {image}, {image}), access::Fidelity::loops) << "by its windows";
  for (const char* op : {"inverse", "cholesky"})
    EXPECT_EQ(test::fidelity(op, {square}, {square}), access::Fidelity::assumed) << op;
  for (const char* op :
       {"cholesky", "gather_elements", "inverse", "qr", "scatter_elements", "scatter_nd", "solve", "top_k"})
    EXPECT_NE(find_op(op), nullptr) << op;
}

}  // namespace
}  // namespace engine
