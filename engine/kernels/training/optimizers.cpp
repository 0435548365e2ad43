// SPDX-License-Identifier: Apache-2.0
// Adam and AdamW in one pass, the squared norm of a gradient, and clipping by it; f32 and f64. SGD is in
// elementwise.cpp.
#include "engine/kernels/training/optimizers_simd.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/kernels/core/kernels.h"
#include "engine/kernels/core/parallel.h"
#include "engine/kernels/core/rows_simd.h"
#include "engine/kernels/core/vector_unit.h"

namespace engine::cpu {
namespace {

/// Elements per part of a squared norm: the same whatever the thread count, so results are too.
constexpr int64_t kBlockElements = 64 * 1024;

template <class T>
OptimizerLoops<T> optimizer_loops() {
  if constexpr (std::is_same_v<T, float>) return optimizer_loops_f32();
  else return optimizer_loops_f64();
}

template <class T>
RowLoops<T> line_loops() {
  if constexpr (std::is_same_v<T, float>) return row_loops_f32();
  else return row_loops_f64();
}

/// Whether a tensor is one stretch of T.
template <class T>
bool is_stretch(const TensorType& type) {
  return size_bytes(type.dtype) == sizeof(T) && is_dense(type.shape, type.strides);
}

// ---- adam
// -------------------------------------------------------------------------------------------------------------------

template <class T>
class AdamOp final : public PreparedOp {
 public:
  AdamOp(const PrepareRequest& request, int threads)
      : threads_(threads),
        decoupled_(request.node.op->name.ends_with("adamw")),
        name_(fmt::format("own {} ({})", request.node.op->name, vector_unit())),
        loops_(optimizer_loops<T>()),
        count_(request.arguments.outputs[0].type().elements()),
        gradient_(request.arguments.inputs[1].data_as<const T>()),
        weight_(request.arguments.outputs[0].data_as<T>()),
        m_(request.arguments.outputs[1].data_as<T>()),
        v_(request.arguments.outputs[2].data_as<T>()),
        step_(request.arguments.inputs[4].data_as<const int64_t>()) {
    if (request.arguments.inputs.size() == 7) {
      scale_ = request.arguments.inputs[5].data_as<const float>();
      found_ = request.arguments.inputs[6].data_as<const float>();
    }
    const Attributes& attributes = request.node.attributes;
    rate_ = attributes.get_double("rate", 0);
    decay_ = attributes.get_double("weight_decay", 0);
    factors_.beta1 = attributes.get_double("beta1", 0);
    factors_.beta2 = attributes.get_double("beta2", 0);
    factors_.epsilon = attributes.get_double("epsilon", 0);
  }

  void run() override {
    if (found_ != nullptr && *found_ != 0) return;
    const auto step = static_cast<double>(std::max<int64_t>(*step_, 1));
    AdamFactors factors = factors_;
    factors.rate = rate_ / (1 - std::pow(factors.beta1, step));
    if (scale_ != nullptr) factors.gradient_factor = 1 / static_cast<double>(*scale_);
    factors.root = 1 / std::sqrt(1 - std::pow(factors.beta2, step));
    (decoupled_ ? factors.weight_decay : factors.gradient_decay) = decoupled_ ? rate_ * decay_ : decay_;
    parallel_parts(threads_, count_, 64, count_, [&](int64_t begin, int64_t end) {
      loops_.adam(factors, end - begin, gradient_ + begin, weight_ + begin, m_ + begin, v_ + begin);
    });
  }
  KernelFacts facts() const override { return {.name = name_}; }

