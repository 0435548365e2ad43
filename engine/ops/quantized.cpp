// SPDX-License-Identifier: Apache-2.0
// Quantised ops: types, cost, truth. Products are those of matmul and conv2d on integers shifted by their zero points,
// whose sums are exact in double.
#include "engine/ops/quantized.h"

#include <algorithm>
#include <cmath>

#include "engine/ops/attribute_lists.h"
#include "engine/ops/check.h"
#include "engine/ops/cost.h"
#include "engine/ops/dense.h"
#include "engine/ops/op_list.h"
#include "engine/tensor/quantization.h"

namespace engine::ops {
namespace {

bool is_byte(DType dtype) { return dtype == DType::int8 || dtype == DType::uint8; }

/// Operand `i` is u8 or i8.
bool byte_operand(OperandCheck& check, std::span<const TensorType> inputs, size_t i, std::string_view what) {
  return check.that(is_byte(inputs[i].dtype), "{} must be u8 or i8, got {}", what, name(inputs[i].dtype));
}

/// Operand `i`, a scale or zero point, has this dtype and one element or `count`.
bool parameter(OperandCheck& check, std::span<const TensorType> inputs, size_t i, DType dtype, int64_t count,
               std::string_view what) {
  const TensorType& type = inputs[i];
  return check.that(type.dtype == dtype, "{} must be {}, got {}", what, name(dtype), name(type.dtype)) &&
         check.that(type.shape.empty() || (type.rank() == 1 && (type.shape[0] == 1 || type.shape[0] == count)),
                    "{} must have one element or {}, got {}", what, count, to_string(type.shape));
}

/// Values of a scale or zero point by index along its axis.
struct PerIndex {
  explicit PerIndex(const Tensor& tensor) : values(load(tensor)) {}
  double operator[](int64_t i) const { return values.size() == 1 ? values[0] : values[static_cast<size_t>(i)]; }
  std::vector<double> values;
};

/// Index along `axis` of row-major element i.
struct AxisIndex {
  AxisIndex(const Shape& shape, int64_t axis) {
    if (shape.empty()) return;
    extent = shape[static_cast<size_t>(axis)];
    for (size_t i = static_cast<size_t>(axis) + 1; i < shape.size(); ++i) inner *= shape[i];
  }
  int64_t of(size_t i) const { return static_cast<int64_t>(i) / inner % extent; }
  int64_t extent = 1, inner = 1;
};

int64_t axis_of(const Attributes& attributes, int64_t rank) {
  const int64_t axis = attributes.get_int("axis", 1);
  return axis < 0 ? axis + rank : std::min(axis, std::max<int64_t>(rank - 1, 0));
}

int64_t extent_at(const TensorType& type, const Attributes& attributes) {
  if (type.shape.empty()) return 1;
  return type.shape[static_cast<size_t>(axis_of(attributes, type.rank()))];
}

bool axis_fits(OperandCheck& check, const TensorType& x, const Attributes& attributes) {
  const int64_t axis = attributes.get_int("axis", 1);
  return check.that(axis >= -std::max<int64_t>(x.rank(), 1), "axis {} of x {} does not exist", axis,
                    to_string(x.shape));
}

TensorType same_layout(DType dtype, const TensorType& type) {
  for (size_t i = 0; i < type.shape.size(); ++i) {  // a repeated axis is no model for a dense layout
    if (type.shape[i] > 1 && type.strides[i] == 0) return TensorType::contiguous(dtype, type.shape);
  }
  return {dtype, type.shape, dense_strides_like(type.shape, type.strides)};
}

struct Range {
  int32_t low, high;
};
Range range_of(DType dtype) { return dtype == DType::int8 ? Range{-128, 127} : Range{0, 255}; }

// ---- to integers and back
// -------------------------------------------------------------------------------------------------------

InferResult infer_quantize(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("quantize_linear", inputs, {"x", "scale", "zero_point"});
  if (!check.operand_count() || !check.numeric(0) || !byte_operand(check, inputs, 2, "zero_point") ||
      !axis_fits(check, inputs[0], attributes)) {
    return check.error();
  }
  const int64_t count = extent_at(inputs[0], attributes);
  if (!parameter(check, inputs, 1, DType::float32, count, "scale") ||
      !parameter(check, inputs, 2, inputs[2].dtype, count, "zero_point") ||
      !check.addressable("the result", inputs[2].dtype, inputs[0].shape)) {
    return check.error();
  }
  return std::vector{same_layout(inputs[2].dtype, inputs[0])};
}

void reference_quantize(KernelArguments& arguments) {
  const Tensor& y = arguments.outputs[0];
  const AxisIndex at(y.shape(), axis_of(*arguments.attributes, y.type().rank()));
  const PerIndex scale(arguments.inputs[1]), zero(arguments.inputs[2]);
  const Range range = range_of(y.dtype());
  std::vector<double> values = load(arguments.inputs[0]);
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t c = at.of(i);
    values[i] = quantized(steps_of(values[i], scale[c]), static_cast<int32_t>(zero[c]), range.low, range.high);
  }
  store(y, values);
}

InferResult infer_dequantize(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("dequantize_linear", inputs, {"x", "scale", "zero_point"});
  if (!check.operand_count()) return check.error();
  const DType dtype = inputs[0].dtype;
  if (!check.that(is_byte(dtype) || dtype == DType::int32, "x must be u8, i8 or i32, got {}", name(dtype)) ||
      !axis_fits(check, inputs[0], attributes)) {
    return check.error();
  }
  const int64_t count = extent_at(inputs[0], attributes);
  if (!parameter(check, inputs, 1, DType::float32, count, "scale") ||
      !parameter(check, inputs, 2, dtype, count, "zero_point") ||
      !check.addressable("the result", DType::float32, inputs[0].shape)) {
    return check.error();
  }
  return std::vector{same_layout(DType::float32, inputs[0])};
}

void reference_dequantize(KernelArguments& arguments) {
  const Tensor& y = arguments.outputs[0];
  const AxisIndex at(y.shape(), axis_of(*arguments.attributes, y.type().rank()));
  const PerIndex scale(arguments.inputs[1]), zero(arguments.inputs[2]);
  std::vector<double> values = load(arguments.inputs[0]);
  for (size_t i = 0; i < values.size(); ++i) values[i] = (values[i] - zero[at.of(i)]) * scale[at.of(i)];
  store(y, values);
}

InferResult infer_dynamic(std::span<const TensorType> inputs, const Attributes&) {
  OperandCheck check("dynamic_quantize_linear", inputs, {"x"});
  if (!check.operand_count() || !check.floating(0) || !check.addressable("the result", DType::uint8, inputs[0].shape))
    return check.error();
  return std::vector{same_layout(DType::uint8, inputs[0]), TensorType::contiguous(DType::float32, {}),
                     TensorType::contiguous(DType::uint8, {})};
}

void reference_dynamic(KernelArguments& arguments) {
  std::vector<double> values = load(arguments.inputs[0]);
  double low = 0, high = 0;
  for (const double value : values) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  const DynamicRange range = dynamic_range(low, high);
  for (double& value : values)
    value = quantized(steps_of(value, static_cast<double>(range.scale)), range.zero_point, 0, 255);
  store(arguments.outputs[0], values);
  store(arguments.outputs[1], std::vector{static_cast<double>(range.scale)});
  store(arguments.outputs[2], std::vector{static_cast<double>(range.zero_point)});
}

// ---- products
// -------------------------------------------------------------------------------------------------------------------

/// Where the operands of a product stand among the inputs.
struct Places {
  std::string_view op;
  const Op* product;  ///< kMatmul or kConv2d
  size_t a, b, a_zero, b_zero;
  size_t a_scale = 0, b_scale = 0, y_scale = 0, y_zero = 0, bias = 0;  ///< of quantised results
  bool quantizes() const { return y_scale != 0; }
  bool matrices() const { return product == &kMatmul; }
};

Places integer_places(std::string_view op, const Op& product) { return {op, &product, 0, 1, 2, 3}; }
Places quantized_places(std::string_view op, const Op& product) { return {op, &product, 0, 3, 2, 5, 1, 4, 6, 7, 8}; }

/// Columns of b or output channels of w: what weights may have scales per.
int64_t result_channels(const Places& p, const TensorType& b) { return p.matrices() ? b.shape.back() : b.shape[0]; }

/// The type of the product, with the product op's complaints under our name.
InferResult infer_product(const Places& p, OperandCheck& check, std::span<const TensorType> inputs,
                          const Attributes& attributes) {
  if (!check.operand_count() || !byte_operand(check, inputs, p.a, p.matrices() ? "a" : "x") ||
      !byte_operand(check, inputs, p.b, p.matrices() ? "b" : "w")) {
    return check.error();
  }
  std::vector<TensorType> real{inputs[p.a], inputs[p.b]};
  for (TensorType& type : real) type.dtype = DType::float32;
  InferResult product = p.product->infer(real, attributes);
  if (!product) {
    Error error = product.error();
    const std::string theirs = "[" + std::string(p.product->name) + "]";
    if (error.message.starts_with(theirs)) error.message.replace(0, theirs.size(), "[" + std::string(p.op) + "]");
    return error;
  }
  const int64_t channels = result_channels(p, inputs[p.b]);
  if (!parameter(check, inputs, p.a_zero, inputs[p.a].dtype, 1, "the first zero point") ||
      !parameter(check, inputs, p.b_zero, inputs[p.b].dtype, channels, "the second zero point")) {
    return check.error();
  }
  (*product)[0].dtype = DType::int32;
  if (!p.quantizes()) return product;
  if (!byte_operand(check, inputs, p.y_zero, "the result's zero point") ||
      !parameter(check, inputs, p.a_scale, DType::float32, 1, "the first scale") ||
      !parameter(check, inputs, p.b_scale, DType::float32, channels, "the second scale") ||
      !parameter(check, inputs, p.y_scale, DType::float32, 1, "the result's scale") ||
      !parameter(check, inputs, p.y_zero, inputs[p.y_zero].dtype, 1, "the result's zero point") ||
      (inputs.size() > p.bias &&
       !check.that(inputs[p.bias].dtype == DType::int32, "bias must be i32, got {}", name(inputs[p.bias].dtype))) ||
      (inputs.size() > p.bias && !check.shape(p.bias, {channels}, "the output channels of w"))) {
    return check.error();
  }
  (*product)[0].dtype = inputs[p.y_zero].dtype;
  return product;
}

/// The tensor minus its zero points as row-major f64.
Tensor shifted(const Tensor& tensor, const Tensor& zero_point, const AxisIndex& at) {
  std::vector<double> values = load(tensor);
  const PerIndex zero(zero_point);
  for (size_t i = 0; i < values.size(); ++i) values[i] -= zero[at.of(i)];
  Result<Tensor> result = Tensor::from_values(tensor.shape(), values, DType::float64);
  CHECK(result.ok());
  return *result;
}

void reference_product(const Places& p, KernelArguments& arguments) {
  const auto& in = arguments.inputs;
  const Tensor& y = arguments.outputs[0];
  const int64_t b_axis = p.matrices() ? in[p.b].type().rank() - 1 : 0, y_axis = p.matrices() ? y.type().rank() - 1 : 1;
  KernelArguments product{arguments.attributes,
                          {shifted(in[p.a], in[p.a_zero], AxisIndex(in[p.a].shape(), 0)),
                           shifted(in[p.b], in[p.b_zero], AxisIndex(in[p.b].shape(), b_axis))},
                          {}};
  Result<Tensor> sums = Tensor::empty(TensorType::contiguous(DType::float64, y.shape()));
  CHECK(sums.ok());
  product.outputs.push_back(*sums);
  p.product->reference(product);
  std::vector<double> values = load(*sums);
  if (p.quantizes()) {
    const AxisIndex at(y.shape(), y_axis);
    const PerIndex scale(in[p.b_scale]);
    const double a_scale = load(in[p.a_scale])[0], y_scale = load(in[p.y_scale])[0];
    const auto zero = static_cast<int32_t>(load(in[p.y_zero])[0]);
    const std::vector<double> bias = in.size() > p.bias ? load(in[p.bias]) : std::vector<double>();
    const Range range = range_of(y.dtype());
    for (size_t i = 0; i < values.size(); ++i) {
      const int64_t c = at.of(i);
      const double sum = values[i] + (bias.empty() ? 0 : bias[static_cast<size_t>(c)]);
      values[i] = quantized(sum * (a_scale * scale[c] / y_scale), zero, range.low, range.high);
    }
  }
  store(y, values);
}

const Places& matmul_integer_places() {
  static const Places places = integer_places("matmul_integer", kMatmul);
  return places;
}
const Places& qlinear_matmul_places() {
  static const Places places = quantized_places("qlinear_matmul", kMatmul);
  return places;
}
const Places& conv_integer_places() {
  static const Places places = integer_places("conv_integer", kConv2d);
  return places;
}
const Places& qlinear_conv_places() {
  static const Places places = quantized_places("qlinear_conv", kConv2d);
  return places;
}

/// The product's multiply-adds, and for quantised results a multiplication, a rounding and an addition per element.
Cost product_cost(const Places& p, const Call& call) {
  std::vector<TensorType> real{call.inputs[p.a], call.inputs[p.b]};
  for (TensorType& type : real) type.dtype = DType::float32;
  std::vector<TensorType> result{call.outputs[0]};
  result[0].dtype = DType::float32;
  const Cost product = p.product->cost({call.attributes, real, result});
  Cost cost =
      full_cost(call, product.flops + (p.quantizes() ? 3.0 * static_cast<double>(call.outputs[0].elements()) : 0));
  const auto real_bytes = size_bytes(DType::float32);  // what a convolution does not read counts neither here
  cost.read_bytes[p.a] = product.read_bytes[0] / real_bytes;
  cost.read_bytes[p.b] = product.read_bytes[1] / real_bytes;
  return cost;
}

ValueId zero_of(GraphBuilder& builder, ValueId of) {
  if (builder.failed()) return kNoValue;
  const double zero = 0;
  Result<Tensor> tensor = Tensor::from_values({}, {&zero, 1}, builder.type(of).dtype);
  if (!tensor) return builder.fail(tensor.error());
  return builder.constant(builder.layer().empty() ? "zero_point" : builder.layer() + ".zero_point", *tensor,
                          Role::input);
}

Attributes attributes_of(const Conv2dOptions& options) {
  return {{"stride", std::vector<int64_t>(options.stride.begin(), options.stride.end())},
          {"padding", std::vector<int64_t>(options.padding.begin(), options.padding.end())},
          {"dilation", std::vector<int64_t>(options.dilation.begin(), options.dilation.end())},
          {"groups", options.groups}};
}

}  // namespace

