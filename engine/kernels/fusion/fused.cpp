// SPDX-License-Identifier: Apache-2.0
// Fused ops: a loop over tiles for elementwise members. Where library calls or a normalisation stand before them, their
// own kernels write into the result; the loop goes over each stretch while it is in the cache, if that kernel offers
// it, else over the whole. A convolution takes the batch norm of an inference along (convolution_fused.cpp).
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/check.h"
#include "engine/kernels/core/finish.h"
#include "engine/kernels/core/kernels.h"
#include "engine/kernels/fusion/fused_loop.h"

namespace engine::cpu {
namespace {

class FusedOp final : public PreparedOp {
 public:
  explicit FusedOp(std::optional<FusedLoop> loop) : loop_(std::move(loop)) {}

  /// A member before the loop that is not elementwise, with the workspace of the whole; its node lives as long as the
  /// op. False: nothing computes it.
  bool add_call(Context& context, std::unique_ptr<Node> node, KernelArguments arguments, const PrepareRequest& whole,
                std::vector<bool> constant, bool last) {
    nodes_.push_back(std::move(node));
    arguments.attributes = &nodes_.back()->attributes;
    const PrepareRequest request{*nodes_.back(), std::move(arguments), whole.workspace, std::move(constant),
                                 whole.workspace_bytes};
    if (last && loop_) {
      auto op = prepare_finished_batch_norm(context, request, finish());
      if (!op) op = prepare_finished_winograd(context, request, finish());
      if (op) {
        add_call(std::move(op));
        finishes_ = true;
        return true;
      }
    }
    Result<std::unique_ptr<PreparedOp>> call = prepare_op(context, request);
    if (call) add_call(*std::move(call));
    return call.ok();
  }
  void add_call(std::unique_ptr<PreparedOp> call) { calls_.push_back(std::move(call)); }

  /// The convolution and batch norm that the program begins with, as one call. False: they do not fold.
  bool add_folded(Context& context, const FusedProgram& program, const PrepareRequest& request) {
    FoldedConvolutionCall folded = prepare_folded_convolution(context, program, request, finish());
    finishes_ = folded.finishes;
    if (!folded.op) return false;
    add_call(std::move(folded.op));
    return true;
  }

  void run() override {
    for (const auto& call : calls_) call->run();
    if (loop_ && !finishes_) loop_->run();
  }
  double spared_flops() const override {
    double sum = 0;
    for (const auto& call : calls_) sum += call->spared_flops();
    return sum;
  }
  KernelFacts facts() const override {
    std::vector<KernelFacts> parts;
    for (const auto& call : calls_) parts.push_back(call->facts());
    if (loop_) {
      const std::string_view where = calls_.empty() ? "fused loop" : finishes_ ? "loop in its cache" : "loop in place";
      parts.push_back(
          {.name = fmt::format("own {} ({})", where, loop_->description()), .streaming_stores = loop_->streams()});
    }
    return joined(parts, ", then ");
  }

 private:
  Finish finish() {
    return [this](int64_t first, int64_t count) { loop_->run_range(first, count); };
  }

