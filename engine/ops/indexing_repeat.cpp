// SPDX-License-Identifier: Apache-2.0
// Repeating, masking and turning: tile, triangle, reverse_sequence, one_hot; range, which computes nothing.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/wide.h"
#include "engine/ops/cost.h"
#include "engine/ops/dense.h"
#include "engine/ops/gradients.h"
#include "engine/ops/indexing.h"
#include "engine/ops/indexing_common.h"
#include "engine/ops/ops.h"
#include "engine/ops/tangents.h"

namespace engine::ops {
namespace {

// ---- tile
// -------------------------------------------------------------------------------------------------------------------

InferResult infer_tile(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("tile", inputs, {"x"});
  const std::vector<int64_t> repeats = attributes.get_ints("repeats", {});
  if (!check.operand_count() ||
      !check.that(static_cast<int64_t>(repeats.size()) == inputs[0].rank(),
                  "needs one count per axis of x ({}), got {}", inputs[0].rank(), repeats.size())) {
    return check.error();
  }
  Shape shape = inputs[0].shape;
  for (size_t i = 0; i < shape.size(); ++i) {
    const Wide extent = Wide{shape[i]} * repeats[i];
    if (!check.that(extent >= 0 && extent <= std::numeric_limits<int64_t>::max() && repeats[i] >= 0,
                    "axis {} of {} elements cannot be repeated {} times", i, shape[i], repeats[i])) {
      return check.error();
    }
    shape[i] = static_cast<int64_t>(extent);
  }
  if (!check.addressable("the result", inputs[0].dtype, shape)) return check.error();
  return std::vector{dense_like(inputs[0], shape)};
}

void reference_tile(KernelArguments& arguments) {
  const Tensor &x = arguments.inputs[0], &y = arguments.outputs[0];
  const Strides strides = contiguous_strides(x.shape());
  std::vector<int64_t> sources;
  for_each_index(y.shape(), [&](int64_t, const std::vector<int64_t>& index) {
    int64_t source = 0;
    for (size_t axis = 0; axis < index.size(); ++axis) source += index[axis] % x.shape()[axis] * strides[axis];
    sources.push_back(source);
  });
  move_elements(x, sources, 0, y);
}

/// The sum over the copies: each repeated axis is seen as two, one of which is summed over.
void gradient_tile(GradientContext& context) {
  if (!context.needed(0)) return;
  GraphBuilder& builder = context.builder();
  const Shape x = builder.type(context.input(0)).shape;
  const std::vector<int64_t> repeats = context.attributes().get_ints("repeats", {});
  Shape unfolded;
  std::vector<int64_t> copies;
  for (size_t i = 0; i < x.size(); ++i) {
    if (repeats[i] != 1) {
      copies.push_back(static_cast<int64_t>(unfolded.size()));
      unfolded.push_back(repeats[i]);
    }
    unfolded.push_back(x[i]);
  }
  ValueId dx = context.output_gradient(0);
  if (!copies.empty()) dx = sum(builder, reshape(builder, dx, std::move(unfolded)), std::move(copies));
  context.set_input_gradient(0, dx);
}

// ---- triangle
// ---------------------------------------------------------------------------------------------------------------

/// Which elements of a rows x columns matrix stay: column - row >= k (upper) or <= k (lower).
struct Triangle {
  int64_t rows, columns, k;
  bool upper;

