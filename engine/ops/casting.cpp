// SPDX-License-Identifier: Apache-2.0
// Casts between element types: types, cost, truth and gradient.
#include "engine/ops/casting.h"

#include "engine/graph/autograd.h"
#include "engine/ops/check.h"
#include "engine/ops/cost.h"
#include "engine/ops/tangents.h"
#include "engine/tensor/element.h"

namespace engine::ops {
namespace {

InferResult infer_cast(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("cast", inputs, {"x"});
  if (!check.operand_count()) return check.error();
  const std::string wanted = attributes.get_string("dtype", "");
  const std::optional<DType> dtype = parse_dtype(wanted);
  if (!check.that(dtype.has_value(), "there is no dtype \"{}\" to cast to", wanted)) return check.error();
  const Shape& shape = inputs[0].shape;
  if (!check.addressable("the result", *dtype, shape)) return check.error();
  for (size_t i = 0; i < shape.size(); ++i) {  // a repeated axis is no model for a dense layout
    if (shape[i] > 1 && inputs[0].strides[i] == 0) return std::vector{TensorType::contiguous(*dtype, shape)};
  }
  return std::vector{TensorType{*dtype, shape, dense_strides_like(shape, inputs[0].strides)}};
}

/// Walks all elements of both tensors in row-major logical order.
void reference_cast(KernelArguments& arguments) {
  const Tensor &x = arguments.inputs[0], &y = arguments.outputs[0];
  const Shape& shape = x.shape();
  const int64_t count = x.type().elements();
  const int64_t x_bytes = size_bytes(x.dtype()), y_bytes = size_bytes(y.dtype());
  std::vector<int64_t> index(shape.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    int64_t from = 0, to = 0;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      from += index[axis] * x.strides()[axis];
      to += index[axis] * y.strides()[axis];
    }
    convert_element(x.dtype(), x.data() + from * x_bytes, y.dtype(), y.data() + to * y_bytes);
    for (size_t axis = shape.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
}

void gradient_cast(GradientContext& context) {
  GraphBuilder& builder = context.builder();
  if (!context.needed(0)) return;
  const DType dtype = builder.type(context.input(0)).dtype;
  context.set_input_gradient(0, cast(builder, context.output_gradient(0), dtype));
}

}  // namespace

const Op kCast{
    .name = "cast",
    .formula = "y = x in another dtype",
    .infer = infer_cast,
    .cost = [](const Call& call) { return elementwise_cost(call, 0); },
    .reference = reference_cast,
    .gradient = gradient_cast,
    .tangent = tangent_linear,
    .attributes = {AttributeSpec::word("dtype")},
    .elementwise = true,
    .fusion = FusionPart::elementwise,
};

ValueId cast(GraphBuilder& builder, ValueId x, DType dtype) {
  if (builder.failed()) return kNoValue;
  if (builder.type(x).dtype == dtype) return x;
  return builder.append1(kCast, {x}, {{"dtype", std::string(name(dtype))}});
}

std::span<const Op* const> casting_ops() {
  static constexpr const Op* kOps[] = {&kCast};
  return kOps;
}

}  // namespace engine::ops
