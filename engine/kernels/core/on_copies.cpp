// SPDX-License-Identifier: Apache-2.0
// Lays out the copies in the workspace and runs a kernel between moving operands in and results out.
#include "engine/kernels/core/on_copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "engine/kernels/core/casting.h"
#include "engine/kernels/core/copy.h"
#include "engine/kernels/core/whole_lines.h"

namespace engine::cpu {
namespace {

/// Of operand or result `i`.
OperandCopies copies_of_operand(const Node& node, const OperandCopies& copies, size_t i, bool is_result) {
  return takes_part(node.op->name, i, is_result) ? copies : OperandCopies{.widens = copies.widens};
}

std::vector<TensorType> copied_types(const Node& node, const OperandCopies& copies, std::span<const TensorType> types,
                                     bool are_results) {
  std::vector<TensorType> all;
  for (size_t i = 0; i < types.size(); ++i)
    all.push_back(copied(types[i], copies_of_operand(node, copies, i, are_results)));
  return all;
}

bool is_moved(const TensorType& from, const TensorType& to) { return from.dtype != to.dtype || !lie_alike(from, to); }

int64_t bytes_of_copies(std::span<const TensorType> from, std::span<const TensorType> to) {
  int64_t bytes = 0;
  for (size_t i = 0; i < from.size(); ++i) {
    if (is_moved(from[i], to[i])) bytes += static_cast<int64_t>(whole_lines(static_cast<size_t>(to[i].span_bytes())));
  }
  return bytes;
}

/// One operand on its way.
class Move {
 public:
  Move(Context& context, const Tensor& from, const Tensor& to) {
    if (from.dtype() != to.dtype()) cast_.emplace(from, to, context.threads);
    else copy_ = prepare_copy(context, from, to);
  }
  void run() const {
    if (cast_) cast_->run();
    else copy_->run();
  }

 private:
  std::optional<CastLoops> cast_;
  std::unique_ptr<PreparedOp> copy_;
};

/// The copy of a constant operand, which is made by the first run.
struct KeptCopy {
  size_t input = 0;
  std::optional<Move> move;  ///< until then
  std::shared_ptr<Storage> storage;
};

class OpOnCopies final : public PreparedOp {
 public:
  std::vector<Move> in, out;
  std::vector<KeptCopy> kept;  ///< of them only those that the kernel reads again have storage after the first run
  std::unique_ptr<PreparedOp> inner;
  KernelFacts all;

  void run() override {
    for (const Move& move : in) move.run();
    for (const KeptCopy& copy : kept) {
      if (copy.move) copy.move->run();
    }
    inner->run();
    for (KeptCopy& copy : kept) {
      if (copy.move && inner->reads_once(copy.input)) copy.storage.reset();
      copy.move.reset();
    }
    for (const Move& move : out) move.run();
  }
  KernelFacts facts() const override { return all; }
  double spared_flops() const override { return inner->spared_flops(); }
  void report(Observer& observer, uint32_t op) override { inner->report(observer, op); }
  bool reports() const override { return inner->reports(); }
  bool only_submits() const override { return inner->only_submits(); }
  bool reads_once(size_t input) const override {
    return std::ranges::find(kept, input, &KeptCopy::input) != kept.end() || inner->reads_once(input);
  }
};

/// Hands out what stands for tensors: one for equal bytes, so that in-place results meet their operand.
class StandIns {
 public:
  explicit StandIns(std::byte* workspace) : next_(workspace) {}

  /// The very bytes where they lie right. `is_new`: a copy, and none was made for it before.
  Tensor of(const Tensor& tensor, const TensorType& type, bool* is_new) {
    *is_new = false;
    if (!is_moved(tensor.type(), type)) return Tensor(tensor.storage(), type, tensor.offset_elements());
    for (const auto& [original, copy] : made_) {
      if (original.data() == tensor.data() && original.type() == tensor.type() && copy.type() == type) return copy;
    }
    *is_new = true;
    auto storage =
        std::make_shared<Storage>(Device{}, next_, type.span_bytes(), nullptr);  // the workspace is the plan's
    next_ += whole_lines(static_cast<size_t>(type.span_bytes()));
    made_.emplace_back(tensor, Tensor(std::move(storage), type));
    return made_.back().second;
  }
  std::byte* end() const { return next_; }

