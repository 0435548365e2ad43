// SPDX-License-Identifier: Apache-2.0
// Gradients of conv2d with 3x3 kernels as matrix products over weights as they lie. oneDNN moves weights into blocks of
// its own, which for images of few pixels takes up to as long as the sums themselves.
#pragma once

#include <memory>
#include <optional>

#include "engine/kernels/convolution/convolution.h"
#include "engine/kernels/convolution/convolution_product_simd.h"
#include "engine/kernels/core/context.h"
#include "engine/runtime/backend.h"

namespace engine::cpu {

enum class ConvolutionGradient { by_input, by_weight };

/// A gradient that is computed so.
struct ConvolutionProductPlan {
  ProductConvolution shape;   ///< without pixel_of
  int64_t scratch_bytes = 0;  ///< per thread

  int64_t workspace_bytes(int threads) const { return threads * scratch_bytes; }
};

/// Nothing where convolution_rule.h speaks against it, and where threads would get uneven shares of the channels.
std::optional<ConvolutionProductPlan> plan_convolution_product(const Context&, ConvolutionGradient, const Attributes&,
                                                               const TensorType& x, const TensorType& weight,
                                                               const TensorType& y);

/// Inputs dy and weight (by input) or x (by weight).
std::unique_ptr<PreparedOp> make_convolution_product(Context&, const PrepareRequest&, ConvolutionGradient,
                                                     const ConvolutionProductPlan&, const ConvolutionProblem&);

}  // namespace engine::cpu
