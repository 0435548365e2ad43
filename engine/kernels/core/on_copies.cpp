// SPDX-License-Identifier: Apache-2.0
// Lays out the copies in the workspace and runs a kernel between moving operands in and results out.
#include "engine/kernels/core/on_copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "engine/base/memory.h"
#include "engine/kernels/core/casting.h"
#include "engine/kernels/core/copy.h"
#include "engine/kernels/core/whole_lines.h"
#include "engine/runtime/nothing_op.h"

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

class OpOnCopies final : public PreparedOp {
 public:
  std::vector<Move> in, out;
  std::vector<Move> once;                      ///< of constant operands: made by the first run
  std::vector<size_t> read_once;               ///< those operands
  std::vector<std::shared_ptr<Storage>> kept;  ///< where their copies stay that the kernel reads again
  std::unique_ptr<PreparedOp> inner;
  KernelFacts all;

  void run() override {
    for (const Move& move : in) move.run();
    for (const Move& move : once) move.run();
    once.clear();
    inner->run();
    for (const Move& move : out) move.run();
  }
  KernelFacts facts() const override { return all; }
  double spared_flops() const override { return inner->spared_flops(); }
  void report(Observer& observer, uint32_t op) override { inner->report(observer, op); }
  bool reports() const override { return inner->reports(); }
  bool only_submits() const override { return inner->only_submits(); }
  bool reads_once(size_t input) const override {
    return std::ranges::find(read_once, input) != read_once.end() || inner->reads_once(input);
  }
};

/// Hands out what stands for tensors: one for equal bytes, so that in-place results meet their operand.
class StandIns {
 public:
  explicit StandIns(std::byte* workspace) : next_(workspace) {}