const Op kQuantizeLinear{
    .name = "quantize_linear",
    .formula = "y = round(x / scale) + zero_point, held in the integer's range",
    .infer = infer_quantize,
    .cost = [](const Call& call) { return elementwise_cost(call, 3); },
    .reference = reference_quantize,
    .attributes = {AttributeSpec::whole("axis", 1)},
};

const Op kDequantizeLinear{
    .name = "dequantize_linear",
    .formula = "y = (x - zero_point) * scale",
    .infer = infer_dequantize,
    .cost = [](const Call& call) { return elementwise_cost(call, 2); },
    .reference = reference_dequantize,
    .attributes = {AttributeSpec::whole("axis", 1)},
};

const Op kDynamicQuantizeLinear{
    .name = "dynamic_quantize_linear",
    .formula =
        "y = round(x / scale) + zero_point, scale = (max(x, 0) - min(x, 0)) / 255, zero_point = round(-min(x, 0) / "
        "scale)",
    .infer = infer_dynamic,
    .cost = [](const Call& call) { return elementwise_cost(call, 5); },
    .reference = reference_dynamic,
};

const Op kMatmulInteger{
    .name = "matmul_integer",
    .formula = "c[..., m, n] = sum_k (a[..., m, k] - a_zero_point) (b[..., k, n] - b_zero_point[n])",
    .infer =
        [](std::span<const TensorType> inputs, const Attributes& attributes) {
          OperandCheck check("matmul_integer", inputs, {"a", "b", "a_zero_point", "b_zero_point"});
          return infer_product(matmul_integer_places(), check, inputs, attributes);
        },
    .cost = [](const Call& call) { return product_cost(matmul_integer_places(), call); },
    .reference = [](KernelArguments& arguments) { reference_product(matmul_integer_places(), arguments); },
    .matrix_product = true,
};

