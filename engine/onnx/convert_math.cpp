// SPDX-License-Identifier: Apache-2.0
// Elementwise operators, matrix products, reductions and softmax.
#include <fmt/format.h>

#include <numeric>

#include "engine/onnx/operators.h"
#include "engine/onnx/tensor_proto.h"
#include "engine/ops/ops.h"

namespace engine::onnx {
namespace {

using Unary = ValueId (*)(GraphBuilder&, ValueId);
using Binary = ValueId (*)(GraphBuilder&, ValueId, ValueId);

void convert_unary(NodeContext& node, Unary op) {
  const ValueId x = node.input(0);
  if (!node.failed()) node.set_output(op(node.builder(), x));
}

void convert_binary(NodeContext& node, Binary op) {
  // Before opset 7 an attribute allowed what is the rule since; with an axis it meant something
  // else and is refused.
  if (node.opset() < 7) node.ignore("broadcast");
  const ValueId a = node.input(0);
  const ValueId b = node.input(1);
  if (!node.failed()) node.set_output(op(node.builder(), a, b));
}

}  // namespace

void convert_relu(NodeContext& node) { convert_unary(node, ops::relu); }
void convert_sigmoid(NodeContext& node) { convert_unary(node, ops::sigmoid); }
void convert_add(NodeContext& node) { convert_binary(node, ops::add); }
void convert_sub(NodeContext& node) { convert_binary(node, ops::subtract); }
void convert_mul(NodeContext& node) { convert_binary(node, ops::multiply); }
void convert_matmul(NodeContext& node) { convert_binary(node, ops::matmul); }

void convert_sum(NodeContext& node) {
  ValueId total = node.input(0);
  for (size_t i = 1; i < node.input_count(); ++i) {
    const ValueId term = node.input(i);
    if (node.failed()) return;
    total = ops::add(node.builder(), total, term);
  }
  if (!node.failed())
    node.set_output(node.input_count() == 1 ? ops::copy(node.builder(), total) : total);
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
  ValueId c = node.has_input(2) ? node.input(2) : kNoValue;
  if (node.failed()) return;
  GraphBuilder& builder = node.builder();
  if (builder.type(a).rank() != 2 || builder.type(b).rank() != 2) {
    return node.fail(fmt::format("inputs A and B must be matrices, they are {} and {}",
                                 to_string(builder.type(a)), to_string(builder.type(b))));
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

void convert_reduce_sum(NodeContext& node) {
  const bool keep = node.flag("keepdims", true);
  const bool nothing_if_empty = node.flag("noop_with_empty_axes", false);
  std::vector<int64_t> axes = node.integers("axes", {}, -kLargestRank, kLargestRank - 1);
  if (node.has_input(1)) axes = node.constant_integers(1, "axes");
  const ValueId x = node.input(0);
  if (node.failed()) return;
  if (axes.empty() && nothing_if_empty) return node.set_output(ops::copy(node.builder(), x));
  const int64_t rank = node.builder().type(x).rank();
  if (axes.empty()) {
    axes.resize(static_cast<size_t>(rank));
    std::iota(axes.begin(), axes.end(), int64_t{0});
  }
  for (int64_t& axis : axes) axis = axis < 0 ? axis + rank : axis;
  node.set_output(ops::sum(node.builder(), x, std::move(axes), keep));
}

/// Up to opset 12 the axes from `axis` on are taken together; from 13 on the axis stands alone.
void convert_softmax(NodeContext& node) {
  const bool together = node.opset() < 13;
  const TensorType type = node.input_type(0);
  const int64_t rank = type.rank();
  if (!node.failed() && rank == 0) node.fail("input 0 is a scalar");
  int64_t axis = node.integer("axis", together ? 1 : -1, -rank, together ? rank : rank - 1);
  const ValueId x = node.input(0);
  if (node.failed()) return;
  if (axis < 0) axis += rank;
  if (!together || axis == rank - 1) return node.set_output(ops::softmax(node.builder(), x, axis));
  const Shape flat = flat_shape(node, type.shape, axis);
  if (node.failed()) return;
  const ValueId y = ops::softmax(node.builder(), ops::reshape(node.builder(), x, flat), 1);
  node.set_output(ops::reshape(node.builder(), y, type.shape));
}

}  // namespace engine::onnx