  /// The very bytes where they lie right. `is_new`: a copy, and none was made for it before; `alone`: always a new one.
  Tensor of(const Tensor& tensor, const TensorType& type, bool alone, bool* is_new) {
    *is_new = false;
    if (!is_moved(tensor.type(), type)) return Tensor(tensor.storage(), type, tensor.offset_elements());
    for (const auto& [original, copy] : made_) {
      if (!alone && original.data() == tensor.data() && original.type() == tensor.type() && copy.type() == type)
        return copy;
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
  if (kernels_of(context, *node.op).empty() || any_empty(call.inputs) || any_empty(call.outputs) ||
      !may_want_copies(node, call) || std::ranges::any_of(call.inputs, repeats_too_much))
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
  const bool empty = any_empty(inputs) || any_empty(outputs);
  for (const Kernel& kernel : kernels_of(context, *request.node.op)) {
    if (empty && !kernel.takes_empty) continue;
    try {
      if (!empty && !has_room(context, kernel, request, {request.node.attributes, inputs, outputs})) continue;
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

KernelFacts facts_on_copies(const OperandCopies& copies, DType narrow, KernelFacts inner) {
  inner.name = name_of(copies, narrow, inner.name);
  inner.copies = {copies.widens || inner.copies.widens,
                  std::max(copies.layout, inner.copies.layout)};  // the kernel may make copies, too
  return inner;
}

std::shared_ptr<Storage> keep(const Context& context, int64_t bytes) {
  const std::shared_ptr<std::atomic<int64_t>> all = context.kept_bytes;
  if (*all + bytes > host_memory().available_bytes / 2) return nullptr;
  auto storage = Storage::allocate_host(bytes);
  if (!storage) return nullptr;
  *all += bytes;
  std::shared_ptr<Storage> own = *std::move(storage);
  std::byte* const data = own->data();
  return std::make_shared<Storage>(Device{}, data, bytes, [all, bytes, own](std::byte*) { *all -= bytes; });
}

namespace {

/// Lays out the copies and asks for a kernel on them.
class Layout {
 public:
  Layout(Context& context, const PrepareRequest& request, const OperandCopies& copies)
      : context_(context), request_(request), copies_(copies) {}

  bool is_constant(size_t input) const {
    return input < request_.inputs_constant.size() && request_.inputs_constant[input];
  }
  TensorType type_of(size_t i, bool is_result) const {
    const auto& tensors = is_result ? request_.arguments.outputs : request_.arguments.inputs;
    return copied(tensors[i].type(), copies_of_operand(request_.node, copies_, i, is_result));
  }
  bool moves(size_t input) const { return is_moved(request_.arguments.inputs[input].type(), type_of(input, false)); }

  /// Null: the kernel refuses, or there is not the workspace. `kept[i]`: where the copy of input i stays; else it lies
  /// in the workspace. A constant one is made once where it is kept, or where the kernel reads it once.
  std::unique_ptr<PreparedOp> make(const std::vector<std::shared_ptr<Storage>>& kept, PrepareKernel prepare) const {
    auto op = std::make_unique<OpOnCopies>();
    StandIns stand_ins(request_.workspace);
    PrepareRequest inner{request_.node, {request_.arguments.attributes, {}, {}}, nullptr, request_.inputs_constant};
    struct NewCopy {
      size_t input;
      Tensor copy;
    };
    std::vector<NewCopy> made;
    for (size_t i = 0; i < request_.arguments.inputs.size(); ++i) {
      bool is_new = true;
      inner.arguments.inputs.push_back(
          kept[i] ? Tensor(kept[i], type_of(i, false))
                  : stand_ins.of(request_.arguments.inputs[i], type_of(i, false), is_constant(i), &is_new));
      if (is_new && moves(i)) made.push_back({i, inner.arguments.inputs.back()});
    }
    for (size_t i = 0; i < request_.arguments.outputs.size(); ++i) {
      bool is_new = false;
      const Tensor& result = request_.arguments.outputs[i];
      inner.arguments.outputs.push_back(stand_ins.of(result, type_of(i, true), false, &is_new));
      if (is_moved(result.type(), type_of(i, true)))
        op->out.emplace_back(context_, inner.arguments.outputs.back(), result);
    }
    inner.workspace = stand_ins.end();
    if (request_.workspace_bytes != PrepareRequest::kAsAskedFor) {
      inner.workspace_bytes = request_.workspace_bytes - (stand_ins.end() - request_.workspace);
      if (inner.workspace_bytes < 0) return nullptr;
    }
    auto kernel = prepare(context_, inner);
    if (kernel == nullptr || (made.empty() && op->out.empty())) return kernel;
    for (const auto& [input, copy] : made) {
      const bool once = is_constant(input) && (kept[input] != nullptr || kernel->reads_once(input));
      (once ? op->once : op->in).emplace_back(context_, request_.arguments.inputs[input], copy);
      if (once) op->read_once.push_back(input);
      if (kept[input]) op->kept.push_back(kept[input]);
    }
    op->inner = std::move(kernel);
    op->all = facts_on_copies(copies_, narrow(), op->inner->facts());
    return op;
  }

 private:
  DType narrow() const {
    DType found = DType::float32;
    for (const auto* list : {&request_.arguments.inputs, &request_.arguments.outputs}) {
      for (const Tensor& t : *list) {
        if (is_16_bit_float(t.dtype())) found = t.dtype();
      }
    }
    return found;
  }

  Context& context_;
  const PrepareRequest& request_;
  const OperandCopies& copies_;
};

}  // namespace

std::unique_ptr<PreparedOp> prepare_on_copies(Context& context, const PrepareRequest& request,
                                              const OperandCopies& copies, PrepareKernel prepare) {
  const Layout layout(context, request, copies);
  const size_t count = request.arguments.inputs.size();
  for (size_t i = 0; i < count; ++i) {
    if (repeats_too_much(request.arguments.inputs[i].type()) && layout.moves(i)) return nullptr;
  }
  std::vector<std::shared_ptr<Storage>> kept(count);
  auto op = layout.make(kept, prepare);
  if (op == nullptr) return nullptr;
  bool any = false;
  for (size_t i = 0; i < count; ++i) {
    if (!layout.is_constant(i) || !layout.moves(i) || op->reads_once(i)) continue;
    kept[i] = keep(context, layout.type_of(i, false).span_bytes());
    any = any || kept[i] != nullptr;
  }
  if (!any) return op;
  auto keeping = layout.make(kept, prepare);
  return keeping == nullptr ? std::move(op) : std::move(keeping);
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