const Op kQlinearMatmul{
    .name = "qlinear_matmul",
    .formula =
        "y = round(a_scale b_scale / y_scale (bias + sum_k (a - a_zero_point) (b - b_zero_point))) + y_zero_point",
    .infer =
        [](std::span<const TensorType> inputs, const Attributes& attributes) {
          OperandCheck check(
              "qlinear_matmul", inputs,
              {"a", "a_scale", "a_zero_point", "b", "b_scale", "b_zero_point", "y_scale", "y_zero_point", "bias"}, 1);
          return infer_product(qlinear_matmul_places(), check, inputs, attributes);
        },
    .cost = [](const Call& call) { return product_cost(qlinear_matmul_places(), call); },
    .reference = [](KernelArguments& arguments) { reference_product(qlinear_matmul_places(), arguments); },
    .matrix_product = true,
};

const Op kConvInteger{
    .name = "conv_integer",
    .formula = "y[n,o,i,j] = sum_{c,u,v} (x[n,c,i*s+u-p,j*s+v-p] - x_zero_point) (w[o,c,u,v] - w_zero_point[o])",
    .infer =
        [](std::span<const TensorType> inputs, const Attributes& attributes) {
          OperandCheck check("conv_integer", inputs, {"x", "w", "x_zero_point", "w_zero_point"});
          return infer_product(conv_integer_places(), check, inputs, attributes);
        },
    .cost = [](const Call& call) { return product_cost(conv_integer_places(), call); },
    .reference = [](KernelArguments& arguments) { reference_product(conv_integer_places(), arguments); },
    .matrix_product = true,
    .attributes = convolution_attributes(2),
};

