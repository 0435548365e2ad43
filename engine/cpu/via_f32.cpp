// SPDX-License-Identifier: Apache-2.0
// Lays out the f32 copies in the workspace and runs an f32 kernel between conversions.
#include "engine/cpu/via_f32.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/cpu/casting.h"
#include "engine/cpu/whole_lines.h"
#include "engine/tensor/widened.h"

namespace engine::cpu {
namespace {

std::vector<TensorType> widened(std::span<const TensorType> types) {
  std::vector<TensorType> wide;
  for (const TensorType& type : types) wide.push_back(engine::widened(type));
  return wide;
}

int64_t copies_bytes(std::span<const TensorType> types) {
  int64_t bytes = 0;
  for (const TensorType& type : types) {
    if (is_16_bit_float(type.dtype)) bytes += static_cast<int64_t>(whole_lines(static_cast<size_t>(engine::widened(type).span_bytes())));
  }
  return bytes;
}

/// Whether a kernel takes the call as it is: asked with tensors at an address where nothing lies, for preparing touches no
/// element.
bool computes_itself(Context& context, const Node& node, const Call& call) {
  const auto place = [](std::span<const TensorType> types) {
    std::vector<Tensor> tensors;
    for (const TensorType& type : types) {
      int64_t below = 0;  // elements before element (0, ..., 0)
      for (size_t i = 0; i < type.shape.size(); ++i) below += std::max<int64_t>(0, -type.strides[i] * (type.shape[i] - 1));
      auto* nowhere = reinterpret_cast<std::byte*>(uintptr_t{1} << 20);
      tensors.emplace_back(std::make_shared<Storage>(Device{}, nowhere, type.span_bytes(), nullptr), type, below);
    }
    return tensors;
  };
  const PrepareRequest request{node, {&call.attributes, place(call.inputs), place(call.outputs)}, nullptr, {}};
  return std::ranges::any_of(kernels_of(context, node.op->name), [&](const Kernel& kernel) { return kernel.prepare(context, request) != nullptr; });
}

class ViaF32 final : public PreparedOp {
 public:
  std::vector<CastLoops> in, out;
  std::unique_ptr<PreparedOp> inner;
  std::string name;

  void run() override {
    for (const CastLoops& loops : in) loops.run();
    inner->run();
    for (const CastLoops& loops : out) loops.run();
  }
  std::string kernel_name() const override { return name; }
};

/// Hands out f32 stand-ins for 16-bit tensors; one for equal bytes, so that in-place results meet their operand.
class StandIns {
 public:
  explicit StandIns(std::byte* workspace) : next_(workspace) {}

  /// The tensor itself when it is not a 16-bit float. `is_new`: no stand-in was made for it before.
  Tensor of(const Tensor& tensor, bool* is_new) {
    *is_new = false;
    if (!is_16_bit_float(tensor.dtype())) return tensor;
    for (const auto& [narrow, wide] : made_) {
      if (narrow.data() == tensor.data() && narrow.type() == tensor.type()) return wide;
    }
    *is_new = true;
    const TensorType type = engine::widened(tensor.type());
    auto storage = std::make_shared<Storage>(Device{}, next_, type.span_bytes(), nullptr);  // the workspace is the plan's
    next_ += whole_lines(static_cast<size_t>(type.span_bytes()));
    made_.emplace_back(tensor, Tensor(std::move(storage), type));
    return made_.back().second;
  }
  std::byte* end() const { return next_; }

 private:
  std::byte* next_;
  std::vector<std::pair<Tensor, Tensor>> made_;
};

}  // namespace

bool has_16_bit_floats(const Call& call) {
  const auto narrow = [](const TensorType& type) { return is_16_bit_float(type.dtype); };
  return std::ranges::any_of(call.inputs, narrow) || std::ranges::any_of(call.outputs, narrow);
}

int64_t via_f32_workspace(Context& context, const Node& node, const Call& call) {
  if (computes_itself(context, node, call)) return 0;
  const std::vector<TensorType> inputs = widened(call.inputs), outputs = widened(call.outputs);
  const Call wide{call.attributes, inputs, outputs};
  int64_t own = 0;
  bool any = false;
  for (const Kernel& kernel : kernels_of(context, node.op->name)) {
    any = true;
    if (kernel.workspace_bytes != nullptr) own = std::max(own, kernel.workspace_bytes(context, node, wide));
  }
  return any ? copies_bytes(call.inputs) + copies_bytes(call.outputs) + own : 0;
}

std::unique_ptr<PreparedOp> prepare_via_f32(Context& context, const PrepareRequest& request) {
  auto op = std::make_unique<ViaF32>();
  StandIns stand_ins(request.workspace);
  KernelArguments wide{request.arguments.attributes, {}, {}};
  DType narrow = DType::float32;
  const auto widen = [&](const std::vector<Tensor>& tensors, std::vector<Tensor>& to, bool reads) {
    for (const Tensor& tensor : tensors) {
      bool is_new = false;
      to.push_back(stand_ins.of(tensor, &is_new));
      if (is_16_bit_float(tensor.dtype())) narrow = tensor.dtype();
      if (reads && is_new) op->in.emplace_back(tensor, to.back(), context.threads);
      if (!reads && is_16_bit_float(tensor.dtype())) op->out.emplace_back(to.back(), tensor, context.threads);
    }
  };
  widen(request.arguments.inputs, wide.inputs, true);
  widen(request.arguments.outputs, wide.outputs, false);
  const PrepareRequest inner{request.node, std::move(wide), stand_ins.end(), request.inputs_constant};
  for (const Kernel& kernel : kernels_of(context, request.node.op->name)) {
    op->inner = kernel.prepare(context, inner);
    if (op->inner == nullptr) continue;
    op->name = fmt::format("f32 via workspace, {} in and out: {}", name(narrow), op->inner->kernel_name());
    return op;
  }
  return nullptr;
}

}  // namespace engine::cpu
