// SPDX-License-Identifier: Apache-2.0
// Makes ops ready: asks the list of kernels for each, falls back to the op's reference, keeps library exceptions
// inside.
#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <numeric>

#include "engine/base/memory.h"
#include "engine/kernels/core/element_pattern.h"
#include "engine/kernels/core/kernels.h"
#include "engine/kernels/core/memory_room.h"
#include "engine/kernels/core/on_copies.h"
#include "engine/kernels/core/parallel.h"
#include "engine/runtime/nothing_op.h"

namespace engine::cpu {
namespace {

/// The op's own plain loops: the truth, slow.
class ReferenceOp final : public PreparedOp {
 public:
  ReferenceOp(const Node& node, KernelArguments arguments)
      : reference_(node.op->reference), attributes_(node.attributes), arguments_(std::move(arguments)) {
    arguments_.attributes = &attributes_;
  }
  void run() override { reference_(arguments_); }
  KernelFacts facts() const override { return {.name = "reference", .code = CodeKind::reference}; }

 private:
  void (*reference_)(KernelArguments&);
  Attributes attributes_;
  KernelArguments arguments_;
};

/// What an op makes of tensors without elements alone, as sums over nothing and products of no columns do: a constant,
/// each result of one number.
class ConstantOp final : public PreparedOp {
 public:
  /// Null: an input has elements, or a result is not of one number, or has gaps.
  static std::unique_ptr<PreparedOp> make(const PrepareRequest& request) {
    const auto empty = [](const Tensor& t) { return t.type().elements() == 0; };
    const auto &inputs = request.arguments.inputs, &outputs = request.arguments.outputs;
    if (inputs.empty() || !std::ranges::all_of(inputs, empty)) return nullptr;
    KernelArguments arguments = request.arguments;
    for (Tensor& y : arguments.outputs) {
      if (!is_dense(y.shape(), y.strides())) return nullptr;
      Result<Tensor> own = Tensor::empty(TensorType::contiguous(y.dtype(), y.shape()));
      if (!own) return nullptr;
      y = *std::move(own);
    }
    arguments.attributes = &request.node.attributes;
    request.node.op->reference(arguments);
    auto op = std::make_unique<ConstantOp>();
    for (size_t i = 0; i < outputs.size(); ++i) {
      const Tensor& made = arguments.outputs[i];
      const int64_t count = made.type().elements();
      if (count == 0) continue;
      const ElementPattern number(made.dtype(), made.data());
      for (int64_t k = 1; k < count; ++k) {
        if (!number.is_at(made.data() + k * size_bytes(made.dtype()))) return nullptr;
      }
      op->results_.push_back({outputs[i], number});
    }
    return op;
  }
  void run() override {
    for (const Part& part : results_) part.number.fill(part.y.data(), part.y.type().elements());
  }
  KernelFacts facts() const override { return {.name = "own fill, one thread", .single_thread = true}; }

 private:
  struct Part {
    Tensor y;
    ElementPattern number;  ///< as the reference makes it
  };
  std::vector<Part> results_;
};

std::vector<TensorType> types_of(const std::vector<Tensor>& tensors) {
  std::vector<TensorType> types;
  for (const Tensor& tensor : tensors) types.push_back(tensor.type());
  return types;
}

/// What a reference holds while it runs, at most: each element it sees as a double, and where its
/// row begins. A repeated axis counts in full here, though it has no bytes of its own.
double reference_bytes(const PrepareRequest& request) {
  const auto elements = [](const Tensor& t) { return static_cast<double>(t.type().elements()); };
  const auto &in = request.arguments.inputs, &out = request.arguments.outputs;
  double count = 0;
  for (const Tensor& tensor : in) count += elements(tensor);
  for (const Tensor& tensor : out) count += elements(tensor);
  if (request.node.op->name == "matmul" && count > 0) {  // repeats its operands over the batch
    const double k = static_cast<double>(in[0].shape().back()), m = static_cast<double>(out[0].shape().end()[-2]),
                 n = static_cast<double>(out[0].shape().back());
    if (m > 0 && n > 0) count += elements(out[0]) / (m * n) * k * (m + n);
  }
  return count * static_cast<double>(sizeof(double) + sizeof(int64_t));
}

Error out_of_memory(const Node& node) {
  return refused_error(fmt::format("[{}] {}: not enough memory to make the kernel ready; use a smaller batch",
                                   node.op->name, node.layer));
}

/// On which context an op is computed: oneDNN's kernels take the threads that they are made with, whatever there is to
/// do, so who is to be alone is settled before. By what our own loops go by, too: multiply-adds, and elements as f32 of
/// which each is read and written.
Context& context_of(Context& context, const Node& node, const Call& call) {
  if (context.alone == nullptr || node.op->cost == nullptr) return context;
  const Cost cost = node.op->cost(call);
  double bytes = 0;
  for (const auto* list : {&cost.read_bytes, &cost.written_bytes})
    bytes = std::accumulate(list->begin(), list->end(), bytes);
  const bool pays = cost.flops / 2 >= static_cast<double>(kMultiplyAddGrain) ||
                    bytes / (2 * sizeof(float)) >= static_cast<double>(kStreamingGrain);
  return pays ? context : *context.alone;
}

/// While an op is looked at, the calling thread asks for the threads of the op; behind that for the backend's again,
/// which fill() takes.
class ThreadsOfOp {
 public:
  ThreadsOfOp(const Context& all, const Context& of_op) : all_(all.threads) { set_calling_thread_count(of_op.threads); }
  ~ThreadsOfOp() { set_calling_thread_count(all_); }
  ThreadsOfOp(const ThreadsOfOp&) = delete;
  ThreadsOfOp& operator=(const ThreadsOfOp&) = delete;

