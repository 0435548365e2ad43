// SPDX-License-Identifier: Apache-2.0
// Gradients of maxima, of images and of volumes.
#pragma once

#include <functional>

#include "engine/kernels/core/describe_access.h"
#include "engine/kernels/pooling/pooling_loops.h"

namespace engine::access {

/// Inputs dy and indices, output dx, channels last. Which element of a window was the largest is not known:
/// first_input(pixel of dy) names the first one; -1: there is none.
void describe_scatter(const OpCall&, const loops::ScatterShape&, const std::function<int64_t(int64_t)>& first_input,
                      AccessSink&);

}  // namespace engine::access
