// SPDX-License-Identifier: Apache-2.0
// Batch norms folded into convolutions, and those by Winograd's minimal filtering.
#include "engine/kernels/convolution/batch_norm_fold.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "engine/kernels/convolution/winograd.h"

namespace engine::cpu {
namespace {

class FoldedWinograd final : public PreparedOp {
 public:
  FoldedWinograd(BatchNormFold batch_norm, std::unique_ptr<Winograd> convolution)
      : fold_(std::move(batch_norm)), main_(std::move(convolution)) {}

  void run() override {
    if (fold_.update()) main_->take_weights(fold_.factor());
    main_->convolve();
  }
  KernelFacts facts() const override {
    KernelFacts facts = main_->facts();
    facts.name += kFolded;
    return facts;
  }
  double spared_flops() const override { return main_->spared_flops(); }

 private:
  BatchNormFold fold_;
  std::unique_ptr<Winograd> main_;
};

bool is_f32_vector(const Tensor& t, int64_t channels) {
  return t.dtype() == DType::float32 && t.shape() == Shape{channels} && is_contiguous(t.shape(), t.strides());
}

bool is_constant(const PrepareRequest& request, int operand) {
  return static_cast<size_t>(operand) < request.inputs_constant.size() &&
         request.inputs_constant[static_cast<size_t>(operand)];
}

std::vector<Tensor> operands_of(const FusedMember& member, const std::vector<Tensor>& inputs, size_t from) {
  std::vector<Tensor> tensors;
  for (size_t k = from; k < member.operands.size(); ++k)
    tensors.push_back(inputs[static_cast<size_t>(member.operands[k])]);
  return tensors;
}

}  // namespace

BatchNormFold::BatchNormFold(std::vector<Tensor> vectors, const Tensor& bias, double epsilon)
    : vectors_(std::move(vectors)),
      epsilon_(epsilon),
      channels_(static_cast<size_t>(vectors_[0].type().elements())),
      factor_(channels_),
      bias_(channels_) {
  if (bias.defined()) vectors_.push_back(bias);
  seen_.resize(vectors_.size() * channels_);
}

bool BatchNormFold::update() {
  bool changed = !folded_;
  for (size_t i = 0; i < vectors_.size(); ++i) {
    const size_t bytes = channels_ * sizeof(float);
    if (std::memcmp(&seen_[i * channels_], vectors_[i].data(), bytes) == 0) continue;
    std::memcpy(&seen_[i * channels_], vectors_[i].data(), bytes);
    changed = true;
  }
  if (!changed) return false;
  folded_ = true;
  const auto at = [&](size_t vector, size_t c) { return static_cast<double>(seen_[vector * channels_ + c]); };
  for (size_t c = 0; c < channels_; ++c) {
    const double factor = at(0, c) / std::sqrt(at(3, c) + epsilon_), before = vectors_.size() > 4 ? at(4, c) : 0;
    factor_[c] = static_cast<float>(factor);
    bias_[c] = static_cast<float>((before - at(2, c)) * factor + at(1, c));
  }
  return true;
}

std::optional<FoldableConvolution> foldable_convolution(const FusedProgram& program, const PrepareRequest& request) {
  if (!normalizes_convolution(program)) return std::nullopt;
  const auto& in = request.arguments.inputs;
  std::vector<Tensor> operands = operands_of(program.members[0], in, 0),
                      vectors = operands_of(program.members[1], in, 1);
  const int64_t channels = operands[1].shape()[0];
  const Tensor bias = operands.size() > 2 ? operands[2] : Tensor();
  if (!is_constant(request, program.members[0].operands[1]) || (bias.defined() && !is_f32_vector(bias, channels)) ||
      !std::ranges::all_of(vectors, [&](const Tensor& t) { return is_f32_vector(t, channels); }))
    return std::nullopt;
  const double epsilon = program.members[1].attributes.get_double("epsilon", 1e-5);
  return FoldableConvolution{operands[0], operands[1], BatchNormFold(std::move(vectors), bias, epsilon)};
}

FoldedConvolutionCall prepare_folded_winograd(Context& context, const FusedProgram& program,
                                              const PrepareRequest& request, const Finish& finish) {
  std::optional<FoldableConvolution> folds = foldable_convolution(program, request);
  if (!folds) return {};
  const Tensor& y = request.arguments.outputs[0];
  const auto shape = choose_winograd(context, false, program.members[0].attributes, folds->x.type(),
                                     folds->weight.type(), y.type(), true);
  if (!shape) return {};
  const bool finishes = program.members.size() > 2 && y.type() == TensorType::channels_last(y.dtype(), y.shape());
  auto main = Winograd::make(context, *shape,
                             {.x = folds->x,
                              .weight = folds->weight,
                              .y = y,
                              .bias = folds->fold.bias(),
                              .by_input = false,
                              .constant_weights = true},
                             request.workspace, finishes ? finish : Finish());
  if (!main) return {};
  return {std::make_unique<FoldedWinograd>(std::move(folds->fold), std::move(main)), finishes};
}

}  // namespace engine::cpu
