// SPDX-License-Identifier: Apache-2.0
// When a convolution with the batch norm of an inference goes image by image: known to the kernel
// (convolution_fused.cpp) and to what only says what is accessed (engine/kernels/fusion/fused_access.cpp).
#pragma once

#include <cstdint>
#include <span>

#include "engine/graph/fused.h"

namespace engine {

/// Multiply-adds from which on an image of a batch is convolved by a call of its own: from there on the batch's single
/// call is no faster (at most 1 % on every layer of ResNet-50, tests/benchmarks), and what follows finds the image's
/// result in the cache.
inline constexpr int64_t kImageMultiplyAdds = 10'000'000;

/// Whether the convolution and batch norm that a program begins with are computed image by image, each image's result
/// finished by the loop behind them before the next one begins. An image's result must lie in one piece.
bool goes_by_images(const FusedProgram&, std::span<const TensorType> inputs, const TensorType& result);

}  // namespace engine
