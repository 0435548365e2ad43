// SPDX-License-Identifier: Apache-2.0
// When Winograd's minimal filtering is expected to be faster than direct sums.
#pragma once

#include <span>

#include "engine/kernels/convolution/winograd_loops.h"
#include "engine/kernels/core/winograd_timing.h"

namespace engine::cpu {

/// Time of a convolution, or of its gradient by the input, over that of direct sums, as expected for vectors of `lanes`
/// elements. `constant`: weights are transformed once, not in each step.
double winograd_ratio(const loops::WinogradShape&, int64_t lanes, int threads, bool constant);
/// The same of the gradient by the weights.
double winograd_gradient_ratio(const loops::WinogradShape&, int64_t lanes, int threads);

/// What expected ratios are multiplied with on a machine where these were measured (geometric mean); 1 without any.
double winograd_correction(std::span<const WinogradTiming>, int64_t lanes);
/// Whether an expected ratio speaks for it there.
bool winograd_pays(double ratio, std::span<const WinogradTiming>, int64_t lanes);

}  // namespace engine::cpu