 private:
  std::byte* next_;
  std::vector<std::pair<Tensor, Tensor>> made_;
};

std::string name_of(const OperandCopies& copies, DType narrow, const std::string& inner) {
  const std::string_view layout = engine::name(copies.layout);
  if (!copies.widens) return fmt::format("{} via workspace: {}", layout, inner);
  return fmt::format("f32 via workspace, {} in and out{}{}: {}", engine::name(narrow), layout.empty() ? "" : ", ",
                     layout, inner);
}

/// Asked with tensors at an address where nothing lies, for preparing touches no element.
std::vector<Tensor> placed_nowhere(std::span<const TensorType> types) {
  std::vector<Tensor> tensors;
  for (const TensorType& type : types) {
    int64_t below = 0;  // elements before element (0, ..., 0)
    for (size_t i = 0; i < type.shape.size(); ++i)
      below += std::max<int64_t>(0, -type.strides[i] * (type.shape[i] - 1));
    auto* nowhere = reinterpret_cast<std::byte*>(uintptr_t{1} << 20);
    tensors.emplace_back(std::make_shared<Storage>(Device{}, nowhere, type.span_bytes(), nullptr), type, below);
  }
  return tensors;
}

/// What copies may change: kernels take row-major operands below the rank of images, and convolutions see to their
/// images themselves. The ladder shows what each layout costs.
bool may_want_copies(const Node& node, const Call& call) {
  if (node.op->name.starts_with("ladder")) return false;
  if (has_16_bit_floats(call)) return true;
  if (node.op->name.starts_with("conv2d") || node.op->name.starts_with("conv3d"))
    return call.inputs.size() > 2 && !is_contiguous(call.inputs[2].shape, call.inputs[2].strides);
  const auto other = [](const TensorType& type) {
    return type.rank() >= 4 || !is_contiguous(type.shape, type.strides);
  };
  return std::ranges::any_of(call.inputs, other) || std::ranges::any_of(call.outputs, other);
}

bool is_taken(Context& context, const Node& node, const Call& call) {
  const PrepareRequest request{
      node, {&call.attributes, placed_nowhere(call.inputs), placed_nowhere(call.outputs)}, nullptr, {}};
  return prepare_listed(context, request) != nullptr;
}

std::vector<TensorType> types_of(const std::vector<Tensor>& tensors) {
  std::vector<TensorType> types;
  for (const Tensor& tensor : tensors) types.push_back(tensor.type());
  return types;
}

/// Whether the request brings what the kernel will use. May throw what the kernel throws.
bool has_room(Context& context, const Kernel& kernel, const PrepareRequest& request, const Call& call) {
  if (kernel.workspace_bytes == nullptr) return true;
  const int64_t wanted = kernel.workspace_bytes(context, request.node, call);
  return request.workspace_bytes == PrepareRequest::kAsAskedFor || wanted <= request.workspace_bytes;
}

/// In the order in which they are tried: few copies first.
std::vector<OperandCopies> ways_of(const Node& node, const Call& call) {
  std::vector<OperandCopies> ways;
  // Members of fused ops mean their dtypes: each rounds to its own.
  if (node.op->program == nullptr && has_16_bit_floats(call)) ways.push_back({.widens = true});
  const bool widens = !ways.empty();
  const auto has_channels = [](const TensorType& type) { return type.rank() == 4 || type.rank() == 5; };
  const bool any_channels =
      std::ranges::any_of(call.inputs, has_channels) || std::ranges::any_of(call.outputs, has_channels);
  for (const CopyLayout layout : {CopyLayout::channels_last, CopyLayout::row_major}) {
    if (layout == CopyLayout::channels_last && !any_channels) continue;
    if (widens) ways.push_back({.widens = false, .layout = layout});
    ways.push_back({widens, layout});
  }
  return ways;
}

/// What the way makes of the operands; nothing where all stay what they are.
struct CopiedCall {
  std::vector<TensorType> inputs, outputs;
  Call call(const Call& original) const { return {original.attributes, inputs, outputs}; }
};
std::optional<CopiedCall> copied_call(const Node& node, const Call& call, const OperandCopies& copies) {
  CopiedCall all{copied_types(node, copies, call.inputs, false), copied_types(node, copies, call.outputs, true)};
  if (std::ranges::equal(all.inputs, call.inputs) && std::ranges::equal(all.outputs, call.outputs)) return std::nullopt;
  return all;
}

/// Of the copies that are made.
bool repeat_too_much(std::span<const TensorType> from, std::span<const TensorType> to) {
  for (size_t i = 0; i < from.size(); ++i) {
    if (is_moved(from[i], to[i]) && repeats_too_much(from[i])) return true;
  }
  return false;
}

/// The first way that leads to a kernel.
std::optional<OperandCopies> way_of(Context& context, const Node& node, const Call& call) {
  if (kernels_of(context, *node.op).empty() || !may_want_copies(node, call) ||
      std::ranges::any_of(call.inputs, repeats_too_much))
    return std::nullopt;
  for (const OperandCopies& way : ways_of(node, call)) {
    const auto wanted = copied_call(node, call, way);
    if (!wanted) continue;
    if (is_taken(context, node, wanted->call(call))) return way;
  }
  return std::nullopt;
}

}  // namespace

std::unique_ptr<PreparedOp> prepare_listed(Context& context, const PrepareRequest& request) {
  const std::vector<TensorType> inputs = types_of(request.arguments.inputs),
                                outputs = types_of(request.arguments.outputs);
  for (const Kernel& kernel : kernels_of(context, *request.node.op)) {
    try {
      if (!has_room(context, kernel, request, {request.node.attributes, inputs, outputs})) continue;
      if (auto op = kernel.prepare(context, request)) return op;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception&) {
      if (onednn_lacked_memory()) throw std::bad_alloc();
    }
  }
  return nullptr;
}

int64_t listed_workspace(Context& context, const Node& node, const Call& call) {
  int64_t bytes = 0;
  for (const Kernel& kernel : kernels_of(context, *node.op)) {
    if (kernel.workspace_bytes == nullptr) continue;
    try {
      bytes = std::max(bytes, kernel.workspace_bytes(context, node, call));
    } catch (const std::exception&) {  // prepare_listed() asks again, meets the same and passes this kernel by; if it
                                       // does not, there is no room for it
    }
  }
  return bytes;
}

bool repeats_too_much(const TensorType& type) {
  constexpr int64_t kMostRepeatedBytes = int64_t{256} << 20;
  return type.elements() * size_bytes(type.dtype) > std::max(kMostRepeatedBytes, type.span_bytes());
}

bool has_16_bit_floats(const Call& call) {
  const auto narrow = [](const TensorType& type) { return is_16_bit_float(type.dtype); };
  return std::ranges::any_of(call.inputs, narrow) || std::ranges::any_of(call.outputs, narrow);
}

std::unique_ptr<PreparedOp> prepare_on_copies(Context& context, const PrepareRequest& request,
                                              const OperandCopies& copies, PrepareKernel prepare) {
  for (size_t i = 0; i < request.arguments.inputs.size(); ++i) {
    const TensorType& type = request.arguments.inputs[i].type();
    if (repeats_too_much(type) && is_moved(type, copied(type, copies_of_operand(request.node, copies, i, false))))
      return nullptr;
  }
  auto op = std::make_unique<OpOnCopies>();
  StandIns stand_ins(request.workspace);
  PrepareRequest inner{request.node, {request.arguments.attributes, {}, {}}, nullptr, request.inputs_constant};
  DType narrow = DType::float32;
  const auto keep = [&](size_t i, const TensorType& type) {
    auto storage = Storage::allocate_host(type.span_bytes());
    if (!storage) throw std::bad_alloc();
    const Tensor copy(*storage, type);
    op->kept.push_back({i, Move(context, request.arguments.inputs[i], copy), *storage});
    // The inner kernel's own tensors must not keep what the first run was the last to read.
    return Tensor(std::make_shared<Storage>(Device{}, copy.data(), type.span_bytes(), nullptr), type);
  };
  const auto stand_in = [&](const std::vector<Tensor>& tensors, std::vector<Tensor>& to, bool are_results) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      bool is_new = false;
      const TensorType type = copied(tensors[i].type(), copies_of_operand(request.node, copies, i, are_results));
      const bool constant = !are_results && i < request.inputs_constant.size() && request.inputs_constant[i];
      if (constant && is_moved(tensors[i].type(), type)) {
        if (is_16_bit_float(tensors[i].dtype())) narrow = tensors[i].dtype();
        to.push_back(keep(i, type));
        continue;
      }
      to.push_back(stand_ins.of(tensors[i], type, &is_new));
      if (is_16_bit_float(tensors[i].dtype())) narrow = tensors[i].dtype();
      if (!are_results && is_new) op->in.emplace_back(context, tensors[i], to.back());
      if (are_results && is_moved(tensors[i].type(), type)) op->out.emplace_back(context, to.back(), tensors[i]);
    }
  };
  stand_in(request.arguments.inputs, inner.arguments.inputs, false);
  stand_in(request.arguments.outputs, inner.arguments.outputs, true);
  inner.workspace = stand_ins.end();
  if (request.workspace_bytes != PrepareRequest::kAsAskedFor) {
    inner.workspace_bytes = request.workspace_bytes - (stand_ins.end() - request.workspace);
    if (inner.workspace_bytes < 0) return nullptr;
  }
  auto kernel = prepare(context, inner);
  if (kernel == nullptr || (op->in.empty() && op->kept.empty() && op->out.empty())) return kernel;
  op->inner = std::move(kernel);
  op->all = op->inner->facts();
  op->all.name = name_of(copies, narrow, op->all.name);
  op->all.copies = {copies.widens || op->all.copies.widens,
                    std::max(copies.layout, op->all.copies.layout)};  // the kernel may make copies, too
  return op;
}

