// SPDX-License-Identifier: Apache-2.0
// Matrix products: of real numbers and of integers that stand for them.
#include <fmt/format.h>

#include <limits>

#include "engine/onnx/convert_words.h"
#include "engine/onnx/operators.h"
#include "engine/onnx/tensor_proto.h"
#include "engine/onnx/windows.h"
#include "engine/ops/indexing.h"
#include "engine/ops/ops.h"
#include "engine/ops/quantized.h"

namespace engine::onnx {

/// Vectors get an axis for the product, which the result loses again.
void convert_matmul(NodeContext& node) {
  ValueId a = node.input(0), b = node.input(1);
  if (node.failed()) return;
  GraphBuilder& builder = node.builder();
  const bool row = builder.type(a).rank() == 1, column = builder.type(b).rank() == 1;
  if (row) a = ops::unsqueeze(builder, a, 0);
  if (column) b = ops::unsqueeze(builder, b, 1);
  ValueId y = ops::matmul(builder, a, b);
  if (node.failed()) return;
  if (row) y = ops::squeeze(builder, y, -2);
  if (column) y = ops::squeeze(builder, y, -1);
  node.set_output(y);
}

/// y = alpha A' B' + beta C. The common form, a linear layer, becomes one node.
void convert_gemm(NodeContext& node) {
  const bool transpose_a = node.flag("transA", false);
  const bool transpose_b = node.flag("transB", false);
  const double alpha = node.real("alpha", 1);
  const double beta = node.real("beta", 1);
  if (node.opset() < 7) node.ignore("broadcast");  // C is always broadcast here
  ValueId a = node.input(0);
  ValueId b = node.input(1);
  // BLAS: with beta = 0, C is not read, whatever it holds.
  const ValueId c = node.has_input(2) && beta != 0 ? node.input(2) : kNoValue;
  if (node.failed()) return;
  GraphBuilder& builder = node.builder();
  if (builder.type(a).rank() != 2 || builder.type(b).rank() != 2) {
    return node.fail(fmt::format("inputs A and B must be matrices, they are {} and {}", to_string(builder.type(a)),
                                 to_string(builder.type(b))));
  }
  const Shape product{builder.type(a).shape[transpose_a ? 1 : 0], builder.type(b).shape[transpose_b ? 0 : 1]};
  const Result<Shape> sum = c == kNoValue ? Result<Shape>(product) : broadcast_shapes(builder.type(c).shape, product);
  if (!sum || *sum != product) {
    return node.fail(fmt::format("input C is {}, which does not broadcast to the product, {}",
                                 to_string(builder.type(c)), to_string(product)));
  }
  if (transpose_a) a = ops::transpose(builder, a, 0, 1);
  const bool plain_bias = c == kNoValue || builder.type(c).rank() == 1;
  if (alpha == 1 && beta == 1 && plain_bias) {
    const int64_t outputs = builder.type(b).shape[transpose_b ? 0 : 1];
    if (c == kNoValue || builder.type(c).shape[0] == outputs) {
      const ValueId weight = transpose_b ? b : ops::transpose(builder, b, 0, 1);
      return node.set_output(ops::linear(builder, a, weight, c));
    }
  }
  if (transpose_b) b = ops::transpose(builder, b, 0, 1);
  ValueId y = ops::matmul(builder, a, b);
  if (alpha != 1) y = ops::scale(builder, y, alpha);
  if (c != kNoValue) y = beta == 1 ? ops::add(builder, y, c) : ops::scaled_add(builder, y, c, beta);
  node.set_output(y);
}

void convert_einsum(NodeContext& node) {
  std::string equation = node.text("equation", "");
  std::erase(equation, ' ');
  std::vector<ValueId> values;
  for (size_t i = 0; i < node.input_count(); ++i) values.push_back(node.input(i));
  if (!node.failed()) node.set_output(ops::einsum(node.builder(), equation, values));
}

// ---- integers that stand for real numbers
// ---------------------------------------------------------------------------------------

namespace {

/// Inputs i to i + 2: values, scale, zero point.
ops::Quantized read_quantized(NodeContext& node, size_t i) {
  return {node.input(i), node.input(i + 1), node.input(i + 2)};
}

/// The zero point, or zeros of the dtype, as many as there are scales.
ValueId zero_point(NodeContext& node, size_t i, DType dtype) {
  return node.has_input(i) ? node.input(i) : filled(node, 0, dtype, node.input_type(1).shape);
}

/// One scale for all or one for each index of an axis; scales of blocks are refused by what asks for them.
void check_blocks(NodeContext& node) {
  const int64_t block = node.integer("block_size", 0, 0, std::numeric_limits<int64_t>::max());
  if (block != 0) node.fail(fmt::format("attribute block_size: {}: a scale for each block is not supported", block));
}

ValueId optional_input(NodeContext& node, size_t i) { return node.has_input(i) ? node.input(i) : kNoValue; }

}  // namespace

void convert_quantize_linear(NodeContext& node) {
  check_blocks(node);
  const int64_t axis = node.integer("axis", 1, -kLargestRank, kLargestRank - 1);
  node.ignore("saturate");  // of 8-bit floats, which we have not
  const ValueId x = node.input(0), scale = node.input(1), zero = zero_point(node, 2, DType::uint8);
  if (!node.failed()) node.set_output(ops::quantize_linear(node.builder(), x, scale, zero, axis));
}

void convert_dequantize_linear(NodeContext& node) {
  check_blocks(node);
  const int64_t axis = node.integer("axis", 1, -kLargestRank, kLargestRank - 1);
  const ValueId x = node.input(0), scale = node.input(1), zero = zero_point(node, 2, node.input_type(0).dtype);
  if (!node.failed()) node.set_output(ops::dequantize_linear(node.builder(), {x, scale, zero}, axis));
}

void convert_dynamic_quantize_linear(NodeContext& node) {
  const ValueId x = node.input(0);
  if (node.failed()) return;
  const ops::Quantized y = ops::dynamic_quantize_linear(node.builder(), x);
  node.set_output(y.values);
  node.set_output(y.scale, 1);
  node.set_output(y.zero_point, 2);
}

void convert_matmul_integer(NodeContext& node) {
  const ValueId a = node.input(0), b = node.input(1), a_zero = optional_input(node, 2),
                b_zero = optional_input(node, 3);
  if (!node.failed()) node.set_output(ops::matmul_integer(node.builder(), a, b, a_zero, b_zero));
}

void convert_qlinear_matmul(NodeContext& node) {
  const ops::Quantized a = read_quantized(node, 0), b = read_quantized(node, 3);
  const ValueId y_scale = node.input(6), y_zero = node.input(7);
  if (!node.failed()) node.set_output(ops::qlinear_matmul(node.builder(), a, b, y_scale, y_zero));
}

void convert_conv_integer(NodeContext& node) {
  const ops::Conv2dOptions options = read_conv2d(node, 0, 1);
  const ValueId x = node.input(0), w = node.input(1), x_zero = optional_input(node, 2),
                w_zero = optional_input(node, 3);
  if (!node.failed()) node.set_output(ops::conv_integer(node.builder(), x, w, x_zero, w_zero, options));
}

void convert_qlinear_conv(NodeContext& node) {
  const ops::Conv2dOptions options = read_conv2d(node, 0, 3);
  const ops::Quantized x = read_quantized(node, 0), w = read_quantized(node, 3);
  const ValueId y_scale = node.input(6), y_zero = node.input(7), bias = optional_input(node, 8);
  if (!node.failed()) node.set_output(ops::qlinear_conv(node.builder(), x, w, y_scale, y_zero, bias, options));
}

}  // namespace engine::onnx
