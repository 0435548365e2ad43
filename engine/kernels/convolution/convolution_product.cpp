// SPDX-License-Identifier: Apache-2.0
// When gradients of 3x3 convolutions are matrix products over plain weights, and the op that computes them on all
// threads.
#include "engine/kernels/convolution/convolution_product.h"

#include <fmt/format.h>

#include <vector>

#include "engine/kernels/convolution/convolution_images.h"
#include "engine/kernels/convolution/convolution_product_loops.h"
#include "engine/kernels/convolution/convolution_rule.h"
#include "engine/kernels/core/parallel.h"
#include "engine/kernels/core/vector_unit.h"

namespace engine::cpu {
namespace {

/// [rows, taps]: ProductConvolution::pixel_of.
std::vector<int32_t> pixels_read(const ConvolutionProblem& p, const TensorType& x, const TensorType& y) {
  const loops::TapWindow window{.x = {x.shape[2], x.shape[3]},
                                .y = {y.shape[2], y.shape[3]},
                                .stride = {p.stride[0], p.stride[1]},
                                .dilation = {p.dilation[0] + 1, p.dilation[1] + 1},
                                .before = {p.padding_begin[0], p.padding_begin[1]}};
  const int64_t rows = convolution_rule::pixels(y), padding = convolution_rule::pixels(x);
  std::vector<int32_t> pixel_of;
  pixel_of.reserve(static_cast<size_t>(rows * ProductConvolution::kTaps));
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t tap = 0; tap < ProductConvolution::kTaps; ++tap) {
      const int64_t pixel = window.pixel(row, tap);
      pixel_of.push_back(static_cast<int32_t>(pixel < 0 ? padding : pixel));
    }
  }
  return pixel_of;
}

class ConvolutionProductOp final : public PreparedOp {
 public:
  ConvolutionProductOp(ConvolutionGradient gradient, const ConvolutionProductPlan& plan, std::vector<int32_t> pixel_of,
                       const PrepareRequest& request, int threads)
      : gradient_(gradient),
        plan_(plan),
        pixel_of_(std::move(pixel_of)),
        dy_(request.arguments.inputs[0].data_as<const float>()),
        other_(request.arguments.inputs[1].data_as<const float>()),
        to_(request.arguments.outputs[0].data_as<float>()),
        scratch_(reinterpret_cast<float*>(request.workspace)),
        threads_(threads) {
    plan_.shape.pixel_of = pixel_of_.data();
  }

  void run() override {
    const ProductConvolution& p = plan_.shape;
    const auto share = gradient_ == ConvolutionGradient::by_input ? loops_.grad_input : loops_.grad_weight;
    const int64_t each = plan_.scratch_bytes / static_cast<int64_t>(sizeof(float));
    parallel_parts(
        threads_, p.inputs / loops_.lanes, 1, p.inputs * p.outputs * p.rows * ProductConvolution::kTaps,
        [&](int64_t first, int64_t last) { share(p, dy_, other_, to_, first, last, scratch_ + team_member() * each); });
  }
  KernelFacts facts() const override {
    return {.name = fmt::format("own gemm over plain weights ({})", vector_unit()),
            .own_gemm = true,
            .plain_weights = true};
  }

 private:
  ConvolutionGradient gradient_;
  ConvolutionProductPlan plan_;
  std::vector<int32_t> pixel_of_;
  ProductConvolutionLoops loops_ = product_convolution_loops();
  const float *dy_, *other_;  ///< other: weights, or x
  float *to_, *scratch_;
  int threads_;
};

}  // namespace

std::optional<ConvolutionProductPlan> plan_convolution_product(const Context& context, ConvolutionGradient gradient,
                                                               const Attributes& attributes, const TensorType& x,
                                                               const TensorType& weight, const TensorType& y) {
  const ProductConvolutionLoops loops = product_convolution_loops();
  const bool by_input = gradient == ConvolutionGradient::by_input;
  if (!convolution_rule::is_product(by_input, attributes, x, weight, y, loops.lanes)) return std::nullopt;
  const int64_t inputs = weight.shape[1], outputs = weight.shape[0];
  if (!shares_are_even(inputs / loops.lanes, context.threads)) return std::nullopt;
  ConvolutionProductPlan plan;
  plan.shape = {.rows = convolution_rule::pixels(y),
                .pixels = convolution_rule::pixels(x),
                .inputs = inputs,
                .outputs = outputs,
                .weight_row = outputs == 1 ? inputs * ProductConvolution::kTaps : weight.strides[0],
                .pixel_of = nullptr};
  plan.scratch_bytes = static_cast<int64_t>(whole_lines(
      static_cast<size_t>((by_input ? loops.input_scratch : loops.weight_scratch)(plan.shape)) * sizeof(float)));
  return plan;
}

std::unique_ptr<PreparedOp> make_convolution_product(Context& context, const PrepareRequest& request,
                                                     ConvolutionGradient gradient, const ConvolutionProductPlan& plan,
                                                     const ConvolutionProblem& problem) {
  const bool by_input = gradient == ConvolutionGradient::by_input;
  const Tensor &x = by_input ? request.arguments.outputs[0] : request.arguments.inputs[1],
               &dy = request.arguments.inputs[0];
  return std::make_unique<ConvolutionProductOp>(gradient, plan, pixels_read(problem, x.type(), dy.type()), request,
                                                context.threads);
}

}  // namespace engine::cpu
