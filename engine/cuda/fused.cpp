// SPDX-License-Identifier: Apache-2.0
// Fused ops made ready: products and normalisations, which come first, by their own kernels, which write into the
// result, then one loop over all other members.
#include "engine/cuda/fused.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/cuda/kernels.h"
#include "engine/graph/fused.h"

namespace engine::cuda {
namespace {

/// Products and normalisations, and the loop behind them, each in place of the one before.
class FusedOp final : public PreparedOp {
 public:
  /// `nodes`: the calls may refer to them.
  FusedOp(std::vector<std::unique_ptr<Node>> nodes, std::vector<std::unique_ptr<PreparedOp>> parts)
      : nodes_(std::move(nodes)), parts_(std::move(parts)) {}
  void run() override {
    for (const auto& part : parts_) part->run();
  }
  KernelFacts facts() const override {
    std::vector<KernelFacts> parts;
    for (const auto& part : parts_) parts.push_back(part->facts());
    return joined(parts, ", then in place ");
  }

 private:
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<std::unique_ptr<PreparedOp>> parts_;
};

bool is_elementwise(const FusedMember& member) { return code_of_op(*member.op, member.attributes).has_value(); }

/// How many members, from the first on, have kernels of their own; all others are the loop's.
size_t calls_of(const FusedProgram& program) {
  size_t calls = 0;
  while (calls < program.members.size() && !is_elementwise(program.members[calls])) ++calls;
  return calls;
}

std::unique_ptr<Node> node_of(const FusedMember& member, const Node& fused) {
  auto node = std::make_unique<Node>();
  node->op = member.op;
  node->attributes = member.attributes;
  node->layer = member.layer.empty() ? fused.layer : member.layer;
  node->phase = fused.phase;
  return node;
}

/// The first member's kernel; null: it has none for these types.
const Kernel* kernel_of_call(const Node& node, const Call& call) {
  for (const Kernel& kernel : kernels()) {
    if (kernel.op == node.op->name && kernel.takes(node, call)) return &kernel;
  }
  return nullptr;
}

/// Calls use(kernel, node, call) with a call before the loop as an op of its own.
template <class Use>
auto with_call(const FusedProgram& program, size_t number, const Node& fused, std::span<const TensorType> inputs,
               const Use& use) {
  const std::vector<TensorType> values = value_types(program, inputs);
  size_t first = 0;
  for (size_t m = 0; m < number; ++m) first += program.members[m].outputs.size();
  const FusedMember& member = program.members[number];
  const std::vector<TensorType> operands = operand_types(member, inputs, values);
  const std::unique_ptr<Node> node = node_of(member, fused);
  const Call call{node->attributes, operands, std::span(values).subspan(first, member.outputs.size())};
  return use(kernel_of_call(*node, call), *node, call);
}

bool takes_fused(const Node& node, const Call& call) {
  const FusedProgram program = node.op->program(node.attributes);
  const size_t calls = calls_of(program);
  const auto rest = std::span(program.members).subspan(calls);
  if (!std::ranges::all_of(rest, is_elementwise) || rest.size() > kMostFusedSteps ||
      call.inputs.size() >= kMostFusedOperands)
    return false;
  for (size_t m = 0; m < calls; ++m) {
    if (!with_call(program, m, node, call.inputs,
                   [](const Kernel* kernel, const Node&, const Call&) { return kernel != nullptr; }))
      return false;
  }
  return true;
}

int64_t fused_workspace(const Context& context, const Node& node, const Call& call) {
  const FusedProgram program = node.op->program(node.attributes);
  int64_t bytes = 0;  // one after the other: they share it
  for (size_t m = 0; m < calls_of(program); ++m) {
    bytes = std::max(
        bytes, with_call(program, m, node, call.inputs, [&](const Kernel* kernel, const Node& alone, const Call& made) {
          return kernel == nullptr || kernel->workspace_bytes == nullptr
                     ? int64_t{0}
                     : kernel->workspace_bytes(context, alone, made);
        }));
  }
  return bytes;
}

/// Writes the steps of a loop: which operand each reads, which values are kept and where.
class LoopWriter {
 public:
  LoopWriter(const FusedProgram& program, size_t first, std::span<const TensorType> values, const Tensor& result)
      : program_(program),
        first_(first),
        values_(values),
        result_(result),
        last_read_(values.size(), -1),
        slots_(values.size(), -1) {
    loop_.y = Data(result);
    strides_.fill(Strides(result.shape().size(), 0));
    strides_[0] = result.strides();
  }

