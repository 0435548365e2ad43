// SPDX-License-Identifier: Apache-2.0
// How results lie in memory: as their operands do, unless that would leave rows in pieces.
#include <gtest/gtest.h>

#include <vector>

#include "engine/ops/ops.h"

namespace {

using namespace engine;  // NOLINT: a test of this floor

Strides result_of(std::string_view op, const std::vector<TensorType>& inputs, const Attributes& attributes = {}) {
  const auto types = find_op(op)->infer(inputs, attributes);
  if (!types) ADD_FAILURE() << types.error().message;
  return types ? types->front().strides : Strides{};
}

TensorType f32(Shape shape, Strides strides) { return {DType::float32, std::move(shape), std::move(strides)}; }

// The tokens of a picture's patches, as MobileViT's unfolding leaves them: channels far apart, rows of four.
const TensorType kScattered = f32({4, 256, 64}, {1, 4, 1024});
const TensorType kRows = TensorType::contiguous(DType::float32, {4, 256, 64});

TEST(Layouts, AResultHasRowsWhereAnOperandHasThem) {
  for (const char* op : {"add", "multiply", "maximum"}) {
    EXPECT_EQ(result_of(op, {kScattered, kRows}), kRows.strides) << op;
    EXPECT_EQ(result_of(op, {kRows, kScattered}), kRows.strides) << op;
    EXPECT_EQ(result_of(op, {kScattered, kScattered}), kScattered.strides) << op << ": there is no other";
  }
}

TEST(Layouts, LongRowsOfTheFirstOperandStay) {
  const TensorType last = TensorType::channels_last(DType::float32, {2, 64, 14, 14}),
                   first = TensorType::contiguous(DType::float32, {2, 64, 14, 14});
  EXPECT_EQ(result_of("add", {last, first}), last.strides);
  EXPECT_EQ(result_of("add", {first, last}), last.strides) << "rows of 14 yield to those of 64 channels";
  const TensorType square = f32({64, 64}, {1, 64});
  EXPECT_EQ(result_of("add", {square, TensorType::contiguous(DType::float32, {64, 64})}), square.strides)
      << "both are long: the first decides";
  EXPECT_EQ(result_of("add", {kRows, TensorType::contiguous(DType::float32, {64})}), kRows.strides);
}

TEST(Layouts, NormsOverTheLastAxisWriteRows) {
  const TensorType scale = TensorType::contiguous(DType::float32, {64});
  EXPECT_EQ(result_of("layer_norm", {kScattered, scale, scale}), kRows.strides);
  EXPECT_EQ(result_of("rms_norm", {kScattered, scale}), kRows.strides);
  const TensorType swapped = f32({4, 256, 64}, {64, 256, 1});  // rows, in another order
  EXPECT_EQ(result_of("layer_norm", {swapped, scale, scale}), swapped.strides);
}

}  // namespace