int64_t workspace_on_copies(Context& context, const Node& node, const Call& call, const OperandCopies& copies,
                            KernelWorkspace workspace) {
  const auto wanted = copied_call(node, call, copies);
  if (!wanted) return workspace == nullptr ? 0 : workspace(context, node, call);
  if (repeat_too_much(call.inputs, wanted->inputs)) return kNoKernel;
  const int64_t own = workspace == nullptr ? 0 : workspace(context, node, wanted->call(call));
  if (own == kNoKernel) return kNoKernel;
  return bytes_of_copies(call.inputs, wanted->inputs) + bytes_of_copies(call.outputs, wanted->outputs) + own;
}

std::unique_ptr<PreparedOp> prepare_on_any_copies(Context& context, const PrepareRequest& request) {
  const std::vector<TensorType> inputs = types_of(request.arguments.inputs),
                                outputs = types_of(request.arguments.outputs);
  const auto way = way_of(context, request.node, {request.node.attributes, inputs, outputs});
  return way ? prepare_on_copies(context, request, *way, prepare_listed) : nullptr;
}

int64_t workspace_on_any_copies(Context& context, const Node& node, const Call& call) {
  if (!may_want_copies(node, call) || is_taken(context, node, call)) return 0;
  const auto way = way_of(context, node, call);
  return way ? workspace_on_copies(context, node, call, *way, listed_workspace) : 0;
}

}  // namespace engine::cpu