const Op kQlinearConv{
    .name = "qlinear_conv",
    .formula = "y = round(x_scale w_scale / y_scale (conv(x - x_zero_point, w - w_zero_point) + bias)) + y_zero_point",
    .infer =
        [](std::span<const TensorType> inputs, const Attributes& attributes) {
          OperandCheck check(
              "qlinear_conv", inputs,
              {"x", "x_scale", "x_zero_point", "w", "w_scale", "w_zero_point", "y_scale", "y_zero_point", "bias"}, 1);
          return infer_product(qlinear_conv_places(), check, inputs, attributes);
        },
    .cost = [](const Call& call) { return product_cost(qlinear_conv_places(), call); },
    .reference = [](KernelArguments& arguments) { reference_product(qlinear_conv_places(), arguments); },
    .matrix_product = true,
    .attributes = convolution_attributes(2),
};

std::span<const Op* const> quantized_ops() {
  static constexpr const Op* kOps[] = {&kQuantizeLinear, &kDequantizeLinear, &kDynamicQuantizeLinear,
                                       &kMatmulInteger,  &kQlinearMatmul,    &kConvInteger,
                                       &kQlinearConv};
  return kOps;
}

ValueId quantize_linear(GraphBuilder& builder, ValueId x, ValueId scale, ValueId zero_point, int64_t axis) {
  return builder.append1(kQuantizeLinear, {x, scale, zero_point}, {{"axis", axis}});
}

