// SPDX-License-Identifier: Apache-2.0
// Loss scaling in f32: the check for infinities and NaN, the guarded updates, the scale's update.
#include <algorithm>
#include <atomic>

#include "engine/kernels/core/kernels.h"
#include "engine/kernels/core/parallel.h"
#include "engine/tensor/loss_scale.h"

namespace engine::cpu {
namespace {

class FoundNonfinite final : public PreparedOp {
 public:
  FoundNonfinite(const PrepareRequest& request, int threads)
      : gradient_(request.arguments.inputs[0]), found_(request.arguments.outputs[0]), threads_(threads) {}
  void run() override {
    const auto* bits = gradient_.data_as<const uint32_t>();
    const int64_t count = gradient_.type().elements();
    std::atomic<bool> found{false};
    parallel_parts(threads_, count, 64, count, [&](int64_t begin, int64_t end) {
      uint32_t any = 0;  // without a branch, so that whole vectors are looked at
      for (int64_t i = begin; i < end; ++i) any |= static_cast<uint32_t>((bits[i] & 0x7f800000u) == 0x7f800000u);
      if (any != 0) found = true;
    });
    if (found) *found_.data_as<float>() = 1;
  }
  KernelFacts facts() const override { return {.name = "own found_nonfinite"}; }

 private:
  Tensor gradient_, found_;
  int threads_;
};

class UnscaledSgd final : public PreparedOp {
 public:
  UnscaledSgd(const PrepareRequest& request, int threads)
      : arguments_(request.arguments),
        momentum_(request.arguments.outputs.size() == 2),
        rate_(static_cast<float>(request.node.attributes.get_double("rate", 0))),
        decay_(static_cast<float>(request.node.attributes.get_double("weight_decay", 0))),
        carried_(static_cast<float>(request.node.attributes.get_double("momentum", 0))),
        nesterov_(request.node.attributes.get_int("nesterov", 0) != 0),
        threads_(threads) {}
  void run() override {
    const size_t scalars = momentum_ ? 3 : 2;
    if (*arguments_.inputs[scalars + 1].data_as<float>() != 0) return;
    const float scale = *arguments_.inputs[scalars].data_as<float>();
    float* weight = arguments_.outputs[0].data_as<float>();
    const float* gradient = arguments_.inputs[1].data_as<float>();
    float* buffer = momentum_ ? arguments_.outputs[1].data_as<float>() : nullptr;
    const int64_t count = arguments_.outputs[0].type().elements();
    parallel_parts(threads_, count, 64, count, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        float step = gradient[i] / scale + decay_ * weight[i];
        if (buffer != nullptr) {
          buffer[i] = carried_ * buffer[i] + step;
          step = nesterov_ ? step + carried_ * buffer[i] : buffer[i];
        }
        weight[i] -= rate_ * step;
      }
    });
  }
  KernelFacts facts() const override { return {.name = momentum_ ? "own unscaled_sgd_momentum" : "own unscaled_sgd"}; }

 private:
  KernelArguments arguments_;
  bool momentum_;
  float rate_, decay_, carried_;
  bool nesterov_;
  int threads_;
};

class LossScaleUpdate final : public PreparedOp {
 public:
  explicit LossScaleUpdate(const PrepareRequest& request)
      : outputs_(request.arguments.outputs),
        rule_{request.node.attributes.get_double("growth_factor", 2),
              request.node.attributes.get_double("backoff_factor", 0.5),
              request.node.attributes.get_int("growth_interval", 2000)} {}
  void run() override {
    float *scale = outputs_[0].data_as<float>(), *found = outputs_[2].data_as<float>();
    int32_t *streak = outputs_[1].data_as<int32_t>(), *skipped = outputs_[3].data_as<int32_t>();
    const LossScale next = next_loss_scale({*scale, *streak, *skipped}, *found != 0, rule_);
    *scale = next.scale;
    *streak = next.streak;
    *skipped = next.skipped;
    *found = 0;
  }
  KernelFacts facts() const override { return {.name = "own loss_scale_update"}; }

 private:
  std::vector<Tensor> outputs_;
  LossScaleRule rule_;
};

bool is_dense_f32(const Tensor& tensor) {
  return tensor.dtype() == DType::float32 && is_dense(tensor.shape(), tensor.strides());
}

std::unique_ptr<PreparedOp> prepare_found(Context& context, const PrepareRequest& request) {
  if (!is_dense_f32(request.arguments.inputs[0])) return nullptr;
  return std::make_unique<FoundNonfinite>(request, context.threads);
}

/// Weight, gradient and buffer in one dense layout.
std::unique_ptr<PreparedOp> prepare_sgd(Context& context, const PrepareRequest& request) {
  const auto& in = request.arguments.inputs;
  const bool fits = std::all_of(in.begin(), in.end() - 2, [&](const Tensor& tensor) {
    return is_dense_f32(tensor) && tensor.strides() == in[0].strides();
  });
  if (!fits) return nullptr;
  return std::make_unique<UnscaledSgd>(request, context.threads);
}

std::unique_ptr<PreparedOp> prepare_update(Context&, const PrepareRequest& request) {
  return std::make_unique<LossScaleUpdate>(request);
}

constexpr Kernel kKernels[] = {{"found_nonfinite", prepare_found},
                               {"unscaled_sgd", prepare_sgd},
                               {"unscaled_sgd_momentum", prepare_sgd},
                               {"loss_scale_update", prepare_update}};

}  // namespace

std::span<const Kernel> loss_scaling_kernels() { return kKernels; }

}  // namespace engine::cpu
