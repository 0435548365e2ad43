// SPDX-License-Identifier: Apache-2.0
// Writing into a part of a tensor, in place: only that part moves.
#include "engine/ops/cache.h"

#include "engine/ops/check.h"
#include "engine/ops/cost.h"
#include "engine/ops/dense.h"

namespace engine::ops {
namespace {

InferResult infer_write_slice(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("write_slice", inputs, {"x", "update"});
  if (!check.operand_count() || !check.same_dtype()) return check.error();
  int64_t axis = attributes.get_int("axis", 0);
  const Shape &x = inputs[0].shape, &update = inputs[1].shape;
  if (!check.axis(axis, inputs[0].rank()) || !check.rank(1, inputs[0].rank())) return check.error();
  const auto along = static_cast<size_t>(axis);
  Shape expected = x;
  expected[along] = update[along];
  const int64_t start = attributes.get_int("start", 0);
  if (!check.shape(1, expected, "the shape of x but for the axis written along") ||
      !check.that(start >= 0 && update[along] <= x[along] && start <= x[along] - update[along],
                  "{} entries from {} on do not fit the {} entries of axis {}", update[along], start, x[along], axis) ||
      !check.dense("x", x, inputs[0].strides)) {
    return check.error();
  }
  return std::vector{inputs[0]};
}

/// Nothing of x is read, and only what `update` covers is written.
Cost cost_write_slice(const Call& call) {
  Cost cost;
  cost.read_bytes = {0, call.inputs[1].distinct_bytes()};
  cost.written_bytes = {call.inputs[1].elements() * size_bytes(call.inputs[1].dtype)};
  return cost;
}

void reference_write_slice(KernelArguments& arguments) {
  const Tensor& update = arguments.inputs[1];
  const int64_t axis = arguments.attributes->get_int("axis", 0), start = arguments.attributes->get_int("start", 0);
  const int64_t along = axis < 0 ? axis + update.type().rank() : axis;
  const int64_t end = start + update.shape()[static_cast<size_t>(along)];
  const Result<Tensor> part = arguments.outputs[0].slice(along, start, end);
  CHECK(part.ok());
  copy_bits(update, *part);
}

}  // namespace

const Op kWriteSlice{
    .name = "write_slice",
    .formula = "x[..., start + i, ...] = update[..., i, ...]",
    .infer = infer_write_slice,
    .cost = cost_write_slice,
    .reference = reference_write_slice,
    .in_place = {0},
    .attributes = {AttributeSpec::whole("axis", 0), AttributeSpec::whole("start", 0)},
};

std::span<const Op* const> cache_ops() {
  static constexpr const Op* kOps[] = {&kWriteSlice};
  return kOps;
}

ValueId write_slice(GraphBuilder& builder, ValueId x, ValueId update, int64_t axis, int64_t start) {
  return builder.append1(kWriteSlice, {x, update}, {{"axis", axis}, {"start", start}});
}

}  // namespace engine::ops
