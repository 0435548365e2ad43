// SPDX-License-Identifier: Apache-2.0
// Fused ops: what the library call before the loop touches, then the operands of the loop in lockstep, each once. Batch
// norm goes over its result while it is in the first cache level: only what the loop reads besides is said. Of a batch
// norm folded into a convolution, the statistics are looked at; such a convolution of large images is followed by the
// loop image by image, and one by our own Winograd's filtering by the loop over the pixels that it has just written.
#include <set>
#include <span>

#include "engine/graph/fused.h"
#include "engine/kernels/convolution/images_rule.h"
#include "engine/kernels/core/describe_access.h"

namespace engine::access {
namespace {

/// The call as a node of its own on the operands that it has; its first output lies where the result does.
OpCall call_alone(const OpCall& call, const FusedProgram& program, Node& node) {
  const FusedMember& member = program.members[0];
  node.op = member.op;
  node.attributes = member.attributes;
  OpCall alone{.node = node,
               .inputs = {},
               .outputs = {},
               .workspace_address = call.workspace_address,
               .workspace_bytes = call.workspace_bytes,
               .workspace_tensor = call.workspace_tensor,
               .vector_bytes = call.vector_bytes,
               .first_level_bytes = call.first_level_bytes,
               .winograd_tile = call.winograd_tile,
               .winograd_weights = call.winograd_weights,
               .by_images = call.by_images,
               .plain_weights = call.plain_weights,
               .own_products = call.own_products,
               .packed_steps = call.packed_steps,
               .packed_inputs = call.packed_inputs,
               .copies = call.copies,
               .own_convolution = call.own_convolution,
               .threads = call.threads,
               .constant_weights = call.constant_weights};
  for (const int operand : member.operands) {
    const auto input = static_cast<size_t>(operand);
    alone.inputs.push_back(call.inputs[input]);
    alone.kept_copies.push_back(input < call.kept_copies.size() ? call.kept_copies[input] : 0);
  }
  alone.outputs = call.outputs;
  return alone;
}
Fidelity describe_call(const OpCall& call, const FusedProgram& program, AccessSink& sink) {
  Node node;
  return describe(call_alone(call, program, node), sink);
}

/// Image `i` of a tensor that has one image per element of the result's first axis; others are the same for all images.
Operand image_of(const Operand& operand, const TensorType& result, int64_t i) {
  const TensorType& type = operand.type;
  if (type.shape.size() != result.shape.size() || type.shape[0] != result.shape[0]) return operand;
  Operand image = operand;
  image.type.shape[0] = 1;
  image.address += static_cast<uint64_t>(i * type.strides[0] * size_bytes(type.dtype));
  return image;
}

/// Members from `first` on, in lockstep; `in_its_cache`: the result is there, and what it becomes stays there.
void describe_loop(const OpCall& call, const FusedProgram& program, size_t first, bool begins_with_call,
                   bool in_its_cache, AccessSink& sink) {
  const Operand& result = call.outputs[0];
  const Shape& shape = result.type.shape;
  std::vector<WalkOperand> operands;
  if (begins_with_call && !in_its_cache) operands.push_back(part_of_walk(result, shape, AccessKind::load));
  std::set<int> read;
  for (size_t i = first; i < program.members.size(); ++i) {
    for (const int operand : program.members[i].operands) {
      if (operand < 0 || !read.insert(operand).second) continue;
      operands.push_back(part_of_walk(call.inputs[static_cast<size_t>(operand)], shape, AccessKind::load));
    }
  }
  if (!in_its_cache) operands.push_back(part_of_walk(result, shape, AccessKind::store));
  if (!operands.empty()) walk(shape, operands, sink);
}

/// A folded convolution and the loop behind it, one image after the other. Weights are read anew for each.
Fidelity describe_images(const OpCall& call, const FusedProgram& program, AccessSink& sink) {
  Fidelity fidelity = Fidelity::loops;
  const TensorType& result = call.outputs[0].type;
  const auto weights = static_cast<size_t>(program.members[0].operands[1]);
  for (int64_t i = 0; i < result.shape[0]; ++i) {
    OpCall image = call;
    for (size_t k = 0; k < image.inputs.size(); ++k) {
      if (k != weights) image.inputs[k] = image_of(call.inputs[k], result, i);
    }
    image.outputs[0] = image_of(call.outputs[0], result, i);
    fidelity = describe_call(image, program, sink);
    describe_loop(image, program, 2, true, false, sink);
  }
  return fidelity;
}

/// Some rows and columns of image `i`, of tensors that have the result's images, rows or columns.
Operand part_of_image(const Operand& operand, const TensorType& result, int64_t i, int64_t row, int64_t rows,
                      int64_t column, int64_t columns) {
  Operand part = image_of(operand, result, i);
  const TensorType& type = operand.type;
  const size_t rank = type.shape.size();
  const auto cut = [&](size_t from_end, int64_t extent, int64_t first, int64_t count) {
    if (rank < from_end || type.shape[rank - from_end] != extent) return;
    part.type.shape[rank - from_end] = count;
    part.address += static_cast<uint64_t>(first * type.strides[rank - from_end] * size_bytes(type.dtype));
  };
  cut(2, result.shape[2], row, rows);
  cut(1, result.shape[3], column, columns);
  return part;
}

/// By our own Winograd's filtering, the loop from member `first` on over pixels that it has just written. False: not
/// so.
bool describe_filtered(const OpCall& call, const FusedProgram& program, size_t first, AccessSink& sink) {
  const Operand& y = call.outputs[0];
  if (program.members[0].op->name != "conv2d" || first >= program.members.size() || call.copies.any() ||
      y.type != TensorType::channels_last(y.type.dtype, y.type.shape))
    return false;
  Node node;
  const OpCall alone = call_alone(call, program, node);
  const int64_t high = y.type.shape[2], wide = y.type.shape[3];
  return describe_winograd(alone, sink, [&](int64_t from, int64_t count) {
    const int64_t image = from / (high * wide), row = from / wide % high, column = from % wide,
                  rows = count % wide == 0 && column == 0 ? count / wide : 1;
    const auto part_of = [&](const Operand& o) {
      return part_of_image(o, y.type, image, row, rows, column, count / rows);
    };
    OpCall part = call;
    for (Operand& o : part.inputs) o = part_of(o);
    part.outputs[0] = part_of(y);
    describe_loop(part, program, first, true, false, sink);
  });
}

}  // namespace

Fidelity describe_fused(const OpCall& call, bool begins_with_call, AccessSink& sink) {
  const FusedProgram program = call.node.op->program(call.node.attributes);
  const bool folded = begins_with_call && normalizes_convolution(program);
  if (folded) {
    for (const int operand : std::span(program.members[1].operands).subspan(1))
      walk_alone(call.inputs[static_cast<size_t>(operand)], AccessKind::load, sink);
    std::vector<TensorType> types;
    for (const Operand& input : call.inputs) types.push_back(input.type);
    if (call.by_images && goes_by_images(program, types, call.outputs[0].type))
      return describe_images(call, program, sink);
  }
  const size_t first = folded ? 2 : begins_with_call ? 1 : 0;
  if (begins_with_call && describe_filtered(call, program, first, sink)) return Fidelity::loops;
  const Fidelity fidelity = begins_with_call ? describe_call(call, program, sink) : Fidelity::loops;
  const bool in_its_cache = begins_with_call && program.members[0].op->name.starts_with("batch_norm");
  if (first < program.members.size()) describe_loop(call, program, first, begins_with_call, in_its_cache, sink);
  return fidelity;
}

}  // namespace engine::access
