// SPDX-License-Identifier: Apache-2.0
// Fused ops: a loop over tiles for elementwise members. Where a library call or a normalisation stands before them, its own kernel
// writes into the result; the loop goes over each stretch while it is in the cache, if that kernel offers it, else over the whole.
#include <fmt/format.h>

#include <string>

#include "engine/base/check.h"
#include "engine/cpu/finish.h"
#include "engine/cpu/fused_loop.h"
#include "engine/cpu/kernels.h"

namespace engine::cpu {
namespace {

class FusedOp final : public PreparedOp {
 public:
  explicit FusedOp(FusedLoop loop) : loop_(std::move(loop)), name_(fmt::format("own fused loop ({})", loop_.description())) {}
  /// A call before the loop: its node lives as long as the op.
  FusedOp(FusedLoop loop, std::unique_ptr<Node> node) : node_(std::move(node)), loop_(std::move(loop)) {}

  Result<void> prepare_call(Context& context, const PrepareRequest& request) {
    if (auto op = prepare_finished_batch_norm(context, request, [this](int64_t first, int64_t count) { loop_.run_range(first, count); })) {
      before_ = std::move(op);
      finishes_ = true;
    } else {
      Result<std::unique_ptr<PreparedOp>> call = prepare_op(context, request);
      if (!call) return call.error();
      before_ = *std::move(call);
    }
    name_ = fmt::format("{}, then own loop {} ({})", before_->kernel_name(), finishes_ ? "in its cache" : "in place", loop_.description());
    return {};
  }
  const Node& node() const { return *node_; }

  void run() override {
    if (before_ != nullptr) before_->run();
    if (!finishes_) loop_.run();
  }
  std::string kernel_name() const override { return name_; }

 private:
  std::unique_ptr<Node> node_;  ///< of the library call, which may refer to it
  std::unique_ptr<PreparedOp> before_;
  bool finishes_ = false;       ///< it has the loop go over what it writes
  FusedLoop loop_;
  std::string name_;
};

/// Whether the first member is a matrix product, convolution or normalisation: all others are elementwise.
bool begins_with_call(const FusedProgram& program, std::span<const TensorType> inputs) {
  const FusedMember& member = program.members[0];
  const DType dtype = operand_types(member, inputs, {}).back().dtype;
  return member.op->name != "cast" && find_elementwise_row(member.op->name, compute_dtype(dtype)) == nullptr;
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
  if (!begins_with_call(program, call.inputs)) return 0;
  const std::vector<TensorType> values = value_types(program, call.inputs);
  const FusedMember& member = program.members[0];
  const std::vector<TensorType> inputs = operand_types(member, call.inputs, values);
  const std::unique_ptr<Node> alone = node_of(member, node);
  return op_workspace(context, *alone, {alone->attributes, inputs, std::span(values).first(member.outputs.size())});
}

std::unique_ptr<PreparedOp> prepare_fused(Context& context, const PrepareRequest& request) {
  const FusedProgram program = request.node.op->program(request.node.attributes);
  const auto& in = request.arguments.inputs;
  const auto& out = request.arguments.outputs;
  const std::vector<TensorType> input_types = types_of(in);
  if (!begins_with_call(program, input_types)) {
    std::optional<FusedLoop> loop = FusedLoop::make(program, 0, in, {}, out[0], context.threads);
    return loop ? std::make_unique<FusedOp>(*std::move(loop)) : nullptr;
  }
  const FusedMember& member = program.members[0];
  if (value_types(program, input_types)[0] != out[0].type()) return nullptr;
  std::vector<Tensor> made(member.outputs.size());
  made[0] = out[0];  // the call writes where the loop goes on
  for (size_t j = 1; j < program.results.size(); ++j) made[static_cast<size_t>(program.results[j])] = out[j];
  std::optional<FusedLoop> loop = FusedLoop::make(program, 1, in, made, out[0], context.threads);
  if (!loop) return nullptr;
  auto op = std::make_unique<FusedOp>(*std::move(loop), node_of(member, request.node));
  PrepareRequest alone{op->node(), {&op->node().attributes, {}, made}, request.workspace, {}};
  for (const int operand : member.operands) {
    CHECK(operand >= 0);
    alone.arguments.inputs.push_back(in[static_cast<size_t>(operand)]);
    if (!request.inputs_constant.empty()) alone.inputs_constant.push_back(request.inputs_constant[static_cast<size_t>(operand)]);
  }
  if (!op->prepare_call(context, alone)) return nullptr;
  return op;
}

constexpr Kernel kKernels[] = {{"fused", prepare_fused, fused_workspace}};

}  // namespace

std::span<const Kernel> fused_kernels() { return kKernels; }

}  // namespace engine::cpu
