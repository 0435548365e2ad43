// SPDX-License-Identifier: Apache-2.0
// Fused ops: what the library call before the loop touches, then the operands of the loop in lockstep, each once. Batch norm goes
// over its result while it is in the first cache level: only what the loop reads besides is said. Of a batch norm folded into a
// convolution, the statistics are looked at.
#include <set>
#include <span>

#include "engine/access/describe.h"
#include "engine/graph/fused.h"

namespace engine::access {
namespace {

/// The call as a node of its own on the operands that it has; its first output lies where the result does.
Fidelity describe_call(const OpCall& call, const FusedProgram& program, AccessSink& sink) {
  const FusedMember& member = program.members[0];
  Node node;
  node.op = member.op;
  node.attributes = member.attributes;
  OpCall alone{.node = node, .inputs = {}, .outputs = {}, .workspace_address = call.workspace_address,
               .workspace_tensor = call.workspace_tensor, .vector_bytes = call.vector_bytes, .constant_weights = call.constant_weights};
  for (const int operand : member.operands) alone.inputs.push_back(call.inputs[static_cast<size_t>(operand)]);
  alone.outputs = call.outputs;
  return describe(alone, sink);
}

}  // namespace

Fidelity describe_fused(const OpCall& call, bool begins_with_call, AccessSink& sink) {
  const FusedProgram program = call.node.op->program(call.node.attributes);
  Fidelity fidelity = Fidelity::loops;
  if (begins_with_call) fidelity = describe_call(call, program, sink);
  const bool in_its_cache = begins_with_call && program.members[0].op->name.starts_with("batch_norm");
  const bool folded = begins_with_call && normalizes_convolution(program);
  const size_t first = folded ? 2 : begins_with_call ? 1 : 0;
  if (folded) {
    for (const int operand : std::span(program.members[1].operands).subspan(1)) walk_alone(call.inputs[static_cast<size_t>(operand)], AccessKind::load, sink);
  }
  if (first == program.members.size()) return fidelity;
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
  if (operands.empty()) return fidelity;
  walk(shape, std::move(operands), sink);
  return fidelity;
}

}  // namespace engine::access
