// SPDX-License-Identifier: Apache-2.0
// Matrix products: of real numbers and of integers that stand for them.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "engine/onnx/convert_words.h"
#include "engine/onnx/operators.h"
#include "engine/onnx/tensor_proto.h"
#include "engine/onnx/windows.h"
#include "engine/ops/casting.h"
#include "engine/ops/indexing.h"
#include "engine/ops/math.h"
#include "engine/ops/ops.h"
#include "engine/ops/quantized.h"
#include "engine/tensor/element.h"

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

/// Dequantised integers [n, k] as the transposed view of [k, n], which a product of integers takes; others as they are.
static ValueId over_turned_integers(GraphBuilder& builder, ValueId matrix) {
  const NodeId id = builder.graph().value(matrix).producer;
  if (id == kNoNode || builder.graph().node(id).op != &ops::kDequantizeLinear) return matrix;
  const Node node = builder.graph().node(id);
  const int64_t axis = node.attributes.get_int("axis", 1), other = (axis < 0 ? axis + 2 : axis) == 0 ? 1 : 0;
  const ValueId integers = ops::transpose(builder, node.inputs[0], 0, 1);
  const ValueId turned = ops::dequantize_linear(builder, {integers, node.inputs[1], node.inputs[2]}, other);
  return ops::transpose(builder, turned, 0, 1);
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
      b = transpose_b ? over_turned_integers(builder, b) : ops::transpose(builder, b, 0, 1);
      return node.failed() ? void() : node.set_output(ops::linear(builder, a, b, c));
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

/// Elements along the axis that share a scale; 0: all, or each index has its own.
int64_t read_block(NodeContext& node) { return node.integer("block_size", 0, 0, std::numeric_limits<int64_t>::max()); }

/// Whether `scale` has one element for each block of x along the axis.
bool check_blocks(NodeContext& node, const TensorType& x, const TensorType& scale, int64_t axis, int64_t block) {
  Shape blocks = x.shape;
  auto& extent = blocks[static_cast<size_t>(axis)];
  extent = extent / block + (extent % block != 0 ? 1 : 0);
  if (!node.failed() && scale.shape != blocks)
    node.fail(fmt::format("input 1 (scale) is {}; blocks of {} along axis {} of {} need {}", to_string(scale), block,
                          axis, to_string(x), to_string(blocks)));
  return !node.failed();
}

/// (x - zero point) * scale of constants, computed while the model is read. `axis` of the scales, each for `block`
/// indices (0: for one); a scale of one element is for all.
std::optional<Tensor> dequantized(NodeContext& node, int64_t axis, int64_t block, DType made) {
  const std::optional<Tensor> x = node.constant_elements(0, "x"), scale = node.constant_elements(1, "scale");
  std::optional<Tensor> zero;
  if (node.has_input(2)) zero = node.constant_elements(2, "zero_point");
  if (node.failed()) return std::nullopt;
  const TensorType type = x->type();
  const int64_t scales = scale->type().elements();
  int64_t inner = 1;
  for (size_t i = static_cast<size_t>(axis) + 1; i < type.shape.size(); ++i) inner *= type.shape[i];
  const int64_t extent = type.shape.empty() ? 1 : type.shape[static_cast<size_t>(axis)];
  if (scales != 1 && block == 0 && scales != extent)
    node.fail(fmt::format("input 1 (scale): has {} elements for {} indices of axis {}", scales, extent, axis));
  if (zero && zero->type().elements() != scales)
    node.fail("input 2 (zero_point): has another number of elements than the scale");
  Result<Tensor> y = Tensor::empty(TensorType::contiguous(made, type.shape));
  if (!y) node.fail(y.error().message);
  if (node.failed()) return std::nullopt;
  const int64_t blocks = block == 0 ? extent : (extent - 1) / block + 1, bytes = size_bytes(type.dtype),
                made_bytes = size_bytes(made), rows = inner * extent == 0 ? 0 : type.elements() / inner;
  for (int64_t row = 0; row < rows; ++row) {  // all that lies behind one index of the axis
    const int64_t index = row % extent, first = (row / extent * blocks + index / std::max<int64_t>(block, 1)) * inner;
    double by = 1, offset = 0;
    for (int64_t i = 0; i < inner; ++i) {
      if (i == 0 || block != 0) {
        const int64_t at = scales == 1 ? 0 : block == 0 ? index : first + i;
        by = scale->get_flat(at);
        offset = zero ? zero->get_flat(at) : 0;
      }
      const int64_t flat = row * inner + i;
      store_element(made, y->data() + flat * made_bytes,
                    (load_element(type.dtype, x->data() + flat * bytes) - offset) * by);
    }
  }
  return std::move(*y);
}

/// Scale and zero point (kNoValue: none) of blocks, repeated to x's shape as numbers of the scale's type.
struct Repeated {
  ValueId scale = kNoValue, zero = kNoValue;
};
Repeated repeated_blocks(NodeContext& node, const TensorType& x, int64_t axis, int64_t block) {
  const TensorType type = node.input_type(1);
  if (!check_blocks(node, x, type, axis, block)) return {};
  const int64_t extent = x.shape[static_cast<size_t>(axis)];
  block = std::min(block, std::max<int64_t>(extent, 1));
  Repeated made{repeated_along(node, node.input(1), axis, block, extent), kNoValue};
  if (node.has_input(2) && !node.failed())
    made.zero = repeated_along(node, ops::cast(node.builder(), node.input(2), type.dtype), axis, block, extent);
  return made;
}

ValueId optional_input(NodeContext& node, size_t i) { return node.has_input(i) ? node.input(i) : kNoValue; }

}  // namespace