  Triangle(const Shape& shape, const Attributes& attributes)
      : rows(shape.end()[-2]),
        columns(shape.back()),
        k(std::clamp(attributes.get_int("k", 0), -rows, columns)),
        upper(attributes.get_int("upper", 1) != 0) {}
  bool keeps(int64_t row, int64_t column) const { return upper ? column - row >= k : column - row <= k; }
  /// Elements kept of one matrix.
  double kept() const {
    // Below or on diagonal `last`, row i has min(max(i + last + 1, 0), columns) elements: none, then a staircase, then
    // all.
    const auto below = [this](Wide last) {
      const Wide first = std::clamp<Wide>(-last, 0, rows), full = std::clamp<Wide>(columns - last - 1, first, rows);
      const Wide steps = full - first, start = first + last + 1;
      return steps * start + steps * (steps - 1) / 2 + (rows - full) * columns;
    };
    const Wide all = Wide{rows} * columns;
    return static_cast<double>(upper ? all - below(Wide{k} - 1) : below(k));
  }
};

InferResult infer_triangle(std::span<const TensorType> inputs, const Attributes&) {
  OperandCheck check("triangle", inputs, {"x"});
  if (!check.operand_count() ||
      !check.that(inputs[0].rank() >= 2, "x must have rank 2 or more, got rank {}", inputs[0].rank()) ||
      !check.addressable("the result", inputs[0].dtype, inputs[0].shape)) {
    return check.error();
  }
  return std::vector{dense_like(inputs[0], inputs[0].shape)};
}

Cost cost_triangle(const Call& call) {
  Cost cost = full_cost(call, 0);
  const TensorType& x = call.inputs[0];
  if (x.elements() == 0) return cost;
  const Triangle triangle(x.shape, call.attributes);
  const double matrices =
      static_cast<double>(x.elements()) / static_cast<double>(triangle.rows) / static_cast<double>(triangle.columns);
  cost.read_bytes[0] = named_bytes(x, matrices * triangle.kept());
  return cost;
}

void reference_triangle(KernelArguments& arguments) {
  const Tensor& x = arguments.inputs[0];
  const Triangle triangle(x.shape(), *arguments.attributes);
  std::vector<int64_t> sources;
  for_each_index(x.shape(), [&](int64_t position, const std::vector<int64_t>& index) {
    sources.push_back(triangle.keeps(index.end()[-2], index.back()) ? position : kNoElement);
  });
  move_elements(x, sources, 0, arguments.outputs[0]);
}

void gradient_triangle(GradientContext& context) {
  if (!context.needed(0)) return;
  context.set_input_gradient(0,
                             context.builder().append1(kTriangle, {context.output_gradient(0)}, context.attributes()));
}

// ---- reverse_sequence
// -------------------------------------------------------------------------------------------------------

InferResult infer_reverse_sequence(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("reverse_sequence", inputs, {"x", "lengths"});
  int64_t batch = attributes.get_int("batch_axis", 1), time = attributes.get_int("time_axis", 0);
  if (!check.operand_count() || !check_indices(check, inputs[1], "lengths") || !check.axis(batch, inputs[0].rank()) ||
      !check.axis(time, inputs[0].rank()) ||
      !check.that(batch != time, "batch_axis and time_axis are both {}", batch) ||
      !check.shape(1, {inputs[0].shape[static_cast<size_t>(batch)]}, "one length per sequence") ||
      !check.addressable("the result", inputs[0].dtype, inputs[0].shape)) {
    return check.error();
  }
  return std::vector{dense_like(inputs[0], inputs[0].shape)};
}

void reference_reverse_sequence(KernelArguments& arguments) {
  const Tensor& x = arguments.inputs[0];
  const auto axis_of = [&](const char* key, int64_t fallback) {
    const int64_t axis = arguments.attributes->get_int(key, fallback);
    return static_cast<size_t>(axis < 0 ? axis + x.type().rank() : axis);
  };
  const size_t batch = axis_of("batch_axis", 1), time = axis_of("time_axis", 0);
  const int64_t steps = x.shape()[time], step = contiguous_strides(x.shape())[time];
  const std::vector<int64_t> lengths = load_integers(arguments.inputs[1]);
  std::vector<int64_t> sources;
  for_each_index(x.shape(), [&](int64_t position, const std::vector<int64_t>& index) {
    const int64_t length = lengths[static_cast<size_t>(index[batch])], at = index[time];
    const bool valid = length >= 0 && length <= steps;
    sources.push_back(!valid ? kNoElement : at < length ? position + (length - 1 - 2 * at) * step : position);
  });
  move_elements(x, sources, outside_value(x.dtype()), arguments.outputs[0]);
}

/// The same turn once more.
void gradient_reverse_sequence(GradientContext& context) {
  if (!context.needed(0)) return;
  context.set_input_gradient(0,
                             context.builder().append1(kReverseSequence, {context.output_gradient(0), context.input(1)},
                                                       context.attributes()));
}

// ---- one_hot
// ----------------------------------------------------------------------------------------------------------------

InferResult infer_one_hot(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("one_hot", inputs, {"indices"});
  const std::string wanted = attributes.get_string("dtype", "f32");
  const std::optional<DType> dtype = parse_dtype(wanted);
  const int64_t depth = attributes.get_int("depth", 0);
  int64_t axis = attributes.get_int("axis", -1);
  if (!check.operand_count() || !check_indices(check, inputs[0], "indices") ||
      !check.that(dtype.has_value(), "there is no dtype \"{}\"", wanted) ||
      !check.that(depth >= 0, "depth is {}, expected 0 or more", depth) || !check.axis(axis, inputs[0].rank() + 1)) {
    return check.error();
  }
  Shape shape = inputs[0].shape;
  shape.insert(shape.begin() + axis, depth);
  if (!check.addressable("the result", *dtype, shape)) return check.error();
  return std::vector{TensorType::contiguous(*dtype, shape)};
}

void reference_one_hot(KernelArguments& arguments) {
  const Tensor& y = arguments.outputs[0];
  if (y.type().elements() == 0) return;  // the other extents may be of any length
  const AxisSplit split = split_at(y.shape(), arguments.attributes->get_int("axis", -1));
  const double on = arguments.attributes->get_double("on", 1), off = arguments.attributes->get_double("off", 0);
  const std::vector<int64_t> indices = load_indices(arguments.inputs[0], split.extent);
  std::vector<double> values(static_cast<size_t>(y.type().elements()), off);
  for (int64_t i = 0; i < split.outer * split.inner && split.extent > 0; ++i) {
    const int64_t index = indices[static_cast<size_t>(i)];
    if (index == kNoElement) continue;
    values[static_cast<size_t>((i / split.inner * split.extent + index) * split.inner + i % split.inner)] = on;
  }
  store(y, values);
}

}  // namespace

const Op kTile{
    .name = "tile",
    .formula = "y[i, j, ...] = x[i mod n_0, j mod n_1, ...]",
    .infer = infer_tile,
    .cost = [](const Call& call) { return full_cost(call, 0); },
    .reference = reference_tile,
    .gradient = gradient_tile,
    .tangent = tangent_linear,
    .attributes = {AttributeSpec::list("repeats")},
};

const Op kTriangle{
    .name = "triangle",
    .formula = "y[..., i, j] = x[..., i, j] where j - i >= k (upper) or <= k (lower), else 0",
    .infer = infer_triangle,
    .cost = cost_triangle,
    .reference = reference_triangle,
    .gradient = gradient_triangle,
    .tangent = tangent_linear,
    .attributes = {AttributeSpec::whole("upper", 1), AttributeSpec::whole("k", 0)},
};

const Op kReverseSequence{
    .name = "reverse_sequence",
    .formula = "y[t, b] = x[lengths[b] - 1 - t, b] for t < lengths[b], else x[t, b]",
    .infer = infer_reverse_sequence,
    .cost = [](const Call& call) { return full_cost(call, 0); },
    .reference = reference_reverse_sequence,
    .gradient = gradient_reverse_sequence,
    .tangent = tangent_linear,
    .attributes = {AttributeSpec::whole("batch_axis", 1), AttributeSpec::whole("time_axis", 0)},
};

const Op kOneHot{
    .name = "one_hot",
    .formula = "y[i..., d] = on where d = indices[i...], else off",
    .infer = infer_one_hot,
    .cost = [](const Call& call) { return full_cost(call, 0); },
    .reference = reference_one_hot,
    .attributes = {AttributeSpec::whole("depth"), AttributeSpec::whole("axis", -1), AttributeSpec::real("on", 1),
                   AttributeSpec::real("off", 0), AttributeSpec::word("dtype", "f32")},
};

ValueId tile(GraphBuilder& builder, ValueId x, std::vector<int64_t> repeats) {
  return builder.append1(kTile, {x}, {{"repeats", std::move(repeats)}});
}

ValueId triangle(GraphBuilder& builder, ValueId x, bool upper, int64_t k) {
  return builder.append1(kTriangle, {x}, {{"upper", int64_t{upper}}, {"k", k}});
}

ValueId reverse_sequence(GraphBuilder& builder, ValueId x, ValueId lengths, int64_t batch_axis, int64_t time_axis) {
  return builder.append1(kReverseSequence, {x, lengths}, {{"batch_axis", batch_axis}, {"time_axis", time_axis}});
}

ValueId one_hot(GraphBuilder& builder, ValueId indices, int64_t depth, const OneHotOptions& options) {
  return builder.append1(kOneHot, {indices},
                         {{"depth", depth},
                          {"axis", options.axis},
                          {"on", options.on},
                          {"off", options.off},
                          {"dtype", std::string(name(options.dtype))}});
}

ValueId range(GraphBuilder& builder, double start, double limit, double delta, DType dtype) {
  if (builder.failed()) return kNoValue;
  OperandCheck check("range", {}, {});
  const double count = std::max(0.0, std::ceil((limit - start) / delta));
  if (!check.that(std::isfinite(start) && std::isfinite(limit) && std::isfinite(delta) && delta != 0,
                  "from {} to {} in steps of {}: all must be finite and the step not 0", start, limit, delta) ||
      !check.that(count < 1e15, "from {} to {} in steps of {} would be {} elements: make the range shorter", start,
                  limit, delta, count) ||
      !check.that(dtype != DType::boolean, "there are no ranges of bool")) {
    return builder.fail(check.error());
  }
  Result<Tensor> values = Tensor::empty(TensorType::contiguous(dtype, {static_cast<int64_t>(count)}));
  if (!values) return builder.fail(values.error());
  for (int64_t i = 0; i < values->type().elements(); ++i) values->set_flat(i, start + static_cast<double>(i) * delta);
  return builder.constant("range", std::move(*values), Role::activation);
}

}  // namespace engine::ops
