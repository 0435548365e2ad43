// SPDX-License-Identifier: Apache-2.0
// Batch norm with given statistics, folded into the weights and bias of the convolution before it: w' = w f and
// b' = (b - mean) f + bias with f = scale / sqrt(variance + epsilon).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/graph/fused.h"
#include "engine/kernels/core/kernels.h"

namespace engine::cpu {

/// What is added to the names of kernels that fold.
inline constexpr std::string_view kFolded = " with batch norm folded in";

/// Batch norm with given statistics on its way into weights and bias. The statistics are looked at before every run
/// (they are states of the graph, which somebody may set); the weights are constant.
class BatchNormFold {
 public:
  BatchNormFold(std::vector<Tensor> vectors, const Tensor& bias, double epsilon);

  float* factor() { return factor_.data(); }
  float* bias() { return bias_.data(); }
  /// Whether factor and bias are new.
  bool update();

 private:
  std::vector<Tensor> vectors_;  ///< scale, bias, mean, variance, and the convolution's bias where it has one
  double epsilon_;
  size_t channels_;
  bool folded_ = false;
  std::vector<float> seen_, factor_, bias_;
};

/// The convolution and batch norm that a program begins with.
struct FoldableConvolution {
  Tensor x, weight;
  BatchNormFold fold;
};
/// Nothing for other programs, weights that change, and vectors that are not f32 and dense.
std::optional<FoldableConvolution> foldable_convolution(const FusedProgram&, const PrepareRequest&);

/// By Winograd's minimal filtering; without an op where that is not chosen.
FoldedConvolutionCall prepare_folded_winograd(Context&, const FusedProgram&, const PrepareRequest&, const Finish&);

}  // namespace engine::cpu