  std::vector<std::unique_ptr<Node>> nodes_;  ///< of the calls, which may refer to them
  std::vector<std::unique_ptr<PreparedOp>> calls_;
  bool finishes_ = false;          ///< the last call has the loop go over what it writes
  std::optional<FusedLoop> loop_;  ///< none: the call does all
};

/// Members before the loop: a matrix product, convolution or normalisation, and the batch norm of a convolution. All
/// others are elementwise.
size_t leading_calls(const FusedProgram& program, std::span<const TensorType> inputs) {
  if (normalizes_convolution(program)) return 2;
  const FusedMember& member = program.members[0];
  const DType dtype = operand_types(member, inputs, {}).back().dtype;
  return member.op->name != "cast" && find_elementwise_row(member.op->name, compute_dtype(dtype)) == nullptr ? 1 : 0;
}

std::vector<TensorType> types_of(const std::vector<Tensor>& tensors) {
  std::vector<TensorType> types;
  for (const Tensor& tensor : tensors) types.push_back(tensor.type());
  return types;
}

/// The library call as a node of its own, whose ids mean nothing.
std::unique_ptr<Node> node_of(const FusedMember& member, const Node& fused) {
  auto node = std::make_unique<Node>();
  node->op = member.op;
  node->attributes = member.attributes;
  node->layer = member.layer;
  node->phase = fused.phase;
  return node;
}

int64_t fused_workspace(Context& context, const Node& node, const Call& call) {
  const FusedProgram program = node.op->program(node.attributes);
  const std::vector<TensorType> values = value_types(program, call.inputs);
  int64_t bytes = folded_convolution_workspace(context, program, call);
  size_t first = 0;
  for (size_t i = 0; i < leading_calls(program, call.inputs); ++i) {
    const FusedMember& member = program.members[i];
    const std::vector<TensorType> inputs = operand_types(member, call.inputs, values);
    const std::unique_ptr<Node> alone = node_of(member, node);
    bytes = std::max(
        bytes, op_workspace(context, *alone,
                            {alone->attributes, inputs, std::span(values).subspan(first, member.outputs.size())}));
    first += member.outputs.size();
  }
  return bytes;
}

/// Values of the members before the loop: the last of them, and that of a convolution before it, lie where the loop
/// goes on.
std::vector<Tensor> values_before_loop(const FusedProgram& program, size_t calls, const std::vector<Tensor>& out) {
  std::vector<Tensor> made;
  for (size_t i = 0; i < calls; ++i) {
    made.push_back(out[0]);
    made.resize(made.size() + program.members[i].outputs.size() - 1);
  }
  for (size_t j = 1; j < program.results.size(); ++j) made[static_cast<size_t>(program.results[j])] = out[j];
  return made;
}

std::unique_ptr<PreparedOp> prepare_fused(Context& context, const PrepareRequest& request) {
  const FusedProgram program = request.node.op->program(request.node.attributes);
  const auto& in = request.arguments.inputs;
  const auto& out = request.arguments.outputs;
  const std::vector<TensorType> input_types = types_of(in);
  const size_t calls = leading_calls(program, input_types);
  if (calls > 0 && value_types(program, input_types)[0] != out[0].type()) return nullptr;
  const std::vector<Tensor> made = values_before_loop(program, calls, out);
  std::optional<FusedLoop> loop;
  if (calls < program.members.size()) {
    loop = FusedLoop::make(program, calls, in, made, out[0], context.threads);
    if (!loop) return nullptr;
  }
  auto op = std::make_unique<FusedOp>(std::move(loop));
  if (op->add_folded(context, program, request)) return op;
  size_t first = 0;
  for (size_t i = 0; i < calls; ++i) {
    const FusedMember& member = program.members[i];
    const auto begin = made.begin() + static_cast<int64_t>(first);
    first += member.outputs.size();
    KernelArguments arguments{
        .attributes = nullptr, .inputs = {}, .outputs = {begin, made.begin() + static_cast<int64_t>(first)}};
    std::vector<bool> constant;
    for (const int operand : member.operands) {
      arguments.inputs.push_back(operand >= 0 ? in[static_cast<size_t>(operand)] : made[static_cast<size_t>(~operand)]);
      constant.push_back(operand >= 0 && static_cast<size_t>(operand) < request.inputs_constant.size() &&
                         request.inputs_constant[static_cast<size_t>(operand)]);
    }
    if (!op->add_call(context, node_of(member, request.node), std::move(arguments), request, std::move(constant),
                      i + 1 == calls))
      return nullptr;
  }
  return op;
}

constexpr Kernel kKernels[] = {{"fused", prepare_fused, fused_workspace}};

}  // namespace

std::span<const Kernel> fused_kernels() { return kKernels; }

}  // namespace engine::cpu
