// SPDX-License-Identifier: Apache-2.0
// Types, costs and names of fused ops.
#include "engine/graph/fused.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/base/check.h"

namespace engine {
namespace {

struct Words {
  std::string_view name, explanation;
};
constexpr std::array<Words, kFusionOutcomeCount> kOutcomes{{
    {"fused", "stays inside the fused op"},
    {"possible", "could stay inside a fused op: run with --fuse on"},
    {"second_consumer", "other ops read it too"},
    {"kept_for_backward", "the backward pass reads it again: kept, not recomputed"},
    {"graph_output", "is a result of the step"},
    {"layout", "is read through a view, or broadcast"},
    {"reduction", "needs a whole row or channel before the next op can begin"},
    {"library_call", "the reader is a matrix multiplication or convolution, which takes its operands from memory"},
    {"update", "the reader overwrites its operand in place"},
    {"other_phase", "forward, backward and update are kept apart"},
    {"too_large", "the fused op would have too many operands, two library calls, or a result in another layout"},
    {"order", "an operand would be overwritten before the fused op runs"},
    {"no_kernel", "there is no fused kernel for one of the two"},
}};

}  // namespace

size_t FusedProgram::value_count() const {
  size_t count = 0;
  for (const FusedMember& member : members) count += member.outputs.size();
  return count;
}

bool normalizes_convolution(const FusedProgram& program) {
  const std::vector<FusedMember>& m = program.members;
  const bool convolution = m.size() > 1 && (m[0].op->name == "conv2d" || m[0].op->name == "conv3d");
  if (!convolution || m[1].op->name != "batch_norm_inference" || m[1].operands.empty() || m[1].operands[0] != ~0)
    return false;
  ptrdiff_t readers = 0;
  for (const FusedMember& member : m) readers += std::ranges::count(member.operands, ~0);
  return readers == 1;
}

std::vector<TensorType> operand_types(const FusedMember& member, std::span<const TensorType> inputs,
                                      std::span<const TensorType> values) {
  std::vector<TensorType> types;
  for (const int operand : member.operands) {
    types.push_back(operand >= 0 ? inputs[static_cast<size_t>(operand)] : values[static_cast<size_t>(~operand)]);
  }
  return types;
}

std::vector<TensorType> value_types(const FusedProgram& program, std::span<const TensorType> inputs) {
  std::vector<TensorType> values;
  for (const FusedMember& member : program.members) {
    Result<std::vector<TensorType>> made = member.op->infer(operand_types(member, inputs, values), member.attributes);
    CHECK(made.ok() && made->size() == member.outputs.size());
    for (TensorType& type : *made) values.push_back(std::move(type));
  }
  return values;
}

std::vector<Cost> member_costs(const FusedProgram& program, std::span<const TensorType> inputs) {
  const std::vector<TensorType> values = value_types(program, inputs);
  std::vector<Cost> costs;
  size_t first = 0;
  for (const FusedMember& member : program.members) {
    const std::vector<TensorType> operands = operand_types(member, inputs, values);
    const std::span<const TensorType> outputs = std::span(values).subspan(first, member.outputs.size());
    costs.push_back(member.op->cost({member.attributes, operands, outputs}));
    first += member.outputs.size();
  }
  return costs;
}

std::string fused_name(const FusedProgram& program) {
  constexpr size_t kShown = 5;
  const size_t count = program.members.size();
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    if (count > kShown && i == 2) {
      text += fmt::format("+{} more", count - 3);
      i = count - 1;
    }
    text += fmt::format("{}{}", text.empty() ? "" : "+", program.members[i].op->name);
  }
  return text;
}

std::string_view name(FusionOutcome outcome) { return kOutcomes[static_cast<size_t>(outcome)].name; }
std::string_view explanation(FusionOutcome outcome) { return kOutcomes[static_cast<size_t>(outcome)].explanation; }

std::optional<FusionOutcome> parse_fusion_outcome(std::string_view text) {
  const auto found = std::ranges::find(kOutcomes, text, &Words::name);
  if (found == kOutcomes.end()) return std::nullopt;
  return static_cast<FusionOutcome>(found - kOutcomes.begin());
}

}  // namespace engine
