// SPDX-License-Identifier: Apache-2.0
// Group normalisation and its gradient. Row-major, a channel is one line and a group some lines behind one another:
// groups are split over the threads. Channels last, a pixel's channels are one line, summed channel by channel as batch
// norm does: samples are split; forwards also the pixels of each.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <type_traits>

#include "engine/kernels/core/kernels.h"
#include "engine/kernels/core/scalar_memory.h"
#include "engine/kernels/core/vector_unit.h"
#include "engine/kernels/norms/group_norm-inl.h"

namespace engine::cpu {
namespace {

using Layout = loops::GroupLayout;

/// batch == 0: neither layout.
Layout layout_of(const TensorType& type, int64_t groups) {
  if (type.dtype != DType::float32 && type.dtype != DType::float64) return {};
  return loops::group_layout(type.shape, type.strides, is_contiguous(type.shape, type.strides), groups);
}

template <class T>
GroupNormLoops<T> loops_of() {
  if constexpr (std::is_same_v<T, float>) return {row_loops_f32(), norm_loops_f32(), batch_norm_loops_f32()};
  else return {row_loops_f64(), norm_loops_f64(), batch_norm_loops_f64()};
}

template <class T>
std::unique_ptr<T[]> room_of(int64_t count) {
  return std::make_unique_for_overwrite<T[]>(static_cast<size_t>(count));
}

template <class T>
class GroupNormOp : public PreparedOp {
 public:
  GroupNormOp(const PrepareRequest& request, const Layout& layout, int threads)
      : tensors_(request.arguments),
        layout_(layout),
        threads_(threads),
        name_(fmt::format("own {} ({})", request.node.op->name, vector_unit())) {}
  KernelFacts facts() const override { return {.name = name_}; }

 protected:
  const T* in(size_t i) const { return tensors_.inputs[i].template data_as<const T>(); }
  T* out(size_t i) const { return tensors_.outputs[i].template data_as<T>(); }

  KernelArguments tensors_;
  Layout layout_;
  int threads_;
  std::string name_;
  GroupNormLoops<T> loops_ = loops_of<T>();
};

/// (x, scale, [bias]) -> y, mean, inv_std.
template <class T>
class Forward final : public GroupNormOp<T> {
 public:
  Forward(const PrepareRequest& request, const Layout& layout, int threads)
      : GroupNormOp<T>(request, layout, threads),
        arguments_{
            this->in(0),  this->in(1),  request.arguments.inputs.size() > 2 ? this->in(2) : nullptr, this->out(0),
            this->out(1), this->out(2), request.node.attributes.get_double("epsilon", 1e-5)} {}
  void run() override {
    GroupNormForward<T, ScalarMemory>(this->layout_, this->loops_, this->threads_, arguments_).run(room_of<double>);
  }

 private:
  GroupNormArguments<T> arguments_;
};

/// (dy, x, mean, inv_std, scale) -> dx, dscale, dbias.
template <class T>
class Gradient final : public GroupNormOp<T> {
 public:
  Gradient(const PrepareRequest& request, const Layout& layout, int threads)
      : GroupNormOp<T>(request, layout, threads),
        arguments_{this->in(0),  this->in(1),  this->in(2),
                   this->in(3),  this->in(4),  this->out(0),
                   this->out(1), this->out(2), reinterpret_cast<double*>(request.workspace)} {
    if (layout.channels_last && layout.batch == 1) this->name_ += ", one thread";
  }
  KernelFacts facts() const override {
    return {.name = this->name_, .single_thread = this->layout_.channels_last && this->layout_.batch == 1};
  }
  void run() override {
    GroupNormGradient<T, ScalarMemory>(this->layout_, this->loops_, this->threads_, arguments_).run(room_of<T>);
  }

 private:
  GroupNormGradientArguments<T> arguments_;
};

bool is_vector(const Tensor& t, DType dtype) { return t.dtype() == dtype && is_contiguous(t.shape(), t.strides()); }

/// `tensors`: how many inputs, from the first on, lie as x does; all others, and all results but the first, are short.
template <template <class> class Op>
std::unique_ptr<PreparedOp> prepare(Context& context, const PrepareRequest& request, size_t tensors) {
  const auto &in = request.arguments.inputs, &out = request.arguments.outputs;
  const int64_t groups = request.node.attributes.get_int("groups", 1);
  const Layout layout = layout_of(out[0].type(), groups);
  const DType dtype = out[0].dtype();
  if (layout.batch == 0 || (dtype == DType::float64 && norm_loops_f64().squares == nullptr)) return nullptr;
  for (size_t i = 0; i < in.size(); ++i) {
    if (i >= tensors && !is_vector(in[i], dtype)) return nullptr;
    if (i < tensors &&
        (in[i].dtype() != dtype || in[i].shape() != out[0].shape() || in[i].strides() != out[0].strides()))
      return nullptr;
  }
  for (size_t j = 1; j < out.size(); ++j) {
    if (!is_vector(out[j], dtype)) return nullptr;
  }
  if (dtype == DType::float32) return std::make_unique<Op<float>>(request, layout, context.threads);
  return std::make_unique<Op<double>>(request, layout, context.threads);
}

/// f32 and f64, row-major or channels last.
std::unique_ptr<PreparedOp> prepare_group_norm(Context& context, const PrepareRequest& request) {
  return prepare<Forward>(context, request, 1);
}

std::unique_ptr<PreparedOp> prepare_group_norm_grad(Context& context, const PrepareRequest& request) {
  return prepare<Gradient>(context, request, 2);
}

int64_t group_norm_workspace(Context&, const Node&, const Call& call) {
  const Shape& x = call.inputs[1].shape;
  return 2 * x[0] * x[1] * static_cast<int64_t>(sizeof(double));
}

}  // namespace

std::span<const Kernel> group_norm_kernels() {
  static constexpr Kernel kKernels[] = {
      {"group_norm", prepare_group_norm},
      {"group_norm_grad", prepare_group_norm_grad, group_norm_workspace},
  };
  return kKernels;
}

}  // namespace engine::cpu
