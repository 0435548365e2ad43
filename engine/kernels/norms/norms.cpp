// SPDX-License-Identifier: Apache-2.0
// Layer and root-mean-square normalisation of row-major tensors and their gradients: one line at a time stays in the
// cache; sums over lines (dscale, dbias) are gathered per thread, in doubles beyond a few hundred lines.
#include <fmt/format.h>

#include <string>
#include <type_traits>
#include <vector>

#include "engine/kernels/core/kernels.h"
#include "engine/kernels/core/scalar_memory.h"
#include "engine/kernels/core/vector_unit.h"
#include "engine/kernels/norms/norms-inl.h"

namespace engine::cpu {
namespace {

bool is_rms(const Node& node) { return node.op->name.starts_with("rms"); }

/// Row-major operands of one type this backend has loops for.
bool computable(const PrepareRequest& request) {
  const DType dtype = request.arguments.inputs[0].dtype();
  if (dtype != DType::float32 && (dtype != DType::float64 || norm_loops_f64().squares == nullptr)) return false;
  for (const auto* list : {&request.arguments.inputs, &request.arguments.outputs}) {
    for (const Tensor& t : *list) {
      if (t.dtype() != dtype || !is_contiguous(t.shape(), t.strides())) return false;
    }
  }
  return true;
}

template <class T>
class NormOp : public PreparedOp {
 public:
  NormOp(const PrepareRequest& request, int threads)
      : in_(request.arguments.inputs),
        out_(request.arguments.outputs),
        rms_(is_rms(request.node)),
        threads_(threads),
        name_(fmt::format("own {} ({})", request.node.op->name, vector_unit())) {}
  KernelFacts facts() const override { return {.name = name_}; }

 protected:
  const T* in(size_t i) const { return in_[i].data_as<const T>(); }
  T* out(size_t i) const { return out_[i].data_as<T>(); }
  static NormLoops<T> loops_of() {
    if constexpr (std::is_same_v<T, float>) return norm_loops_f32();
    else return norm_loops_f64();
  }
  static RowLoops<T> lines_of() {
    if constexpr (std::is_same_v<T, float>) return row_loops_f32();
    else return row_loops_f64();
  }

  std::vector<Tensor> in_, out_;
  bool rms_;
  int threads_;
  std::string name_;
  NormLoops<T> loops_ = loops_of();
};

/// (x, scale, [bias]) -> y, [mean], inverse.
template <class T>
class Forward final : public NormOp<T> {
 public:
  Forward(const PrepareRequest& request, int threads)
      : NormOp<T>(request, threads),
        arguments_{this->out_[1].type().elements(),
                   this->in_[1].type().elements(),
                   this->in(0),
                   this->in(1),
                   this->in_.size() > 2 ? this->in(2) : nullptr,
                   this->out(0),
                   this->rms_ ? nullptr : this->out(1),
                   this->out(this->rms_ ? 1 : 2),
                   request.node.attributes.get_double("epsilon", 1e-5)} {}
  void run() override { NormParts<T, ScalarMemory>(arguments_, lines_, this->loops_, this->threads_).run(); }

 private:
  NormArguments<T> arguments_;
  RowLoops<T> lines_ = NormOp<T>::lines_of();
};

/// (dy, x, [mean], inverse, scale) -> dx, dscale, [dbias].
template <class T>
class Gradient final : public NormOp<T> {
 public:
  Gradient(const PrepareRequest& request, int threads)
      : NormOp<T>(request, threads),
        arguments_{this->in_[2].type().elements(),
                   this->in_.back().type().elements(),
                   this->in(0),
                   this->in(1),
                   this->rms_ ? nullptr : this->in(2),
                   this->in(this->rms_ ? 2 : 3),
                   this->in(this->in_.size() - 1),
                   this->out(0),
                   this->out(1),
                   this->rms_ ? nullptr : this->out(2),
                   request.workspace} {}
  void run() override { NormGradientParts<T, ScalarMemory>(arguments_, this->loops_, this->threads_).run(); }

 private:
  NormGradientArguments<T> arguments_;
};

template <template <class> class Op>
std::unique_ptr<PreparedOp> prepare(Context& context, const PrepareRequest& request) {
  if (!computable(request)) return nullptr;
  if (request.arguments.inputs[0].dtype() == DType::float32)
    return std::make_unique<Op<float>>(request, context.threads);
  return std::make_unique<Op<double>>(request, context.threads);
}

int64_t gradient_workspace(Context& context, const Node&, const Call& call) {
  const int64_t length = call.outputs[1].elements();
  return context.threads *
         (call.inputs[0].dtype == DType::float64 ? norm_sums_bytes<double>(length) : norm_sums_bytes<float>(length));
}

}  // namespace

std::span<const Kernel> norms_kernels() {
  static constexpr Kernel kKernels[] = {
      {"layer_norm", prepare<Forward>},
      {"layer_norm_grad", prepare<Gradient>, gradient_workspace},
      {"rms_norm", prepare<Forward>},
      {"rms_norm_grad", prepare<Gradient>, gradient_workspace},
  };
  return kKernels;
}

}  // namespace engine::cpu
