// SPDX-License-Identifier: Apache-2.0
// Copies to parts of a tensor: which bytes are said to be read and written.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/kernels/core/describe_access.h"
#include "engine/ops/ops.h"
#include "tests/engine/kernels/core/accesses.h"

namespace engine {
namespace {

constexpr uint64_t kFirst = 0x10000, kSecond = 0x20000, kResult = 0x30000;

access::Operand at(uint64_t address, Shape shape) {
  return {TensorType::contiguous(DType::float32, std::move(shape)), address, 0};
}

std::vector<test::Access> said_of(const std::string& op, Attributes attributes, std::vector<access::Operand> inputs,
                                  access::Operand output, access::Fidelity fidelity = access::Fidelity::loops) {
  Node node;
  node.op = find_op(op);
  node.attributes = std::move(attributes);
  test::Said said;
  EXPECT_EQ(access::describe({.node = node, .inputs = std::move(inputs), .outputs = {std::move(output)}}, said),
            fidelity)
      << op;
  return said.accesses;
}

/// Row by row of `columns` elements: from there to here.
void copy(std::vector<test::Access>& to, uint64_t from, int64_t from_row, uint64_t into, int64_t into_row, int64_t rows,
          int64_t columns) {
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      to.push_back({from + static_cast<uint64_t>((r * from_row + c) * 4), 4, false});
      to.push_back({into + static_cast<uint64_t>((r * into_row + c) * 4), 4, true});
    }
  }
}

TEST(Moves, EachOperandOfAConcatenationGoesToItsPart) {
  std::vector<test::Access> expected;
  copy(expected, kFirst, 2, kResult, 5, 3, 2);
  copy(expected, kSecond, 3, kResult + 2 * 4, 5, 3, 3);
  test::expect_same(
      said_of("concat", {{"axis", int64_t{-1}}}, {at(kFirst, {3, 2}), at(kSecond, {3, 3})}, at(kResult, {3, 5})),
      expected);
}

TEST(Moves, TheGradientOfASliceIsZeroFirst) {
  std::vector<test::Access> expected;
  for (uint64_t i = 0; i < 4 * 6; ++i) expected.push_back({kResult + i * 4, 4, true});
  copy(expected, kFirst, 6, kResult + 6 * 4, 2 * 6, 2, 6);  // every second row from the second one on
  const Attributes slice{{"axis", int64_t{0}}, {"start", int64_t{1}}, {"end", int64_t{4}}, {"step", int64_t{2}}};
  test::expect_same(said_of("slice_grad", slice, {at(kFirst, {2, 6})}, at(kResult, {4, 6})), expected);
}

TEST(Moves, AWrittenSliceIsAllThatMoves) {
  std::vector<test::Access> expected;
  copy(expected, kSecond, 2, kFirst + 3 * 4, 8, 4, 2);
  test::expect_same(said_of("write_slice", {{"axis", int64_t{1}}, {"start", int64_t{3}}},
                            {at(kFirst, {4, 8}), at(kSecond, {4, 2})}, at(kFirst, {4, 8})),
                    expected);
}

TEST(Moves, AnExtremumIsLookedForAgain) {
  constexpr int64_t kLines = 3, kLength = 40, kWhole = 40 / 16 + 40 % 16, kHalf = 20;
  access::Operand y{TensorType::contiguous(DType::int64, {kLines}), kResult, 0};
  const auto said =
      said_of("argmax", {{"axis", int64_t{1}}}, {at(kFirst, {kLines, kLength})}, y, access::Fidelity::modelled);
  ASSERT_EQ(said.size(), static_cast<size_t>(kLines * (kWhole + kHalf + 1)));
  EXPECT_EQ(said[0], (test::Access{kFirst, 64, false}));
  EXPECT_EQ(said[kWhole], (test::Access{kFirst, 4, false})) << "from the line's begin";
  EXPECT_EQ(said[kWhole + kHalf], (test::Access{kResult, 8, true}));
  const auto ones = said_of("hardmax", {{"axis", int64_t{-1}}}, {at(kFirst, {kLines, kLength})},
                            at(kResult, {kLines, kLength}), access::Fidelity::modelled);
  ASSERT_EQ(ones.size(), static_cast<size_t>(kLines * (2 * kWhole + kHalf + 1)));
  EXPECT_EQ(ones[kWhole + kHalf], (test::Access{kResult, 64, true})) << "zeros";
  EXPECT_EQ(ones[2 * kWhole + kHalf], (test::Access{kResult + kLength / 2 * 4, 4, true})) << "the one";
  y.type.shape = {kLength}, y.type.strides = {1};
  EXPECT_EQ(
      said_of("argmax", {{"axis", int64_t{0}}}, {at(kFirst, {kLines, kLength})}, y, access::Fidelity::modelled).size(),
      static_cast<size_t>(kLines * kLength + kLength))
      << "side by side";
}

}  // namespace
}  // namespace engine