 private:
  int threads_;
  bool decoupled_;
  std::string name_;
  OptimizerLoops<T> loops_;
  int64_t count_;
  const T* gradient_;
  T *weight_, *m_, *v_;
  const int64_t* step_;
  const float *scale_ = nullptr, *found_ = nullptr;  ///< of loss scaling, or none
  double rate_ = 0, decay_ = 0;
  AdamFactors factors_;
};

template <class T>
std::unique_ptr<PreparedOp> prepare_adam_of(Context& context, const PrepareRequest& request) {
  if (optimizer_loops<T>().adam == nullptr) return nullptr;
  const TensorType& weight = request.arguments.inputs[0].type();
  for (size_t i = 0; i < 4; ++i) {
    const TensorType& type = request.arguments.inputs[i].type();
    if (!is_stretch<T>(type) || type.strides != weight.strides) return nullptr;
  }
  return std::make_unique<AdamOp<T>>(request, context.threads);
}

std::unique_ptr<PreparedOp> prepare_adam(Context& context, const PrepareRequest& request) {
  const DType dtype = request.arguments.inputs[0].dtype();
  if (dtype == DType::float32) return prepare_adam_of<float>(context, request);
  if (dtype == DType::float64) return prepare_adam_of<double>(context, request);
  return nullptr;
}

// ---- norm and clipping
// --------------------------------------------------------------------------------------------------------

template <class T>
class SquaredNormOp final : public PreparedOp {
 public:
  SquaredNormOp(const PrepareRequest& request, int threads)
      : threads_(threads),
        loops_(optimizer_loops<T>()),
        count_(request.arguments.inputs[0].type().elements()),
        x_(request.arguments.inputs[0].data_as<const T>()),
        result_(request.arguments.outputs[0].data_as<T>()),
        parts_(static_cast<size_t>((count_ + kBlockElements - 1) / kBlockElements)) {}

  void run() override {
    parallel_for(threads_, static_cast<int64_t>(parts_.size()), count_, [this](int64_t i) {
      const int64_t begin = i * kBlockElements;
      parts_[static_cast<size_t>(i)] = loops_.squared_norm(x_ + begin, std::min(kBlockElements, count_ - begin));
    });
    double total = 0;
    for (const double part : parts_) total += part;
    *result_ = static_cast<T>(total);
  }
  KernelFacts facts() const override { return {.name = fmt::format("own squared_norm ({})", vector_unit())}; }

 private:
  int threads_;
  OptimizerLoops<T> loops_;
  int64_t count_;
  const T* x_;
  T* result_;
  std::vector<double> parts_;
};

template <class T>
class ClipOp final : public PreparedOp {
 public:
  ClipOp(const PrepareRequest& request, int threads)
      : threads_(threads),
        loops_(line_loops<T>()),
        max_norm_(request.node.attributes.get_double("max_norm", 0)),
        count_(request.arguments.inputs[0].type().elements()),
        x_(request.arguments.inputs[0].data_as<const T>()),
        squared_norm_(request.arguments.inputs[1].data_as<const T>()),
        y_(request.arguments.outputs[0].data_as<T>()) {}

  void run() override {
    const double wanted = max_norm_ / (std::sqrt(static_cast<double>(*squared_norm_)) + 1e-6);
    const auto factor = static_cast<T>(wanted > 1 ? 1 : wanted);  // a NaN stays one
    parallel_parts(threads_, count_, 64, count_,
                   [&](int64_t begin, int64_t end) { loops_.scaled(x_ + begin, end - begin, factor, y_ + begin); });
  }
  KernelFacts facts() const override { return {.name = fmt::format("own clip_by_norm ({})", vector_unit())}; }

 private:
  int threads_;
  RowLoops<T> loops_;
  double max_norm_;
  int64_t count_;
  const T *x_, *squared_norm_;
  T* y_;
};

template <class T>
std::unique_ptr<PreparedOp> prepare_norm_of(Context& context, const PrepareRequest& request) {
  const Tensor& x = request.arguments.inputs[0];
  if (optimizer_loops<T>().squared_norm == nullptr || !is_stretch<T>(x.type())) return nullptr;
  if (request.node.op->name == "squared_norm") return std::make_unique<SquaredNormOp<T>>(request, context.threads);
  const bool fits = request.arguments.inputs[1].dtype() == x.dtype() &&
                    request.arguments.outputs[0].type().strides == x.type().strides;
  return fits ? std::make_unique<ClipOp<T>>(request, context.threads) : nullptr;
}

std::unique_ptr<PreparedOp> prepare_norm(Context& context, const PrepareRequest& request) {
  const DType dtype = request.arguments.inputs[0].dtype();
  if (dtype == DType::float32) return prepare_norm_of<float>(context, request);
  if (dtype == DType::float64) return prepare_norm_of<double>(context, request);
  return nullptr;
}

}  // namespace

std::span<const Kernel> optimizers_kernels() {
  static constexpr Kernel kKernels[] = {{"adam", prepare_adam},          {"adamw", prepare_adam},
                                        {"unscaled_adam", prepare_adam}, {"unscaled_adamw", prepare_adam},
                                        {"squared_norm", prepare_norm},  {"clip_by_norm", prepare_norm}};
  return kKernels;
}

}  // namespace engine::cpu