  /// `inputs` of the fused op; `made` by the call before the loop.
  bool write(const std::vector<Tensor>& inputs, const std::vector<Tensor>& made) {
    find_readers();
    int value = 0;
    for (size_t m = 0; m < first_; ++m) value += static_cast<int>(program_.members[m].outputs.size());
    for (size_t m = first_; m < program_.members.size(); ++m, ++value) {
      const FusedMember& member = program_.members[m];
      if (member.outputs.size() != 1 || !add_step(member, static_cast<int>(m), value, inputs, made)) return false;
    }
    const auto walk = make_walk<kMostFusedOperands + 1>(result_.shape(), strides_);
    if (!walk) return false;
    loop_.walk = *walk;
    loop_.arithmetic = wide_ ? Arithmetic::float64 : Arithmetic::float32;
    loop_.vectors = can_use_vectors();
    return true;
  }
  const FusedLoop& loop() const { return loop_; }

 private:
  void find_readers() {
    for (size_t m = first_; m < program_.members.size(); ++m) {
      for (const int operand : program_.members[m].operands) {
        if (operand < 0) last_read_[static_cast<size_t>(~operand)] = static_cast<int>(m);
      }
    }
  }

  bool add_step(const FusedMember& member, int number, int value, const std::vector<Tensor>& inputs,
                const std::vector<Tensor>& made) {
    const auto code = code_of_op(*member.op, member.attributes);
    if (!code || member.operands.size() > 3) return false;
    FusedStep step;
    step.code = code->code;
    std::copy_n(code->p, 2, step.p);
    step.dtype = values_[static_cast<size_t>(value)].dtype;
    wide_ = wide_ || step.dtype == DType::float64;
    step.operands = static_cast<int8_t>(member.operands.size());
    for (size_t n = 0; n < member.operands.size(); ++n) {
      const int operand = member.operands[n];
      const size_t source = static_cast<size_t>(operand >= 0 ? operand : ~operand);
      if (operand < 0 && slots_[source] >= 0) {
        step.from[n] = static_cast<int8_t>(kKept - slots_[source]);
      } else if (operand < 0 && static_cast<int>(source) == value - 1 && number > static_cast<int>(first_)) {
        step.from[n] = kLast;
      } else if (const int at = operand_of(operand >= 0 ? inputs[source] : made[source]); at >= 0) {
        step.from[n] = static_cast<int8_t>(at);
      } else {
        return false;
      }
    }
    release(number);
    if (last_read_[static_cast<size_t>(value)] > number + 1) step.keep = take_slot(static_cast<size_t>(value));
    loop_.step[loop_.steps++] = step;
    return true;
  }

  /// Number of the loop's operand that this tensor is; -1: there are too many.
  int operand_of(const Tensor& tensor) {
    const Strides strides = broadcast_strides(tensor.shape(), tensor.strides(), result_.shape());
    for (int8_t n = 0; n < loop_.operands; ++n) {
      if (loop_.x[n].bytes == tensor.data() && loop_.x[n].dtype == tensor.dtype() &&
          strides_[static_cast<size_t>(n) + 1] == strides)
        return n;
    }
    if (loop_.operands == kMostFusedOperands) return -1;
    wide_ = wide_ || tensor.dtype() == DType::float64;
    loop_.x[loop_.operands] = Data(tensor);
    strides_[static_cast<size_t>(loop_.operands) + 1] = strides;
    return loop_.operands++;
  }

  /// Slots of values that nobody reads after this member.
  void release(int number) {
    for (size_t v = 0; v < slots_.size(); ++v) {
      if (slots_[v] >= 0 && last_read_[v] <= number) slots_[v] = -1;
    }
  }
  int8_t take_slot(size_t value) {
    int8_t slot = 0;
    while (std::ranges::find(slots_, slot) != slots_.end()) ++slot;  // as many as there are steps at most
    slots_[value] = slot;
    return slot;
  }

  bool can_use_vectors() const {
    if (!loop_.walk.linear || loop_.walk.axes != 1 || loop_.walk.strides[0][0] != 1) return false;
    const auto aligned = [](const Data& data) { return reinterpret_cast<uintptr_t>(data.bytes) % 16 == 0; };
    if (!aligned(loop_.y)) return false;
    for (int n = 0; n < loop_.operands; ++n) {
      if (loop_.walk.strides[n + 1][0] != 0 && !aligned(loop_.x[n])) return false;
    }
    return true;
  }

