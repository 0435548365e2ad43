// SPDX-License-Identifier: Apache-2.0
// Fused ops: what a group of ops computed as one is made of, and what becomes of each pair of ops that shares a value.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/graph/op.h"

namespace engine {

/// One op inside a fused op.
struct FusedMember {
  const Op* op = nullptr;
  Attributes attributes = {};
  std::vector<int> operands = {};      ///< i >= 0: input i of the fused op; ~v (negative): value v
  std::string layer = {};              ///< of the node it was
  std::vector<uint32_t> outputs = {};  ///< ids of the values in the graph that it made as a node
};

/// Values are numbered through: the outputs of member 0, then those of member 1, ... A member reads values of earlier
/// members.
struct FusedProgram {
  std::vector<FusedMember> members = {};
  std::vector<int> results = {};  ///< output j of the fused op is value results[j]

  size_t value_count() const;
};

/// Whether members 0 and 1 are a convolution and the inference-time batch norm of its result. No other op reads that
/// result. Both are the call before the loop.
bool normalizes_convolution(const FusedProgram&);

/// Types of all values of a program; CHECKs that the members take their operands (fusion has made the program from a
/// graph).
std::vector<TensorType> value_types(const FusedProgram&, std::span<const TensorType> inputs);
/// Types of the operands of one member, given those of all values.
std::vector<TensorType> operand_types(const FusedMember&, std::span<const TensorType> inputs,
                                      std::span<const TensorType> values);
/// What each member costs alone, each of its operands moved: before fusion.
std::vector<Cost> member_costs(const FusedProgram&, std::span<const TensorType> inputs);
/// "multiply+add+relu"; beyond five members "multiply+add+3 more+relu".
std::string fused_name(const FusedProgram&);

/// What becomes of a value that one op writes and another reads.
enum class FusionOutcome : uint8_t {
  fused,              ///< it stays inside a fused op
  possible,           ///< it could: this graph was not fused
  second_consumer,    ///< other ops read it too
  kept_for_backward,  ///< the backward pass reads it again: it is kept, not recomputed
  graph_output,       ///< it is a result of the step
  layout,             ///< it is read through a view, or broadcast
  reduction,          ///< the reader needs more than one element at a time, or the maker has the whole only at its end
  library_call,       ///< the reader is a matrix multiplication or convolution, which takes its operands from memory
  update,             ///< the reader overwrites its operand in place
  other_phase,        ///< forward, backward and update are shown apart
  too_large,          ///< the fused op would have too many operands or members
  order,              ///< an operand would be overwritten before the fused op runs
  no_kernel,          ///< one of the two has no part that a fused kernel is made of
};
inline constexpr int kFusionOutcomeCount = 13;
/// "fused", "second_consumer", ...
std::string_view name(FusionOutcome);
std::optional<FusionOutcome> parse_fusion_outcome(std::string_view);
/// A short clause for people: "other ops read it too".
std::string_view explanation(FusionOutcome);

}  // namespace engine
