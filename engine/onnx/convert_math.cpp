// SPDX-License-Identifier: Apache-2.0
// Elementwise operators: functions, activations, arithmetic, comparison, choice, casts.
#include <fmt/format.h>

#include "engine/onnx/convert_words.h"
#include "engine/onnx/operators.h"
#include "engine/onnx/tensor_proto.h"
#include "engine/ops/casting.h"
#include "engine/ops/compare.h"
#include "engine/ops/math.h"
#include "engine/ops/ops.h"

namespace engine::onnx {
namespace {

/// The only input, for operators that have nothing else.
ValueId one_input(NodeContext& node) {
  ignore_old(node);
  return node.input(0);
}

ValueId binary(NodeContext& node, ValueId (*op)(GraphBuilder&, ValueId, ValueId)) {
  const auto [a, b] = broadcast_inputs(node);
  return node.failed() ? kNoValue : op(node.builder(), a, b);
}

/// op(op(x0, x1), x2) ...; one input is copied.
ValueId fold_inputs(NodeContext& node, ValueId (*op)(GraphBuilder&, ValueId, ValueId)) {
  ignore_old(node);
  ValueId total = node.input(0);
  for (size_t i = 1; i < node.input_count(); ++i) {
    const ValueId term = node.input(i);
    if (node.failed()) return kNoValue;
    total = op(node.builder(), total, term);
  }
  if (node.failed()) return kNoValue;
  return node.input_count() == 1 ? ops::copy(node.builder(), total) : total;
}

void set(NodeContext& node, ValueId value) {
  if (!node.failed()) node.set_output(value);
}

DType read_dtype(NodeContext& node) {
  const int64_t number = node.integer("to", 0, 0, 1 << 16);
  const Result<DType> dtype = to_dtype(static_cast<int32_t>(number));
  if (dtype) return *dtype;
  node.fail("attribute to: " + dtype.error().message);
  return DType::float32;
}

void cast_to(NodeContext& node, DType dtype) {
  node.ignore("saturate");  // of 8-bit floats, which we have not
  const ValueId x = node.input(0);
  if (!node.failed()) set(node, ops::cast(node.builder(), x, dtype));
}

}  // namespace

void convert_function(NodeContext& node, UnaryOp op) {
  const ValueId x = one_input(node);
  if (!node.failed()) set(node, op(node.builder(), x));
}

void convert_alpha_function(NodeContext& node, AlphaOp op, double alpha) {
  alpha = node.real("alpha", alpha);
  const ValueId x = one_input(node);
  if (!node.failed()) set(node, op(node.builder(), x, alpha));
}

void convert_pair(NodeContext& node, BinaryOp op) { set(node, binary(node, op)); }

void convert_many(NodeContext& node, BinaryOp op) { set(node, fold_inputs(node, op)); }

void convert_mean(NodeContext& node) {
  const ValueId total = fold_inputs(node, ops::add);
  if (node.failed()) return;
  node.set_output(ops::scale(node.builder(), total, 1 / static_cast<double>(node.input_count())));
}

void convert_gelu(NodeContext& node) {
  const std::string approximate = node.text("approximate", "none");
  if (approximate != "none" && approximate != "tanh") node.fail("attribute approximate: must be none or tanh");
  const ValueId x = node.input(0);
  if (!node.failed()) set(node, ops::gelu(node.builder(), x, approximate));
}

void convert_selu(NodeContext& node) {
  constexpr double kAlpha = 1.67326319217681884765625, kGamma = 1.05070102214813232421875;
  const double alpha = node.real("alpha", node.opset() < 6 ? 1.6732 : kAlpha);
  const double gamma = node.real("gamma", node.opset() < 6 ? 1.0507 : kGamma);
  const ValueId x = one_input(node);
  if (node.failed()) return;
  node.set_output(node.builder().append1(ops::kSelu, {x}, {{"alpha", alpha}, {"gamma", gamma}}));
}

void convert_hard_sigmoid(NodeContext& node) {
  const double alpha = node.real("alpha", 0.2), beta = node.real("beta", 0.5);
  const ValueId x = one_input(node);
  if (!node.failed()) set(node, ops::hard_sigmoid(node.builder(), x, alpha, beta));
}

void convert_shrink(NodeContext& node) {
  const double bias = node.real("bias", 0), lambda = node.real("lambd", 0.5);
  const ValueId x = node.input(0);
  if (!node.failed()) set(node, ops::shrink(node.builder(), x, bias, lambda));
}

/// Limits that are known become attributes, others operands.
void convert_clip(NodeContext& node) {
  ValueId x = one_input(node);
  if (node.opset() < 11) {
    const bool has_low = node.has_attribute("min"), has_high = node.has_attribute("max");
    const double low = node.real("min", 0), high = node.real("max", 0);
    if (node.failed()) return;
    return set(node, ops::clip(node.builder(), x, has_low ? std::optional(low) : std::nullopt,
                               has_high ? std::optional(high) : std::nullopt));
  }
  std::optional<double> limits[2];
  for (size_t i = 1; i <= 2; ++i) {
    if (!node.has_input(i)) continue;
    if (node.constant_tensor(i)) {
      limits[i - 1] = node.constant_real(i, i == 1 ? "min" : "max");
    } else if (!node.failed()) {
      const ValueId limit = node.input(i);
      if (!node.failed()) x = (i == 1 ? ops::maximum : ops::minimum)(node.builder(), x, limit);
    }
  }
  if (node.failed()) return;
  const bool computed = (node.has_input(1) && !limits[0]) || (node.has_input(2) && !limits[1]);
  if (computed && !limits[0] && !limits[1]) return node.set_output(x);
  set(node, ops::clip(node.builder(), x, limits[0], limits[1]));
}

void convert_mod(NodeContext& node) {
  const bool fmod = node.flag("fmod", false);
  const auto [a, b] = broadcast_inputs(node);
  if (!node.failed()) set(node, ops::modulo(node.builder(), a, b, fmod));
}

void convert_bit_shift(NodeContext& node) {
  const std::string direction = node.text("direction", "");
  if (direction != "LEFT" && direction != "RIGHT") node.fail("attribute direction: must be LEFT or RIGHT");
  const auto [a, b] = broadcast_inputs(node);
  if (!node.failed()) set(node, ops::bit_shift(node.builder(), a, b, direction == "LEFT" ? "left" : "right"));
}

/// The slope's axes stood behind the batch before opset 7, where one of C elements meant the channels.
void convert_prelu(NodeContext& node) {
  ignore_old(node);
  const ValueId x = node.input(0);
  ValueId slope = node.input(1);
  if (node.failed()) return;
  GraphBuilder& builder = node.builder();
  const TensorType type = builder.type(x), slopes = builder.type(slope);
  if (node.opset() < 7 && slopes.rank() == 1 && slopes.shape[0] > 1 && type.rank() > 1) {
    for (int64_t axis = 2; axis < type.rank(); ++axis) slope = ops::unsqueeze(builder, slope, axis - 1);
  }
  set(node, ops::prelu(builder, x, slope));
}

void convert_is_inf(NodeContext& node) {
  const bool negative = node.flag("detect_negative", true), positive = node.flag("detect_positive", true);
  const ValueId x = node.input(0);
  if (!node.failed()) set(node, ops::is_inf(node.builder(), x, positive, negative));
}

void convert_where(NodeContext& node) {
  const ValueId condition = node.input(0), a = node.input(1), b = node.input(2);
  if (!node.failed()) set(node, ops::where(node.builder(), condition, a, b));
}

void convert_cast(NodeContext& node) { cast_to(node, read_dtype(node)); }

void convert_cast_like(NodeContext& node) { cast_to(node, node.input_type(1).dtype); }

}  // namespace engine::onnx