  const FusedProgram& program_;
  const size_t first_;
  const std::span<const TensorType> values_;
  const Tensor& result_;
  std::vector<int> last_read_;  ///< by value: the last member that reads it
  std::vector<int8_t> slots_;   ///< by value: where it is kept now
  std::array<Strides, kMostFusedOperands + 1> strides_;
  bool wide_ = false;
  FusedLoop loop_;
};

PreparedKernel prepare_loop(Context& context, const PrepareRequest& request, const LoopWriter& writer) {
  std::string kernel = fmt::format("own fused loop (CUDA), {} ops{}", writer.loop().steps,
                                   writer.loop().vectors ? ", vectors of 4" : "");
  return launched(context, request, std::move(kernel),
                  [loop = writer.loop()](const Launcher& launcher) { return launch(launcher, loop); });
}

/// A call before the loop, made ready: it reads inputs and what calls before it made.
PreparedKernel prepare_call(Context& context, const PrepareRequest& request, const FusedProgram& program, size_t number,
                            std::span<const TensorType> inputs, const Node& node, const std::vector<Tensor>& made,
                            size_t first_value) {
  const FusedMember& member = program.members[number];
  PrepareRequest alone{node, {&node.attributes, {}, {}}, request.workspace, {}};
  for (const int operand : member.operands) {
    const auto source = static_cast<size_t>(operand >= 0 ? operand : ~operand);
    alone.arguments.inputs.push_back(operand >= 0 ? request.arguments.inputs[source] : made[source]);
    alone.inputs_constant.push_back(operand >= 0 && source < request.inputs_constant.size() &&
                                    request.inputs_constant[source]);
  }
  for (size_t j = 0; j < member.outputs.size(); ++j) alone.arguments.outputs.push_back(made[first_value + j]);
  return with_call(program, number, request.node, inputs,
                   [&](const Kernel* kernel, const Node&, const Call&) -> PreparedKernel {
                     if (kernel == nullptr)
                       return refuse(request, fmt::format("cuda has no kernel for {} at these types", member.op->name));
                     return kernel->prepare(context, alone);
                   });
}

PreparedKernel prepare_fused(Context& context, const PrepareRequest& request) {
  const FusedProgram program = request.node.op->program(request.node.attributes);
  const auto& in = request.arguments.inputs;
  const auto& out = request.arguments.outputs;
  std::vector<TensorType> inputs;
  for (const Tensor& tensor : in) inputs.push_back(tensor.type());
  const std::vector<TensorType> values = value_types(program, inputs);
  const size_t calls = calls_of(program);
  std::vector<Tensor> made;  // by value: each call writes where the next, and then the loop, goes on
  for (size_t m = 0; m < calls; ++m) {
    for (size_t j = 0; j < program.members[m].outputs.size(); ++j) made.push_back(j == 0 ? out[0] : Tensor());
    if (values[made.size() - program.members[m].outputs.size()] != out[0].type()) {
      return refuse(request, "a member before the loop makes another type than the whole; run this with --fuse off");
    }
  }
  for (size_t j = 1; j < program.results.size(); ++j) made[static_cast<size_t>(program.results[j])] = out[j];
  for (size_t m = 2; calls == 2 && m < program.members.size(); ++m) {
    if (std::ranges::find(program.members[m].operands, ~0) == program.members[m].operands.end()) continue;
    return refuse(
        request,
        "what the convolution makes is read after its normalisation, which overwrites it; run this with --fuse off");
  }

  std::vector<std::unique_ptr<Node>> nodes;
  std::vector<std::unique_ptr<PreparedOp>> parts;
  size_t value = 0;
  for (size_t m = 0; m < calls; ++m) {
    nodes.push_back(node_of(program.members[m], request.node));
    PreparedKernel call = prepare_call(context, request, program, m, inputs, *nodes.back(), made, value);
    if (!call) return call;
    parts.push_back(*std::move(call));
    value += program.members[m].outputs.size();
  }
  if (calls < program.members.size()) {
    LoopWriter writer(program, calls, values, out[0]);
    if (!writer.write(in, made))
      return refuse(request,
                    "its members have more operands or axes than a fused loop takes; run this with --fuse off");
    PreparedKernel loop = prepare_loop(context, request, writer);
    if (!loop || calls == 0) return loop;
    parts.push_back(*std::move(loop));
  }
  return std::unique_ptr<PreparedOp>(std::make_unique<FusedOp>(std::move(nodes), std::move(parts)));
}

}  // namespace

std::span<const Kernel> fused_kernels() {
  static constexpr Kernel kKernels[] = {{"fused", takes_fused, prepare_fused, fused_workspace}};
  return kKernels;
}

}  // namespace engine::cuda
