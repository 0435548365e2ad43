// SPDX-License-Identifier: Apache-2.0
// Picking and placing slices by tuples of indices: gather_nd and scatter_nd; and what all scatters share.
#include <algorithm>
#include <limits>

#include "engine/ops/cost.h"
#include "engine/ops/dense.h"
#include "engine/ops/gradients.h"
#include "engine/ops/indexing.h"
#include "engine/ops/indexing_common.h"
#include "engine/ops/indexing_scatter.h"
#include "engine/ops/ops.h"
#include "engine/ops/tangents.h"

namespace engine::ops {
namespace {

double elements(const TensorType& type) { return static_cast<double>(type.elements()); }

/// The shape of what the tuples of `indices` name in x: leading axes of the indices, then the axes no index stands for.
bool named_shape(OperandCheck& check, std::span<const TensorType> inputs, const Attributes& attributes, Shape& named) {
  const Shape &x = inputs[0].shape, &indices = inputs[1].shape;
  const int64_t batch = attributes.get_int("batch_dims", 0), rank = static_cast<int64_t>(x.size());
  if (!check_indices(check, inputs[1], "indices") ||
      !check.that(!indices.empty(), "indices must have rank 1 or more: their last axis holds the tuples") ||
      !check.that(batch >= 0 && batch < static_cast<int64_t>(indices.size()) && batch <= rank,
                  "batch_dims is {}, expected 0 to the rank of x ({}) and below the rank of indices ({})", batch, rank,
                  indices.size()) ||
      !check.that(indices.back() <= rank - batch, "tuples of {} indices are too long for x {} after {} batch axes",
                  indices.back(), to_string(x), batch)) {
    return false;
  }
  for (int64_t i = 0; i < batch; ++i) {
    const auto axis = static_cast<size_t>(i);
    if (!check.that(x[axis] == indices[axis], "batch axis {} differs: x has {}, indices have {}", i, x[axis],
                    indices[axis])) {
      return false;
    }
  }
  named.assign(indices.begin(), indices.end() - 1);
  named.insert(named.end(), x.begin() + batch + indices.back(), x.end());
  return true;
}

/// Positions in x of all elements the tuples name.
std::vector<int64_t> named_positions(const Shape& x, const Tensor& indices, int64_t batch_dims) {
  const int64_t length = indices.shape().back();
  const auto batch_axes = static_cast<size_t>(batch_dims);
  const Strides strides = contiguous_strides(x);
  const std::span<const int64_t> extents(x);
  const int64_t slice = extent_product(extents.subspan(batch_axes + static_cast<size_t>(length)));
  const int64_t tuples = extent_product(std::span(indices.shape()).first(indices.shape().size() - 1));
  const int64_t batches = extent_product(extents.first(batch_axes));
  std::vector<int64_t> positions;
  if (tuples == 0 || slice == 0) return positions;
  const int64_t per_batch = tuples / batches;
  const int64_t batch_step = batch_axes == 0 ? 0 : strides[batch_axes - 1];
  const std::vector<int64_t> all = load_integers(indices);
  for (int64_t t = 0; t < tuples; ++t) {
    int64_t start = t / per_batch * batch_step;
    for (int64_t m = 0; m < length && start != kNoElement; ++m) {
      const auto axis = batch_axes + static_cast<size_t>(m);
      const int64_t index = index_inside(all[static_cast<size_t>(t * length + m)], x[axis]);
      start = index == kNoElement ? kNoElement : start + index * strides[axis];
    }
    for (int64_t k = 0; k < slice; ++k) positions.push_back(start == kNoElement ? kNoElement : start + k);
  }
  return positions;
}

// ---- gather_nd
// --------------------------------------------------------------------------------------------------------------

InferResult infer_gather_nd(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("gather_nd", inputs, {"x", "indices"});
  Shape shape;
  if (!check.operand_count() || !named_shape(check, inputs, attributes, shape) ||
      !check.addressable("the result", inputs[0].dtype, shape)) {
    return check.error();
  }
  return std::vector{TensorType::contiguous(inputs[0].dtype, shape)};
}

Cost cost_gather_nd(const Call& call) {
  Cost cost = full_cost(call, 0);
  cost.read_bytes[0] = std::min(cost.read_bytes[0], named_bytes(call.inputs[0], elements(call.outputs[0])));
  return cost;
}

void reference_gather_nd(KernelArguments& arguments) {
  const Tensor& x = arguments.inputs[0];
  const int64_t batch_dims = arguments.attributes->get_int("batch_dims", 0);
  move_elements(x, named_positions(x.shape(), arguments.inputs[1], batch_dims), outside_value(x.dtype()),
                arguments.outputs[0]);
}

ValueId append_scatter_nd(GraphBuilder& builder, ValueId x, ValueId indices, ValueId updates, int64_t batch_dims,
                          const std::string& reduction) {
  return builder.append1(kScatterNd, {x, indices, updates}, {{"batch_dims", batch_dims}, {"reduction", reduction}});
}

void gradient_gather_nd(GradientContext& context) {
  if (!context.needed(0)) return;
  GraphBuilder& builder = context.builder();
  const TensorType x = builder.type(context.input(0));
  const ValueId dx =
      append_scatter_nd(builder, zeros(builder, x.dtype, x.shape), context.input(1), context.output_gradient(0),
                        context.attributes().get_int("batch_dims", 0), "add");
  context.set_input_gradient(0, match_layout(builder, dx, x));
}

// ---- scatter_nd
// -------------------------------------------------------------------------------------------------------------

InferResult infer_scatter_nd(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("scatter_nd", inputs, {"x", "indices", "updates"});
  Shape named;
  if (!check.operand_count() || !check_scatter(check, inputs, attributes) ||
      !named_shape(check, inputs, attributes, named) || !check.shape(2, named, "what the indices name")) {
    return check.error();
  }
  return std::vector{dense_like(inputs[0], inputs[0].shape)};
}

void reference_scatter_nd(KernelArguments& arguments) {
  const int64_t batch_dims = arguments.attributes->get_int("batch_dims", 0);
  scatter_in_order(arguments, named_positions(arguments.inputs[0].shape(), arguments.inputs[1], batch_dims));
}

void tangent_scatter_nd(TangentContext& context) {
  const std::string reduction = context.attributes().get_string("reduction", "none");
  if (check_differentiable(context.builder(), "scatter_nd", reduction)) tangent_linear(context);
}

void gradient_scatter_nd(GradientContext& context) {
  GraphBuilder& builder = context.builder();
  const int64_t batch_dims = context.attributes().get_int("batch_dims", 0);
  const ValueId dy = context.output_gradient(0), indices = context.input(1);
  const std::string reduction = context.attributes().get_string("reduction", "none");
  if (!check_differentiable(builder, "scatter_nd", reduction)) return;
  if (context.needed(0)) {
    const TensorType updates = builder.type(context.input(2));
    const auto without = [&] {
      return append_scatter_nd(builder, dy, indices, zeros(builder, updates.dtype, updates.shape), batch_dims, "none");
    };
    context.set_input_gradient(0, reduction == "add" ? dy : without());
  }
  if (context.needed(2)) context.set_input_gradient(2, gather_nd(builder, dy, indices, batch_dims));
}

/// Sums and products of integers stay in 64 bits: wrapped around, as unsigned numbers do.
int64_t scattered_integer(ScatterReduction reduction, int64_t old, int64_t update) {
  const auto a = static_cast<uint64_t>(old), b = static_cast<uint64_t>(update);
  if (reduction == ScatterReduction::add) return static_cast<int64_t>(a + b);
  if (reduction == ScatterReduction::multiply) return static_cast<int64_t>(a * b);
  return scattered(reduction, old, update);
}

}  // namespace

// ---- shared by all scatters
// ---------------------------------------------------------------------------------------------------

bool check_scatter(OperandCheck& check, std::span<const TensorType> inputs, const Attributes& attributes) {
  const std::string reduction = attributes.get_string("reduction", "none");
  return check.that(parse_scatter_reduction(reduction).has_value(),
                    "reduction is \"{}\", expected none, add, mul, max or min", reduction) &&
         (reduction == "none" || check.numeric(0)) &&
         check.that(inputs[0].dtype == inputs[2].dtype, "dtypes differ: x is {}, updates are {}", name(inputs[0].dtype),
                    name(inputs[2].dtype)) &&
         check.addressable("the result", inputs[0].dtype, inputs[0].shape);
}

Cost cost_scatter(const Call& call) {
  const bool reduces = call.attributes.get_string("reduction", "none") != "none";
  return full_cost(call, reduces ? elements(call.inputs[2]) : 0);
}

void scatter_in_order(KernelArguments& arguments, std::span<const int64_t> positions) {
  const Tensor &x = arguments.inputs[0], &updates = arguments.inputs[2], &y = arguments.outputs[0];
  const ScatterReduction reduction = *parse_scatter_reduction(arguments.attributes->get_string("reduction", "none"));
  if (std::ranges::find(positions, kNoElement) != positions.end()) {
    store(y, std::vector<double>(static_cast<size_t>(y.type().elements()), outside_value(y.dtype())));
  } else if (is_floating(y.dtype())) {
    std::vector<double> values = load(x);
    const std::vector<double> added = load(updates);
    for (size_t i = 0; i < positions.size(); ++i) {
      double& value = values[static_cast<size_t>(positions[i])];
      value = scattered(reduction, value, added[i]);
    }
    store(y, values);
  } else {
    std::vector<int64_t> values = load_integers(x);
    const std::vector<int64_t> added = load_integers(updates);
    for (size_t i = 0; i < positions.size(); ++i) {
      int64_t& value = values[static_cast<size_t>(positions[i])];
      value = scattered_integer(reduction, value, added[i]);
    }
    store_integers(y, values);
  }
}

bool check_differentiable(GraphBuilder& builder, std::string_view op, std::string_view reduction) {
  if (reduction == "none" || reduction == "add") return true;
  builder.fail(
      usage_error(fmt::format("[{}] has no gradient with reduction {}, only with none and add", op, reduction)));
  return false;
}

const Op kGatherNd{
    .name = "gather_nd",
    .formula = "y[b..., i..., ...] = x[b..., indices[b..., i..., :], ...]",
    .infer = infer_gather_nd,
    .cost = cost_gather_nd,
    .reference = reference_gather_nd,
    .gradient = gradient_gather_nd,
    .tangent = tangent_linear,
    .attributes = {AttributeSpec::whole("batch_dims", 0)},
};

const Op kScatterNd{
    .name = "scatter_nd",
    .formula = "y = x, with updates[b..., i..., ...] at [b..., indices[b..., i..., :], ...]",
    .infer = infer_scatter_nd,
    .cost = cost_scatter,
    .reference = reference_scatter_nd,
    .gradient = gradient_scatter_nd,
    .tangent = tangent_scatter_nd,
    .attributes = {AttributeSpec::whole("batch_dims", 0), AttributeSpec::word("reduction", "none")},
};

ValueId gather_nd(GraphBuilder& builder, ValueId x, ValueId indices, int64_t batch_dims) {
  return builder.append1(kGatherNd, {x, indices}, {{"batch_dims", batch_dims}});
}

ValueId scatter_nd(GraphBuilder& builder, ValueId x, ValueId indices, ValueId updates, const std::string& reduction) {
  return append_scatter_nd(builder, x, indices, updates, 0, reduction);
}

}  // namespace engine::ops