void convert_quantize_linear(NodeContext& node) {
  const int64_t block = read_block(node);
  const int64_t axis = node.integer("axis", 1, -kLargestRank, kLargestRank - 1);
  node.ignore("saturate");  // of 8-bit floats, which we have not
  node.ignore("precision");
  DType made = DType::uint8;
  if (const int64_t asked = node.integer("output_dtype", 0, 0, 1 << 16); asked != 0) {
    const auto wanted = to_dtype(static_cast<int32_t>(asked));
    if (!wanted || (*wanted != DType::uint8 && *wanted != DType::int8))
      return node.fail("attribute output_dtype: only UINT8 and INT8 are supported");
    made = *wanted;
  }
  const TensorType type = node.input_type(0);
  const ValueId x = node.input(0);
  if (block == 0) {
    const ValueId scale = node.input(1), zero = zero_point(node, 2, made);
    return node.failed() ? void() : node.set_output(ops::quantize_linear(node.builder(), x, scale, zero, axis));
  }
  if (node.has_input(2)) made = node.input_type(2).dtype;
  const int64_t front = node.failed() ? 0 : front_axis(node, axis, type.rank(), "attribute axis");
  if (!node.failed() && made != DType::uint8 && made != DType::int8)
    node.fail(fmt::format("input 2 (zero_point) is {}; u8 and i8 are supported", name(made)));
  if (node.failed()) return;
  const Repeated by = repeated_blocks(node, type, front, block);
  if (node.failed()) return;
  GraphBuilder& builder = node.builder();
  ValueId steps =
      ops::round(builder, ops::divide(builder, ops::cast(builder, x, builder.type(by.scale).dtype), by.scale));
  if (by.zero != kNoValue) steps = ops::add(builder, steps, by.zero);
  const bool is_signed = made == DType::int8;
  const ValueId y =
      ops::cast(builder, ops::clip(builder, steps, is_signed ? -128.0 : 0.0, is_signed ? 127.0 : 255.0), made);
  if (!node.failed()) node.set_output(y);
}

/// Constants of blocks, and of types that another holds, become the numbers they stand for when the model is read.
void convert_dequantize_linear(NodeContext& node) {
  const int64_t block = read_block(node);
  const int64_t axis = node.integer("axis", 1, -kLargestRank, kLargestRank - 1);
  const int64_t asked = node.integer("output_dtype", 0, 0, 1 << 16);
  const TensorType type = node.input_type(0), scale = node.input_type(1);
  if (node.failed()) return;
  const Result<DType> made = asked == 0 ? Result<DType>(scale.dtype) : to_dtype(static_cast<int32_t>(asked));
  if (!made) return node.fail("attribute output_dtype: " + made.error().message);
  const bool narrow = !node.narrow(0).empty(), one = scale.elements() == 1 && block == 0;
  GraphBuilder& builder = node.builder();
  if (block == 0 && !narrow) {
    const ValueId x = node.input(0), by = node.input(1), zero = zero_point(node, 2, type.dtype);
    if (node.failed()) return;
    const ValueId y = ops::dequantize_linear(builder, {x, by, zero}, axis);
    return node.failed() ? void() : node.set_output(ops::cast(builder, y, *made));
  }
  const int64_t front = one ? 0 : front_axis(node, axis, type.rank(), "attribute axis");
  if (node.failed() || (block != 0 && !check_blocks(node, type, scale, front, block))) return;
  if (node.input_slot(0)->constant && node.input_slot(1)->constant) {
    if (narrow) node.note(fmt::format("DequantizeLinear: weights of {} are held as {}", node.narrow(0), name(*made)));
    std::optional<Tensor> y = dequantized(node, front, block, *made);
    return y ? node.set_constant(std::move(*y)) : void();
  }
  if (block == 0 && !one)
    return node.fail(
        fmt::format("input 0 is {} and computed at run time; one scale for all is supported", node.narrow(0)));
  const ValueId x = node.input(0);
  Repeated by;
  if (block != 0) by = repeated_blocks(node, type, front, block);
  if (one) by = {ops::reshape(builder, node.input(1), {}), kNoValue};
  if (one && node.has_input(2)) by.zero = ops::reshape(builder, ops::cast(builder, node.input(2), scale.dtype), {});
  if (node.failed()) return;
  ValueId y = ops::cast(builder, x, scale.dtype);
  if (by.zero != kNoValue) y = ops::subtract(builder, y, by.zero);
  y = ops::cast(builder, ops::multiply(builder, y, by.scale), *made);
  if (!node.failed()) node.set_output(y);
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