 private:
  int all_;
};

/// Null when no kernel takes the op.
Result<std::unique_ptr<PreparedOp>> prepare_kernel(Context& context, const PrepareRequest& request) {
  if (!kernels_have_room()) return out_of_memory(request.node);
  try {
    if (auto prepared = prepare_listed(context, request)) return prepared;
    return prepare_on_any_copies(context, request);
  } catch (const std::bad_alloc&) {
    return out_of_memory(request.node);
  }
}

}  // namespace

int64_t op_workspace(Context& all, const Node& node, const Call& call) {
  if (any_empty(call.inputs) || any_empty(call.outputs)) return 0;
  Context& context = context_of(all, node, call);
  const ThreadsOfOp threads(all, context);
  const int64_t bytes = listed_workspace(context, node, call);
  try {
    return std::max(bytes, workspace_on_any_copies(context, node, call));
  } catch (const std::exception&) {  // prepare() meets the same refusal and falls back
    return bytes;
  }
}

Shortcut op_shortcut(Context& all, const Node& node, const Call& call, bool constant_weights) {
  if (any_empty(call.inputs) || any_empty(call.outputs)) return {};
  Context& context = context_of(all, node, call);
  if (node.op->program == nullptr) return winograd_shortcut(context, node, call, constant_weights, true);
  // Of a fused op, what stands before its loop.
  const FusedProgram program = node.op->program(node.attributes);
  const FusedMember& first = program.members.front();
  Node alone;
  alone.op = first.op;
  alone.attributes = first.attributes;
  const std::vector<TensorType> inputs = operand_types(first, call.inputs, {}),
                                values = value_types(program, call.inputs);
  // A library that folds the batch norm copies images itself.
  return winograd_shortcut(context, alone, {alone.attributes, inputs, std::span(values).first(first.outputs.size())},
                           constant_weights, !normalizes_convolution(program));
}

Result<std::unique_ptr<PreparedOp>> prepare_op(Context& all, const PrepareRequest& request) {
  const std::vector<TensorType> inputs = types_of(request.arguments.inputs),
                                outputs = types_of(request.arguments.outputs);
  if (auto nothing = nothing_op(outputs)) return nothing;
  Context& context = any_empty(inputs) || any_empty(outputs)
                         ? all
                         : context_of(all, request.node, {request.node.attributes, inputs, outputs});
  const ThreadsOfOp threads(all, context);
  Result<std::unique_ptr<PreparedOp>> prepared = prepare_kernel(context, request);
  if (!prepared || *prepared != nullptr) return prepared;
  if (request.node.op->reference == nullptr) {
    return refused_error(fmt::format("[{}] {}: the cpu has no kernel for these types and layouts",
                                     request.node.op->name, request.node.layer));
  }
  const double needed = reference_bytes(request);
  const auto available = static_cast<double>(host_memory().available_bytes);
  if (available > 0 && needed > available) {
    return refused_error(
        fmt::format("[{}] {}: plain loops compute it on the cpu and need {} of memory, but {} are available. "
                    "Make the batch or the "
                    "shape smaller",
                    request.node.op->name, request.node.layer, format_bytes(needed), format_bytes(available)));
  }
  if (auto constant = ConstantOp::make(request)) return constant;
  return std::unique_ptr<PreparedOp>(std::make_unique<ReferenceOp>(request.node, request.arguments));
}

}  // namespace engine::cpu