ValueId dequantize_linear(GraphBuilder& builder, const Quantized& x, int64_t axis) {
  const ValueId zero = x.zero_point == kNoValue ? zero_of(builder, x.values) : x.zero_point;
  return builder.append1(kDequantizeLinear, {x.values, x.scale, zero}, {{"axis", axis}});
}

Quantized dynamic_quantize_linear(GraphBuilder& builder, ValueId x) {
  const std::vector<ValueId> results = builder.append(kDynamicQuantizeLinear, {x});
  return {results[0], results[1], results[2]};
}

ValueId matmul_integer(GraphBuilder& builder, ValueId a, ValueId b, ValueId a_zero_point, ValueId b_zero_point) {
  if (a_zero_point == kNoValue) a_zero_point = zero_of(builder, a);
  if (b_zero_point == kNoValue) b_zero_point = zero_of(builder, b);
  return builder.append1(kMatmulInteger, {a, b, a_zero_point, b_zero_point});
}

ValueId qlinear_matmul(GraphBuilder& builder, const Quantized& a, const Quantized& b, ValueId y_scale,
                       ValueId y_zero_point) {
  return builder.append1(kQlinearMatmul,
                         {a.values, a.scale, a.zero_point, b.values, b.scale, b.zero_point, y_scale, y_zero_point});
}

ValueId conv_integer(GraphBuilder& builder, ValueId x, ValueId w, ValueId x_zero_point, ValueId w_zero_point,
                     const Conv2dOptions& options) {
  if (x_zero_point == kNoValue) x_zero_point = zero_of(builder, x);
  if (w_zero_point == kNoValue) w_zero_point = zero_of(builder, w);
  return builder.append1(kConvInteger, {x, w, x_zero_point, w_zero_point}, attributes_of(options));
}

ValueId qlinear_conv(GraphBuilder& builder, const Quantized& x, const Quantized& w, ValueId y_scale,
                     ValueId y_zero_point, ValueId bias, const Conv2dOptions& options) {
  std::vector<ValueId> inputs{x.values, x.scale, x.zero_point, w.values, w.scale, w.zero_point, y_scale, y_zero_point};
  if (bias != kNoValue) inputs.push_back(bias);
  return builder.append1(kQlinearConv, std::move(inputs), attributes_of(options));
}

}  // namespace engine::ops
