// SPDX-License-Identifier: Apache-2.0
// Walks over strided operands: kernels and descriptions go through the same rows in the same order, which visit every element once, as the
// result lies in memory.
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "engine/access/describe.h"
#include "engine/cpu/loops.h"
#include "tests/engine/loops/accesses.h"

namespace engine {
namespace {

struct Example {
  Shape shape;
  Strides result, operand;  ///< elements; operand: 0 where it repeats
};

TEST(WalkLoops, KernelsAndDescriptionsGoThroughTheSameRows) {
  constexpr int64_t kBytes = 4;
  constexpr uint64_t kResult = 1 << 20, kOperand = 2 << 20;
  for (const Example& e : {Example{{2, 3, 4}, {12, 4, 1}, {12, 4, 1}}, {{2, 3, 4}, {1, 8, 2}, {12, 4, 1}}, {{4, 1, 5}, {5, 5, 1}, {0, 0, 1}}, {{3, 4}, {4, 1}, {1, 0}},
                           {{3, 4}, {-4, -1}, {4, 1}}, {{2, 3, 2, 2}, {12, 1, 6, 3}, {0, 1, 0, 0}}, {{}, {}, {}}, {{1, 1}, {7, 3}, {0, 0}}, {{5}, {2}, {1}}}) {
    SCOPED_TRACE(testing::PrintToString(e.shape) + testing::PrintToString(e.result));
    std::vector<test::Access> done;
    Shape operand_shape = e.shape;
    for (size_t i = 0; i < e.shape.size(); ++i) operand_shape[i] = e.operand[i] == 0 ? 1 : e.shape[i];
    const std::vector<TensorType> types{{.dtype = DType::float32, .shape = e.shape, .strides = e.result}, {.dtype = DType::float32, .shape = operand_shape, .strides = e.operand}};
    const cpu::LoopNest nest = cpu::make_loops(e.shape, types, 0);
    const cpu::Addresses base{reinterpret_cast<std::byte*>(kResult), reinterpret_cast<std::byte*>(kOperand)};
    cpu::run_loops(nest, base, 1, [&](const cpu::Addresses& at, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        for (const int k : {1, 0}) done.push_back({reinterpret_cast<uint64_t>(at[static_cast<size_t>(k)]) + static_cast<uint64_t>(i * nest.inner_stride[static_cast<size_t>(k)]), kBytes, k == 0});
      }
    });

    test::Said said;
    const auto bytes = [](Strides strides) {
      for (int64_t& s : strides) s *= kBytes;
      return strides;
    };
    access::walk(e.shape, {{kOperand, bytes(e.operand), 0, kBytes, AccessKind::load}, {kResult, bytes(e.result), 0, kBytes, AccessKind::store}}, said);
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

}  // namespace
}  // namespace engine
