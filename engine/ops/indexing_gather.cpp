// SPDX-License-Identifier: Apache-2.0
// Picking slices by index: gather, its gradient, and bags of embeddings.
#include <algorithm>
#include <limits>

#include "engine/ops/attribute_lists.h"
#include "engine/ops/cost.h"
#include "engine/ops/dense.h"
#include "engine/ops/gradients.h"
#include "engine/ops/indexing.h"
#include "engine/ops/indexing_common.h"
#include "engine/ops/ops.h"
#include "engine/ops/tangents.h"

namespace engine::ops {
namespace {

double elements(const TensorType& type) { return static_cast<double>(type.elements()); }

// ---- gather
// -----------------------------------------------------------------------------------------------------------------

/// The shape of x with that of the indices in place of `axis` (counted from the front).
Shape gathered_shape(const Shape& x, const Shape& indices, int64_t axis) {
  Shape shape(x.begin(), x.begin() + axis);
  shape.insert(shape.end(), indices.begin(), indices.end());
  shape.insert(shape.end(), x.begin() + axis + 1, x.end());
  return shape;
}

InferResult infer_gather(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("gather", inputs, {"x", "indices"});
  int64_t axis = attributes.get_int("axis", 0);
  if (!check.operand_count() || !check_indices(check, inputs[1], "indices") || !check.axis(axis, inputs[0].rank())) {
    return check.error();
  }
  const Shape shape = gathered_shape(inputs[0].shape, inputs[1].shape, axis);
  if (!check.addressable("the result", inputs[0].dtype, shape)) return check.error();
  return std::vector{TensorType::contiguous(inputs[0].dtype, shape)};
}

/// Reads the slices it names, not the table.
Cost cost_gather(const Call& call) {
  Cost cost = full_cost(call, 0);
  cost.read_bytes[0] = std::min(cost.read_bytes[0], named_bytes(call.inputs[0], elements(call.outputs[0])));
  return cost;
}

void reference_gather(KernelArguments& arguments) {
  const Tensor &x = arguments.inputs[0], &y = arguments.outputs[0];
  if (y.type().elements() == 0) return;  // the other extents may be of any length
  const AxisSplit split = split_at(x.shape(), arguments.attributes->get_int("axis", 0));
  const std::vector<int64_t> indices = load_indices(arguments.inputs[1], split.extent);
  std::vector<int64_t> sources;
  for (int64_t o = 0; o < split.outer; ++o) {
    for (const int64_t index : indices) {
      for (int64_t k = 0; k < split.inner; ++k) {
        sources.push_back(index == kNoElement ? kNoElement : (o * split.extent + index) * split.inner + k);
      }
    }
  }
  move_elements(x, sources, outside_value(x.dtype()), y);
}

void gradient_gather(GradientContext& context) {
  if (!context.needed(0)) return;
  GraphBuilder& builder = context.builder();
  Attributes attributes = context.attributes();
  set_result_type(attributes, "input", builder.type(context.input(0)));
  context.set_input_gradient(
      0, builder.append1(kGatherGrad, {context.output_gradient(0), context.input(1)}, std::move(attributes)));
}

InferResult infer_gather_grad(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("gather_grad", inputs, {"dy", "indices"});
  if (!check.operand_count() || !check.numeric(0) || !check_indices(check, inputs[1], "indices")) return check.error();
  const TensorType result = result_type(attributes, "input", inputs[0].dtype);
  int64_t axis = attributes.get_int("axis", 0);
  if (!check_result_type(check, result) || !check.axis(axis, result.rank()) ||
      !check.shape(0, gathered_shape(result.shape, inputs[1].shape, axis), "what gather puts out")) {
    return check.error();
  }
  return std::vector{result};
}

void reference_gather_grad(KernelArguments& arguments) {
  const Tensor& dx = arguments.outputs[0];
  if (dx.type().elements() == 0) return;  // the other extents may be of any length
  const AxisSplit split = split_at(dx.shape(), arguments.attributes->get_int("axis", 0));
  const std::vector<int64_t> indices = load_indices(arguments.inputs[1], split.extent);
  const std::vector<double> dy = load(arguments.inputs[0]);
  std::vector<double> sums(static_cast<size_t>(dx.type().elements()), 0.0);
  const double* slice = dy.data();
  for (int64_t o = 0; o < split.outer && !dy.empty(); ++o) {
    for (const int64_t index : indices) {
      for (int64_t k = 0; k < split.inner && index != kNoElement; ++k) {
        sums[static_cast<size_t>((o * split.extent + index) * split.inner + k)] += slice[k];
      }
      slice += split.inner;
    }
  }
  store(dx, sums);
}

// ---- embedding_bag
// ----------------------------------------------------------------------------------------------------------

InferResult infer_embedding_bag(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("embedding_bag", inputs, {"weight", "indices"});
  const std::string mode = attributes.get_string("mode", "sum");
  if (!check.operand_count() || !check.floating(0) || !check_indices(check, inputs[1], "indices") ||
      !check.rank(0, 2) || !check.rank(1, 2) ||
      !check.that(mode == "sum" || mode == "mean", "mode is \"{}\", expected sum or mean", mode)) {
    return check.error();
  }
  const Shape shape{inputs[1].shape[0], inputs[0].shape[1]};
  if (!check.addressable("the result", inputs[0].dtype, shape)) return check.error();
  return std::vector{TensorType::contiguous(inputs[0].dtype, shape)};
}

/// One addition per element of each row but the first of a bag, for a mean one product per element of the result.
Cost cost_embedding_bag(const Call& call) {
  const double bag = static_cast<double>(call.inputs[1].shape[1]), out = elements(call.outputs[0]);
  const double products = call.attributes.get_string("mode", "sum") == "mean" ? out : 0;
  Cost cost = full_cost(call, std::max(bag - 1, 0.0) * out + products);
  cost.read_bytes[0] = std::min(cost.read_bytes[0], named_bytes(call.inputs[0], bag * out));
  return cost;
}

void reference_embedding_bag(KernelArguments& arguments) {
  const Tensor& weight = arguments.inputs[0];
  const int64_t width = weight.shape()[1], bag = arguments.inputs[1].shape()[1];
  const std::vector<int64_t> indices = load_indices(arguments.inputs[1], weight.shape()[0]);
  const std::vector<double> rows = load(weight);
  std::vector<double> sums(static_cast<size_t>(arguments.outputs[0].type().elements()), 0.0);
  for (size_t i = 0; i < indices.size(); ++i) {
    double* sum = sums.data() + static_cast<int64_t>(i) / bag * width;
    for (int64_t k = 0; k < width; ++k) {
      sum[k] +=
          indices[i] == kNoElement ? outside_value(weight.dtype()) : rows[static_cast<size_t>(indices[i] * width + k)];
    }
  }
  if (arguments.attributes->get_string("mode", "sum") == "mean" && bag > 0) {
    for (double& sum : sums) sum /= static_cast<double>(bag);
  }
  store(arguments.outputs[0], sums);
}

/// Each row of a bag gets the bag's gradient, a view with stride 0 along the bag.
void gradient_embedding_bag(GradientContext& context) {
  if (!context.needed(0)) return;
  GraphBuilder& builder = context.builder();
  const TensorType weight = builder.type(context.input(0));
  const Shape indices = builder.type(context.input(1)).shape;
  ValueId dy = context.output_gradient(0);
  if (context.attributes().get_string("mode", "sum") == "mean" && indices[1] > 0) {
    dy = scale(builder, dy, 1.0 / static_cast<double>(indices[1]));
  }
  dy = expand(builder, unsqueeze(builder, dy, 1), {indices[0], indices[1], weight.shape[1]});
  Attributes attributes{{"axis", int64_t{0}}};
  set_result_type(attributes, "input", weight);
  context.set_input_gradient(0, builder.append1(kGatherGrad, {dy, context.input(1)}, std::move(attributes)));
}

}  // namespace

const Op kGather{
    .name = "gather",
    .formula = "y[..., i..., ...] = x[..., indices[i...], ...]",
    .infer = infer_gather,
    .cost = cost_gather,
    .reference = reference_gather,
    .gradient = gradient_gather,
    .tangent = tangent_linear,
    .attributes = {AttributeSpec::whole("axis", 0)},
};

const Op kGatherGrad{
    .name = "gather_grad",
    .formula = "dx[..., j, ...] = sum of dy[..., i..., ...] over all i with indices[i...] = j",
    .infer = infer_gather_grad,
    // One addition per element of dy.
    .cost = [](const Call& call) { return full_cost(call, elements(call.inputs[0])); },
    .reference = reference_gather_grad,
    .tangent = tangent_linear,
    .attributes = joined_attributes({AttributeSpec::whole("axis", 0)}, input_type_attributes()),
};

const Op kEmbeddingBag{
    .name = "embedding_bag",
    .formula = "y[b] = sum or mean over l of weight[indices[b,l]]",
    .infer = infer_embedding_bag,
    .cost = cost_embedding_bag,
    .reference = reference_embedding_bag,
    .gradient = gradient_embedding_bag,
    .tangent = tangent_linear,
    .attributes = {AttributeSpec::word("mode", "sum")},
};

ValueId gather(GraphBuilder& builder, ValueId x, ValueId indices, int64_t axis) {
  return builder.append1(kGather, {x, indices}, {{"axis", axis}});
}

ValueId embedding(GraphBuilder& builder, ValueId weight, ValueId indices) {
  if (builder.failed()) return kNoValue;
  OperandCheck check("embedding", {}, {});
  const TensorType& type = builder.type(weight);
  if (!check.that(type.rank() == 2, "weight must have rank 2 (rows, width), got {}", to_string(type))) {
    return builder.fail(check.error());
  }
  return gather(builder, weight, indices, 0);
}

ValueId embedding_bag(GraphBuilder& builder, ValueId weight, ValueId indices, const std::string& mode) {
  return builder.append1(kEmbeddingBag, {weight, indices}, {{"mode", mode}});
}

}  // namespace engine::ops
